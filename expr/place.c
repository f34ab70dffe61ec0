// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place: the names of an expression for one type of event: where they are in a record, and of which
 * kind.
 */
#include "expr/bound.h"

#include "base/glob.h"
#include "trace/machine.h"

#include <stdio.h>
#include <string.h>

struct field_candidates {
	const struct etype *t;
	enum pseudo_scope scope;
	unsigned i;
};

static const char *next_name(void *arg)
{
	struct field_candidates *c = arg;
	const char *name;

	if (c->i < c->t->nfields)
		return c->t->fields[c->i++].name;
	while ((name = pseudo_name(c->i++ - c->t->nfields)))
		if (pseudo_named(name, c->scope) != PSEUDO_NONE)
			return name;
	return NULL;
}

int place_missing(struct binder *b, const struct expr_node *n, const struct expr_node *left)
{
	const struct etype *t = b->types[n->side];
	struct field_candidates c = { .t = t, .scope = b->scope };
	char common[80];
	const char *near = common;

	b->lacks = true;
	/* "pid" is more likely to mean common_pid than prio. */
	snprintf(common, sizeof(common), "common_%s", n->text);
	if (pseudo_named(common, b->scope) == PSEUDO_NONE)
		near = nearest_name(n->text, next_name, &c);
	if (left)
		return expr_at(b, n,
			       "'%.60s' of %s:%s is a number, and it has no field '%.60s'%s%s%s",
			       left->text, t->system, t->name, n->text,
			       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return expr_at(b, n, "%s:%s has no field '%.60s'%s%s%s", t->system, t->name, n->text,
		       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int refuse(struct binder *b, const struct expr_node *n, const char *what)
{
	const struct etype *t = b->types[n->side];

	return expr_at(b, n, "'%s' of %s:%s is %s; expressions take integers and strings", n->text,
		       t->system, t->name, what);
}

static int bind_field(struct binder *b, const struct expr_node *n, const struct field *f,
		      struct place *p, struct kind *k)
{
	const struct etype *t = b->types[n->side];

	p->field = k->field = f;
	p->off = f->off;
	switch ((enum field_kind)f->kind) {
	case FIELD_UINT:
	case FIELD_INT:
	case FIELD_ENUM:
		if (f->loc != FIELD_AT)
			return refuse(b, n, "an array");
		p->op = f->swap	     ? OP_SCALAR :
			f->size == 8 ? OP_U64 :
			f->size != 4 ? OP_SCALAR :
			f->is_signed ? OP_S32 :
				       OP_U32;
		/* Anything smaller than 8 bytes fits into a signed number. */
		k->is_signed = f->is_signed || f->size < 8;
		k->means = f->is_time ? MEANS_TIME : MEANS_NOTHING;
		k->size = f->size;
		k->has_sign = f->is_signed;
		return 0;
	case FIELD_STR:
		p->op = OP_STRING;
		k->is_string = true;
		return 0;
	case FIELD_BYTES:
	case FIELD_ARRAY:
	case FIELD_BITMASK:
		p->op = OP_BYTES;
		k->is_string = true;
		return 0;
	case FIELD_FLOAT:
		return refuse(b, n, "a floating-point number");
	case FIELD_STRUCT:
	case FIELD_LIST:
		return refuse(b, n, "a structure");
	case FIELD_NONE:
		break;
	}
	b->lacks = true;
	return expr_at(b, n, "this trace does not provide '%s' of %s:%s", f->name, t->system,
		       t->name);
}

int place_bind(struct binder *b, const struct expr_node *n, struct place *p, struct kind *k)
{
	static const struct {
		uint8_t op, size; /* size 0: a string */
		bool has_sign;
	} PSEUDO[] = {
		[PSEUDO_TS] = { OP_TS, 8, false },
		[PSEUDO_SECS] = { OP_SECS, 8, false },
		[PSEUDO_NSECS] = { OP_NSECS, 4, false },
		[PSEUDO_CPU] = { OP_CPU, 4, true },
		[PSEUDO_PID] = { OP_PID, 4, true },
		[PSEUDO_COMM] = { OP_COMM, 0, false },
		[PSEUDO_CGROUP] = { OP_CGROUP, 0, false },
		[PSEUDO_SEQUENCE] = { OP_SEQUENCE, 8, false },
		[PSEUDO_EVENT] = { OP_TEXT, 0, false },
		[PSEUDO_INSTANCE] = { OP_INSTANCE, 0, false },
		[PSEUDO_SOURCE] = { OP_SOURCE, 4, false },
	};
	const struct etype *t = b->types[n->side];
	struct meaning m = pseudo_meaning(t, n->text, b->scope);

	*p = (struct place){ .side = n->side, .machine = t->machine, .field = m.field };
	*k = (struct kind){ 0 };
	if (m.what == PSEUDO_NONE)
		return m.field ? bind_field(b, n, m.field, p, k) : place_missing(b, n, NULL);
	p->op = PSEUDO[m.what].op;
	k->size = PSEUDO[m.what].size;
	k->has_sign = PSEUDO[m.what].has_sign;
	/* Times and counters fit into a signed number. */
	k->is_signed = true;
	k->is_string = !k->size;
	k->means = p->op == OP_TS ? MEANS_TIME : MEANS_NOTHING;
	b->has_names |= p->op == OP_COMM || p->op == OP_CGROUP;
	return 0;
}

const char *place_event(struct binder *b, const struct etype *t, uint32_t *len)
{
	size_t size = strlen(t->system) + strlen(t->name) + 2;
	char *text = arena_alloc(&b->to->arena, size);

	*len = snprintf(text, size, "%s:%s", t->system, t->name);
	return text;
}

/* The task that P is about. */
static int32_t task_of(const struct place *p, const struct event *ev)
{
	return p->field ? (int32_t)field_scalar(p->field, ev) : ev->pid;
}

void place_string(const struct place *p, const struct event *ev, const char **s, uint32_t *len)
{
	struct span span;

	switch (p->op) {
	case OP_STRING:
	case OP_BYTES:
		field_span(p->field, ev, &span);
		*s = (const char *)span.p;
		*len = span.len;
		if (p->op == OP_STRING && span.len)
			*len = strnlen(*s, span.len);
		return;
	case OP_COMM:
		*s = comms_name(p->machine->comms, task_of(p, ev));
		break;
	case OP_CGROUP:
		*s = machine_cgroup(p->machine, ev->ts, task_of(p, ev));
		break;
	default:
		*s = ev->from->instance;
		break;
	}
	*len = strlen(*s);
}
