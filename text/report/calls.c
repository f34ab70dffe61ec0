// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions that are being called, for each CPU from the outermost inwards, as hashes of their
 * names: a function with an unknown caller starts at depth 0.
 */
#include "text/report/calls.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CPUS 8192 /* the kernel's greatest NR_CPUS; functions of others stay flat */

struct calls {
	struct calls_cpu {
		uint64_t *names;
		size_t cap;
		unsigned n;
	} * cpus;
	unsigned ncpus;
};

struct calls *calls_new(void)
{
	return mem_zalloc(sizeof(struct calls));
}

void calls_free(struct calls *c)
{
	for (unsigned i = 0; c && i < c->ncpus; i++)
		free(c->cpus[i].names);
	if (c)
		free(c->cpus);
	free(c);
}

static uint64_t hash(const char *name)
{
	return bytes_hash(0, name, strlen(name));
}

static void put(struct calls_cpu *c, unsigned pos, uint64_t name)
{
	if (pos > c->n || pos > CALLS_DEEP)
		return;
	c->names = mem_grow(c->names, &c->cap, pos + 1, sizeof(*c->names));
	c->names[pos] = name;
	if (pos == c->n)
		c->n++;
}

unsigned calls_nest(struct calls *calls, int cpu, const char *parent, const char *func)
{
	uint64_t h = hash(parent);
	struct calls_cpu *c;
	unsigned depth = 0;

	if (cpu < 0 || cpu >= MAX_CPUS)
		return 0;
	if ((unsigned)cpu >= calls->ncpus) {
		unsigned n = (unsigned)cpu + 1;

		calls->cpus = mem_realloc(calls->cpus, n * sizeof(*calls->cpus));
		memset(calls->cpus + calls->ncpus, 0, (n - calls->ncpus) * sizeof(*calls->cpus));
		calls->ncpus = n;
	}
	c = &calls->cpus[cpu];
	while (depth < c->n && c->names[depth] != h)
		depth++;
	if (depth == c->n) {
		depth = 0;
		put(c, 0, h);
	}
	/* Deeper entries are kept, as they may continue when this one returns. */
	if (func)
		put(c, depth + 1, hash(func));
	return depth;
}
