// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session: makes a tracefs instance of our own that traces what was asked for, reads its time and
 * statistics, and removes it.
 */
#include "base/ascii.h"
#include "base/compare.h"
#include "base/cpulist.h"
#include "base/mono.h"
#include "kernel/procs.h"
#include "kernel/session/owner.h"
#include "kernel/session/session_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REMOVE_STEP_MS 10 /* a process that reads in the instance holds it, longer if busy */
#define MAKE_TRIES 10	  /* of a new instance that a cleaner may take away before it is locked */

/* ---- CPUs ---- */

int session_find_cpus(struct session *s, struct err *e)
{
	char path[400];
	struct dirent *d;
	size_t cap = 0;
	DIR *dir;

	if (s->ncpus)
		return 0;
	snprintf(path, sizeof(path), "%s/per_cpu", s->dir);
	dir = opendir(path);
	if (!dir) {
		err_sys(e, ERR_NO_OFF, "cannot list the CPUs");
		return err_path(e, path);
	}
	while ((d = readdir(dir))) {
		int n = strncmp(d->d_name, "cpu", 3) ? -1 :
						       ascii_number(d->d_name + 3, CPULIST_MAX - 1);

		if (n < 0)
			continue;
		s->cpus = mem_grow(s->cpus, &cap, s->ncpus + 1, sizeof(*s->cpus));
		s->cpus[s->ncpus++] = n;
	}
	closedir(dir);
	if (!s->ncpus) {
		err_set(e, ERR_SYS, ERR_NO_OFF, "no per-CPU files in it");
		return err_path(e, path);
	}
	qsort(s->cpus, s->ncpus, sizeof(*s->cpus), compare_i32);
	return 0;
}

/* Many CPUs need many descriptors. */
static void raise_limit(unsigned more)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < more + 64ul) {
		l.rlim_cur = more + 64ul < l.rlim_max ? more + 64ul : l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

int session_open_cpus(struct session *s, struct err *e)
{
	unsigned opened = 0;

	TRY(session_find_cpus(s, e));
	raise_limit(2 * s->ncpus);
	s->fds = mem_alloc(s->ncpus * sizeof(*s->fds));
	for (unsigned i = 0; i < s->ncpus; i++)
		s->fds[i] = -1;
	for (unsigned i = 0; i < s->ncpus; i++) {
		char path[400];

		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", s->dir, s->cpus[i]);
		s->fds[i] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (s->fds[i] >= 0) {
			opened++;
			continue;
		}
		err_sys(e, ERR_NO_OFF, "cannot open it: events of CPU %d will be missing",
			s->cpus[i]);
		err_path(e, path);
		if (i + 1 < s->ncpus || opened)
			note_err(s->notes, NOTE_DAMAGE, e);
	}
	return opened ? 0 : -1;
}

int session_fd(const struct session *s, int cpu)
{
	for (unsigned i = 0; i < s->ncpus; i++)
		if (s->cpus[i] == cpu)
			return s->fds[i];
	return -1;
}

bool session_thread(pthread_t *thread, void *(*work)(void *arg), void *arg)
{
	sigset_t all, was;
	bool runs;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	runs = pthread_create(thread, NULL, work, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return runs;
}

/* ---- the instance ---- */

static int make_instance(struct session *s, const char *beside, struct err *e)
{
	char parent[270];

	snprintf(s->suffix, sizeof(s->suffix), "%s", beside ? beside : "");
	snprintf(parent, sizeof(parent), "%s/instances", s->root);
	snprintf(s->dir, sizeof(s->dir), "%s/%s%s", parent, s->name, s->suffix);
	for (unsigned i = 0; i < MAKE_TRIES && mkdir(s->dir, 0750) == 0; i++) {
		s->made = owner_begin(s->dir, &s->lock);
		if (s->made)
			return 0;
		errno = EAGAIN;
	}
	if ((errno == EACCES || errno == EPERM) && geteuid())
		err_set(e, ERR_SYS, ERR_NO_OFF,
			"no permission to trace: run it as root (sudo ...), or see RIGHTS in "
			"zedtrace(1)");
	else if (errno == ENOMEM || errno == ENOSPC)
		err_set(e, ERR_SYS, ERR_NO_OFF,
			"no memory for a tracing instance: zedtrace --cleanup removes unused ones");
	else if (errno == ENOENT)
		err_set(e, ERR_SYS, ERR_NO_OFF,
			"this kernel has no tracing instances (Linux 3.10 and newer have them)");
	else if (errno == EEXIST)
		err_set(e, ERR_SYS, ERR_NO_OFF, "%s already exists: one session at a time", s->dir);
	else
		err_sys(e, ERR_NO_OFF, "cannot create a tracing instance");
	return err_path(e, parent);
}

bool session_remove(const char *dir, unsigned ms)
{
	session_events_off(dir);
	for (unsigned spent = 0;; spent += REMOVE_STEP_MS) {
		if (rmdir(dir) == 0 || errno == ENOENT)
			return true;
		if (errno != EBUSY || spent >= ms)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = REMOVE_STEP_MS * 1000000 }, NULL);
	}
}

