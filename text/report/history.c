// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of tasks that are missing from a recording's list: trace-cmd report takes them from the
 * records it prints, so a task's name appears from the line after the first record with it.
 */
#include "text/report/history.h"

#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES (1u << 20)

void memory_fini(struct memory *mem)
{
	free(mem->names);
	for (size_t i = 0; i < mem->ntraced; i++)
		calls_free(mem->traced[i].calls);
	free(mem->traced);
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
	to->calls = calls_new();
	return to->calls;
}

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
