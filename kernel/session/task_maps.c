// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task_maps: looks at what processes have mapped, when they begin, run another program, and at the
 * end, and keeps the last look at each.
 */
#include "kernel/session/task_maps.h"

#include "base/mem.h"
#include "base/mono.h"
#include "kernel/session/file_numbers.h"
#include "kernel/procs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ull
#define ALL_NS (1000 * MS)	  /* for looks at all processes */
#define PERIOD (25 * MS)	  /* between two looks for new ones ... */
#define SHARE 10		  /* 1 / SHARE of the time is for these ... */
#define BURST (200 * MS)	  /* ... and so much at once, after however long */
#define MOST_PROCESSES (1u << 16) /* of more those that have ended are forgotten */
#define MOST_BYTES (64u << 20)	  /* ... or of more bytes of mappings */
#define FORGET_EVERY (1000 * MS)  /* ... as it takes 0.1 s to look which have */
#define MOST_YOUNG 4096
#define RENAMED_NS (100 * MS) /* between two looks at a process after it got another name */

/* After it has begun to run a program, a process loads its libraries. */
static const uint64_t AFTER[] = { 5 * MS, 15 * MS, 60 * MS, 250 * MS, 1000 * MS, 4000 * MS };

#define NAFTER (sizeof(AFTER) / sizeof(AFTER[0]))

/* The mappings of one look, as in the log; shared by processes that are alike. */
struct mappings {
	unsigned refs, len;
	uint8_t p[];
};

struct followed {
	int32_t pid;
	bool missed; /* it has ended, and was not looked at */
	bool ended;  /* at the last taskmaps_forget() */
	bool lives;  /* at the last taskmaps_all() */
	bool later;  /* it is among the young, to be looked at as it got another name */
	bool thread; /* a thread of another process has its number now */
	uint64_t from, seen;
	uint64_t named;	      /* CLOCK_MONOTONIC, ns: the last look as it had got another name */
	struct mappings *now; /* NULL: not known */
};

/* A process that is to be looked at again. */
struct young {
	int32_t pid;
	unsigned step;
	uint64_t due; /* CLOCK_MONOTONIC, ns */
};

struct task_maps {
	struct session *session;
	bool some; /* not of all processes */
	struct file_numbers files;
	struct followed *v;
	size_t cap;
	struct hash_index by_pid; /* of V */
	struct young *young;
	size_t nyoung, cap_young;
	uint64_t began, spent; /* ns: CLOCK_MONOTONIC; on looks for new ones */
	uint64_t forgot;       /* CLOCK_MONOTONIC, ns: when that was last done */
	uint8_t *line;	       /* a look while it is made */
	size_t cap_line;
	uint64_t missed, skipped; /* processes: had ended; there was no time to look */
	uint64_t lost;		  /* of the watch, when what they may hide was looked for */
	uint64_t looked;	  /* the trace clock's time of the last look */
	size_t bytes;		  /* of the mappings of all processes */
};

/* A go through several processes. */
struct round {
	struct task_maps *t;
	struct map_log_buf *log;
	uint64_t now;	/* the trace clock's: before the look that is taken */
	bool before;	/* the recording: NOW stays 0 */
	uint64_t until; /* CLOCK_MONOTONIC, ns: there is no more time then */
};

static struct round round_of(struct task_maps *t, struct map_log_buf *log, uint64_t ns)
{
	return (struct round){ .t = t, .log = log, .until = mono_ns() + ns };
}

/* What is seen from now on is seen later than this.  Without a time it is that of the last look. */
static void take_time(struct round *r)
{
	struct err none;
	uint64_t now;

	if (!r->before && session_now(r->t->session, &now, &none) == 0)
		r->now = r->t->looked = now;
}

/* ---- one process ---- */

/* Memory that is executed and not a file's has perf's name for it: code that was compiled there. */
static void name_memory(struct map_line *l)
{
	static const char anon[] = "//anon";

	if (l->len && *l->path == '/')
		return;
	l->path = anon;
	l->len = sizeof(anon) - 1;
}

