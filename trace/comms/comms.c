// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comms: the names of a machine's tasks from all sources of names: which one is used, and when to
 * ask the others.
 */
#include "trace/comms/comms.h"

#include "base/mem.h"
#include "base/seed.h"
#include "trace/comms/comm_history.h"
#include "trace/comms/comm_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char IDLE[] = "<idle>", UNKNOWN[] = "<...>";

struct comms *comms_new(const struct comms_source *source)
{
	struct comms *c = mem_zalloc(sizeof(*c));

	c->source = *source;
	c->users = 1;
	c->due = UINT64_MAX;
	return c;
}

struct comms *comms_share(struct comms *c)
{
	c->users++;
	return c;
}

void comms_free(struct comms *c)
{
	if (!c || --c->users)
		return;
	comm_table_free(c->list);
	comm_history_free(c->history);
	free(c->stock_name);
	free(c->unanswered);
	free(c);
}

/* ---- names with times ---- */

static struct comm_history *history_of(struct comms *c)
{
	if (!c->history)
		c->history = comm_history_new();
	c->timed = true;
	return c->history;
}

/* Apply the names that are due, and note when the next one is. */
static void take_due(struct comms *c)
{
	const struct comms_source *s = &c->source;

	c->changes++;
	c->due = c->history ? comm_history_advance(c->history, c->now, s->shown, s->arg) :
			      UINT64_MAX;
}

bool comms_catch_up(struct comms *c)
{
	bool first = c->asked && !c->asked_noticed;

	c->asked_noticed = c->asked;
	take_due(c);
	return first;
}

static void set_now(struct comms *c, int32_t pid, const char *name, size_t len)
{
	const char *had = c->history ? comm_history_name(c->history, pid) : NULL;

	if (had && !strncmp(had, name, len) && !had[len])
		return;
	c->changes++;
	comm_history_set(history_of(c), pid, name, len);
}

static void set_at(struct comms *c, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	struct comm_record r = { .ts = ts,
				 .pid = pid,
				 .name = name,
				 .len = len < COMM_LOG_MAX_NAME ? len : COMM_LOG_MAX_NAME };

	comm_history_add(history_of(c), &r);
	if (comm_history_due(c->history) < c->due)
		c->due = comm_history_due(c->history);
}

void comms_set(struct comms *c, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	const struct comms_source *s = &c->source;

	c->streamed = true;
	if (ts)
		set_at(c, s->shown ? s->shown(s->arg, ts) : ts, pid, name, len);
	else
		set_now(c, pid, name, len);
}

void comms_forget(struct comms *c)
{
	comm_history_free(c->history);
	c->history = NULL;
	c->due = UINT64_MAX;
}

void comms_expect_events(struct comms *c)
{
	c->timed = true;
}

void comms_expect_all(struct comms *c)
{
	c->complete = c->timed = true;
}

void comms_expect_no_list(struct comms *c)
{
	c->unlisted = true;
}

bool comms_has_list(const struct comms *c)
{
	return !c->unlisted;
}

/* ---- names without ---- */

/*
 * The kernel's list of names (saved_cmdlines), which a recording carries: lines "PID NAME".  The
 * last line for a task is used.
 */
struct saved_cmdlines {
	unsigned bad;	/* invalid lines */
	unsigned more;	/* names beyond COMM_TABLE_MAX, skipped */
	unsigned stock; /* trace-cmd 3.1.6 reads this many of the first tasks */
};

/* Does trace-cmd stop at this name?  It does if its first line is blank. */
static bool stops_at(const struct comm_line *l)
{
	const char *p = l->name, *end = p + l->len, *nl = memchr(p, '\n', l->len);

	while (p < (nl ? nl : end) && isspace((unsigned char)*p))
		p++;
	return p == (nl ? nl : end);
}

/*
 * ... or after its first line?  It does unless the other lines are empty: they do not start with a
 * number.
 */
static bool stops_within(const struct comm_line *l)
{
	const char *end = l->name + l->len, *p = memchr(l->name, '\n', l->len);

	while (p && p < end && *p == '\n')
		p++;
	return p && p < end;
}

/* Enter the names of the LEN bytes at TEXT into T, which is empty. */
static struct saved_cmdlines read_list(const char *text, size_t len, struct comm_table *t)
{
	struct comm_lines lines = { .p = text, .end = text + len };
	struct saved_cmdlines got = { 0 };
	struct comm_line l;
	bool stopped = false;
	unsigned i;

	while (comm_lines_next(&lines, &l)) {
		stopped = stopped || lines.bad || stops_at(&l);
		if (comm_table_count(t) < COMM_TABLE_MAX || comm_table_find(t, l.pid, &i))
			comm_table_set(t, l.pid, l.name, l.len);
		else
			got.more++;
		if (!stopped)
			got.stock = comm_table_count(t);
		stopped = stopped || stops_within(&l);
	}
	got.bad = lines.bad;
	return got;
}

/* A log of names with their times, if there is one from LOG to END. */
static void load_log(struct comms *c, const char *log, const char *end)
{
	if (end - log < COMM_LOG_MAGIC_LEN || memcmp(log, COMM_LOG_MAGIC, COMM_LOG_MAGIC_LEN))
		return;
	log += COMM_LOG_MAGIC_LEN;
	comm_history_set_log(history_of(c), (const uint8_t *)log, end - log);
	c->complete = true;
	take_due(c);
}

