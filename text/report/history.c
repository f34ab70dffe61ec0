// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history: what trace-cmd report takes from the records it prints: names of tasks that are missing
 * from a recording's list, which appear from the line after the first record with one; and which
 * functions are being called.
 */
#include "text/report/history.h"

#include "base/bytes.h"
#include "base/mem.h"

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

static uint32_t hash_of(const struct memory *mem, const struct machine *m, int32_t pid)
{
	return index_hash_two(&mem->by_task, (uintptr_t)m, (uint32_t)pid);
}

static const struct memory_name *find(const struct memory *mem, const struct machine *m,
				      int32_t pid)
{
	uint32_t hash = hash_of(mem, m, pid), slot = index_home(&mem->by_task, hash), i;

	while (index_next(&mem->by_task, hash, &slot, &i))
		if (mem->names[i].machine == m && mem->names[i].pid == pid)
			return &mem->names[i];
	return NULL;
}

void memory_learn(struct memory *mem, const struct machine *m, int32_t pid, const char *name,
		  size_t len)
{
	uint32_t n = mem->by_task.n;

	if (n == MAX_NAMES || find(mem, m, pid))
		return;
	mem->names = mem_grow(mem->names, &mem->cap, n + 1, sizeof(*mem->names));
	mem->names[n] = (struct memory_name){ .machine = m, .pid = pid };
	memcpy(mem->names[n].name, name, strnlen(name, len < MEMORY_NAME ? len : MEMORY_NAME - 1));
	index_begin(&mem->by_task);
	index_add(&mem->by_task, hash_of(mem, m, pid), n);
}

const char *memory_comm(const struct memory *mem, const struct machine *m, int32_t pid)
{
	const struct memory_name *x = find(mem, m, pid);

	return x ? x->name : "<...>";
}

void memory_fini(struct memory *mem)
{
	index_fini(&mem->by_task);
	free(mem->names);
	for (size_t i = 0; i < mem->ntraced; i++)
		calls_free(mem->traced[i].calls);
	free(mem->traced);
}
