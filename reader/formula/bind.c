// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bind: a parsed formula for given types: names become places in a record, every operator learns
 * the signs of its operands, and what cannot be computed is refused.
 */
#include "reader/formula/formula_priv.h"

#include "base/glob.h"
#include "reader/filter/expr.h"
#include "reader/model/machine.h"
#include "reader/model/pseudo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct binder {
	struct formula_bound *f;
	const struct formula_text *x;
	const struct etype *const *types;
	unsigned held; /* values on the stack */
	struct err *e;
};

/* What is known of a value before there is a record. */
struct kind {
	bool is_string, is_signed;
	uint8_t means;
	uint64_t unit;	/* F_NUMBER: its value; MEANS_BUCKET: ns */
	bool is_number; /* an F_NUMBER */
	const struct field *field;
};

static const uint8_t OPS[] = {
	[PSEUDO_TS] = F_TS,
	[PSEUDO_SECS] = F_SECS,
	[PSEUDO_NSECS] = F_NSECS,
	[PSEUDO_CPU] = F_CPU,
	[PSEUDO_PID] = F_PID,
	[PSEUDO_COMM] = F_COMM,
	[PSEUDO_SEQUENCE] = F_SEQUENCE,
	[PSEUDO_EVENT] = F_TEXT,
	[PSEUDO_INSTANCE] = F_INSTANCE,
	[PSEUDO_SOURCE] = F_SOURCE,
};

#define complain(b, n, ...) expr_complain((b)->e, (b)->x->text, (n)->at, __VA_ARGS__)

static struct formula_step *new_step(struct binder *b, const struct formula_node *n)
{
	struct formula_step *s = &b->f->steps[b->f->n++];

	s->op = n->op;
	s->side = n->side;
	return s;
}

/* One more value is held: a leaf. */
static int push(struct binder *b, const struct formula_node *n)
{
	if (++b->held > FORMULA_STACK)
		return complain(b, n,
				"more than %d values wait for their operators here; compute "
				"in smaller brackets",
				FORMULA_STACK);
	return 0;
}

/* ---- names ---- */

struct candidates {
	const struct etype *t;
	unsigned i;
};

static const char *next_name(void *arg)
{
	struct candidates *c = arg;
	unsigned i = c->i++;

	if (i < c->t->nfields)
		return c->t->fields[i].name;
	i -= c->t->nfields;
	return pseudo_name(i);
}

