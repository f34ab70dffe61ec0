/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top: for each key the records with the largest values, in a heap whose first is the smallest of
 * them.  Of equal ones the earlier are kept, so that the answer does not depend on how inputs are
 * split.
 */
#include "analysis/aggregate/aggregate_priv.h"

#include "base/mem.h"

#include <stdlib.h>

/* Does A precede B: is its value larger, or did it come earlier?  As strcmp(). */
static int record_compare(const struct agg_record *a, const struct agg_record *b)
{
	if (number_less(a->v, b->v) || number_less(b->v, a->v))
		return number_less(a->v, b->v) ? 1 : -1;
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Let the record at place I sink until both records below it precede it. */
static void sink_down(struct agg_top *t, uint32_t i)
{
	struct agg_record *r = t->records[i];
	uint32_t k;

	while ((k = 2 * i + 1) < t->nrecords) {
		if (k + 1 < t->nrecords && record_compare(t->records[k], t->records[k + 1]) < 0)
			k++;
		if (record_compare(r, t->records[k]) >= 0)
			break;
		t->records[i] = t->records[k];
		i = k;
	}
	t->records[i] = r;
}

static void rise(struct agg_top *t, uint32_t i)
{
	struct agg_record *r = t->records[i];

	while (i && record_compare(t->records[(i - 1) / 2], r) < 0) {
		t->records[i] = t->records[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	t->records[i] = r;
}

static bool fits(const struct aggregate *a, const struct agg_top *t, const struct agg_record *r)
{
	return t->nrecords < a->spec.keep || record_compare(r, t->records[0]) < 0;
}

bool agg_top_wants(struct aggregate *a, void **value, const struct agg_record *r)
{
	struct agg_top *t = *value;

	if (t->nrecords < a->spec.keep && a->records >= AGG_RECORDS && t != a->other) {
		agg_say_full(a, AGG_RECORDS, "records to be kept");
		*value = t = a->other;
	}
	t->n++;
	return fits(a, t, r);
}

/* A record like R with these FIELDS, or without them, if there is no room for more of these. */
static struct agg_record *copy_record(struct aggregate *a, const struct agg_record *r,
				      const uint64_t *fields, unsigned words)
{
	static const uint64_t none = 0; /* a key whose parts are all KEY_UNDEF */
	size_t size = words * sizeof(*fields);
	struct agg_record *kept;

	if (words > 1 && a->record_bytes + size > AGG_RECORD_BYTES) {
		if (!a->bare)
			note_say(a->notes, NOTE_WARN,
				 "%s: the fields of the records kept take %llu MiB: further "
				 "records are kept without fields",
				 a->at, AGG_RECORD_BYTES >> 20);
		a->bare = true;
		fields = &none;
		words = 1;
		size = sizeof(none);
	}
	kept = mem_alloc(sizeof(*r) + size);
	*kept = *r;
	kept->words = words;
	memcpy(kept->fields, fields, size);
	a->record_bytes += size;
	return kept;
}

void agg_top_keep(struct aggregate *a, void *value, const struct agg_record *r,
		  const uint64_t *fields, unsigned words)
{
	struct agg_top *t = value;
	struct agg_record *kept;

	if (t->nrecords == a->spec.keep)
		a->record_bytes -= t->records[0]->words * sizeof(*fields);
	kept = copy_record(a, r, fields, words);
	if (t->nrecords == a->spec.keep) {
		free(t->records[0]);
		t->records[0] = kept;
		sink_down(t, 0);
		return;
	}
	/* Doubles, from 1 on. */
	if (!(t->nrecords & (t->nrecords - 1)))
		t->records = mem_realloc(t->records, (t->nrecords ? 2 * (size_t)t->nrecords : 1) *
							     sizeof(*t->records));
	t->records[t->nrecords++] = kept;
	a->records++;
	rise(t, t->nrecords - 1);
}

void top_merge(struct aggregate *a, struct agg_top *value, const struct agg_top *from)
{
	void *to = value;
	uint32_t i;

	for (i = 0; i < from->nrecords; i++) {
		const struct agg_record *r = from->records[i];

		to = value;
		if (agg_top_wants(a, &to, r))
			agg_top_keep(a, to, r, r->fields, r->words);
	}
	/* Records that are no longer kept were counted as well. */
	((struct agg_top *)to)->n += from->n - from->nrecords;
}

static void free_records(struct agg_top *t)
{
	uint32_t i;

	for (i = 0; i < t->nrecords; i++)
		free(t->records[i]);
	free(t->records);
}

void top_free(struct aggregate *a)
{
	uint32_t slot = 0;
	void *v;

	while ((v = table_next(&a->table, &slot)))
		free_records(v);
	free_records(a->other);
	if (a->all)
		free_records(a->all);
}

static int by_place(const void *a, const void *b)
{
	return record_compare(*(const struct agg_record *const *)a,
			      *(const struct agg_record *const *)b);
}

const struct agg_record **agg_records(const void *value, size_t *n)
{
	const struct agg_top *t = value;
	const struct agg_record **list = mem_alloc((t->nrecords + 1) * sizeof(*list));

	*n = t->nrecords;
	if (*n)
		memcpy(list, t->records, *n * sizeof(*list));
	qsort(list, *n, sizeof(*list), by_place);
	return list;
}
