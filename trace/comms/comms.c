// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comms: names of tasks by pid: those of a saved_cmdlines, and those that are learnt later, of
 * which the oldest give way when there are too many.
 */
#include "trace/comms/comms.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "base/seed.h"
#include "trace/comms/comm_line.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NO_COMM UINT32_MAX
#define REFUSED_SLOTS 1024 /* a power of two */

struct comm {
	int32_t pid;
	uint32_t next; /* in its bucket */
	uint16_t room; /* bytes at name */
	bool own;      /* name was allocated; otherwise it lies in the text's arena */
	bool hidden;   /* trace-cmd does not get as far in the text as here */
	char *name;    /* of the text: behind a name with newlines its first line */
};

/* A task whose name the source did not know, and when it was asked. */
struct refused {
	int32_t pid;
	int64_t when; /* CLOCK_MONOTONIC s; 0: none */
};

struct comms {
	struct comm *v; /* in the order of the text, then as they were learnt */
	size_t cap;
	unsigned n;
	unsigned loaded; /* so many of them are the text's */
	unsigned victim; /* the learnt one that goes first when there are too many */
	uint32_t *buckets;
	unsigned nbuckets; /* a power of two */
	uint64_t factor;   /* of seed_hash() */
	struct refused *refused;
	struct arena names;
};

void comms_free(struct comms *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->n; i++)
		if (c->v[i].own)
			free(c->v[i].name);
	arena_fini(&c->names);
	free(c->v);
	free(c->buckets);
	free(c->refused);
	free(c);
}

static uint32_t *bucket(const struct comms *c, int32_t pid)
{
	return &c->buckets[seed_hash(c->factor, (uint32_t)pid) & (c->nbuckets - 1)];
}

static void enter_comm(struct comms *c, unsigned i)
{
	uint32_t *b = bucket(c, c->v[i].pid);

	c->v[i].next = *b;
	*b = i;
}

static void leave_comm(struct comms *c, unsigned i)
{
	uint32_t *b = bucket(c, c->v[i].pid);

	while (*b != i)
		b = &c->v[*b].next;
	*b = c->v[i].next;
}

/* The entry of PID, or NULL. */
static struct comm *find_comm(const struct comms *c, int32_t pid)
{
	uint32_t i = *bucket(c, pid);

	while (i != NO_COMM && c->v[i].pid != pid)
		i = c->v[i].next;
	return i == NO_COMM ? NULL : &c->v[i];
}

static struct comm *add_comm(struct comms *c, int32_t pid)
{
	c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
	c->v[c->n] = (struct comm){ .pid = pid };
	if (c->n >= c->nbuckets) {
		c->nbuckets = c->nbuckets ? 2 * c->nbuckets : 256;
		c->buckets = mem_realloc(c->buckets, c->nbuckets * sizeof(*c->buckets));
		memset(c->buckets, 0xff, c->nbuckets * sizeof(*c->buckets));
		for (unsigned i = 0; i < c->n; i++)
			enter_comm(c, i);
	}
	enter_comm(c, c->n);
	return &c->v[c->n++];
}

/* The name of line L, and behind one of several lines its first. */
static void set_text_name(struct comms *all, struct comm *c, const struct comm_line *l)
{
	const char *nl = memchr(l->name, '\n', l->len);
	size_t first = nl ? nl - l->name : 0, need = l->len + 1 + (nl ? first + 1 : 0);

	if (need > c->room) {
		c->room = need < 16 ? 16 : need;
		c->name = arena_alloc(&all->names, c->room);
	}
	memcpy(c->name, l->name, l->len);
	c->name[l->len] = '\0';
	if (nl) {
		memcpy(c->name + l->len + 1, l->name, first);
		c->name[need - 1] = '\0';
	}
}

/*
 * Does trace-cmd stop reading at the first line of a name (it does where that is blank), or at one
 * BEHIND it (it does unless that is empty, as there is no number)?
 */