void session_init(struct session *s, struct notes *n)
{
	pid_t self = procs_self();

	s->notes = n;
	s->owner = getpid();
	s->numbers.space = pidns_here();
	s->numbers.self = s->numbers.space == PIDNS_OTHER ? 0 : self;
	s->lock = s->stats_fd = s->percent.fd = -1;
	snprintf(s->name, sizeof(s->name), SESSION_PREFIX "%d.%llu", (int)self,
		 (unsigned long long)procs_start(self));
}

/*
 * The buffers, and tracing off.  A new instance traces, and nothing writes into it yet.  Sizes come
 * first: the kernel checks a buffer that it resizes while it is off, and waits a grace period for
 * that.
 */
static int set_up(struct session *s, const struct session_opts *o, struct err *e)
{
	if (o->symbols)
		session_symbols_begin(s);
	TRY(session_set_sizes(s, o, e));
	TRY(tracefs_write(s->dir, "tracing_on", "0", e));
	return session_set_buffers(s, o, e);
}

struct session *session_open(const struct session_opts *o, struct err *e)
{
	struct session *s = mem_zalloc(sizeof(*s));

	session_init(s, o->notes);
	if (tracefs_find(s->root, sizeof(s->root), e) == 0 && session_choose(s, o, e) == 0 &&
	    make_instance(s, o->beside, e) == 0 && session_number_tasks(s, o, e) == 0 &&
	    set_up(s, o, e) == 0 && session_set_tracer(s, o, e) == 0 &&
	    session_open_cpus(s, e) == 0 && session_set_scope(s, o, e) == 0 &&
	    session_enable(s, e) == 0 && session_filter(s, e) == 0 &&
	    session_set_stacks(s, o, e) == 0)
		return s;
	session_close(s);
	return NULL;
}

void session_close(struct session *s)
{
	struct err e;

	if (!s)
		return;
	session_symbols_end(s);
	/* A forked child has copies of the descriptors; it does not own the instance. */
	if (s->made && s->owner == getpid())
		tracefs_write(s->dir, "tracing_on", "0", &e);
	for (unsigned i = 0; s->fds && i < s->ncpus; i++)
		if (s->fds[i] >= 0)
			close(s->fds[i]);
	if (s->stats_fd >= 0)
		close(s->stats_fd);
	if (s->percent.fd >= 0)
		close(s->percent.fd);
	if (s->made && s->owner == getpid() && !session_remove(s->dir, SESSION_PATIENCE_MS))
		note_say(s->notes, NOTE_WARN,
			 "cannot remove the tracing instance %s: %s (once no process uses it: "
			 "zedtrace --cleanup)",
			 s->dir, strerror(errno));
	if (s->lock >= 0)
		close(s->lock);
	session_forget(s);
	free(s->numbers.pids);
	free(s->cpus);
	free(s->fds);
	free(s);
}

int session_start(struct session *s, struct err *e)
{
	return s->attached ? 0 : tracefs_write(s->dir, "tracing_on", "1", e);
}

