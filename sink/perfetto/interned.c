// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interned: the numbers of addresses.  Those without a symbol are remembered too, so that
 * they are looked up once.
 */
#include "sink/perfetto/perfetto_priv.h"

#include <stdlib.h>

struct symbol_id {
	uint64_t address;
	struct machine *machine; /* NULL: a free place */
	unsigned id;
};

static size_t place(const struct symbol_ids *s, const struct machine *m, uint64_t address)
{
	size_t i = (size_t)((address ^ (uintptr_t)m) * 0x9e3779b97f4a7c15ull >> 20) & (s->cap - 1);

	while (s->v[i].machine && (s->v[i].address != address || s->v[i].machine != m))
		i = (i + 1) & (s->cap - 1);
	return i;
}

static void grow(struct symbol_ids *s)
{
	struct symbol_ids more = { .cap = s->cap ? 2 * s->cap : 1024, .n = s->n };

	more.v = mem_zalloc(more.cap * sizeof(*more.v));
	for (size_t i = 0; i < s->cap; i++)
		if (s->v[i].machine)
			more.v[place(&more, s->v[i].machine, s->v[i].address)] = s->v[i];
	free(s->v);
	*s = more;
}

unsigned symbol_ids_get(struct symbol_ids *s, struct machine *m, uint64_t address,
			const char **name)
{
	const char *module;
	uint64_t start;
	size_t i;

	*name = NULL;
	if (2 * s->n >= s->cap)
		grow(s);
	i = place(s, m, address);
	if (s->v[i].machine)
		return s->v[i].id;
	if (s->n == SYMBOL_IDS_MAX)
		return 0;
	*name = machine_symbol(m, address, &start, &module);
	s->n++;
	s->v[i] = (struct symbol_id){ .address = address,
				      .machine = m,
				      .id = *name ? (unsigned)s->n : 0 };
	return s->v[i].id;
}

void symbol_ids_fini(struct symbol_ids *s)
{
	free(s->v);
}
