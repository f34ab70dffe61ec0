// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history: what trace-cmd report takes from the records it prints: names of tasks that are missing
 * from a recording's list, which appear from the line after the first record with one; and which
 * functions are being called.
 */
#include "text/report/history.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES (1u << 20)
#define MAX_CPUS 8192 /* the kernel's greatest NR_CPUS; functions of others stay flat */

/* ---- functions ---- */

/*
 * The functions that are being called, for each CPU from the outermost inwards, as hashes of their
 * names: a function with an unknown caller starts at depth 0.
 */
struct calls {
	struct calls_cpu {
		uint64_t *names;
		size_t cap;
		unsigned n;
	} * cpus;
	unsigned ncpus;
};

static void calls_free(struct calls *c)
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

struct calls *memory_calls(struct memory *mem, const struct machine *m)
{
	struct memory_calls *to;

	for (size_t i = 0; i < mem->ntraced; i++)
		if (mem->traced[i].machine == m)
			return mem->traced[i].calls;
	mem->traced = mem_grow(mem->traced, &mem->traced_cap, mem->ntraced + 1,
			       sizeof(*mem->traced));
	to = &mem->traced[mem->ntraced++];
	to->machine = m;
	to->calls = mem_zalloc(sizeof(*to->calls));
	return to->calls;
}

/* ---- names of tasks ---- */

/* The slot of PID's name, or the free one for it. */
static size_t slot(const struct memory *mem, const struct machine *m, int32_t pid)
{
	uint32_t h = seed_hash(mem->factor, (uint32_t)((uintptr_t)m >> 4) ^ (uint32_t)pid);
	size_t i = h & (mem->cap - 1);

	while (mem->names[i].machine && (mem->names[i].machine != m || mem->names[i].pid != pid))
		i = (i + 1) & (mem->cap - 1);
	return i;
}

static void grow(struct memory *mem)
{
	struct memory old = *mem;

	if (!old.cap)
		mem->factor = seed_new() | 1;
	mem->cap = old.cap ? old.cap * 2 : 256;
	mem->names = mem_zalloc(mem->cap * sizeof(*mem->names));
	for (size_t i = 0; i < old.cap; i++)
		if (old.names[i].machine)
			mem->names[slot(mem, old.names[i].machine, old.names[i].pid)] =
				old.names[i];
	free(old.names);
}

void memory_learn(struct memory *mem, const struct machine *m, int32_t pid, const char *name,
		  size_t len)
{
	struct memory_name *to;

	if (mem->n == MAX_NAMES)
		return;
	if (2 * (mem->n + 1) > mem->cap)
		grow(mem);
	to = &mem->names[slot(mem, m, pid)];
	if (to->machine)
		return;
	to->machine = m;
	to->pid = pid;
	len = strnlen(name, len < MEMORY_NAME - 1 ? len : MEMORY_NAME - 1);
	memcpy(to->name, name, len);
	mem->n++;
}

const char *memory_comm(const struct memory *mem, const struct machine *m, int32_t pid)
{
	const struct memory_name *at = mem->cap ? &mem->names[slot(mem, m, pid)] : NULL;

	return at && at->machine ? at->name : "<...>";
}

void memory_fini(struct memory *mem)
{
	free(mem->names);
	for (size_t i = 0; i < mem->ntraced; i++)
		calls_free(mem->traced[i].calls);
	free(mem->traced);
}
