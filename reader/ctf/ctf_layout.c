// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_layout: compiles the parts of packets and events: headers, contexts, payloads.
 */
#include "reader/ctf/ctf_layout_priv.h"
#include "trace/field.h"

#include <stdio.h>
#include <string.h>

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
	return ctf_members_make(k, c, in, &part->step, fields);
}

int ctf_head_compile(struct ctf_head *h, const struct ctf_meta *m, const struct ctf_stream_class *s,
		     unsigned *left, struct err *e)
{
	struct ctf_making k = { .arena = &h->arena, .m = m, .head = h, .left = left, .e = e };
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
	       !st->roles && st->own && st->align <= 8;
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
		       const struct ctf_event_class *ev, unsigned *left, struct err *e)
{
	struct ctf_making k = { .arena = a, .m = m, .head = h, .kept = true, .left = left, .e = e };
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
