// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attr_names: maps a text and a number to a pointer, for event types by name.  By hash, as a file
 * may have 65,536 events, each of which is compared with all others.
 */
#include "reader/perf/attrs/attr_names.h"

#include <stdlib.h>
#include <string.h>

static struct name_entry *entry_at(struct perf_names *s, const char *text, size_t len,
				   uint64_t number)
{
	uint32_t hash, slot, i;

	index_begin(&s->index);
	hash = index_hash_two(&s->index, index_hash_bytes(&s->index, text, len), number);
	slot = index_home(&s->index, hash);
	while (index_next(&s->index, hash, &slot, &i))
		if (s->v[i].number == number && s->v[i].len == len &&
		    !memcmp(s->v[i].text, text, len))
			return &s->v[i];
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	index_add(&s->index, hash, (uint32_t)s->n);
	s->v[s->n] = (struct name_entry){
		.text = arena_strndup(&s->arena, text, len),
		.len = len,
		.number = number,
	};
	return &s->v[s->n++];
}

const void **perf_names_at(struct perf_names *s, const char *text, size_t len, uint64_t number)
{
	return &entry_at(s, text, len, number)->value;
}

const char *perf_names_keep(struct perf_names *s, const char *text, size_t len)
{
	return entry_at(s, text, len, 0)->text;
}

void perf_names_fini(struct perf_names *s)
{
	index_fini(&s->index);
	arena_fini(&s->arena);
	free(s->v);
	memset(s, 0, sizeof(*s));
}