/* Does L continue the file that BEFORE is of?  They are one after another, from its first on. */
static bool continues(const struct map_line *before, const struct map_line *l)
{
	return before->inode && before->inode == l->inode && before->major == l->major &&
	       before->minor == l->minor && before->end <= l->start;
}

/* What PID has mapped that can be executed, into T's line: its bytes, 0: none, or it has ended. */
static unsigned read_mappings(struct round *r, pid_t pid)
{
	struct task_maps *t = r->t;
	struct map_line l, before = { 0 };
	char *text = map_files_text(pid);
	const char *at = text;
	uint64_t base = 0;
	unsigned len = 0;

	while (text && len < MAP_LOG_ENTRIES * MAP_LOG_ENTRY && map_files_line(&at, &l)) {
		struct map_entry x = { .start = l.start, .end = l.end, .off = l.off };

		if (l.inode) {
			base = continues(&before, &l) ? base : l.start;
			before = l;
		}
		x.base = l.inode ? base : l.start;
		if (!l.executable || (l.len && *l.path == '[' && strncmp(l.path, "[anon", 5) != 0))
			continue;
		name_memory(&l);
		if (l.len > MAP_LOG_PATH || !file_number(&t->files, pid, &l, r->log, &x.file))
			continue;
		t->line = mem_grow(t->line, &t->cap_line, len + MAP_LOG_ENTRY, 1);
		map_log_entry_put(t->line + len, &x);
		len += MAP_LOG_ENTRY;
	}
	free(text);
	return len;
}

static void let_go(struct task_maps *t, struct mappings **m)
{
	if (*m && !--(*m)->refs) {
		t->bytes -= (*m)->len;
		free(*m);
	}
	*m = NULL;
}

/* NOLINTBEGIN(clang-analyzer-unix.Malloc): it takes what let_go() cleared as still there */
static void log_look(const struct followed *p, struct map_log_buf *log)
{
	map_log_put(log, &(struct map_record){ .pid = p->pid,
					       .from = p->from,
					       .seen = p->seen,
					       .p = p->now ? p->now->p : NULL,
					       .len = p->now ? p->now->len : 0 });
}

/*
 * Look at P, which runs its program since FROM.  What is as at the last look is not logged, unless
 * that was of another FROM: then the program may have begun before that look.  False: it has ended.
 */
static bool look(struct round *r, struct followed *p, uint64_t from)
{
	struct task_maps *t = r->t;
	unsigned len;

	take_time(r);
	len = read_mappings(r, p->pid);
	if (!len)
		return false;
	if (p->now && p->from == from && p->now->len == len && !memcmp(p->now->p, t->line, len)) {
		p->seen = r->now > p->seen ? r->now : p->seen;
		return true;
	}
	let_go(t, &p->now);
	p->now = mem_alloc(sizeof(*p->now) + len);
	p->now->refs = 1;
	p->now->len = len;
	t->bytes += len;
	memcpy(p->now->p, t->line, len);
	p->from = from;
	/* In the log it takes the place of the record that its program is not known. */
	p->seen = from;
	if (!p->later && r->now > from)
		p->seen = r->now;
	log_look(p, r->log);
	if (r->now > from)
		p->seen = r->now;
	return true;
}
/* NOLINTEND(clang-analyzer-unix.Malloc) */

static void look_again(struct task_maps *t, int32_t pid, unsigned step)
{
	if (step >= NAFTER || t->nyoung == MOST_YOUNG)
		return;
	t->young = mem_grow(t->young, &t->cap_young, t->nyoung + 1, sizeof(*t->young));
	t->young[t->nyoung++] = (struct young){ pid, step, mono_ns() + AFTER[step] };
}

/* ---- the processes ---- */

static struct followed *process_of(const struct task_maps *t, int32_t pid)
{
	uint32_t hash = index_hash(&t->by_pid, (uint32_t)pid);
	uint32_t slot = index_home(&t->by_pid, hash), i;

	while (index_next(&t->by_pid, hash, &slot, &i))
		if (t->v[i].pid == pid)
			return &t->v[i];
	return NULL;
}

