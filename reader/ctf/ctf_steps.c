// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_steps: compiles the classes of CTF metadata into steps, and into the fields that consumers
 * see.
 *
 * What has no counterpart in struct field: a variant is a structure in which each option is a list
 * of one item or none, as is an option.
 */
#include "reader/ctf/ctf_layout_priv.h"
#include "trace/field.h"

#include <inttypes.h>
#include <string.h>

static int make(struct ctf_making *k, const struct ctf_class *c, const char *name,
		struct ctf_place *in, struct ctf_step *st, struct field *f);

/* CTF 1.8 puts a '_' before each name, which may be a keyword. */
static const char *shown_name(const struct ctf_making *k, const char *name)
{
	return k->m->is_tsdl && name[0] == '_' && name[1] ? name + 1 : name;
}

/* Set the places of F and ST in the record. */
static int settle(struct ctf_making *k, const char *name, struct ctf_place *in, struct ctf_step *st,
		  struct field *f, uint64_t own)
{
	if (!k->kept)
		own = 0;
	if (own > CTF_MAX_RECORD || in->end + own > CTF_MAX_RECORD)
		return CTF_SAY(k, name, "with it a record has more than %u bytes", CTF_MAX_RECORD);
	st->to = f->off = in->end;
	st->own = f->size = own;
	in->end += own;
	return 0;
}

/* N more parts are needed, for which there is room if *LEFT says so. */
static int charge(struct ctf_making *k, const char *name, unsigned n)
{
	if (n > *k->left)
		return CTF_SAY(k, *name ? name : "of an event",
			       "with it events have more fields and labels than metadata of "
			       "that size can need");
	*k->left -= n;
	return 0;
}

/* ---- numbers ---- */

static bool is_big(const struct ctf_making *k, const struct ctf_class *c)
{
	return c->order == ORDER_NATIVE ? k->m->big : c->order == ORDER_BIG;
}