static bool stock_stops(const char *name, size_t len, bool behind)
{
	const char *end = name + len, *nl = memchr(name, '\n', len), *p;

	for (p = name; p < (nl ? nl : end) && ascii_space(*p); p++)
		;
	if (!behind || !nl)
		return !behind && p == (nl ? nl : end);
	for (p = nl; p < end && *p == '\n'; p++)
		;
	return p < end;
}

/* "1234 command name".  The last line of a task counts. */
struct comms *comms_new(const char *text, size_t len, unsigned *bad, unsigned *more)
{
	struct comm_lines l = { .p = text, .end = text + len };
	struct comms *c = mem_zalloc(sizeof(*c));
	struct comm_line line;
	bool hidden = false;

	*more = 0;
	c->factor = seed_new() | 1;
	c->nbuckets = 256;
	c->buckets = mem_alloc(c->nbuckets * sizeof(*c->buckets));
	memset(c->buckets, 0xff, c->nbuckets * sizeof(*c->buckets));
	while (comm_lines_next(&l, &line)) {
		struct comm *known = find_comm(c, line.pid);

		hidden = hidden || l.bad || stock_stops(line.name, line.len, false);
		if (!known && c->n == COMMS_MAX) {
			++*more;
			continue;
		}
		if (!known) {
			known = add_comm(c, line.pid);
			known->hidden = hidden;
		}
		set_text_name(c, known, &line);
		hidden = hidden || stock_stops(line.name, line.len, true);
	}
	*bad = l.bad;
	c->loaded = c->victim = c->n;
	return c;
}

/* An entry for a name that is learnt: a new one or, of too many, that of the oldest. */
static struct comm *learnt_comm(struct comms *c, int32_t pid)
{
	struct comm *had = find_comm(c, pid);
	unsigned i;

	if (had)
		return had;
	if (c->n - c->loaded < COMMS_MAX)
		return add_comm(c, pid);
	i = c->victim;
	c->victim = i + 1 < c->n ? i + 1 : c->loaded;
	leave_comm(c, i);
	c->v[i].pid = pid;
	enter_comm(c, i);
	return &c->v[i];
}

void comms_learn(struct comms *all, int32_t pid, const char *name, size_t len)
{
	struct comm *c;

	if (len > COMM_MAX)
		len = COMM_MAX;
	c = learnt_comm(all, pid);
	if (!c->own || len >= c->room) {
		if (c->own)
			free(c->name);
		c->own = true;
		c->room = len < 16 ? 16 : len + 1;
		c->name = mem_alloc(c->room);
	}
	memcpy(c->name, name, len);
	c->name[len] = '\0';
}

const char *comms_name(const struct comms *c, int32_t pid)
{
	const struct comm *known = find_comm(c, pid);

	return known ? known->name : NULL;
}

const char *comms_stock_name(const struct comms *c, int32_t pid)
{
	const struct comm *known = find_comm(c, pid);
	const char *name;

	if (!known || known->hidden)
		return NULL;
	name = known->name;
	return strchr(name, '\n') && !known->own ? name + strlen(name) + 1 : name;
}

unsigned comms_count(const struct comms *c)
{
	return c->n;
}

const char *comms_nth(const struct comms *c, unsigned i, int32_t *pid)
{
	*pid = c->v[i].pid;
	return c->v[i].name;
}

static int64_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

static struct refused *refused_slot(const struct comms *c, int32_t pid)
{
	return &c->refused[seed_hash(c->factor, (uint32_t)pid) & (REFUSED_SLOTS - 1)];
}

void comms_refuse(struct comms *c, int32_t pid)
{
	int64_t now = seconds();

	if (!c->refused)
		c->refused = mem_zalloc(REFUSED_SLOTS * sizeof(*c->refused));
	*refused_slot(c, pid) = (struct refused){ .pid = pid, .when = now ? now : 1 };
}

bool comms_refused(const struct comms *c, int32_t pid)
{
	const struct refused *r = c->refused ? refused_slot(c, pid) : NULL;

	return r && r->when && r->pid == pid && seconds() < r->when + 1;
}
