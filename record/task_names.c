// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task_names: command names of tasks, from /proc and the kernel's saved_cmdlines, and which of them
 * are new.
 */
#include "record/task_names.h"

#include "base/hash_index.h"
#include "base/mem.h"
#include "kernel/procs.h"
#include "kernel/tracefs.h"
#include "trace/comms/comm_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY (1u << 18)	  /* names, 13 MB: ended tasks are forgotten ... */
#define NEWEST (MANY / 2) /* ... but those of the last names */

struct name {
	pid_t pid;
	bool fresh;	/* not reported by names_update() yet */
	bool learned;	/* by names_learn() */
	bool lives;	/* for drop_ended() */
	char comm[16];	/* the current name; "": none yet */
	char saved[16]; /* the last one in saved_cmdlines */
};

struct names {
	const char *root;
	bool watched; /* changes are reported to us */
	bool proc;    /* /proc has the tasks of the trace */
	struct name *v;
	size_t cap;
	struct hash_index by_pid; /* of V */
	uint32_t room;		  /* names until drop_ended() */
	char *text;
	size_t len, text_cap;
};

/* The name of PID; NULL: there is none. */
static struct name *look_up(const struct names *n, pid_t pid)
{
	uint32_t hash = index_hash(&n->by_pid, (uint32_t)pid);
	uint32_t slot = index_home(&n->by_pid, hash), i;

	while (index_next(&n->by_pid, hash, &slot, &i))
		if (n->v[i].pid == pid)
			return &n->v[i];
	return NULL;
}

static void mark_living(void *arg, pid_t tid, const char *comm)
{
	struct name *s = look_up(arg, tid);

	if (s)
		s->lives = true;
}

/*
 * Tasks come and go for as long as a recorder runs: forget those that have ended, so that there is
 * room for new ones.  Events of the newest may still be in the kernel's buffers.
 */
static void drop_ended(struct names *n)
{
	uint32_t count = n->by_pid.n, kept = 0;

	for (uint32_t i = 0; i < count; i++)
		n->v[i].lives = i + NEWEST >= count;
	if (n->proc)
		procs_each(mark_living, n);
	index_fini(&n->by_pid);
	index_begin(&n->by_pid);
	for (uint32_t i = 0; i < count; i++) {
		if (!n->v[i].lives)
			continue;
		n->v[kept] = n->v[i];
		index_add(&n->by_pid, index_hash(&n->by_pid, (uint32_t)n->v[kept].pid), kept);
		kept++;
	}
	n->room = 2 * kept > MANY ? 2 * kept : MANY;
}

/* The name of PID, made if there is none. */
static struct name *find_name(struct names *n, pid_t pid)
{
	struct name *s = look_up(n, pid);
	uint32_t count;

	if (s)
		return s;
	if (n->by_pid.n >= n->room)
		drop_ended(n);
	count = n->by_pid.n;
	n->v = mem_grow(n->v, &n->cap, count + 1, sizeof(*n->v));
	n->v[count] = (struct name){ .pid = pid };
	index_add(&n->by_pid, index_hash(&n->by_pid, (uint32_t)pid), count);
	return &n->v[count];
}

static void set_name(struct name *s, const char *comm)
{
	if (!strcmp(s->comm, comm))
		return;
	snprintf(s->comm, sizeof(s->comm), "%s", comm);
	s->fresh = true;
}

static void living(void *arg, pid_t tid, const char *comm)
{
	struct name *s = tid ? find_name(arg, tid) : NULL;

	if (s)
		set_name(s, comm);
}

/*
 * The kernel's list.  What was in it before we began may belong to tasks of other traces, and
 * counts only when it changes; but without /proc an old name is better than none.
 */