/* Read the list, unless that has been done. */
static void load(struct comms *c)
{
	struct saved_cmdlines got;
	const char *list, *nul;
	size_t len;

	if (c->list)
		return;
	c->list = comm_table_new();
	list = c->source.list(c->source.arg, &len);
	nul = len ? memchr(list, 0, len) : NULL;
	got = read_list(list, nul ? (size_t)(nul - list) : len, c->list);
	comm_table_keep(c->list);
	c->stock = got.stock;
	if (got.bad || got.more)
		c->source.left_out(c->source.arg, got.bad, got.more);
	if (nul)
		load_log(c, nul + 1, list + len);
}

void comms_learn(struct comms *c, int32_t pid, const char *name, size_t len)
{
	load(c);
	c->streamed = true;
	c->changes++;
	comm_table_set(c->list, pid, name, len);
}

/* Tasks that a live source did not know, and when it was asked, in seconds; 0: never. */
#define UNANSWERED_SLOTS 1024 /* a power of two */

struct unanswered {
	uint64_t factor; /* of seed_hash() */
	struct {
		int64_t when;
		int32_t pid;
	} v[UNANSWERED_SLOTS];
};

static int64_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

/* Ask the source for PID's name, if it can be asked and was not asked recently. */
static const char *ask(struct comms *c, int32_t pid)
{
	struct unanswered *u = c->unanswered;
	char name[16];
	uint32_t i;

	if (!c->source.ask)
		return NULL;
	if (!u) {
		u = c->unanswered = mem_zalloc(sizeof(*u));
		u->factor = seed_new() | 1;
	}
	i = seed_hash(u->factor, (uint32_t)pid) & (UNANSWERED_SLOTS - 1);
	if (u->v[i].when && u->v[i].pid == pid && seconds() < u->v[i].when + 1)
		return NULL;
	if (!c->source.ask(c->source.arg, pid, name)) {
		u->v[i].pid = pid;
		u->v[i].when = seconds() ? seconds() : 1;
		return NULL;
	}
	comms_learn(c, pid, name, strnlen(name, sizeof(name)));
	return comm_table_name(c->list, pid);
}

/* ---- asking ---- */

const char *comms_listed_name(struct comms *c, int32_t pid)
{
	const char *name;

	if (!pid)
		return IDLE;
	load(c);
	name = comm_table_name(c->list, pid);
	if (!name)
		name = ask(c, pid);
	return name ? name : UNKNOWN;
}

const char *comms_stock_name(struct comms *c, int32_t pid)
{
	const char *name;
	size_t first;
	unsigned i;

	if (!pid)
		return IDLE;
	load(c);
	if (!comm_table_find(c->list, pid, &i) || i >= c->stock)
		return UNKNOWN;
	name = comm_table_nth(c->list, i, &pid);
	first = strcspn(name, "\n");
	if (!name[first])
		return name;
	free(c->stock_name);
	c->stock_name = mem_strndup(name, first);
	return c->stock_name;
}

void comms_want(struct comms *c)
{
	if (c->asked)
		return;
	c->asked = true;
	c->due = 0;
}

bool comms_holds(const struct comms *c, const char *name)
{
	return name != UNKNOWN || !c->source.ask;
}

const char *comms_name(struct comms *c, int32_t pid)
{
	const char *name;

	load(c);
	if (c->replayed && pid == c->replayed_pid)
		return c->replayed;
	comms_want(c);
	name = c->history && pid ? comm_history_name(c->history, pid) : NULL;
	return name ? name : comms_listed_name(c, pid);
}

const char *comms_recorded_name(struct comms *c, int32_t pid)
{
	load(c);
	return c->complete || c->unlisted ? comms_name(c, pid) : comms_listed_name(c, pid);
}

void comms_replay(struct comms *c, int32_t pid, const char *name)
{
	c->replayed = name;
	c->replayed_pid = pid;
}

const char *comms_replayed(const struct comms *c, int32_t *pid)
{
	*pid = c->replayed_pid;
	return c->replayed;
}

unsigned comms_count(struct comms *c)
{
	load(c);
	return comm_table_count(c->list);
}

const char *comms_nth(struct comms *c, unsigned i, int32_t *pid)
{
	load(c);
	return comm_table_nth(c->list, i, pid);
}

bool comms_may_change(struct comms *c)
{
	load(c);
	return c->timed || comms_are_streamed(c);
}

bool comms_are_streamed(const struct comms *c)
{
	return c->streamed || c->source.ask;
}

/* ---- what events say ---- */

bool comms_needs(const struct comms *c, enum comm_event event)
{
	if (event == COMM_EVENT_NONE || c->complete)
		return false;
	if (event == COMM_EVENT_EXEC || event == COMM_EVENT_SWITCH)
		return !c->renamed && (event == COMM_EVENT_EXEC || c->asked);
	return true;
}

bool comms_event(struct comms *c, enum comm_event event, int32_t pid, const char *name, size_t len)
{
	bool rename = event == COMM_EVENT_RENAME, first = rename && !c->renamed;

	c->renamed |= rename;
	if (pid <= 0 || !len)
		return first;
	load(c);
	if (c->complete)
		return first;
	if (rename)
		set_at(c, c->now, pid, name, len);
	else if (c->renamed || c->unlisted || !comm_table_name(c->list, pid))
		set_now(c, pid, name, len);
	return first;
}
