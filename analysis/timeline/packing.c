// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packing: an answer of a time line as a page takes it.
 */
#include "analysis/timeline/packing.h"

#include "base/mem.h"

#include <stdlib.h>

uint32_t used_place(struct used_numbers *u, uint32_t number)
{
	if (!u->of[number]) {
		u->v = mem_grow(u->v, &u->cap, u->n + 1, sizeof(*u->v));
		u->v[u->n++] = number;
		u->of[number] = (uint32_t)u->n;
	}
	return u->of[number] - 1;
}

static void varint(struct outbuf *o, uint64_t v)
{
	for (; v > 127; v >>= 7)
		out_char(o, (char)(v | 128));
	out_char(o, (char)v);
}

enum column {
	COLUMN_KIND,
	COLUMN_LETTER,
	COLUMN_LANE,
	COLUMN_TIME,
	COLUMN_WHO,
	COLUMN_OTHER,
	COLUMN_TYPE,
	COLUMNS
};

static uint64_t column_value(struct timeline_pack *p, const struct timeline_answer *a,
			     enum column column, size_t i)
{
	const struct mark *m = a->marks.v[i];

	switch (column) {
	case COLUMN_KIND:
		return m->kind;
	case COLUMN_LETTER:
		return (uint8_t)m->letter;
	case COLUMN_LANE:
		return a->mark_lanes[m->lane];
	case COLUMN_TIME:
		return m->ts - (i ? a->marks.v[i - 1]->ts : a->start);
	case COLUMN_WHO:
		return used_place(&p->people, m->who);
	case COLUMN_OTHER:
		if (m->kind == MARK_LOST)
			return m->other == LOST_UNKNOWN ? 0 : (uint64_t)m->other + 1;
		return m->other == UINT32_MAX ? 0 : (uint64_t)used_place(&p->people, m->other) + 1;
	default:
		return m->type == UINT32_MAX ? 0 : (uint64_t)used_place(&p->types, m->type) + 1;
	}
}

void timeline_pack_init(struct timeline_pack *p, const struct timeline_answer *a, unsigned ntypes)
{
	*p = (struct timeline_pack){ .people.n = 0 };
	p->people.of = mem_zalloc(TASKS_MOST * sizeof(*p->people.of));
	p->types.of = mem_zalloc((ntypes + 1) * sizeof(*p->types.of));
	/* Cells name people by their place. */
	for (unsigned i = 0; i < a->nnames; i++)
		used_place(&p->people, a->names[i]);
	/* Column by column, which compresses better. */
	for (int c = 0; c < COLUMNS; c++)
		for (size_t i = 0; i < a->marks.n; i++)
			varint(&p->marks, column_value(p, a, (enum column)c, i));
}

void timeline_pack_fini(struct timeline_pack *p)
{
	free(p->people.of);
	free(p->people.v);
	free(p->types.of);
	free(p->types.v);
	outbuf_fini(&p->marks);
}
