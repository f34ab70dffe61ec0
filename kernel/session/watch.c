// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch: has the kernel record new tasks, new names and moves to another cgroup in a small instance
 * of our own, and passes them on with their times.
 */
#include "kernel/session/watch.h"

#include "base/mem.h"
#include "kernel/cgroup_files.h"
#include "kernel/session/session_priv.h"
#include "trace/comms/comm_log.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "ring/ring.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_KB 256	/* of a CPU: 5,000 names, a tenth of a second of making threads */
#define TURN (1u << 20) /* bytes of a CPU that are read in one go */

/* The string of the last one is a path and not a name, and it is recorded only where it exists. */
enum { NEWTASK, RENAME, ATTACH, NKINDS };

static const struct {
	const char *system, *event, *pid, *name;
} KINDS[NKINDS] = {
	[NEWTASK] = { "task", "task_newtask", "pid", "comm" },
	[RENAME] = { "task", "task_rename", "pid", "newcomm" },
	[ATTACH] = { "cgroup", "cgroup_attach_task", "pid", "dst_path" },
};

/* The kernel's: the new task begins in a cgroup that its parent has named. */
#define CLONE_INTO_CGROUP 0x200000000ull
/* The event has room for less than a path may have (TRACE_CGROUP_PATH_LEN, with its NUL). */
#define EVENT_PATH_MAX 1023

struct watched_cpu {
	struct feed feed; /* must be first */
	struct watch *w;
	int fd;
	uint32_t left; /* bytes that may be read in this go */
	bool absent;   /* it has no buffer yet: poll() would return at once, each time */
	struct stream *stream;
	struct origin from;
};

struct watch {
	struct session *session;
	struct catalog *catalog;
	struct machine machine;
	struct idmap ids;
	struct clock clock; /* nothing to correct */
	struct page_layout layout;
	char *texts[NKINDS];
	const struct etype *types[NKINDS];
	const struct field *pids[NKINDS], *names[NKINDS];
	int hierarchy; /* of cgroups; -1: not followed, and there is no type ATTACH */
	const struct field *clone_flags, *dst_root;
	struct watched_cpu *cpus;
	unsigned ncpus;
	uint8_t *page;
	struct comm_log_buf seen;
	struct cgroup_log_buf moved;
	bool notes_processes;
	struct watch_process *processes;
	size_t nprocesses, cap_processes;
};

/* ---- pages ---- */

static enum pull next_page(struct feed *feed, struct page *out, struct err *e)
{
	struct watched_cpu *c = (struct watched_cpu *)feed;
	struct watch *w = c->w;
	ssize_t n;

	if (c->fd < 0 || c->left < w->layout.page_size)
		return PULL_WAIT;
	n = read(c->fd, w->page, w->layout.page_size);
	c->absent = n < 0 && errno == ENODEV;
	if (n <= 0)
		return PULL_WAIT; /* whatever the error is: names are only an aid */
	c->left -= w->layout.page_size;
	*out = (struct page){ .p = w->page, .len = (uint32_t)n };
	return PULL_OK;
}

static void close_feed(struct feed *feed)
{
}

static const struct feed_ops FEED_OPS = { .page = next_page, .close = close_feed };

/* ---- opening ---- */

static int add_type(struct watch *w, unsigned i, struct err *e)
{
	char name[100];
	struct etype *t;
	size_t len;

	snprintf(name, sizeof(name), "events/%s/%s/format", KINDS[i].system, KINDS[i].event);
	w->texts[i] = tracefs_text(session_dir(w->session), name, &len, e);
	if (!w->texts[i])
		return -1;
	t = catalog_add(w->catalog, &w->machine, KINDS[i].system, w->texts[i], len, e);
	if (!t || etype_resolve(w->catalog, t, e) < 0)
		return -1;
	w->types[i] = t;
	w->pids[i] = field_find(t, KINDS[i].pid);
	/* An event in which a task renames itself need not have a pid field. */
	if (!w->pids[i] && i == RENAME)
		w->pids[i] = field_find(t, "common_pid");
	w->names[i] = field_find(t, KINDS[i].name);
	if (!w->pids[i] || w->pids[i]->loc != FIELD_AT || w->pids[i]->size != 4 || !w->names[i] ||
	    w->names[i]->kind != FIELD_STR)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "its event %s:%s has an unknown format",
			       KINDS[i].system, KINDS[i].event);
	idmap_add(&w->ids, t);
	return 0;
}

