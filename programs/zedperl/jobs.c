// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jobs: a script on many traces, in processes of this machine.  A process gets a part of the list;
 * if it fails, each of its traces gets a process of its own, so that a bad one only loses itself.
 */
#include "programs/zedperl/jobs.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "programs/stop.h"
#include "programs/zedperl/fleet/folder.h"
#include "programs/zedperl/fleet/state_lines.h"
#include "programs/zedperl/jobs_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIES 2	       /* of one trace whose process was killed */
#define STOP_WAITS 200 /* of 10 ms, before a process that does not stop is killed */

/* ---- names ---- */

/*
 * The same name for the same traces, script and options: so an earlier run's state is found again.
 */
static void name_job(struct jobs *j, struct job *job)
{
	uint64_t h = j->list.options;

	for (unsigned i = job->first; i < job->first + job->n; i++)
		h = bytes_hash(h, &j->list.v[i].hash, sizeof(j->list.v[i].hash));
	/* With --each the same trace may be run again. */
	if (j->z->fleet.each)
		h = bytes_hash(h, &job->first, sizeof(job->first));
	if (job->part) {
		h = bytes_hash(h, &job->part, sizeof(job->part));
		h = bytes_hash(h, &j->list.parts, sizeof(j->list.parts));
	}
	snprintf(job->name, sizeof(job->name), "traces-%016llx", (unsigned long long)h);
}

static void add_job(struct jobs *j, unsigned first, unsigned n, unsigned part)
{
	struct job job = { .folder = j->z->fleet.folder, .first = first, .n = n, .part = part };

	name_job(j, &job);
	/* If a killed run did not see a process end, it is not known how that ended. */
	if (!j->z->fleet.each && job_has(&job, ".state") && !job_has(&job, ".end")) {
		job.is = JOB_DONE;
		job.status = job_has(&job, ".err") ? CLI_DAMAGE : CLI_OK;
		j->over += n;
	}
	j->v = mem_grow(j->v, &j->cap, j->n + 1, sizeof(*j->v));
	j->v[j->n++] = job;
}

static bool is_of_any(void *arg, const char *name, size_t len)
{
	const struct jobs *j = arg;

	for (size_t i = 0; i < j->n; i++)
		if (job_is_named(&j->v[i], name, len))
			return true;
	return false;
}

static void split_job(struct jobs *j, size_t i)
{
	unsigned first = j->v[i].first, n = j->v[i].n;

	job_remove(&j->v[i], ".state");
	job_remove(&j->v[i], ".err");
	job_remove(&j->v[i], JOB_SAID);
	j->v[i].is = JOB_SPLIT;
	for (unsigned k = 0; k < n; k++)
		add_job(j, first + k, 1, 0);
}

/* ---- progress ---- */

static const char *what(const struct jobs *j)
{
	return j->list.parts ? "parts" : "traces";
}

/* Traces, or parts of the one. */
static unsigned total(const struct jobs *j)
{
	return j->list.parts ? j->list.parts : j->list.n;
}

/* ---- processes ---- */

static bool send_to(const struct jobs *j, const struct job *job, const char *ending, int to)
{
	char *path = job_path(job, ending);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		cli_say(j->c, "%s: cannot write: %s", path, strerror(errno));
	free(path);
	if (fd == to)
		return fcntl(fd, F_SETFD, 0) == 0;
	return fd >= 0 && dup2(fd, to) >= 0;
}