static void read_saved(struct names *n, bool first)
{
	struct err e;
	char *text = n->root ? tracefs_text(n->root, "saved_cmdlines", NULL, &e) : NULL;
	struct comm_lines l = { .p = text, .end = text ? text + strlen(text) : NULL };
	struct comm_line c;

	while (comm_lines_next(&l, &c)) {
		struct name *s = c.pid ? find_name(n, c.pid) : NULL;
		char comm[COMM_LEN + 1];

		snprintf(comm, sizeof(comm), "%.*s", (int)c.len, c.name);
		/* "<...>" means a name that the kernel has dropped. */
		if (!s || !strcmp(comm, "<...>") || !strcmp(s->saved, comm))
			continue;
		snprintf(s->saved, sizeof(s->saved), "%s", comm);
		if (n->proc ? !first : !s->learned)
			set_name(s, s->saved);
	}
	free(text);
}

struct names *names_new(const char *root, bool watched, bool proc)
{
	struct names *n = mem_zalloc(sizeof(*n));

	n->root = root;
	n->watched = watched;
	n->proc = proc;
	n->room = MANY;
	index_begin(&n->by_pid);
	if (!watched || !proc)
		read_saved(n, true);
	if (root && proc)
		procs_each(living, n);
	return n;
}

void names_learn(struct names *n, pid_t pid, const char *name, size_t len)
{
	struct name *s = pid ? find_name(n, pid) : NULL;

	if (!s)
		return;
	snprintf(s->comm, sizeof(s->comm), "%.*s", (int)(len < COMM_LEN ? len : COMM_LEN), name);
	s->learned = true;
	s->fresh = false; /* it is passed on with its time */
}

void names_each(const struct names *n, void (*give)(void *arg, pid_t pid, const char *name),
		void *arg)
{
	for (uint32_t i = 0; i < n->by_pid.n; i++)
		if (n->proc || n->v[i].learned)
			give(arg, n->v[i].pid, n->v[i].comm);
}

void names_free(struct names *n)
{
	if (!n)
		return;
	index_fini(&n->by_pid);
	free(n->v);
	free(n->text);
	free(n);
}

static void add_line(struct names *n, const struct name *s)
{
	char plain[sizeof(s->comm)];

	n->text = mem_grow(n->text, &n->text_cap, n->len + COMM_LINE_MAX + 1, 1);
	snprintf(plain, sizeof(plain), "%s", s->comm);
	/* With a watch the real name is reported as well; in the text trace-cmd would stop here. */
	for (char *p = plain; n->watched && (p = strchr(p, '\n'));)
		*p = '?';
	n->len += comm_line_put(n->text + n->len, s->pid, plain, strlen(plain));
	n->text[n->len] = '\0';
}

/* Names with newlines come last: trace-cmd stops at the first of them. */
static int by_pid(const void *a, const void *b)
{
	const struct name *x = *(const struct name *const *)a;
	const struct name *y = *(const struct name *const *)b;
	bool odd_x = strchr(x->comm, '\n'), odd_y = strchr(y->comm, '\n');

	if (odd_x != odd_y)
		return odd_x - odd_y;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The names that are FRESH (or all) as text, by PID. */
static void list_names(struct names *n, bool fresh, const char **text, size_t *len)
{
	struct name **v = mem_alloc((n->by_pid.n + 1) * sizeof(*v));
	size_t k = 0;

	for (uint32_t i = 0; i < n->by_pid.n; i++)
		if (n->v[i].comm[0] && (!fresh || n->v[i].fresh))
			v[k++] = &n->v[i];
	qsort(v, k, sizeof(*v), by_pid);
	n->len = 0;
	for (size_t i = 0; i < k; i++) {
		add_line(n, v[i]);
		v[i]->fresh = false;
	}
	free(v);
	*text = n->len ? n->text : "";
	*len = n->len;
}

void names_update(struct names *n, const char **text, size_t *len)
{
	read_saved(n, false);
	list_names(n, true, text, len);
}

void names_all(struct names *n, const char **text, size_t *len)
{
	if (n->root && n->proc && !n->watched)
		procs_each(living, n);
	if (n->root && (!n->proc || !n->watched))
		read_saved(n, false);
	list_names(n, false, text, len);
}
