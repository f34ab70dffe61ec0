// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_process: makes one answer of explore in a forked process, so that the server's memory stays
 * as it is, and a crash costs one answer.
 */
#include "programs/zedperl/explore/view_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors of the process. */
#define ANSWER_FD 3
#define ENDED_FD 4
#define INDEX_FD 5

/* ---- its answer ---- */

static void out_error(struct outbuf *o, const char *text)
{
	out_str(o, "{\"error\":");
	out_json(o, text, strlen(text));
	out_char(o, '}');
}

unsigned view_answered(struct explore *x, const struct explore_view *v, const struct request *q,
		       struct outbuf *o)
{
	char text[sizeof(((struct err *)0)->msg) + 320];
	size_t from = o->len;
	struct err e;

	if (!v->make) {
		out_str(o, "{}");
		return 200;
	}
	if (v->make(x, q, o, &e) == 0 && o->len - from <= VIEW_SIZE)
		return 200;
	if (o->len - from > VIEW_SIZE)
		err_set(&e, ERR_USAGE, ERR_NO_OFF, "the answer is too large: choose less");
	o->len = from;
	out_error(o, err_text(&e, text, sizeof(text)));
	return e.kind == ERR_USAGE ? 400 : 500;
}

/* ---- in the process ---- */

static void set_limit(int what, rlim_t n)
{
	struct rlimit l;

	if (getrlimit(what, &l) < 0)
		return;
	if (l.rlim_max != RLIM_INFINITY && l.rlim_max < n)
		n = l.rlim_max;
	l = (struct rlimit){ n, n };
	setrlimit(what, &l);
}

void viewprocess_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__)
	set_limit(RLIMIT_AS, VIEW_MEMORY);
#endif
	set_limit(RLIMIT_CORE, 0);
}

void viewprocess_confine(void)
{
	viewprocess_memory();
	set_limit(RLIMIT_CPU, VIEW_CPU);
	set_limit(RLIMIT_FSIZE, VIEW_SIZE);
	alarm(VIEW_TIME);
}

void viewprocess_signals(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGALRM };
	sigset_t none;

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		signal(all[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* FD as the descriptor AS, which executed programs do not get. */
static bool take_descriptor(int fd, int as)
{
	return dup3(fd, as, O_CLOEXEC) >= 0;
}

/* The server's sockets must not stay open here: a client would wait for their end. */
static bool take_descriptors(const struct view_process *p, int ended, struct explore *x)
{
	/* Above all that is used, so that none is overwritten. */
	int answer = fcntl(p->answer, F_DUPFD, 16), said = fcntl(p->said, F_DUPFD, 16),
	    end = fcntl(ended, F_DUPFD, 16), null = open("/dev/null", O_RDWR),
	    index = x->index_file >= 0 ? fcntl(x->index_file, F_DUPFD, 16) : -1;

	if (answer < 0 || said < 0 || end < 0 || null < 0 || dup2(null, 0) < 0 ||
	    dup2(null, 1) < 0 || dup2(said, 2) < 0 || !take_descriptor(answer, ANSWER_FD) ||
	    !take_descriptor(end, ENDED_FD))
		return false;
	x->index_file = index >= 0 && take_descriptor(index, INDEX_FD) ? INDEX_FD : -1;
	/* By /proc or one by one, if the kernel has no close_range(). */
	closefrom(x->index_file >= 0 ? INDEX_FD + 1 : INDEX_FD);
	return true;
}

static bool write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* Never returns, and frees nothing. */
static void live(struct explore *x, const struct explore_view *v, const struct request *q,
		 const struct view_process *p, int ended)
{
	struct outbuf o = { 0 };
	uint16_t status;

	setpgid(0, 0);
	viewprocess_signals();
	if (!take_descriptors(p, ended, x))
		_exit(1);
	viewprocess_confine();
	status = (uint16_t)view_answered(x, v, q, &o);
	if (write_all(ANSWER_FD, o.p, o.len))
		write_all(ENDED_FD, (const char *)&status, sizeof(status));
	_exit(0);
}

/* ---- in the server ---- */

void viewprocess_init(struct view_process *p)
{
	*p = (struct view_process){ .ended = -1, .answer = -1, .said = -1 };
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int viewprocess_start(struct view_process *p, struct explore *x, const struct explore_view *v,
		      const struct request *q, struct err *e)
{
	pid_t parent = getpid();
	int ends[2];

	viewprocess_init(p);
	p->answer = memfd_create("answer", MFD_CLOEXEC);
	p->said = memfd_create("messages", MFD_CLOEXEC);
	if (p->answer < 0 || p->said < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot prepare an answer");
		viewprocess_stop(p);
		return -1;
	}
	p->ended = ends[0];
	p->pid = fork();
	if (p->pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
			live(x, v, q, p, ends[1]);
		_exit(1);
	}
	close(ends[1]);
	if (p->pid < 0) {
		p->pid = 0;
		err_sys(e, ERR_NO_OFF, "cannot start a process for an answer");
		viewprocess_stop(p);
		return -1;
	}
	/* Here too, so that it is true before it is stopped. */
	setpgid(p->pid, p->pid);
	return 0;
}

/* Wait for what was killed or has ended. */
static int reap(struct view_process *p)
{
	int how = 0;

	while (p->pid && waitpid(p->pid, &how, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	return how;
}

/* It ended without an answer: why, as far as that is known. */
static void write_failure(struct view_process *p, int how)
{
	struct outbuf o = { 0 };
	char text[300];

	if (WIFSIGNALED(how) &&
	    (WTERMSIG(how) == SIGXCPU || WTERMSIG(how) == SIGKILL || WTERMSIG(how) == SIGALRM))
		snprintf(text, sizeof(text), "the answer took too long: choose a shorter range");
	else if (WIFSIGNALED(how))
		snprintf(text, sizeof(text),
			 "the answer's process was ended by signal %d: choose a shorter range",
			 WTERMSIG(how));
	else
		snprintf(text, sizeof(text),
			 "the answer needs more memory than it may have: choose a shorter range");
	out_error(&o, text);
	if (ftruncate(p->answer, 0) < 0 || pwrite(p->answer, o.p, o.len, 0) < 0)
		close_one(&p->answer);
	outbuf_fini(&o);
}

unsigned viewprocess_end(struct view_process *p, uint64_t *size)
{
	uint16_t status = 0;
	ssize_t n = read(p->ended, &status, sizeof(status));
	off_t len;
	int how;

	/* Whatever it started and left running. */
	if (p->pid)
		kill(-p->pid, SIGKILL);
	how = reap(p);
	if (n != sizeof(status)) {
		status = 500;
		write_failure(p, how);
	}
	len = p->answer >= 0 ? lseek(p->answer, 0, SEEK_END) : 0;
	*size = len > 0 ? (uint64_t)len : 0;
	return status;
}

void viewprocess_stop(struct view_process *p)
{
	if (p->pid) {
		kill(-p->pid, SIGKILL);
		kill(p->pid, SIGKILL);
	}
	reap(p);
	close_one(&p->ended);
	close_one(&p->answer);
	close_one(&p->said);
}