/* Of these numbers the process is a new one, at which no look was taken.  NULL: too many. */
static struct followed *new_process(struct task_maps *t, int32_t pid, uint64_t from)
{
	struct followed *p = process_of(t, pid);
	uint32_t n = t->by_pid.n;

	if (p) {
		let_go(t, &p->now);
	} else if (n == MOST_PROCESSES) {
		return NULL;
	} else {
		t->v = mem_grow(t->v, &t->cap, n + 1u, sizeof(*t->v));
		index_add(&t->by_pid, index_hash(&t->by_pid, (uint32_t)pid), n);
		p = &t->v[n];
	}
	*p = (struct followed){ .pid = pid, .from = from, .seen = from };
	return p;
}

static bool has_time(struct round *r)
{
	if (mono_ns() < r->until)
		return true;
	r->t->skipped++;
	return false;
}

static bool look_first(void *arg, pid_t pid)
{
	struct round *r = arg;
	struct followed *p = has_time(r) ? new_process(r->t, pid, 0) : NULL;

	if (p)
		look(r, p, 0);
	return true;
}

static void look_at_some(struct round *r, const pid_t *tasks, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = procs_process(tasks[i]);

		if (!pid || process_of(r->t, pid))
			continue;
		look_first(r, pid);
		/* It may be a command of ours that waits. */
		look_again(r->t, pid, 0);
	}
}

struct task_maps *taskmaps_new(struct session *s, struct watch *w)
{
	struct map_log_buf first = { NULL }; /* taskmaps_all() has it */
	struct task_maps *t;
	const pid_t *tasks;
	unsigned n = session_tasks(s, &tasks);
	struct round r;

	if (!session_has_proc(s))
		return NULL;
	t = mem_zalloc(sizeof(*t));
	t->session = s;
	t->some = n > 0;
	t->began = mono_ns();
	index_begin(&t->by_pid);
	if (w)
		watch_note_processes(w);
	r = round_of(t, &first, ALL_NS);
	r.before = true;
	if (n)
		look_at_some(&r, tasks, n);
	else
		procs_processes(look_first, &r);
	free(first.p);
	return t;
}

void taskmaps_free(struct task_maps *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->by_pid.n; i++)
		let_go(t, &t->v[i].now);
	file_numbers_fini(&t->files);
	index_fini(&t->by_pid);
	free(t->v);
	free(t->young);
	free(t->line);
	free(t);
}

/* ---- new processes, and new programs ---- */

/* What P has mapped is not known from FROM on. */
static void lose(struct round *r, struct followed *p, uint64_t from)
{
	let_go(r->t, &p->now);
	p->missed = true;
	p->from = p->seen = from;
	log_look(p, r->log);
}

/* P runs its program since FROM: the first look at it.  False: it has ended; there is no time. */
static bool look_new(struct round *r, struct followed *p, uint64_t from)
{
	if (has_time(r)) {
		if (look(r, p, from))
			return true;
		r->t->missed++;
	}
	lose(r, p, from);
	return false;
}

/* Has it no memory of its own: a kernel thread, or a process that one begins, up to its program? */
static bool is_kernel(const struct followed *p)
{
	return !p->now && !p->missed;
}

/* The process of the task PID, which may be a thread of it. */
static const struct followed *parent_of(const struct task_maps *t, int32_t pid)
{
	const struct followed *p = process_of(t, pid);

	return p && !p->thread ? p : process_of(t, procs_process(pid));
}

/* A thread got the number of a process that has ended. */
static void begin_thread(struct round *r, const struct watch_process *e)
{
	struct followed *p = process_of(r->t, e->pid);

	if (!p || p->thread)
		return;
	if (p->now)
		lose(r, p, e->ts);
	p->thread = true;
}