int session_stop(struct session *s, struct err *e)
{
	return s->attached ? 0 : tracefs_write(s->dir, "tracing_on", "0", e);
}

bool session_is_on(const struct session *s)
{
	struct err e;
	char *text = tracefs_text(s->dir, "tracing_on", NULL, &e);
	bool on = text && *text == '1';

	free(text);
	return on;
}

const char *session_root(const struct session *s)
{
	return s->root;
}

const char *session_dir(const struct session *s)
{
	return s->dir;
}

const char *session_name(const struct session *s)
{
	return s->attached && strcmp(s->dir, s->root) != 0 ? strrchr(s->dir, '/') + 1 : "";
}

const char *session_suffix(const struct session *s)
{
	return s->suffix;
}

void session_beside(const struct session *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s/instances/%s%s" SESSION_NAMES, s->root, s->name, s->suffix);
}

pid_t session_self(const struct session *s)
{
	return s->numbers.self;
}

bool session_has_proc(const struct session *s)
{
	return s->numbers.space != PIDNS_OTHER;
}

unsigned session_tasks(const struct session *s, const pid_t **pids)
{
	*pids = s->numbers.pids;
	return s->numbers.npids;
}

const char *session_clock(const struct session *s)
{
	return s->clock;
}

unsigned session_page_size(const struct session *s)
{
	return s->page_size;
}

const char *session_settings(const struct session *s)
{
	return s->settings;
}

unsigned session_page_head(const struct session *s)
{
	return s->page_head;
}

unsigned session_cpus(const struct session *s, const int **cpus)
{
	*cpus = s->cpus;
	return s->ncpus;
}

/* ---- time and statistics ---- */

bool session_clock_is_cheap(const struct session *s)
{
	return s->clock_id >= 0;
}

/* Read "12.345678" or "12" after KEY; seconds become ns.  False: KEY is not there. */
static bool stamp_of(const char *text, const char *key, uint64_t *out)
{
	const char *at = strstr(text, key);
	uint64_t scale = 100000000;
	char *end;

	if (!at)
		return false;
	*out = strtoull(at + strlen(key), &end, 10);
	if (*end != '.')
		return true;
	*out *= 1000000000;
	for (end++; ascii_digit(*end) && scale; end++, scale /= 10)
		*out += scale * (uint64_t)(*end - '0');
	return true;
}

int session_now(struct session *s, uint64_t *now, struct err *e)
{
	char path[400], text[1024];
	ssize_t n = -1;

	if (s->clock_id >= 0) {
		*now = clock_ns(s->clock_id);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/stats", s->dir, s->cpus[0]);
	/* The text is made when the file is opened and read from its start. */
	if (s->stats_fd < 0)
		s->stats_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s->stats_fd >= 0)
		n = pread(s->stats_fd, text, sizeof(text) - 1, 0);
	if (n > 0) {
		text[n] = '\0';
		if (stamp_of(text, "now ts:", now))
			return 0;
		errno = ENODATA;
	}
	err_sys(e, ERR_NO_OFF, "cannot read the time of the clock %s", s->clock);
	return err_path(e, path);
}

int session_stats(const struct session *s, int cpu, struct cpu_stats *st, char **text,
		  struct err *e)
{
	static const struct {
		const char *key;
		size_t at;
	} keys[] = {
		{ "entries:", offsetof(struct cpu_stats, entries) },
		{ "\noverrun:", offsetof(struct cpu_stats, overrun) },
		{ "commit overrun:", offsetof(struct cpu_stats, commit_overrun) },
		{ "dropped events:", offsetof(struct cpu_stats, dropped) },
		{ "read events:", offsetof(struct cpu_stats, read) },
	};
	char path[400], *all;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d", s->dir, cpu);
	all = tracefs_text(path, "stats", NULL, e);
	if (text)
		*text = NULL;
	if (!all)
		return -1;
	memset(st, 0, sizeof(*st));
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		stamp_of(all, keys[i].key, (uint64_t *)((char *)st + keys[i].at));
	if (text)
		*text = all;
	else
		free(all);
	return 0;
}
