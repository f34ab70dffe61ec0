// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_layout: the layout of an LTT event on one machine: the fields that sinks see, and the steps
 * that unpack a payload.
 */
#include "trace/field.h"
#include "reader/ltt/facility/plan.h"
#include "reader/ltt/facility/type.h"

#include <stdlib.h>
#include <string.h>

struct making {
	struct ltt_layout *l;
	const struct ltt_machine *m;
	const char *facility, *event;
	struct err *e;
};

/* The place of a value in the record: after what its holder has so far. */
struct layout_place {
	uint64_t end;
	unsigned align; /* the largest in it */
	bool item;	/* the holder is an item of a list, or in one */
};

static int make(struct making *k, const struct ltt_type *t, const char *name,
		struct layout_place *in, struct unpack_step *st, struct field *f);

#define SAY(k, fmt, ...) \
	err_set((k)->e, ERR_FORMAT, ERR_NO_OFF, "%s::%s: " fmt, (k)->facility, (k)->event, \
		##__VA_ARGS__)

static unsigned width(const struct making *k, const struct ltt_type *t)
{
	switch (t->width) {
	case LTT_W_INT:
		return k->m->int_size;
	case LTT_W_LONG:
		return k->m->long_size;
	case LTT_W_POINTER:
		return k->m->pointer_size;
	case LTT_W_SIZE_T:
		return k->m->size_t_size;
	}
	return t->width;
}

/* The alignment in a payload of a scalar of SIZE bytes. */
static uint8_t bound(const struct making *k, unsigned size)
{
	if (!k->m->align)
		return 1;
	return size < k->m->align ? size : k->m->align;
}

/* Set the places of F and ST in the record. */
static int settle(struct making *k, const char *name, struct layout_place *in,
		  struct unpack_step *st, struct field *f, uint64_t own, unsigned align)
{
	uint64_t to = step_align(in->end, align);

	if (to + own > LTT_MAX_RECORD)
		return SAY(k, "field %.40s: with it a record has more than %u bytes", name,
			   LTT_MAX_RECORD);
	in->end = to + own;
	if (in->align < align)
		in->align = align;
	st->to = f->off = to;
	st->own = f->size = own;
	return 0;
}

static int make_scalar(struct making *k, const struct ltt_type *t, struct layout_place *in,
		       struct unpack_step *st, struct field *f)
{
	unsigned size = width(k, t);
	struct field_more *more;

	st->op = STEP_SCALAR;
	st->fixed = true;
	st->size = st->wire = size;
	st->align = bound(k, size);
	f->elem = size;
	f->is_signed = t->is_signed && !t->is_float;
	f->kind = t->is_float ? FIELD_FLOAT : t->is_signed ? FIELD_INT : FIELD_UINT;
	if (t->kind == LTT_ENUM) {
		more = arena_alloc(&k->l->arena, sizeof(*more));
		more->labels = t->sorted;
		more->nlabels = t->nlabels;
		f->kind = FIELD_ENUM;
		f->more = more;
	}
	return settle(k, f->name, in, st, f, size, size);
}

static int make_string(struct making *k, struct layout_place *in, struct unpack_step *st,
		       struct field *f)
{
	st->op = STEP_STRING;
	st->align = 1;
	st->span = true;
	f->kind = FIELD_STR;
	f->loc = FIELD_SPAN;
	f->elem = 1;
	return settle(k, f->name, in, st, f, 8, 4);
}

/* The parts of a fixed struct are always at the same offsets. */
static void fix(struct unpack_step *st, struct unpack_step *sub, uint64_t *wire)
{
	st->fixed = st->fixed && sub->fixed;
	if (st->align < sub->align)
		st->align = sub->align;
	if (st->op == STEP_UNION) {
		*wire = *wire > sub->wire ? *wire : sub->wire;
		return;
	}
	*wire = step_align(*wire, sub->align);
	sub->at = *wire;
	*wire += sub->wire;
}

static int make_members(struct making *k, const struct ltt_type *t, struct layout_place *in,
			struct unpack_step *st, struct field **fields)
{
	struct unpack_step *subs;
	uint64_t wire = 0;
	unsigned n = 0;

	st->op = t->kind == LTT_UNION ? STEP_UNION : STEP_STRUCT;
	st->fixed = true;
	st->align = 1;
	for (const struct ltt_member *m = t->members; m; m = m->next)
		n++;
	subs = arena_alloc(&k->l->arena, (n + 1) * sizeof(*subs));
	*fields = arena_alloc(&k->l->arena, (n + 1) * sizeof(**fields));
	st->sub = subs;
	n = 0;
	for (const struct ltt_member *m = t->members; m; m = m->next, n++) {
		TRY(make(k, m->type, m->name, in, &subs[n], &(*fields)[n]));
		if (st->op == STEP_UNION && !subs[n].fixed)
			return SAY(k,
				   "field %.40s is in a union and of no fixed size: this cannot "
				   "be read",
				   m->name);
		fix(st, &subs[n], &wire);
	}
	st->nsub = n;
	if (wire > LTT_MAX_RECORD)
		return SAY(k, "it has more than %u bytes", LTT_MAX_RECORD);
	st->wire = st->fixed ? wire : 0;
	return 0;
}

static int make_struct(struct making *k, const struct ltt_type *t, struct layout_place *in,
		       struct unpack_step *st, struct field *f)
{
	struct layout_place inside = { 0, 1, in->item };
	struct field_more *more = arena_alloc(&k->l->arena, sizeof(*more));
	struct field *members;

	TRY(make_members(k, t, &inside, st, &members));
	/*
	 * The tracer's generated code (genevent) copied structs of one size with sizeof, and wrote
	 * the others (wire is 0) member by member, without C's padding after the last one.
	 */
	st->wire = step_align(st->wire, st->align);
	more->members = members;
	more->nmembers = st->nsub;
	f->kind = FIELD_STRUCT;
	f->more = more;
	return settle(k, f->name, in, st, f, step_align(inside.end, inside.align), inside.align);
}

/* The kind of a field with items of F. */
static uint8_t items_kind(const struct ltt_type *item, const struct field *f)
{
	if (item->is_char)
		return FIELD_STR;
	if (!field_is_int(f))
		return FIELD_LIST;
	return f->size == 1 ? FIELD_BYTES : FIELD_ARRAY;
}

/*
 * Arrays and sequences.  An array has its items in place, except for arrays in lists: theirs are in
 * the tail, which keeps the items of a list short.
 */
static int make_items(struct making *k, const struct ltt_type *t, struct layout_place *in,
		      struct unpack_step *st, struct field *f)
{
	struct unpack_step *sub = arena_alloc(&k->l->arena, sizeof(*sub));
	struct field *item = arena_alloc(&k->l->arena, sizeof(*item));
	struct field_more *more = arena_alloc(&k->l->arena, sizeof(*more));
	struct layout_place inside = { 0, 1, true };
	uint64_t wire, own;

	TRY(make(k, t->elem, f->name, &inside, sub, item));
	own = inside.end;
	if (own > UINT16_MAX)
		return SAY(k, "field %.40s: its items have more than %d bytes", f->name,
			   UINT16_MAX);
	st->op = STEP_ITEMS;
	st->sub = sub;
	st->nsub = 1;
	st->align = sub->align;
	st->flat = sub->op == STEP_SCALAR;
	sub->own = own;
	f->kind = items_kind(ltt_type_of(t->elem), item);
	f->is_signed = item->is_signed;
	f->elem = own;
	if (f->kind == FIELD_LIST) {
		more->members = item;
		more->nmembers = 1;
		f->more = more;
	}
	if (t->kind == LTT_SEQUENCE) {
		st->length_size = width(k, t->length);
		st->length_align = bound(k, st->length_size);
		if (st->align < st->length_align)
			st->align = st->length_align;
		st->span = true;
		f->loc = FIELD_SPAN;
		return settle(k, f->name, in, st, f, 8, 4);
	}
	st->count = f->count = t->count;
	st->fixed = sub->fixed;
	wire = (uint64_t)st->count * sub->wire;
	own *= st->count;
	if (wire > LTT_MAX_RECORD || own > LTT_MAX_RECORD)
		return SAY(k, "field %.40s: an array of %u item%s is more than %u bytes", f->name,
			   st->count, plural(st->count), LTT_MAX_RECORD);
	st->wire = wire;
	if (in->item) {
		st->span = true;
		f->loc = FIELD_SPAN;
		return settle(k, f->name, in, st, f, 8, 4);
	}
	return settle(k, f->name, in, st, f, own, inside.align);
}

static int make(struct making *k, const struct ltt_type *t, const char *name,
		struct layout_place *in, struct unpack_step *st, struct field *f)
{
	t = ltt_type_of(t);
	st->name = f->name = name;
	f->type = t->kind == LTT_SEQUENCE ? "sequence" : t->word;
	switch ((enum ltt_kind)t->kind) {
	case LTT_STRING:
		return make_string(k, in, st, f);
	case LTT_ARRAY:
	case LTT_SEQUENCE:
		return make_items(k, t, in, st, f);
	case LTT_STRUCT:
	case LTT_UNION:
		return make_struct(k, t, in, st, f);
	case LTT_SCALAR:
	case LTT_ENUM:
	case LTT_REF:
		break;
	}
	return make_scalar(k, t, in, st, f);
}

static bool is_size(unsigned n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

static int check_machine(struct making *k)
{
	const struct ltt_machine *m = k->m;

	if (!is_size(m->int_size) || !is_size(m->long_size) || !is_size(m->pointer_size) ||
	    !is_size(m->size_t_size))
		return SAY(k,
			   "no machine has int, long, pointer and size_t of %u, %u, %u and %u "
			   "bytes",
			   m->int_size, m->long_size, m->pointer_size, m->size_t_size);
	if (m->align && !is_size(m->align))
		return SAY(k, "no machine aligns to %u byte%s", m->align, plural(m->align));
	return 0;
}

static int make_all(struct making *k, const struct ltt_event *ev)
{
	struct ltt_layout *l = k->l;
	struct layout_place in = { 0, 1, false };

	TRY(check_machine(k));
	l->swap = k->m->swap;
	l->realign = k->m->align ? k->m->pointer_size : 1;
	l->top.op = STEP_STRUCT;
	l->top.fixed = true;
	l->top.align = 1;
	if (!ev->body)
		return 0;
	TRY(make_members(k, ltt_type_of(ev->body), &in, &l->top, &l->fields));
	l->nfields = l->top.nsub;
	l->fixed = in.end;
	return 0;
}

struct ltt_layout *ltt_layout_new(const struct ltt_facilities *f, unsigned fac, unsigned event,
				  const struct ltt_machine *m, struct err *e)
{
	const struct ltt_event *ev = f->facs[fac]->events[event];
	struct making k = { mem_zalloc(sizeof(*k.l)), m, f->facs[fac]->name, ev->name, e };

	if (make_all(&k, ev) == 0)
		return k.l;
	ltt_layout_free(k.l);
	return NULL;
}

void ltt_layout_free(struct ltt_layout *l)
{
	if (!l)
		return;
	arena_fini(&l->arena);
	free(l);
}

const struct field *ltt_layout_fields(const struct ltt_layout *l, unsigned *n, uint32_t *fixed)
{
	*n = l->nfields;
	*fixed = l->fixed;
	return l->fields;
}
