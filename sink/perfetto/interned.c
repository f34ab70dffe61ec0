// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interned: the numbers of addresses.  Those without a symbol are remembered too, so that
 * they are looked up once.
 */
#include "sink/perfetto/perfetto_priv.h"

#include <stdlib.h>

struct symbol_id {
	uint64_t address;
	const struct machine *machine;
	unsigned id;
};

unsigned symbol_ids_get(struct symbol_ids *s, struct machine *m, uint64_t address,
			const char **name)
{
	uint32_t hash, slot, i, n = s->index.n;
	const char *module;
	uint64_t start;

	*name = NULL;
	index_begin(&s->index);
	hash = index_hash_two(&s->index, (uintptr_t)m, address);
	slot = index_home(&s->index, hash);
	while (index_next(&s->index, hash, &slot, &i))
		if (s->v[i].address == address && s->v[i].machine == m)
			return s->v[i].id;
	if (n == SYMBOL_IDS_MAX)
		return 0;
	*name = machine_symbol(m, address, &start, &module);
	s->v = mem_grow(s->v, &s->cap, n + 1, sizeof(*s->v));
	s->v[n] = (struct symbol_id){ address, m, *name ? n + 1 : 0 };
	index_add(&s->index, hash, n);
	return s->v[n].id;
}

void symbol_ids_fini(struct symbol_ids *s)
{
	index_fini(&s->index);
	free(s->v);
}