/* A process begins as a copy, and has what the other has. */
static void begin(struct round *r, const struct watch_process *e)
{
	struct task_maps *t = r->t;
	const struct followed *parent = parent_of(t, e->parent);
	struct map_record like = { .pid = e->pid, .from = e->ts, .seen = e->ts };
	struct mappings *now = NULL;
	bool kernel = false;
	struct followed *p;

	if (!parent && t->some)
		return;
	if (parent) {
		kernel = is_kernel(parent);
		like.number = (uint32_t)parent->pid;
		now = parent->now;
	}
	if (now)
		now->refs++;
	p = new_process(t, e->pid, e->ts);
	if (!p) {
		let_go(t, &now);
		t->skipped++;
		return;
	}
	p->now = now;
	if (now)
		map_log_put(r->log, &like);
	else if (!kernel)
		look_new(r, p, e->ts);
}

/* A process may name itself all the time, and each look takes time and up to 147 kB. */
static bool may_look(const struct followed *p)
{
	return !p->named || mono_ns() - p->named >= RENAMED_NS;
}

static void look_later(struct task_maps *t, struct followed *p)
{
	if (p->later || t->nyoung == MOST_YOUNG)
		return;
	t->young = mem_grow(t->young, &t->cap_young, t->nyoung + 1, sizeof(*t->young));
	t->young[t->nyoung++] = (struct young){ p->pid, 0, p->named + RENAMED_NS };
	p->later = true;
}

/* It runs another program, or has only named itself. */
static void run_program(struct round *r, struct followed *p, uint64_t ts)
{
	if (!may_look(p)) {
		lose(r, p, ts);
		look_later(r->t, p);
		return;
	}
	p->named = mono_ns();
	if (p->now && p->seen >= ts) {
		/* It has been looked at since. */
		if (!has_time(r)) {
			lose(r, p, ts);
			return;
		}
		p->from = ts;
		log_look(p, r->log);
	} else if (is_kernel(p) ? has_time(r) && look(r, p, ts) : look_new(r, p, ts)) {
		look_again(r->t, p->pid, 0);
	}
}

static void see(void *arg, const struct watch_process *e)
{
	struct round *r = arg;
	struct followed *p = e->parent ? NULL : process_of(r->t, e->pid);

	if (e->parent == WATCH_THREAD)
		begin_thread(r, e);
	else if (e->parent)
		begin(r, e);
	else if (p && p->thread)
		return; /* a thread names itself */
	else if (p && !e->again)
		run_program(r, p, e->ts);
	else if (p && p->now)
		/* Of several programs in a batch what the last one has is all that is seen. */
		lose(r, p, e->ts);
}

static bool look_young(struct round *r, struct followed *p)
{
	if (!p->now)
		p->named = mono_ns();
	if (look(r, p, p->from))
		return true;
	r->t->missed += p->later;
	return false;
}

static void look_at_young(struct round *r)
{
	struct task_maps *t = r->t;
	uint64_t now = mono_ns();
	size_t n = t->nyoung, kept = 0;
	struct young *was = t->young;

	/* Those that stay are added anew. */
	t->young = NULL;
	t->nyoung = t->cap_young = 0;
	for (size_t i = 0; i < n; i++) {
		struct young *y = &was[i];
		struct followed *p = process_of(t, y->pid);

		if (p && p->later && y->due < p->named + RENAMED_NS)
			y->due = p->named + RENAMED_NS;
		if (y->due > now) {
			was[kept++] = *y;
			continue;
		}
		if (p && has_time(r) && look_young(r, p))
			look_again(t, y->pid, y->step + 1);
		if (p)
			p->later = false;
	}
	t->young = mem_grow(t->young, &t->cap_young, t->nyoung + kept + 1, sizeof(*t->young));
	if (kept)
		memcpy(t->young + t->nyoung, was, kept * sizeof(*was));
	t->nyoung += kept;
	free(was);
}

/*
 * Does P still run what it ran at SINCE, the last time when nothing was hidden?  One that has
 * ended, or for which there is no time, is taken to have done so.
 */
static void look_whether_same(struct round *r, struct followed *p, uint64_t since)
{
	unsigned len;

	if (!has_time(r))
		return;
	take_time(r);
	len = read_mappings(r, p->pid);
	if (!len)
		return;
	if (len == p->now->len && !memcmp(p->now->p, r->t->line, len)) {
		p->seen = r->now > p->seen ? r->now : p->seen;
		return;
	}
	since = since > p->seen ? since : p->seen;
	lose(r, p, since);
	look(r, p, r->now > since ? r->now : since);
}