static const char *type_name(const struct ctf_class *c, unsigned size)
{
	static const char *const names[2][4] = { { "uint8_t", "uint16_t", "uint32_t", "uint64_t" },
						 { "int8_t", "int16_t", "int32_t", "int64_t" } };

	if (c->kind == CTF_FLOAT)
		return size == 4 ? "float" : "double";
	if (c->is_bool)
		return "bool";
	if (c->text)
		return "char";
	if (c->is_enum)
		return "enum";
	return names[c->is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

/* The labels of C; a range is one of them. */
static int make_labels(struct ctf_making *k, const struct ctf_class *c, struct field *f)
{
	struct field_more *more = arena_alloc(k->arena, sizeof(*more));
	struct field_label *labels;
	unsigned n = 0;

	for (const struct ctf_label *l = c->labels; l; l = l->next)
		n++;
	TRY(charge(k, f->name, n));
	labels = arena_alloc(k->arena, (n + 1) * sizeof(*labels));
	n = 0;
	for (const struct ctf_label *l = c->labels; l; l = l->next)
		labels[n++] = (struct field_label){ (int64_t)l->range.first, (int64_t)l->range.last,
						    l->name };
	if (c->is_enum)
		field_sort_labels(labels, n);
	more->labels = labels;
	more->nlabels = n;
	f->kind = c->is_enum ? FIELD_ENUM : f->kind;
	f->more = more;
	return 0;
}

/* Bytes of a number in the record: one of 16 bits with a fraction becomes one of 32. */
static unsigned number_size(const struct ctf_class *c)
{
	if (c->leb)
		return 8;
	if (c->kind == CTF_FLOAT)
		return c->bits == 64 ? 8 : 4;
	return c->bits <= 8 ? 1 : c->bits <= 16 ? 2 : c->bits <= 32 ? 4 : 8;
}

static uint8_t number_op(const struct ctf_making *k, const struct ctf_class *c, unsigned size)
{
	if (c->leb)
		return CTF_LEB;
	return k->aligned && c->bits == size * 8 && !c->reversed && !c->is_bool ? CTF_WHOLE :
										  CTF_BITS;
}

static int make_number(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
		       struct ctf_step *st, struct field *f)
{
	unsigned size = number_size(c);

	st->is_signed = c->is_signed;
	st->big = is_big(k, c);
	st->bits = c->bits;
	st->reversed = c->reversed;
	st->truth = c->is_bool;
	st->half = c->kind == CTF_FLOAT && c->bits == 16;
	if (st->align >= 8)
		k->aligned = true;
	st->op = number_op(k, c, size);
	if (c->bits % 8)
		k->aligned = false;
	st->size = k->kept ? size : 0;
	st->swap = st->op == CTF_WHOLE && st->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	st->roles |= k->kept ? 0 : c->roles;
	/* The time at which a packet ends does not come before those of its events. */
	st->ends = st->roles >> ROLE_PACKET_END & 1;
	st->clock = !st->ends && (c->clock || (c->is_time && !k->kept));
	f->swap = st->swap;
	f->elem = size;
	f->is_signed = c->is_signed && c->kind != CTF_FLOAT;
	f->kind = c->kind == CTF_FLOAT ? FIELD_FLOAT : c->is_signed ? FIELD_INT : FIELD_UINT;
	f->type = type_name(c, size);
	if ((c->is_enum || c->is_flags) && k->kept)
		TRY(make_labels(k, c, f));
	return settle(k, f->name, in, st, f, size);
}

/* Text up to its NUL; CTF_WIDE: of COUNT bytes, or so many as a slot says. */
static int make_text(struct ctf_making *k, enum ctf_op op, struct ctf_place *in,
		     struct ctf_step *st, struct field *f)
{
	st->op = op;
	st->span = k->kept;
	k->aligned = true;
	f->kind = FIELD_STR;
	f->loc = FIELD_SPAN;
	f->elem = 1;
	f->type = "string";
	return settle(k, f->name, in, st, f, 8);
}

/* ---- structures, and what holds one value or none ---- */

int ctf_members_make(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
		     struct ctf_step *st, struct field **fields)
{
	struct ctf_frame *frame;

	TRY(charge(k, st->name, c->nmembers));
	frame = arena_alloc(k->arena, sizeof(*frame));
	*frame = (struct ctf_frame){ .outer = k->frame, .class = c };
	st->op = CTF_PARTS;
	st->bare = !k->kept;
	frame->steps = arena_alloc(k->arena, (c->nmembers + 1) * sizeof(*st->sub));
	*fields = arena_alloc(k->arena, (c->nmembers + 1) * sizeof(**fields));
	st->sub = frame->steps;
	k->frame = frame;
	for (const struct ctf_member *m = c->members; m; m = m->next) {
		struct ctf_step *sub = &frame->steps[frame->done];

		sub->roles = m->role ? 1u << m->role : 0;
		TRY(make(k, m->class, m->name, in, sub, &(*fields)[frame->done]));
		frame->done++;
	}
	k->frame = frame->outer;
	st->nsub = frame->done;
	return 0;
}

static int make_struct(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
		       struct ctf_step *st, struct field *f)
{
	struct ctf_place inside = { 0, in->item };
	struct field_more *more = arena_alloc(k->arena, sizeof(*more));
	struct field *members;

	if (st->align >= 8)
		k->aligned = true;
	TRY(ctf_members_make(k, c, &inside, st, &members));
	more->members = members;
	more->nmembers = st->nsub;
	f->kind = FIELD_STRUCT;
	f->more = more;
	f->type = "struct";
	return settle(k, f->name, in, st, f, inside.end);
}

/* F becomes a list of ITEM, of which there is one or none. */
static int make_maybe(struct ctf_making *k, const struct ctf_class *c, const char *name,
		      struct ctf_place *in, struct ctf_step *st, struct field *f)
{
	struct ctf_step *sub = arena_alloc(k->arena, sizeof(*sub));
	struct field *item = arena_alloc(k->arena, sizeof(*item));
	struct field_more *more = arena_alloc(k->arena, sizeof(*more));
	struct ctf_place inside = { 0, true };

	st->name = f->name = shown_name(k, name);
	st->slot = -1;
	st->align = 1;
	st->class = c;
	TRY(make(k, c, name, &inside, sub, item));
	if (inside.end > UINT16_MAX)
		return CTF_SAY(k, name, "has more than %d bytes", UINT16_MAX);
	sub->own = inside.end;
	st->op = CTF_ITEMS;
	st->count = 1;
	st->sub = sub;
	st->nsub = 1;
	st->span = k->kept;
	st->bare = !k->kept;
	more->members = item;
	more->nmembers = 1;
	f->kind = FIELD_LIST;
	f->loc = FIELD_SPAN;
	f->elem = inside.end;
	f->more = more;
	f->type = item->type;
	return settle(k, name, in, st, f, 8);
}

/* CTF 1.8: what selects the option NAME are the labels of that name. */
static int ranges_of(struct ctf_making *k, const struct ctf_class *tag, const char *name,
		     struct ctf_step *st)
{
	struct ctf_range *ranges;
	unsigned n = 0, all = 0;

	for (const struct ctf_label *l = tag->labels; l; l = l->next, all++)
		n += !strcmp(l->name, name);
	TRY(charge(k, name, all));
	ranges = arena_alloc(k->arena, (n + 1) * sizeof(*ranges));
	st->ranges = ranges;
	for (const struct ctf_label *l = tag->labels; l; l = l->next)
		if (!strcmp(l->name, name))
			ranges[st->nranges++] = l->range;
	return 0;
}

static int make_variant(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
			struct ctf_step *st, struct field *f)
{
	struct ctf_step *tag = ctf_path_step(k, f->name, c->path);
	struct ctf_place inside = { 0, in->item };
	struct field_more *more = arena_alloc(k->arena, sizeof(*more));
	bool aligned = k->aligned, after = true;
	struct field *members;
	unsigned n = 0;

	if (!tag)
		return -1;
	TRY(charge(k, f->name, c->nmembers));
	st->op = CTF_CHOICE;
	st->is_signed = tag->is_signed;
	st->from = tag->slot;
	st->bare = !k->kept;
	st->sub = arena_alloc(k->arena, (c->nmembers + 1) * sizeof(*st->sub));
	members = arena_alloc(k->arena, (c->nmembers + 1) * sizeof(*members));
	for (const struct ctf_member *m = c->members; m; m = m->next, n++) {
		k->aligned = aligned;
		TRY(make_maybe(k, m->class, m->name, &inside, &st->sub[n], &members[n]));
		after = after && k->aligned;
		st->sub[n].ranges = m->ranges;
		st->sub[n].nranges = m->nranges;
		if (!m->ranges)
			TRY(ranges_of(k, tag->class, m->name, &st->sub[n]));
	}
	k->aligned = after;
	st->nsub = n;
	more->members = members;
	more->nmembers = n;
	f->kind = FIELD_STRUCT;
	f->more = more;
	f->type = "variant";
	return settle(k, f->name, in, st, f, inside.end);
}

/* ---- arrays and sequences ---- */

/* The kind of a field with items of C, whose field is F. */
static uint8_t items_kind(const struct ctf_class *item, const struct field *f)
{
	if (item->text)
		return FIELD_STR;
	if (!field_is_int(f))
		return FIELD_LIST;
	return f->size == 1 ? FIELD_BYTES : FIELD_ARRAY;
}

/* How many items: fixed, or what a field before them says. */
static int make_count(struct ctf_making *k, const struct ctf_class *c, struct ctf_step *st,
		      const struct field *f)
{
	struct ctf_step *length;

	st->count = c->count;
	if (c->kind != CTF_SEQUENCE)
		return 0;
	length = ctf_path_step(k, f->name, c->path);
	if (!length)
		return -1;
	st->counted = true;
	st->from = length->slot;
	return 0;
}

static int make_items(struct ctf_making *k, const struct ctf_class *c, const char *name,
		      struct ctf_place *in, struct ctf_step *st, struct field *f)
{
	struct ctf_step *sub = arena_alloc(k->arena, sizeof(*sub));
	struct field *item = arena_alloc(k->arena, sizeof(*item));
	struct field_more *more = arena_alloc(k->arena, sizeof(*more));
	struct ctf_place inside = { 0, true };
	uint64_t own;

	TRY(charge(k, name, 1));
	TRY(make_count(k, c, st, f));
	TRY(make(k, c->elem, name, &inside, sub, item));
	own = inside.end;
	if (own > UINT16_MAX)
		return CTF_SAY(k, name, "its items have more than %d bytes", UINT16_MAX);
	/* One that ends within a byte makes the next one begin there. */
	if (sub->op == CTF_WHOLE && !k->aligned)
		sub->op = CTF_BITS;
	k->aligned = k->aligned && sub->op == CTF_WHOLE;
	st->op = CTF_ITEMS;
	st->sub = sub;
	st->nsub = 1;
	st->bare = !k->kept;
	sub->own = own;
	f->kind = items_kind(c->elem, item);
	f->is_signed = item->is_signed;
	f->swap = item->swap;
	f->elem = own;
	f->type = item->type;
	if (f->kind == FIELD_LIST) {
		more->members = item;
		more->nmembers = 1;
		f->more = more;
	}
	if (!st->counted && !in->item) {
		if (c->count > CTF_MAX_RECORD)
			return CTF_SAY(k, name, "an array of %" PRIu64 " items", c->count);
		f->count = c->count;
		return settle(k, name, in, st, f, own * c->count);
	}
	st->span = k->kept;
	f->loc = FIELD_SPAN;
	return settle(k, name, in, st, f, 8);
}

/* Text of UTF-16 or UTF-32, of a length that is known before it or up to its NUL. */
static int make_wide(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
		     struct ctf_step *st, struct field *f)
{
	if (c->kind == CTF_STRING)
		st->count = UINT64_MAX;
	else
		TRY(make_count(k, c, st, f));
	st->size = c->unit;
	st->big = c->order == ORDER_BIG;
	return make_text(k, CTF_WIDE, in, st, f);
}

/* ---- any of them ---- */

static int make_option(struct ctf_making *k, const struct ctf_class *c, const char *name,
		       struct ctf_place *in, struct ctf_step *st, struct field *f)
{
	struct ctf_step *selector = ctf_path_step(k, f->name, c->path);
	struct ctf_step *inner = arena_alloc(k->arena, sizeof(*inner));
	bool aligned = k->aligned;

	if (!selector)
		return -1;
	TRY(make_maybe(k, c->elem, name, in, inner, f));
	k->aligned = k->aligned && aligned;
	inner->ranges = c->ranges;
	inner->nranges = c->nranges;
	st->op = CTF_CHOICE;
	st->is_signed = selector->is_signed;
	st->from = selector->slot;
	st->bare = !k->kept;
	st->sub = inner;
	st->nsub = 1;
	st->own = f->size;
	return 0;
}

static int make_kind(struct ctf_making *k, const struct ctf_class *c, const char *name,
		     struct ctf_place *in, struct ctf_step *st, struct field *f)
{
	switch ((enum ctf_kind)c->kind) {
	case CTF_STRING:
		return c->unit ? make_wide(k, c, in, st, f) : make_text(k, CTF_TEXT, in, st, f);
	case CTF_STRUCT:
		return make_struct(k, c, in, st, f);
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		return c->unit ? make_wide(k, c, in, st, f) : make_items(k, c, name, in, st, f);
	case CTF_VARIANT:
		return make_variant(k, c, in, st, f);
	case CTF_OPTION:
		return make_option(k, c, name, in, st, f);
	case CTF_INT:
	case CTF_FLOAT:
		break;
	}
	return make_number(k, c, in, st, f);
}

/* Types with names may be in each other deeper than the metadata show. */
static int make(struct ctf_making *k, const struct ctf_class *c, const char *name,
		struct ctf_place *in, struct ctf_step *st, struct field *f)
{
	int rc;

	if (k->nsteps++ == CTF_MAX_STEPS)
		return CTF_SAY(k, name, "more than %u fields are in one event", CTF_MAX_STEPS);
	if (k->depth == CTF_MAX_DEPTH)
		return CTF_SAY(k, name, "more than %d types are in each other", CTF_MAX_DEPTH);
	st->name = f->name = shown_name(k, name);
	st->class = c;
	st->slot = -1;
	st->align = c->align;
	k->depth++;
	rc = make_kind(k, c, name, in, st, f);
	k->depth--;
	return rc;
}