/* What the script prints is not an answer, except with --each: it goes where --map sends it. */
static bool send_output(const struct jobs *j, const struct job *job)
{
	return j->z->fleet.each ? send_to(j, job, ".out", STDOUT_FILENO) :
				  dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

static __attribute__((noreturn)) void become(struct jobs *j, const struct job *job, pid_t parent)
{
	const char **words = job_list_words(&j->list, j->c, j->z, job->first, job->n);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char part[32];

	if (!j->z->fleet.each) {
		char *out = job_path(job, ".state");

		words = job_list_output(words, out);
	}
	if (job->part) {
		snprintf(part, sizeof(part), "%u/%u", job->part, j->list.parts);
		words = job_list_part_word(words, part);
	}
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	/* If -j itself was killed, nothing takes its result. */
	if (null >= 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
	    dup2(null, STDIN_FILENO) >= 0 && send_to(j, job, ".err", STDERR_FILENO) &&
	    send_output(j, job) && send_to(j, job, ".end", TELL_FD))
		execv("/proc/self/exe", (char *const *)words);
	_exit(126);
}

static bool start_job(struct jobs *j, struct job *job)
{
	pid_t self = getpid();

	/* It must have a state only if it makes one now. */
	if (!j->z->fleet.each)
		job_remove(job, ".state");
	fflush(stdout);
	job->pid = fork();
	if (job->pid == 0)
		become(j, job, self);
	if (job->pid < 0) {
		j->no_process = errno;
		return false;
	}
	job->tries++;
	job->is = JOB_RUNS;
	j->running++;
	return true;
}

static void take_end(struct jobs *j, size_t i, int status)
{
	struct job *job = &j->v[i];
	bool killed = WIFSIGNALED(status);
	char *end = job_path(job, ".end");

	job->told = tell_read(end);
	free(end);
	job->killed = killed;
	job->status = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	j->running--;
	if (killed)
		folder_drop_begun(j->z->fleet.folder, job_is_named, job);
	if ((job->status == 0 || (job->n == 1 && job->status == 1)) &&
	    (j->z->fleet.each ? job->told == TELL_OVER : job_has(job, ".state"))) {
		job->is = JOB_DONE;
		j->over += job->n;
	} else if (job->told == TELL_UNCOMPILED) {
		j->uncompiled = true;
		job->is = JOB_FAILED;
	} else if (job->n > 1) {
		split_job(j, i);
	} else if (killed && job->tries < TRIES && !j->list.v[job->first].once) {
		job->is = JOB_WAITS;
	} else {
		job->is = JOB_FAILED;
		j->over++;
		j->failed++;
	}
	job_note_end(&j->v[i]);
}

static void stop_all(struct jobs *j)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	unsigned waits = 0;

	for (size_t i = 0; i < j->n; i++)
		if (j->v[i].is == JOB_RUNS)
			kill(j->v[i].pid, SIGTERM);
	/*
	 * Each process that ends is progress, however long it takes; their files are removed
	 * afterwards.
	 */
	for (size_t i = 0; i < j->n; i++)
		while (j->v[i].is == JOB_RUNS && waitpid(j->v[i].pid, NULL, WNOHANG) == 0) {
			nanosleep(&pause, NULL);
			cli_beat++;
			if (++waits == STOP_WAITS)
				for (size_t k = i; k < j->n; k++)
					if (j->v[k].is == JOB_RUNS)
						kill(j->v[k].pid, SIGKILL);
		}
}

static bool wait_one(struct jobs *j)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	if (pid < 0)
		return errno == EINTR && !cli_stop;
	for (size_t i = 0; i < j->n; i++)
		if (j->v[i].is == JOB_RUNS && j->v[i].pid == pid) {
			take_end(j, i, status);
			break;
		}
	return !cli_stop;
}

/* No process can be started. */
static void fail_rest(struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->v[i].is == JOB_WAITS) {
			j->v[i].is = JOB_FAILED;
			j->v[i].status = 126;
			j->failed += j->v[i].n;
		}
	cli_say(j->c, "cannot start a process: %s", strerror(j->no_process));
	if (j->z->fleet.each)
		jobs_print_results(j);
}

/* Run all that wait.  False: it was stopped, or nothing more can be run. */
static bool run_jobs(struct jobs *j)
{
	size_t next = 0;
	bool more = true;

	while (more) {
		while (j->running < j->z->fleet.jobs && !j->uncompiled) {
			while (next < j->n && j->v[next].is != JOB_WAITS)
				next++;
			if (next == j->n || !start_job(j, &j->v[next]))
				break;
		}
		if (!j->running && next < j->n && !j->uncompiled)
			fail_rest(j);
		if (!j->running)
			return next == j->n && !j->uncompiled;
		more = wait_one(j);
		/* A job that was killed waits again. */
		next = 0;
		if (j->z->fleet.each && !j->uncompiled)
			jobs_print_results(j);
		progress_show(&j->progress, j->over, total(j), j->failed, what(j));
	}
	stop_all(j);
	cli_ending();
	return false;
}

/* ---- duplicate traces ---- */

static void no_line(void *arg, const char *path, uint64_t number, const char *why)
{
}

/*
 * States of several traces that share one cannot be merged: their traces are run one by one; so are
 * those with an invalid state.  True: there were some.
 */