/*
 * The kernel had no room for some of what the watch has to see: who runs another program since
 * SINCE is found by looking, and from when on is not known.
 */
static void look_at_all(struct round *r, uint64_t since)
{
	for (uint32_t i = 0; i < r->t->by_pid.n; i++)
		if (r->t->v[i].now)
			look_whether_same(r, &r->t->v[i], since);
}

static bool must_forget(const struct task_maps *t)
{
	return t->by_pid.n == MOST_PROCESSES || t->bytes > MOST_BYTES;
}

void taskmaps_follow(struct task_maps *t, struct watch *w, struct map_log_buf *log)
{
	uint64_t began = mono_ns(), may = (began - t->began) / SHARE + BURST;
	uint64_t since = t->looked, lost = w ? watch_lost(w) : 0;
	struct round r;

	if (may > t->spent + BURST)
		t->spent = may - BURST;
	r = round_of(t, log, may > t->spent ? may - t->spent : 0);
	if (must_forget(t) && mono_ns() - t->forgot > FORGET_EVERY)
		taskmaps_forget(t);
	if (w)
		watch_processes(w, see, &r);
	if (lost > t->lost)
		look_at_all(&r, since);
	t->lost = lost;
	look_at_young(&r);
	t->spent += mono_ns() - began;
}

uint64_t taskmaps_due(const struct task_maps *t)
{
	uint64_t due = mono_ns() + PERIOD;

	for (size_t i = 0; i < t->nyoung; i++)
		if (t->young[i].due < due)
			due = t->young[i].due;
	return due;
}

void taskmaps_last(struct task_maps *t, struct map_log_buf *log)
{
	struct round r = round_of(t, log, ALL_NS);

	for (uint32_t i = 0; i < t->by_pid.n; i++)
		if (t->v[i].now && has_time(&r))
			look(&r, &t->v[i], t->v[i].from);
}

/* ---- all of them ---- */

static bool is_alive(int32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return access(path, F_OK) == 0;
}

static void log_looks(const struct task_maps *t, bool lives, struct map_log_buf *log)
{
	for (uint32_t i = 0; i < t->by_pid.n; i++)
		if (t->v[i].now && t->v[i].lives == lives)
			log_look(&t->v[i], log);
}

/* A file may not have all of them: those that are still needed come first. */
void taskmaps_all(struct task_maps *t, struct map_log_buf *log)
{
	file_numbers_log(&t->files, log);
	for (uint32_t i = 0; i < t->by_pid.n; i++)
		t->v[i].lives = is_alive(t->v[i].pid);
	log_looks(t, true, log);
	log_looks(t, false, log);
}

void taskmaps_forget(struct task_maps *t)
{
	uint32_t n = t->by_pid.n, kept = 0;

	t->forgot = mono_ns();
	index_fini(&t->by_pid);
	index_begin(&t->by_pid);
	for (uint32_t i = 0; i < n; i++) {
		struct followed *p = &t->v[i];
		bool lives = is_alive(p->pid);

		if (!lives && p->ended) {
			let_go(t, &p->now);
			continue;
		}
		p->ended = !lives;
		t->v[kept] = *p;
		index_add(&t->by_pid, index_hash(&t->by_pid, (uint32_t)p->pid), kept);
		kept++;
	}
}

void taskmaps_say_missing(const struct task_maps *t, struct notes *n)
{
	if (t->missed)
		note_say(n, NOTE_WARN,
			 "no names in the stacks of %" PRIu64
			 " process%s: ended before what they run was looked at",
			 t->missed, t->missed == 1 ? "" : "es");
	if (t->skipped)
		note_say(n, NOTE_WARN,
			 "what processes run was not looked at for lack of time: %" PRIu64
			 " times: in their stacks names may be missing",
			 t->skipped);
	if (t->files.beyond)
		note_say(n, NOTE_WARN,
			 "more than %u files were mapped: those after these have no names in "
			 "stacks (%" PRIu64 " mappings)",
			 FILE_NUMBERS, t->files.beyond);
}
