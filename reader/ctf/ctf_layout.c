// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_layout: compiles the classes of CTF metadata into steps, and into the fields that consumers
 * see.
 *
 * What has no counterpart in struct field: a variant is a structure in which each option is a list
 * of one item or none, as is an option.
 */
#include "reader/ctf/ctf_layout.h"

#include "trace/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The structures around the one that is being compiled: where paths are looked up. */
struct ctf_frame {
	const struct ctf_frame *outer;
	const struct ctf_class *class;
	struct ctf_step *steps;
	unsigned done; /* of them */
};

struct ctf_making {
	struct arena *arena;
	const struct ctf_meta *m;
	struct ctf_head *head;
	struct ctf_part *scopes[NSCOPES];
	const struct ctf_frame *frame;
	bool kept;    /* values go into the record, and have fields */
	bool aligned; /* the next bit is the first of a byte */
	unsigned nsteps, nslots;
	struct err *e;
};

/* The place of a value in the record: after what its holder has so far. */
struct ctf_place {
	uint64_t end;
	bool item; /* the holder is an item of a list, or in one */
};

static int make(struct ctf_making *k, const struct ctf_class *c, const char *name,
		struct ctf_place *in, struct ctf_step *st, struct field *f);

#define SAY(k, name, fmt, ...) \
	err_set((k)->e, ERR_FORMAT, ERR_NO_OFF, "field %.80s: " fmt, name, ##__VA_ARGS__)

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
		return SAY(k, name, "with it a record has more than %u bytes", CTF_MAX_RECORD);
	st->to = f->off = in->end;
	st->own = f->size = own;
	in->end += own;
	return 0;
}

/* ---- paths ---- */

/* The step of the field NAMES[0..N] among the first DONE members of C. */
static struct ctf_step *step_below(const struct ctf_class *c, struct ctf_step *steps, unsigned done,
				   const char *const *names, unsigned n)
{
	unsigned i = 0;

	for (const struct ctf_member *m = c->members; m && i < done; m = m->next, i++) {
		if (strcmp(m->name, names[0]) != 0)
			continue;
		if (n == 1)
			return &steps[i];
		if (m->class->kind != CTF_STRUCT)
			return NULL;
		return step_below(m->class, steps[i].sub, m->class->nmembers, names + 1, n - 1);
	}
	return NULL;
}

/*
 * The scope that is being compiled is found by its outermost frame; those before it are complete.
 */
static struct ctf_step *step_in_scope(struct ctf_making *k, const struct ctf_path *path)
{
	struct ctf_part *part = k->scopes[path->scope];
	const struct ctf_frame *f = k->frame;

	if (!part || !part->class)
		return NULL;
	while (f && f->class != part->class)
		f = f->outer;
	if (f)
		return step_below(f->class, f->steps, f->done, path->names, path->n);
	return step_below(part->class, part->step.sub, part->step.nsub, path->names, path->n);
}