static int no_field(struct binder *b, const struct formula_node *n)
{
	const struct etype *t = b->types[n->side];
	struct candidates c = { .t = t };
	const char *near = nearest_name(n->text, next_name, &c);

	return complain(b, n, "%s:%s has no field '%.60s'%s%s%s", t->system, t->name, n->text,
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int refuse(struct binder *b, const struct formula_node *n, const struct field *f,
		  const char *what)
{
	const struct etype *t = b->types[n->side];

	return complain(b, n, "'%s' of %s:%s is %s; formulas take integers and strings", f->name,
			t->system, t->name, what);
}

static int bind_field(struct binder *b, const struct formula_node *n, const struct field *f,
		      struct formula_step *s, struct kind *k)
{
	const struct etype *t = b->types[n->side];

	s->field = k->field = f;
	s->off = f->off;
	switch ((enum field_kind)f->kind) {
	case FIELD_UINT:
	case FIELD_INT:
	case FIELD_ENUM:
		if (f->loc != FIELD_AT)
			return refuse(b, n, f, "an array");
		s->op = f->swap	     ? F_SCALAR :
			f->size == 8 ? F_U64 :
			f->size != 4 ? F_SCALAR :
			f->is_signed ? F_S32 :
				       F_U32;
		/* What is smaller than 8 bytes fits into a signed number. */
		k->is_signed = f->is_signed || f->size < 8;
		k->means = f->is_time ? MEANS_TIME : MEANS_NOTHING;
		return 0;
	case FIELD_STR:
		s->op = F_STRING;
		k->is_string = true;
		return 0;
	case FIELD_BYTES:
	case FIELD_ARRAY:
	case FIELD_BITMASK:
		s->op = F_BYTES;
		k->is_string = true;
		return 0;
	case FIELD_FLOAT:
		return refuse(b, n, f, "a floating-point number");
	case FIELD_STRUCT:
	case FIELD_LIST:
		return refuse(b, n, f, "a structure");
	case FIELD_NONE:
		break;
	}
	return complain(b, n, "this trace has nothing for '%s' of %s:%s", f->name, t->system,
			t->name);
}

/* "sched:sched_switch", which is the same for all records. */
static void bind_event_name(struct binder *b, const struct etype *t, struct formula_step *s)
{
	size_t size = strlen(t->system) + strlen(t->name) + 2;
	char *text = arena_alloc(&b->f->arena, size);

	s->len = snprintf(text, size, "%s:%s", t->system, t->name);
	s->text = text;
}

static int bind_pseudo(struct binder *b, const struct formula_node *n, struct meaning m,
		       struct formula_step *s, struct kind *k)
{
	const struct etype *t = b->types[n->side];

	s->op = OPS[m.what];
	s->machine = t->machine;
	s->field = m.field;
	k->is_signed = true;
	k->is_string = s->op == F_COMM || s->op == F_TEXT || s->op == F_INSTANCE;
	k->means = s->op == F_TS ? MEANS_TIME : MEANS_NOTHING;
	if (s->op == F_TEXT)
		bind_event_name(b, t, s);
	return 0;
}

static int bind_name(struct binder *b, const struct formula_node *n, struct kind *k)
{
	struct meaning m = pseudo_meaning(b->types[n->side], n->text, PSEUDO_ALL);
	struct formula_step *s = new_step(b, n);

	TRY(push(b, n));
	if (m.what != PSEUDO_NONE)
		return bind_pseudo(b, n, m, s, k);
	return m.field ? bind_field(b, n, m.field, s, k) : no_field(b, n);
}

/* ---- operators ---- */

static int bind(struct binder *b, const struct formula_node *n, struct kind *k);

/* The names of calls or of errors on the machine whose record N reads. */
static void bind_names(struct binder *b, struct formula_step *s)
{
	struct formula_bound *f = b->f;
	char arch[64];

	sysnames_arch(s->machine, arch, sizeof(arch));
	if (s->op == F_SYSCALL) {
		if (!f->sysnames.names)
			sysnames_load(&f->sysnames, arch, &f->arena);
		s->names = &f->sysnames;
	} else {
		if (!f->errnos.names)
			errnos_load(&f->errnos, arch, &f->arena);
		s->names = &f->errnos;
	}
}

static int bind_unary(struct binder *b, const struct formula_node *n, struct kind *k)
{
	struct formula_step *s;
	struct kind a = { 0 };

	TRY(bind(b, n->a, &a));
	if (a.is_string)
		return complain(b, n->a, "a string: only == and != take one");
	s = new_step(b, n);
	s->a_signed = a.is_signed;
	k->is_signed = true;
	if (n->op == F_NEG || n->op == F_INVERT) {
		k->is_signed = a.is_signed;
		k->means = a.means == MEANS_TIME && n->op == F_NEG ? MEANS_TIME : MEANS_NOTHING;
	}
	if (n->op < F_SYMBOL)
		return 0;
	k->is_string = true;
	s->machine = b->types[n->reads > 1]->machine;
	s->digits = arena_alloc(&b->f->arena, sizeof(*s->digits));
	if (n->op == F_SYSCALL || n->op == F_ERRNO)
		bind_names(b, s);
	return 0;
}

/* What a number is that is computed of A and B. */
static void means(uint8_t op, const struct kind *a, const struct kind *b, struct kind *k)
{
	bool ta = a->means == MEANS_TIME, tb = b->means == MEANS_TIME;

	k->is_signed = a->is_signed && b->is_signed;
	switch (op) {
	case F_ADD:
	case F_SUB:
		if (ta || tb)
			k->means = MEANS_TIME;
		return;
	case F_MUL:
		if (ta != tb)
			k->means = MEANS_TIME;
		return;
	case F_MOD:
		if (ta)
			k->means = MEANS_TIME;
		return;
	case F_DIV:
		if (ta && !tb) {
			k->means = MEANS_TIME;
		} else if (ta && b->is_number && b->unit) {
			k->means = MEANS_BUCKET;
			k->unit = b->unit;
		}
		return;
	case F_SHL:
	case F_SHR:
		k->is_signed = a->is_signed;
		k->means = ta ? MEANS_TIME : MEANS_NOTHING;
		return;
	default:
		/* Bits are of their operands' type; comparisons are 0 or 1. */
		if (op < F_AND || op > F_OR)
			k->is_signed = true;
		return;
	}
}

static int bind_binary(struct binder *b, const struct formula_node *n, struct kind *k)
{
	bool equal = n->op == F_EQ || n->op == F_NE;
	struct kind x = { 0 }, y = { 0 };
	struct formula_step *s;

	TRY(bind(b, n->a, &x));
	TRY(bind(b, n->b, &y));
	if (equal && x.is_string != y.is_string)
		return complain(b, n, "a number is compared with a string");
	if (!equal && (x.is_string || y.is_string))
		return complain(b, x.is_string ? n->a : n->b, "a string: only == and != take one");
	b->held--;
	s = new_step(b, n);
	s->strings = x.is_string;
	s->a_signed = x.is_signed;
	s->b_signed = y.is_signed;
	means(n->op, &x, &y, k);
	return 0;
}

static int bind(struct binder *b, const struct formula_node *n, struct kind *k)
{
	struct formula_step *s;

	if (n->op >= F_MUL)
		return bind_binary(b, n, k);
	if (n->op >= F_NEG)
		return bind_unary(b, n, k);
	if (n->op == F_NAME)
		return bind_name(b, n, k);
	TRY(push(b, n));
	s = new_step(b, n);
	s->num = n->num;
	s->text = n->text;
	s->len = n->len;
	k->is_string = n->op == F_TEXT;
	k->is_number = n->op == F_NUMBER;
	k->is_signed = n->num <= INT64_MAX;
	k->means = n->is_time ? MEANS_TIME : MEANS_NOTHING;
	k->unit = n->num;
	return 0;
}

/* A string for which every record of T has 16 bytes? */
static bool is_chars16(const struct formula_step *s, const struct etype *t)
{
	return s->op == F_STRING && s->field->loc == FIELD_AT && s->field->size == 16 &&
	       (uint64_t)s->field->off + 16 <= t->fixed;
}

struct formula *formula_bind(const struct formula_text *x, const struct formula_node *n,
			     const struct etype *const *types, struct err *e)
{
	static const uint8_t quick[] = {
		[F_S32] = FORMULA_S32, [F_U32] = FORMULA_U32, [F_U64] = FORMULA_U64,
		[F_TS] = FORMULA_TS,   [F_PID] = FORMULA_PID, [F_CPU] = FORMULA_CPU,
	};
	struct formula_bound *f = mem_zalloc(sizeof(*f) + x->n * sizeof(f->steps[0]));
	struct binder b = { .f = f, .x = x, .types = types, .e = e };
	const struct formula_step *s = f->steps;
	struct kind k = { 0 };

	if (bind(&b, n, &k) < 0) {
		formula_free(&f->head);
		return NULL;
	}
	f->head.kind = k.is_string ? FORMULA_STRING : FORMULA_NUMBER;
	f->head.is_signed = k.is_signed;
	f->head.means = k.means;
	f->head.unit = k.means == MEANS_BUCKET ? k.unit : 0;
	f->head.field = k.field;
	if (f->n == 1 && s->op < sizeof(quick) / sizeof(quick[0])) {
		f->head.quick = quick[s->op];
		f->head.off = s->off;
		f->head.side = s->side;
	}
	if (f->n == 1 && is_chars16(s, types[s->side])) {
		f->head.quick = FORMULA_CHARS16;
		f->head.off = s->field->off;
		f->head.side = s->side;
	}
	return &f->head;
}

void formula_free(struct formula *f)
{
	struct formula_bound *b = (struct formula_bound *)f;

	if (!b)
		return;
	arena_fini(&b->arena);
	free(b);
}