static int read_layout(struct watch *w, struct err *e)
{
	w->layout.big_endian = w->machine.big_endian;
	TRY(tracefs_layout(session_dir(w->session), &w->layout, e));
	w->layout.page_size = session_page_size(w->session);
	if (w->layout.data_off >= w->layout.page_size)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "its header_page is invalid");
	return 0;
}

static void make_streams(struct watch *w)
{
	const int *cpus;

	w->ncpus = session_cpus(w->session, &cpus);
	w->cpus = mem_zalloc((w->ncpus + 1) * sizeof(*w->cpus));
	w->page = mem_alloc(w->layout.page_size);
	for (unsigned i = 0; i < w->ncpus; i++) {
		struct watched_cpu *c = &w->cpus[i];

		c->feed.ops = &FEED_OPS;
		c->w = w;
		c->fd = session_fd(w->session, cpus[i]);
		c->from = (struct origin){ .path = "", .instance = "", .cpu = cpus[i] };
		c->stream = ring_stream(&(struct ring_opts){ .feed = &c->feed,
							     .layout = w->layout,
							     .clock = &w->clock,
							     .ids = &w->ids,
							     .from = &c->from,
							     .seq = i });
	}
}

/* The hierarchy of cgroups to follow beside S; -1: none. */
static int choose_hierarchy(const struct session *s)
{
	char path[500];

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", session_root(s),
		 KINDS[ATTACH].system, KINDS[ATTACH].event);
	return session_has_proc(s) && access(path, F_OK) == 0 ? cgroup_hierarchy() : -1;
}

/* Whether a new task is a thread, and where it begins. */
static void find_clone_flags(struct watch *w)
{
	const struct field *f = field_find(w->types[NEWTASK], "clone_flags");

	w->clone_flags = f && f->loc == FIELD_AT && field_is_int(f) ? f : NULL;
}

/* What else is needed of the types to follow cgroups. */
static int find_cgroup_fields(struct watch *w, struct err *e)
{
	if (w->hierarchy < 0)
		return 0;
	w->dst_root = field_find(w->types[ATTACH], "dst_root");
	if (!w->dst_root || w->dst_root->loc != FIELD_AT || !field_is_int(w->dst_root))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "its event %s:%s has an unknown format",
			       KINDS[ATTACH].system, KINDS[ATTACH].event);
	return 0;
}

static int begin(struct watch *w, const struct session *s, struct err *e)
{
	static const char *const events[NKINDS] = { "task:task_newtask", "task:task_rename",
						    "cgroup:cgroup_attach_task" };
	unsigned nevents = w->hierarchy < 0 ? ATTACH : NKINDS;
	char suffix[32];
	const struct session_opts o = {
		.events = events,
		.nevents = nevents,
		.clock = session_clock(s),
		.buffer_kb = BUFFER_KB,
		.percent = SESSION_PERCENT,
		.beside = suffix,
	};
	unsigned n;

	snprintf(suffix, sizeof(suffix), "%s" SESSION_NAMES, session_suffix(s));
	w->session = session_open(&o, e);
	if (!w->session)
		return -1;
	session_events(w->session, &n);
	if (n < nevents)
		return err_set(e, ERR_SYS, ERR_NO_OFF, "its events cannot be recorded");
	TRY(read_layout(w, e));
	for (unsigned i = 0; i < nevents; i++)
		TRY(add_type(w, i, e));
	find_clone_flags(w);
	TRY(find_cgroup_fields(w, e));
	idmap_common(&w->ids);
	make_streams(w);
	return 0;
}

/* A watch of names, and of cgroups in HIERARCHY, if that is not -1. */
static struct watch *make_with(const struct session *s, int hierarchy, struct err *e)
{
	struct watch *w = mem_zalloc(sizeof(*w));

	w->catalog = catalog_new();
	machine_init(&w->machine, NULL, NULL, NULL);
	w->machine.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	idmap_init(&w->ids, w->catalog, &w->machine, NULL);
	w->hierarchy = hierarchy;
	if (begin(w, s, e) == 0)
		return w;
	watch_close(w);
	return NULL;
}