static bool split_shared(struct jobs *j)
{
	struct state_lines l = { .open = -1 };
	char **paths = mem_zalloc((j->n + 1) * sizeof(*paths));
	size_t *of = NULL, cap = 0, all = j->n;
	bool *bad = mem_zalloc(j->n + 1), any = false, *shared;
	struct err e;

	for (size_t i = 0; i < all; i++) {
		size_t had = l.n;

		if (j->v[i].is != JOB_DONE)
			continue;
		paths[i] = job_path(&j->v[i], ".state");
		/* One that was found there, and is incomplete, is made again. */
		if (state_lines_add(&l, paths[i], NULL, no_line, NULL, &e) < 0 || l.n != had + 1)
			bad[i] = j->v[i].n > 1 || !j->v[i].tries;
		of = mem_grow(of, &cap, l.n + 1, sizeof(*of));
		for (; had < l.n; had++)
			of[had] = i;
	}
	shared = state_lines_shared(&l);
	for (size_t k = 0; k < l.n; k++)
		bad[of[k]] |= shared[k] && j->v[of[k]].n > 1;
	free(shared);
	for (size_t i = 0; i < all; i++) {
		if (bad[i]) {
			j->over -= j->v[i].n;
			split_job(j, i);
			any = true;
		}
		free(paths[i]);
	}
	free(bad);
	free(of);
	free(paths);
	state_lines_fini(&l);
	return any;
}

/* ---- parts of one trace ---- */

/*
 * All parts are complete, or the trace is run as one: then its errors are reported once, as without
 * -j.  True: it has to be run as one.
 */
static bool join_parts(struct jobs *j)
{
	char *first;
	size_t bad = 0, size;

	if (!j->list.parts)
		return false;
	while (bad < j->n && j->v[bad].is == JOB_DONE && !j->v[bad].status)
		bad++;
	if (bad == j->n)
		return false;
	size = strlen(j->list.v[0].path) + 96;
	first = mem_alloc(size);
	if (j->v[bad].told == TELL_KEEPS)
		snprintf(first, size, "%s: one trace, one process", j->list.v[0].path);
	else if (!j->v[bad].status)
		snprintf(first, size, "run as a whole, as the state of part %u of %u is damaged",
			 j->v[bad].part, j->list.parts);
	else
		snprintf(first, size, "run as a whole, as part %u of %u ended with %d",
			 j->v[bad].part, j->list.parts, j->v[bad].status);
	jobs_say(j, &j->v[bad], first);
	free(first);
	for (size_t i = 0; i < j->n; i++) {
		job_remove(&j->v[i], ".state");
		j->v[i].is = JOB_SPLIT;
		jobs_remove_rest(j, &j->v[i]);
	}
	j->n = 0;
	j->over = j->failed = 0;
	j->list.parts = 0;
	add_job(j, 0, 1, 0);
	return true;
}

/* ---- all of them ---- */

int jobs_run(struct cli *c, struct zedperl *z)
{
	struct jobs j = { .c = c, .z = z };
	int status = CLI_USAGE;
	unsigned first = 0;

	if (!job_list_read(&j.list, c, z) || !job_list_folder(c, z)) {
		job_list_fini(&j.list);
		return status;
	}
	/* From here on they are the states. */
	z->fleet.files = NULL;
	z->fleet.nfiles = 0;
	progress_begin(&j.progress);
	for (unsigned part = 1; part <= j.list.parts; part++)
		add_job(&j, 0, 1, part);
	while (!j.list.parts && first < j.list.n) {
		unsigned n = job_list_part(&j.list, z, first);

		add_job(&j, first, n, 0);
		first += n;
	}
	if (z->fleet.resume)
		folder_drop_begun(z->fleet.folder, is_of_any, &j);
	cli_catch();
	while (run_jobs(&j) && !z->fleet.each && (join_parts(&j) || split_shared(&j)))
		;
	progress_clear(&j.progress);
	status = cli_stop     ? CLI_SIGNAL + cli_stop :
		 j.uncompiled ? jobs_say_uncompiled(&j) :
				jobs_finish(&j);
	if (cli_stop && z->fleet.resume)
		cli_say(c, "stopped at %u of %u %s: the same command goes on from there", j.over,
			total(&j), what(&j));
	/* The messages of finished jobs follow when the rest is done. */
	for (size_t i = 0; i < j.n && cli_stop; i++)
		if (j.v[i].is != JOB_DONE)
			jobs_remove_rest(&j, &j.v[i]);
	job_list_fini(&j.list);
	said_fini(&j.said_lines);
	free(j.v);
	return status;
}

void jobs_clean(struct zedperl *z)
{
	if (!z->fleet.folder)
		return;
	for (int i = 0; i < z->fleet.nfiles; i++)
		free(z->fleet.files[i]);
	free(z->fleet.files);
	if (z->fleet.folder_is_ours)
		folder_remove(z->fleet.folder, z->fleet.folder_lock);
	free(z->fleet.folder);
}
