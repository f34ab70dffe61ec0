// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * facility: checks and completes the parsed types of LTT facilities: resolves typerefs, rejects
 * recursive types, enforces limits, and computes the checksum by which the traced kernel identified
 * each facility.
 */
#include "reader/ltt/facility/type.h"

#include <stdlib.h>
#include <string.h>

/* Limit of the bytes checksummed for a text, with typerefs followed. */
#define MAX_WEIGHT (16u << 20)

enum { NEW, ON_THE_WAY, MEASURED };

#define SAY(e, at, fmt, ...) \
	err_set(e, ERR_FORMAT, ERR_NO_OFF, "line %u, column %u: " fmt, (at)->line, (at)->column, \
		##__VA_ARGS__)

static int by_name(const void *pa, const void *pb)
{
	const struct ltt_named *const *a = pa, *const *b = pb;

	return strcmp((*a)->name, (*b)->name);
}

static int find_named(const void *key, const void *pb)
{
	const struct ltt_named *const *b = pb;

	return strcmp(key, (*b)->name);
}

static int resolve_all(struct ltt_facility *fac, struct ltt_named **all, size_t n, struct err *e)
{
	struct ltt_named **at;

	for (size_t i = 1; i < n; i++)
		if (!strcmp(all[i]->name, all[i - 1]->name))
			return SAY(e, all[i]->type, "facility %.40s has two types called %.40s",
				   fac->name, all[i]->name);
	for (struct ltt_type *t = fac->refs; t; t = t->next_ref) {
		at = bsearch(t->ref, all, n, sizeof(*all), find_named);
		if (!at)
			return SAY(e, t, "facility %.40s has no type %.40s", fac->name, t->ref);
		t->elem = (*at)->type;
	}
	return 0;
}

/* Resolve each typeref; its type may be defined before or after it. */
static int resolve_refs(struct ltt_facility *fac, struct err *e)
{
	struct ltt_named **all;
	size_t n = 0;
	int rc;

	for (struct ltt_named *t = fac->named; t; t = t->next)
		n++;
	all = mem_zalloc((n + 1) * sizeof(*all));
	n = 0;
	for (struct ltt_named *t = fac->named; t; t = t->next)
		all[n++] = t;
	qsort(all, n, sizeof(*all), by_name);
	rc = resolve_all(fac, all, n, e);
	free(all);
	return rc;
}

static int measure(struct ltt_type *t, unsigned depth, struct err *e);

/* Add the numbers of part SUB to T. */
static int measure_part(struct ltt_type *t, struct ltt_type *sub, unsigned depth, struct err *e)
{
	TRY(measure(sub, depth + 1, e));
	if (t->depth < sub->depth + 1)
		t->depth = sub->depth + 1;
	if (depth + t->depth - 1 > LTT_MAX_DEPTH)
		return SAY(e, t, "types are nested more than %d deep", LTT_MAX_DEPTH);
	t->nfields += sub->nfields;
	t->weight += sub->weight;
	if (t->nfields > LTT_MAX_FIELDS)
		return SAY(e, t, "more than %d fields, nested ones counted", LTT_MAX_FIELDS);
	if (t->weight > MAX_WEIGHT)
		return SAY(e, t, "names of more than %u bytes, those of nested types counted",
			   MAX_WEIGHT);
	return 0;
}

/*
 * Measure T, typerefs followed: its depth, number of fields and amount of text.  Each type is
 * measured once, so a small text that expands enormously does not take time.
 */
static int measure(struct ltt_type *t, unsigned depth, struct err *e)
{
	if (t->state == MEASURED)
		return 0;
	if (t->state == ON_THE_WAY)
		return SAY(e, t, "this type has itself inside");
	if (depth > LTT_MAX_DEPTH)
		return SAY(e, t, "types are nested more than %d deep", LTT_MAX_DEPTH);
	t->state = ON_THE_WAY;
	t->depth = 1;
	t->nfields = t->kind != LTT_REF;
	t->weight = strlen(t->word) + (t->format ? strlen(t->format) : 0);
	for (struct ltt_label *l = t->labels; l; l = l->next)
		t->weight += strlen(l->text);
	if (t->length)
		t->weight += strlen(t->length->word);
	if (t->elem)
		TRY(measure_part(t, t->elem, depth, e));
	for (struct ltt_member *m = t->members; m; m = m->next) {
		t->weight += strlen(m->name);
		TRY(measure_part(t, m->type, depth, e));
	}
	t->state = MEASURED;
	return 0;
}

static int measure_all(struct ltt_facilities *f, struct ltt_facility *fac, struct err *e)
{
	for (struct ltt_named *n = fac->named; n; n = n->next)
		TRY(measure(n->type, 1, e));
	for (struct ltt_event *ev = fac->first; ev; ev = ev->next) {
		if (!ev->body)
			continue;
		TRY(measure(ev->body, 1, e));
		if (ltt_type_of(ev->body)->kind != LTT_STRUCT)
			return SAY(e, ev->body, "event %.40s is not a struct", ev->name);
		f->nfields += ev->body->nfields;
		f->weight += ev->body->weight + strlen(ev->name);
		if (f->nfields > LTT_MAX_ALL_FIELDS)
			return SAY(e, ev,
				   "all events have more than %d fields, nested ones "
				   "counted",
				   LTT_MAX_ALL_FIELDS);
		if (f->weight > MAX_WEIGHT)
			return SAY(e, ev,
				   "all events have names of more than %u bytes, those of "
				   "nested types counted",
				   MAX_WEIGHT);
	}
	return 0;
}

/* ---------------------------------------------------------------- the checksum */

/*
 * CRC-32 (reflected, polynomial 0xEDB88320) over the facility's name, and continued without
 * inverting over the names of its events and fields and the words of their types.
 */
static uint32_t sum_text(uint32_t crc, const char *s)
{
	for (; *s; s++) {
		crc ^= (unsigned char)*s;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	return crc;
}

static uint32_t sum_type(uint32_t crc, const struct ltt_type *t, enum ltt_gen gen);

static uint32_t sum_members(uint32_t crc, const struct ltt_type *t, enum ltt_gen gen)
{
	for (const struct ltt_member *m = t->members; m; m = m->next)
		crc = sum_type(sum_text(crc, m->name), m->type, gen);
	return crc;
}

static uint32_t sum_type(uint32_t crc, const struct ltt_type *t, enum ltt_gen gen)
{
	t = ltt_type_of(t);
	crc = sum_text(crc, t->word);
	if (t->format)
		crc = sum_text(crc, t->format);
	/* The values of labels are included in the older generations only. */
	for (const struct ltt_label *l = t->labels; l; l = l->next)
		crc = sum_text(crc, gen < LTT_0_6 ? l->text : l->name);
	if (t->length)
		crc = sum_type(crc, t->length, gen);
	if (t->elem)
		crc = sum_type(crc, t->elem, gen);
	return sum_members(crc, t, gen);
}

static uint32_t checksum_of(const struct ltt_facility *fac, enum ltt_gen gen)
{
	uint32_t crc = ~sum_text(~0u, fac->name);

	for (const struct ltt_event *ev = fac->first; ev; ev = ev->next) {
		crc = sum_text(crc, ev->name);
		if (!ev->body)
			continue;
		if (gen < LTT_0_6)
			crc = sum_type(crc, ev->body, gen);
		else
			crc = sum_members(crc, ltt_type_of(ev->body), gen);
	}
	return crc;
}

/* ---------------------------------------------------------------- all of it */

static int finish(struct ltt_facilities *f, struct ltt_facility *fac, struct err *e)
{
	unsigned n = 0;

	TRY(resolve_refs(fac, e));
	TRY(measure_all(f, fac, e));
	fac->events = arena_alloc(&f->arena, (fac->nevents + 1) * sizeof(*fac->events));
	for (struct ltt_event *ev = fac->first; ev; ev = ev->next)
		fac->events[n++] = ev;
	fac->checksum = checksum_of(fac, f->gen);
	return 0;
}

static int read_text(struct ltt_facilities *f, const char *text, size_t len, struct err *e)
{
	unsigned n = 0;

	if (len > LTT_MAX_TEXT)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "%zu bytes are too many for a description of events: at most %u",
			       len, LTT_MAX_TEXT);
	TRY(ltt_parse(f, text, len, e));
	f->facs = arena_alloc(&f->arena, (f->n + 1) * sizeof(*f->facs));
	for (struct ltt_facility *fac = f->first; fac; fac = fac->next) {
		TRY(finish(f, fac, e));
		f->facs[n++] = fac;
	}
	return 0;
}

struct ltt_facilities *ltt_facilities_parse(const char *text, size_t len, enum ltt_gen gen,
					    struct err *e)
{
	struct ltt_facilities *f = mem_zalloc(sizeof(*f));

	f->gen = gen;
	if (read_text(f, text, len, e) == 0)
		return f;
	ltt_facilities_free(f);
	return NULL;
}

void ltt_facilities_free(struct ltt_facilities *f)
{
	if (!f)
		return;
	arena_fini(&f->arena);
	free(f);
}

unsigned ltt_facilities_count(const struct ltt_facilities *f)
{
	return f->n;
}

const char *ltt_facilities_name(const struct ltt_facilities *f, unsigned fac)
{
	return f->facs[fac]->name;
}

uint32_t ltt_facilities_checksum(const struct ltt_facilities *f, unsigned fac)
{
	return f->facs[fac]->checksum;
}

unsigned ltt_facilities_nevents(const struct ltt_facilities *f, unsigned fac)
{
	return f->facs[fac]->nevents;
}

const char *ltt_facilities_event(const struct ltt_facilities *f, unsigned fac, unsigned event)
{
	return f->facs[fac]->events[event]->name;
}