/* The step of the integer at PATH, with a slot: *SLOT.  NULL with E. */
static struct ctf_step *find_path(struct ctf_making *k, const char *name,
				  const struct ctf_path *path)
{
	struct ctf_step *st = NULL;
	unsigned *n, most;
	bool in_head;

	if (!path || !path->n) {
		SAY(k, name, "what says its length or selects its contents is not named");
		return NULL;
	}
	if (path->scope != SCOPE_INNERMOST)
		st = step_in_scope(k, path);
	else
		for (const struct ctf_frame *f = k->frame; f && !st; f = f->outer)
			st = step_below(f->class, f->steps, f->done, path->names, path->n);
	if (!st || st->class->kind != CTF_INT) {
		SAY(k, name, "integer \"%.80s\" is not defined before it",
		    path->names[path->n - 1]);
		return NULL;
	}
	if (st->slot >= 0)
		return st;
	/* A step of a header is shared by all events, and its slot, too. */
	in_head = !k->kept || path->scope < SCOPE_COMMON_CONTEXT;
	n = in_head ? &k->head->nslots : &k->nslots;
	most = in_head ? CTF_HEAD_SLOTS : CTF_SLOTS;
	if (*n >= most) {
		SAY(k, name, "with it, more than %u lengths and selectors are needed", most);
		return NULL;
	}
	st->slot = (*n)++;
	return st;
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
	if (c->text)
		return "char";
	if (c->is_enum)
		return "enum";
	return names[c->is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

/* The labels of C, sorted; a range is one of them. */
static int make_labels(struct ctf_making *k, const struct ctf_class *c, struct field *f)
{
	struct field_more *more = arena_alloc(k->arena, sizeof(*more));
	struct field_label *labels;
	unsigned n = 0;

	for (const struct ctf_label *l = c->labels; l; l = l->next)
		n++;
	labels = arena_alloc(k->arena, (n + 1) * sizeof(*labels));
	n = 0;
	for (const struct ctf_label *l = c->labels; l; l = l->next)
		labels[n++] = (struct field_label){ (int64_t)l->range.first, (int64_t)l->range.last,
						    l->name };
	field_sort_labels(labels, n);
	more->labels = labels;
	more->nlabels = n;
	f->kind = FIELD_ENUM;
	f->more = more;
	return 0;
}

static int make_number(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
		       struct ctf_step *st, struct field *f)
{
	unsigned size = c->leb ? 8 : c->bits <= 8 ? 1 : c->bits <= 16 ? 2 : c->bits <= 32 ? 4 : 8;

	st->is_signed = c->is_signed;
	st->big = is_big(k, c);
	st->bits = c->bits;
	if (st->align >= 8)
		k->aligned = true;
	if (c->leb)
		st->op = CTF_LEB;
	else
		st->op = k->aligned && c->bits == size * 8 ? CTF_WHOLE : CTF_BITS;
	if (c->bits % 8)
		k->aligned = false;
	st->size = k->kept ? size : 0;
	st->swap = st->op == CTF_WHOLE && st->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	st->clock = c->clock != NULL;
	f->swap = st->swap;
	f->elem = size;
	f->is_signed = c->is_signed && c->kind != CTF_FLOAT;
	f->kind = c->kind == CTF_FLOAT ? FIELD_FLOAT : c->is_signed ? FIELD_INT : FIELD_UINT;
	f->type = type_name(c, size);
	if (c->is_enum && k->kept)
		TRY(make_labels(k, c, f));
	return settle(k, f->name, in, st, f, size);
}

static int make_string(struct ctf_making *k, struct ctf_place *in, struct ctf_step *st,
		       struct field *f)
{
	st->op = CTF_TEXT;
	st->span = k->kept;
	k->aligned = true;
	f->kind = FIELD_STR;
	f->loc = FIELD_SPAN;
	f->elem = 1;
	f->type = "string";
	return settle(k, f->name, in, st, f, 8);
}

/* ---- structures, and what holds one value or none ---- */

static int make_members(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
			struct ctf_step *st, struct field **fields)
{
	struct ctf_frame *frame = arena_alloc(k->arena, sizeof(*frame));

	*frame = (struct ctf_frame){ .outer = k->frame, .class = c };
	st->op = CTF_PARTS;
	st->bare = !k->kept;
	frame->steps = arena_alloc(k->arena, (c->nmembers + 1) * sizeof(*st->sub));
	*fields = arena_alloc(k->arena, (c->nmembers + 1) * sizeof(**fields));
	st->sub = frame->steps;
	k->frame = frame;
	for (const struct ctf_member *m = c->members; m; m = m->next) {
		struct ctf_step *sub = &frame->steps[frame->done];

		sub->role = m->role;
		TRY(make(k, m->class, m->name, in, sub, &(*fields)[frame->done]));
		/* The time at which a packet ends does not come before those of its events. */
		if (m->role == ROLE_PACKET_END)
			sub->clock = false;
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
	TRY(make_members(k, c, &inside, st, &members));
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
		return SAY(k, name, "has more than %d bytes", UINT16_MAX);
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
static void ranges_of(struct ctf_making *k, const struct ctf_class *tag, const char *name,
		      struct ctf_step *st)
{
	struct ctf_range *ranges;
	unsigned n = 0;

	for (const struct ctf_label *l = tag->labels; l; l = l->next)
		n += !strcmp(l->name, name);
	ranges = arena_alloc(k->arena, (n + 1) * sizeof(*ranges));
	st->ranges = ranges;
	for (const struct ctf_label *l = tag->labels; l; l = l->next)
		if (!strcmp(l->name, name))
			ranges[st->nranges++] = l->range;
}

static int make_variant(struct ctf_making *k, const struct ctf_class *c, struct ctf_place *in,
			struct ctf_step *st, struct field *f)
{
	struct ctf_step *tag = find_path(k, f->name, c->path);
	struct ctf_place inside = { 0, in->item };
	struct field_more *more = arena_alloc(k->arena, sizeof(*more));
	bool aligned = k->aligned, after = true;
	struct field *members;
	unsigned n = 0;

	if (!tag)
		return -1;
	st->op = CTF_CHOICE;
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
			ranges_of(k, tag->class, m->name, &st->sub[n]);
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
	length = find_path(k, f->name, c->path);
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

	TRY(make_count(k, c, st, f));
	TRY(make(k, c->elem, name, &inside, sub, item));
	own = inside.end;
	if (own > UINT16_MAX)
		return SAY(k, name, "its items have more than %d bytes", UINT16_MAX);
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
			return SAY(k, name, "an array of %" PRIu64 " items", c->count);
		f->count = c->count;
		return settle(k, name, in, st, f, own * c->count);
	}
	st->span = k->kept;
	f->loc = FIELD_SPAN;
	return settle(k, name, in, st, f, 8);
}

/* ---- any of them ---- */

static int make_option(struct ctf_making *k, const struct ctf_class *c, const char *name,
		       struct ctf_place *in, struct ctf_step *st, struct field *f)
{
	struct ctf_step *selector = find_path(k, f->name, c->path);
	struct ctf_step *inner = arena_alloc(k->arena, sizeof(*inner));
	bool aligned = k->aligned;

	if (!selector)
		return -1;
	TRY(make_maybe(k, c->elem, name, in, inner, f));
	k->aligned = k->aligned && aligned;
	inner->to = 0;
	inner->ranges = c->ranges;
	inner->nranges = c->nranges;
	st->op = CTF_CHOICE;
	st->from = selector->slot;
	st->bare = !k->kept;
	st->sub = inner;
	st->nsub = 1;
	st->to = f->off;
	st->own = f->size;
	return 0;
}

static int make(struct ctf_making *k, const struct ctf_class *c, const char *name,
		struct ctf_place *in, struct ctf_step *st, struct field *f)
{
	if (k->nsteps++ == CTF_MAX_STEPS)
		return SAY(k, name, "more than %u fields are in one event", CTF_MAX_STEPS);
	st->name = f->name = shown_name(k, name);
	st->class = c;
	st->slot = -1;
	st->align = c->align;
	switch ((enum ctf_kind)c->kind) {
	case CTF_STRING:
		return make_string(k, in, st, f);
	case CTF_STRUCT:
		return make_struct(k, c, in, st, f);
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		return make_items(k, c, name, in, st, f);
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

/* ---- parts ---- */

/* Compile what is in SCOPE; *FIELDS gets its fields. */
static int make_part(struct ctf_making *k, enum ctf_scope scope, const struct ctf_class *c,
		     struct ctf_part *part, struct ctf_place *in, struct field **fields)
{
	part->class = c;
	k->scopes[scope] = part;
	*fields = NULL;
	if (!c)
		return 0;
	part->step.class = c;
	part->step.slot = -1;
	part->step.align = c->align;
	part->step.name = "";
	/* What is before it is known only when it runs. */
	k->aligned = c->align >= 8;
	return make_members(k, c, in, &part->step, fields);
}

int ctf_head_compile(struct ctf_head *h, const struct ctf_meta *m, const struct ctf_stream_class *s,
		     struct err *e)
{
	struct ctf_making k = { .arena = &h->arena, .m = m, .head = h, .e = e };
	struct ctf_place in = { 0, false };
	struct field *fields;

	TRY(make_part(&k, SCOPE_PACKET_HEADER, m->packet_header, &h->packet_header, &in, &fields));
	TRY(make_part(&k, SCOPE_PACKET_CONTEXT, s ? s->packet_context : NULL, &h->packet_context,
		      &in, &fields));
	return make_part(&k, SCOPE_EVENT_HEADER, s ? s->event_header : NULL, &h->event_header, &in,
			 &fields);
}

void ctf_head_fini(struct ctf_head *h)
{
	arena_fini(&h->arena);
}

/* ---- events ---- */

/* An integer that may be copied together with its neighbours. */
static bool is_plain(const struct ctf_step *st)
{
	return (st->op == CTF_WHOLE || st->op == CTF_COPY) && st->slot < 0 && !st->clock &&
	       !st->role && st->own && st->align <= 8;
}

/* Join consecutive plain steps. */
static void join(struct ctf_step *st)
{
	unsigned n = 0;

	for (unsigned i = 0; i < st->nsub; i++) {
		struct ctf_step *last = n ? &st->sub[n - 1] : NULL;

		if (st->op == CTF_PARTS && last && is_plain(last) && is_plain(&st->sub[i])) {
			last->op = CTF_COPY;
			last->own += st->sub[i].own;
			continue;
		}
		if (st->sub[i].nsub)
			join(&st->sub[i]);
		st->sub[n++] = st->sub[i];
	}
	st->nsub = n;
}

/*
 * Is F a number that only says how long the field behind it is?  LTTng calls these _NAME_length,
 * and so the text of the metadata __NAME_length.
 */
static bool is_length(const struct field *f, const struct ctf_step *st)
{
	size_t len = strlen(f->name);

	return st->slot >= 0 && f->name[0] == '_' && len > 8 &&
	       !strcmp(f->name + len - 7, "_length");
}

/* Append the N fields at FROM, of the steps of PART, to those of L. */
static void add_fields(struct ctf_layout *l, struct arena *a, const struct field *from,
		       const struct ctf_part *part, const char *prefix)
{
	for (unsigned i = 0; from && i < part->step.nsub; i++) {
		struct field *f = &l->fields[l->nfields];
		size_t size = strlen(prefix) + strlen(from[i].name) + 1;
		char *name;

		if (is_length(&from[i], &part->step.sub[i]))
			continue;
		*f = from[i];
		if (*prefix) {
			name = arena_alloc(a, size);
			snprintf(name, size, "%s%s", prefix, from[i].name);
			f->name = name;
		}
		l->nfields++;
	}
}

/* A context's field whose name another one has already gets a '_' more. */
static void make_distinct(struct ctf_layout *l, struct arena *a)
{
	for (unsigned i = l->nfields - l->ncontext; i < l->nfields; i++)
		while (field_find_in(l->fields, i, l->fields[i].name)) {
			size_t len = strlen(l->fields[i].name);
			char *name = arena_alloc(a, len + 2);

			memcpy(name, l->fields[i].name, len);
			name[len] = '_';
			l->fields[i].name = name;
		}
}

int ctf_layout_compile(struct ctf_layout *l, struct arena *a, struct ctf_head *h,
		       const struct ctf_meta *m, const struct ctf_stream_class *s,
		       const struct ctf_event_class *ev, struct err *e)
{
	struct ctf_making k = { .arena = a, .m = m, .head = h, .kept = true, .e = e };
	struct ctf_place in = { 0, false };
	struct field *common, *context, *payload;

	k.nslots = CTF_HEAD_SLOTS;
	k.scopes[SCOPE_PACKET_HEADER] = &h->packet_header;
	k.scopes[SCOPE_PACKET_CONTEXT] = &h->packet_context;
	k.scopes[SCOPE_EVENT_HEADER] = &h->event_header;
	TRY(make_part(&k, SCOPE_COMMON_CONTEXT, s->common_context, &l->common, &in, &common));
	TRY(make_part(&k, SCOPE_CONTEXT, ev->context, &l->context, &in, &context));
	TRY(make_part(&k, SCOPE_PAYLOAD, ev->payload, &l->payload, &in, &payload));
	l->fixed = in.end;
	l->fields = arena_alloc(a,
				(l->common.step.nsub + l->context.step.nsub + l->payload.step.nsub +
				 1) * sizeof(*l->fields));
	/* The payload's first: so a handler finds them at the same place, with a context or not. */
	add_fields(l, a, payload, &l->payload, "");
	l->ncontext = l->nfields;
	add_fields(l, a, common, &l->common, CTF_CONTEXT);
	add_fields(l, a, context, &l->context, CTF_CONTEXT);
	l->ncontext = l->nfields - l->ncontext;
	make_distinct(l, a);
	join(&l->common.step);
	join(&l->context.step);
	join(&l->payload.step);
	return 0;
}
