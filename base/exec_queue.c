// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec_queue: a thread that runs a program for one file after another, for a caller that must not
 * wait.
 */
#include "base/exec_queue.h"

#include "base/mem.h"
#include "base/mono.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct exec_queue {
	const char *program;
	struct notes *notes;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock: */
	char *files[EXECQUEUE_MOST]; /* a ring: those that wait */
	unsigned first, n;
	char *now;	 /* the file that it runs for; NULL: it does not run */
	pid_t pid;	 /* of this run; 0: not started */
	unsigned failed; /* files for which it was not run, or failed */
	bool quit;	 /* run for no further file */
	bool left;	 /* ... and nothing waits for the thread, whose the queue now is */
};

/* ---- one run ---- */

/* Signals as a new program expects them: none blocked, and of ours none ignored. */
static void set_signals(posix_spawnattr_t *attr)
{
	sigset_t none, ours;

	sigemptyset(&none);
	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &ours);
}

/* 0, or the errno. */
static int start(const char *program, const char *file, pid_t *pid)
{
	char *argv[] = { mem_strdup(program), mem_strdup(file), NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_RESETIDS | POSIX_SPAWN_SETPGROUP |
						POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attr, 0);
	set_signals(&attr);
	rc = posix_spawnp(pid, program, &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	free(argv[0]);
	free(argv[1]);
	return rc;
}

static void count_failure(struct exec_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->failed++;
	pthread_mutex_unlock(&q->lock);
}

unsigned execqueue_failed(struct exec_queue *q)
{
	unsigned n;

	pthread_mutex_lock(&q->lock);
	n = q->failed;
	pthread_mutex_unlock(&q->lock);
	return n;
}

/* Has the program failed? */
static bool say_status(const struct exec_queue *q, const char *file, int status)
{
	if (WIFSIGNALED(status))
		note_say(q->notes, NOTE_DAMAGE, "%s %s: killed by signal %d (%s)", q->program, file,
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		note_say(q->notes, NOTE_DAMAGE, "%s %s: failed with exit status %d", q->program,
			 file, WEXITSTATUS(status));
	return status != 0;
}

/* False: it was not run, or has failed; that was reported. */
static bool run_for(struct exec_queue *q, const char *file)
{
	struct stat st;
	int status, rc;
	pid_t pid, got;

	if (lstat(file, &st) < 0) {
		note_say(q->notes, NOTE_DAMAGE,
			 "%s %s: not run, as the file was removed before its turn", q->program,
			 file);
		return false;
	}
	rc = start(q->program, file, &pid);
	if (rc) {
		note_say(q->notes, NOTE_DAMAGE, "%s %s: cannot be executed: %s", q->program, file,
			 strerror(rc));
		return false;
	}
	pthread_mutex_lock(&q->lock);
	q->pid = pid;
	pthread_mutex_unlock(&q->lock);
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	return got != pid || !say_status(q, file, status);
}

/* ---- the queue ---- */

static char *take_first(struct exec_queue *q)
{
	char *file = q->files[q->first];

	q->first = (q->first + 1) % EXECQUEUE_MOST;
	q->n--;
	return file;
}

static void queue_free(struct exec_queue *q)
{
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

static void *work(void *arg)
{
	struct exec_queue *q = arg;
	bool left;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!q->n && !q->quit)
			pthread_cond_wait(&q->changed, &q->lock);
		if (q->quit)
			break;
		q->now = take_first(q);
		pthread_mutex_unlock(&q->lock);
		if (!run_for(q, q->now))
			count_failure(q);
		pthread_mutex_lock(&q->lock);
		free(q->now);
		q->now = NULL;
		q->pid = 0;
		pthread_cond_broadcast(&q->changed);
	}
	left = q->left;
	pthread_mutex_unlock(&q->lock);
	if (left)
		queue_free(q);
	return NULL;
}

static void init_locks(struct exec_queue *q)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->changed, &attr);
	pthread_condattr_destroy(&attr);
}

struct exec_queue *execqueue_new(const char *program, struct notes *n, struct err *e)
{
	struct exec_queue *q = mem_zalloc(sizeof(*q));
	sigset_t all, was;
	int rc;

	q->program = program;
	q->notes = n;
	init_locks(q);
	/* Signals are for the caller's thread, whose waits they interrupt. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	rc = pthread_create(&q->thread, NULL, work, q);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (!rc)
		return q;
	errno = rc;
	err_sys(e, ERR_NO_OFF, "cannot start a thread to run %s", program);
	queue_free(q);
	return NULL;
}

void execqueue_put(struct exec_queue *q, const char *file)
{
	bool room;

	pthread_mutex_lock(&q->lock);
	room = q->n < EXECQUEUE_MOST;
	if (room)
		q->files[(q->first + q->n++) % EXECQUEUE_MOST] = mem_strdup(file);
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	if (room)
		return;
	count_failure(q);
	note_say(q->notes, NOTE_DAMAGE, "%s %s: not run, as %u files wait for it already",
		 q->program, file, EXECQUEUE_MOST);
}

/* Under the lock: wait for the end of all runs, up to TIME.  False: one still runs. */
static bool wait_for_all(struct exec_queue *q, uint64_t time)
{
	const struct timespec t = { .tv_sec = (time_t)(time / 1000000000),
				    .tv_nsec = (long)(time % 1000000000) };
	int rc = 0;

	while ((q->n || q->now) && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&q->changed, &q->lock, &t);
	return !q->now;
}

void execqueue_end(struct exec_queue *q, uint64_t limit)
{
	bool ended;

	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	ended = wait_for_all(q, mono_ns() + limit);
	q->quit = true;
	q->left = !ended;
	if (!ended)
		note_say(q->notes, NOTE_DAMAGE,
			 "%s %s: still running after %.6g s (process %d), and left running",
			 q->program, q->now, (double)limit / 1e9, (int)q->pid);
	while (q->n) {
		char *file = take_first(q);

		note_say(q->notes, NOTE_DAMAGE, "%s %s: not run, as the recorder ends", q->program,
			 file);
		free(file);
	}
	pthread_cond_broadcast(&q->changed);
	/* A thread that waits for a program goes with our process, or frees the queue before. */
	if (!ended)
		pthread_detach(q->thread);
	pthread_mutex_unlock(&q->lock);
	if (!ended)
		return;
	pthread_join(q->thread, NULL);
	queue_free(q);
}
