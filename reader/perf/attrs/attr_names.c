// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attr_names: maps a text and a number to a pointer, for event types by name.  A hash table, as a
 * file may have 65,536 events, each of which is compared with all others.
 */
#include "reader/perf/attrs/attr_names.h"

#include "base/seed.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static struct names_slot *slot_of(const struct perf_names *s, const char *text, size_t len,
				  uint64_t number)
{
	uint64_t h = mix(s->seed, number);
	unsigned i;

	for (size_t k = 0; k < len; k++)
		h = mix(h, (unsigned char)text[k]);
	i = mix(h, s->seed) & (s->nslots - 1);
	while (s->v[i].text && (s->v[i].number != number || s->v[i].len != len ||
				memcmp(s->v[i].text, text, len) != 0))
		i = (i + 1) & (s->nslots - 1);
	return &s->v[i];
}

/* Twice as many slots. */
static void make_room(struct perf_names *s)
{
	struct names_slot *v = s->v;
	unsigned n = s->nslots;

	if (!n)
		s->seed = seed_new();
	s->nslots = n ? 2 * n : 64;
	s->v = mem_zalloc(s->nslots * sizeof(*s->v));
	for (unsigned i = 0; i < n; i++)
		if (v[i].text)
			*slot_of(s, v[i].text, v[i].len, v[i].number) = v[i];
	free(v);
}

static struct names_slot *slot_at(struct perf_names *s, const char *text, size_t len,
				  uint64_t number)
{
	struct names_slot *at;

	if (2 * (s->n + 1) > s->nslots)
		make_room(s);
	at = slot_of(s, text, len, number);
	if (!at->text) {
		at->text = arena_strndup(&s->arena, text, len);
		at->len = len;
		at->number = number;
		s->n++;
	}
	return at;
}

const void **perf_names_at(struct perf_names *s, const char *text, size_t len, uint64_t number)
{
	return &slot_at(s, text, len, number)->value;
}

const char *perf_names_keep(struct perf_names *s, const char *text, size_t len)
{
	return slot_at(s, text, len, 0)->text;
}

void perf_names_fini(struct perf_names *s)
{
	arena_fini(&s->arena);
	free(s->v);
	memset(s, 0, sizeof(*s));
}