/* Ready to be started; NULL with E. */
static struct watch *make_watch(const struct session *s, struct err *e)
{
	int hierarchy = choose_hierarchy(s);
	struct watch *w = make_with(s, hierarchy, e);

	/* Names are worth having without cgroups. */
	return w || hierarchy < 0 ? w : make_with(s, -1, e);
}

/* Start W; NULL: E says why it is not there. */
static struct watch *start_watch(struct watch *w, struct notes *n, struct err *e)
{
	if (w && session_start(w->session, e) == 0) {
		if (w->hierarchy < 0)
			note_say(n, NOTE_INFO,
				 "no cgroups of tasks: this kernel does not report who is moved "
				 "(cgroup:cgroup_attach_task), or this is not the initial PID and "
				 "cgroup namespace");
		return w;
	}
	err_within(e, "the kernel does not report new tasks and names: some short-lived tasks "
		      "will be shown as \"<...>\"");
	note_err(n, NOTE_INFO, e);
	watch_close(w);
	return NULL;
}

struct watch *watch_open(const struct session *s, struct notes *n)
{
	struct err e;

	return start_watch(make_watch(s, &e), n, &e);
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->ncpus; i++)
		w->cpus[i].stream->ops->close(w->cpus[i].stream);
	session_close(w->session);
	machine_fini(&w->machine);
	idmap_fini(&w->ids);
	catalog_free(w->catalog);
	for (unsigned i = 0; i < NKINDS; i++)
		free(w->texts[i]);
	free(w->cpus);
	free(w->page);
	free(w->seen.p);
	free(w->moved.p);
	free(w->processes);
	free(w);
}

/* ---- ahead ---- */

struct watch_ahead {
	const struct session *session;
	pthread_t thread;
	bool runs;
	struct watch *watch; /* the thread's; NULL: why */
	struct err why;
};

static void *make_ahead(void *arg)
{
	struct watch_ahead *a = arg;

	a->watch = make_watch(a->session, &a->why);
	return NULL;
}

struct watch_ahead *watch_begin(const struct session *s)
{
	struct watch_ahead *a = mem_zalloc(sizeof(*a));

	a->session = s;
	a->runs = session_thread(&a->thread, make_ahead, a);
	if (!a->runs)
		make_ahead(a);
	return a;
}

struct watch *watch_take(struct watch_ahead *a, struct notes *n)
{
	struct watch *w;

	if (a->runs)
		pthread_join(a->thread, NULL);
	w = start_watch(a->watch, n, &a->why);
	free(a);
	return w;
}

void watch_drop(struct watch_ahead *a)
{
	if (!a)
		return;
	if (a->runs)
		pthread_join(a->thread, NULL);
	watch_close(a->watch);
	free(a);
}

/* ---- names and cgroups ---- */

static void take_new(struct watch *w, const struct event *ev, int32_t pid)
{
	bool elsewhere = w->clone_flags && field_scalar(w->clone_flags, ev) & CLONE_INTO_CGROUP;

	cgroup_log_put(&w->moved, &(struct cgroup_record){ .ts = ev->ts,
							   .pid = pid,
							   .like = elsewhere ? 0 : ev->pid });
}

static void take_move(struct watch *w, const struct event *ev, int32_t pid, const char *path,
		      size_t len)
{
	if ((int)field_scalar(w->dst_root, ev) != w->hierarchy)
		return;
	if (len >= EVENT_PATH_MAX || (len && *path != '/'))
		len = 0;
	cgroup_log_put(&w->moved,
		       &(struct cgroup_record){
			       .ts = ev->ts, .pid = pid, .len = (uint16_t)len, .path = path });
}

static void note_process(struct watch *w, const struct event *ev, int32_t pid, bool begins)
{
	int32_t parent = begins ? ev->pid : 0;

	if (!w->notes_processes || !w->clone_flags)
		return;
	if (begins && field_scalar(w->clone_flags, ev) & CLONE_THREAD)
		parent = WATCH_THREAD;
	w->processes = mem_grow(w->processes, &w->cap_processes, w->nprocesses + 1,
				sizeof(*w->processes));
	w->processes[w->nprocesses++] =
		(struct watch_process){ .ts = ev->ts, .pid = pid, .parent = parent };
}

