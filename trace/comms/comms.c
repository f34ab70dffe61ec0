// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comms: names of tasks by pid: those of a saved_cmdlines, and those that are learnt later, of
 * which the oldest give way when there are too many.
 */
#include "trace/comms/comms.h"

#include "base/mem.h"
#include "base/seed.h"
#include "trace/comms/comm_table.h"
#include "trace/comms/saved_cmdlines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REFUSED_SLOTS 1024 /* a power of two */

/* A task whose name the source did not know, and when it was asked. */
struct refused {
	int32_t pid;
	int64_t when; /* CLOCK_MONOTONIC s; 0: none */
};

struct comms {
	struct comm_table *names;
	unsigned stock; /* trace-cmd reads the first so many of them */
	char first_line[COMM_MAX + 1];
	struct refused *refused;
	uint64_t factor; /* of seed_hash() */
};

struct comms *comms_new(const char *text, size_t len, unsigned *bad, unsigned *more)
{
	struct comms *c = mem_zalloc(sizeof(*c));
	struct saved_cmdlines got;

	c->factor = seed_new() | 1;
	c->names = comm_table_new();
	got = saved_cmdlines_read(text, len, c->names);
	comm_table_keep(c->names);
	c->stock = got.stock;
	*bad = got.bad;
	*more = got.more;
	return c;
}

void comms_free(struct comms *c)
{
	if (!c)
		return;
	comm_table_free(c->names);
	free(c->refused);
	free(c);
}

void comms_learn(struct comms *c, int32_t pid, const char *name, size_t len)
{
	comm_table_set(c->names, pid, name, len);
}

const char *comms_name(const struct comms *c, int32_t pid)
{
	return comm_table_name(c->names, pid);
}

const char *comms_stock_name(struct comms *c, int32_t pid)
{
	const char *name;
	unsigned i;

	if (!comm_table_find(c->names, pid, &i) || i >= c->stock)
		return NULL;
	name = comm_table_nth(c->names, i, &pid);
	snprintf(c->first_line, sizeof(c->first_line), "%.*s", (int)strcspn(name, "\n"), name);
	return c->first_line;
}

unsigned comms_count(const struct comms *c)
{
	return comm_table_count(c->names);
}

const char *comms_nth(const struct comms *c, unsigned i, int32_t *pid)
{
	return comm_table_nth(c->names, i, pid);
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