static void take(struct watch *w, const struct event *ev)
{
	const char *text;
	struct span s;
	int32_t pid;
	size_t len;

	for (unsigned i = 0; i < NKINDS; i++) {
		if (ev->type != w->types[i] || !field_span(w->names[i], ev, &s))
			continue;
		text = (const char *)s.p;
		len = strnlen(text, s.len);
		pid = (int32_t)field_scalar(w->pids[i], ev);
		if (pid <= 0)
			continue;
		if (i == ATTACH)
			take_move(w, ev, pid, text, len);
		else
			comm_log_put(&w->seen, ev->ts, pid, text, len);
		if (i == NEWTASK && w->hierarchy >= 0)
			take_new(w, ev, pid);
		if (i != ATTACH)
			note_process(w, ev, pid, i == NEWTASK);
	}
}

int watch_hierarchy(const struct watch *w)
{
	return w->hierarchy;
}

void watch_cgroups(struct watch *w, void (*give)(void *arg, const struct cgroup_record *r),
		   void *arg)
{
	struct cgroup_record r;
	size_t at = 0, len;
	uint8_t *sorted;

	if (!w->moved.len)
		return;
	sorted = cgroup_log_sort(w->moved.p, w->moved.len, &len);
	while (cgroup_log_next(sorted, len, &at, &r))
		give(arg, &r);
	free(sorted);
}

void watch_note_processes(struct watch *w)
{
	w->notes_processes = true;
}

static int by_time(const void *a, const void *b)
{
	const struct watch_process *x = a, *y = b;

	return (x->ts > y->ts) - (x->ts < y->ts);
}

static int by_pid_and_time(const void *a, const void *b)
{
	const struct watch_process *x = a, *y = b;

	return x->pid == y->pid ? by_time(a, b) : (x->pid > y->pid) - (x->pid < y->pid);
}

/* Of the names of a process that follow one another, mark all but the last. */
static void mark_again(struct watch_process *p, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		p[i].again = p[i].pid == p[i + 1].pid && !p[i].parent && !p[i + 1].parent;
}

void watch_processes(struct watch *w, void (*give)(void *arg, const struct watch_process *p),
		     void *arg)
{
	if (w->nprocesses) {
		qsort(w->processes, w->nprocesses, sizeof(*w->processes), by_pid_and_time);
		mark_again(w->processes, w->nprocesses);
		qsort(w->processes, w->nprocesses, sizeof(*w->processes), by_time);
	}
	for (size_t i = 0; i < w->nprocesses; i++)
		give(arg, &w->processes[i]);
}

void watch_read(struct watch *w,
		void (*give)(void *arg, uint64_t ts, int32_t pid, const char *name, size_t len),
		void *arg)
{
	struct comm_record r;
	size_t at = 0, len;
	uint8_t *sorted;
	enum pull rc;
	struct err e;

	w->seen.len = w->moved.len = w->nprocesses = 0;
	for (unsigned i = 0; i < w->ncpus; i++) {
		struct stream *s = w->cpus[i].stream;

		w->cpus[i].left = TURN;
		while ((rc = stream_next(s, &e)) == PULL_OK || rc == PULL_AGAIN || rc == PULL_ERR)
			if (rc == PULL_OK)
				take(w, &s->ev);
	}
	if (!w->seen.len)
		return;
	sorted = comm_log_sort(w->seen.p, w->seen.len, &len);
	while (comm_log_next(sorted, len, &at, &r))
		give(arg, r.ts, r.pid, r.name, r.len);
	free(sorted);
}

unsigned watch_fds(const struct watch *w, struct pollfd *fds, unsigned max)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->ncpus && n < max; i++)
		if (!w->cpus[i].absent)
			fds[n++] = (struct pollfd){ .fd = w->cpus[i].fd, .events = POLLIN };
	return n;
}

uint64_t watch_lost(const struct watch *w)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < w->ncpus; i++)
		lost += w->cpus[i].stream->lost + w->cpus[i].stream->lost_unknown;
	return lost;
}

void watch_say_lost(const struct watch *w, struct notes *n)
{
	uint64_t lost = watch_lost(w);

	if (lost)
		note_say(n, NOTE_WARN,
			 "names of new tasks, or new names, dropped by the kernel: %" PRIu64
			 " (some tasks keep their old name and cgroup, or are \"<...>\")",
			 lost);
}
