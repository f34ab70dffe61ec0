// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compile: binds an expression to an event type.  Field names become offsets, constants are checked
 * against the field's size and sign, and the tree becomes a row of comparisons with two jumps each.
 */
#include "reader/filter/program_priv.h"

#include "base/duration.h"
#include "base/glob.h"
#include "reader/model/machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct binder {
	struct compiled *w;
	const struct expr *x;
	const struct etype *t;
	enum pseudo_scope scope;
	bool lacks;
	struct err *e;
};

struct candidates {
	const struct etype *t;
	enum pseudo_scope scope;
	unsigned i;
};

static const char *next_field(void *arg)
{
	struct candidates *c = arg;
	const char *name;

	if (c->i < c->t->nfields)
		return c->t->fields[c->i++].name;
	while ((name = pseudo_name(c->i++ - c->t->nfields)))
		if (pseudo_named(name, c->scope) != PSEUDO_NONE)
			return name;
	return NULL;
}

static int no_field(struct binder *b, const struct node *n)
{
	struct candidates c = { .t = b->t, .scope = b->scope };
	char common[80];
	const char *near = common;

	b->lacks = true;
	/* "pid" is more likely to mean common_pid than prio. */
	snprintf(common, sizeof(common), "common_%s", n->field);
	if (pseudo_named(common, b->scope) == PSEUDO_NONE)
		near = nearest_name(n->field, next_field, &c);
	return expr_complain(b->e, b->x->text, n->at, "%s:%s has no field '%s'%s%s%s", b->t->system,
			     b->t->name, n->field, near ? "; did you mean '" : "", near ? near : "",
			     near ? "'?" : "");
}

struct number {
	uint64_t mag;
	bool neg, bits; /* bits: written in hex or octal, so it may mean a pattern of bits */
};

/*
 * As the kernel reads them: an optional sign, then 0x..., 0..., or decimal, and nothing after it.
 * Or a time with its unit, in ns.
 */
static bool number_parse(const char *s, struct number *out)
{
	unsigned base = 10, d;

	memset(out, 0, sizeof(*out));
	if (*s == '-' || *s == '+')
		out->neg = *s++ == '-';
	if (duration_parse(s, false, &out->mag))
		return true;
	out->mag = 0;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	} else if (s[0] == '0' && s[1]) {
		base = 8;
		s++;
	}
	out->bits = base != 10;
	if (!*s)
		return false;
	for (; *s; s++) {
		d = isdigit((unsigned char)*s)	? *s - '0' :
		    isxdigit((unsigned char)*s) ? tolower((unsigned char)*s) - 'a' + 10 :
						  99;
		if (d >= base || __builtin_mul_overflow(out->mag, (uint64_t)base, &out->mag) ||
		    __builtin_add_overflow(out->mag, (uint64_t)d, &out->mag))
			return false;
	}
	if (!out->mag)
		out->neg = false;
	return true;
}

/* The constant is above or below all values of the field, so the answer is always the same. */
static void bind_const(struct pred *p, bool above)
{
	p->load = LOAD_CONST;
	p->num = p->op == OP_NE ||
		 (above ? p->op == OP_LT || p->op == OP_LE : p->op == OP_GT || p->op == OP_GE);
}

/*
 * Every comparison of numbers becomes a range.  In arithmetic modulo 2^64 that works for signed
 * ones too.
 */
static void bind_range(struct pred *p, bool is_signed)
{
	uint64_t least = is_signed ? 1ull << 63 : 0, greatest = least - 1, c = p->num;
	bool from = p->op == OP_GE || p->op == OP_LT; /* from C on, or the opposite */

	p->is_and = p->op == OP_AND;
	if (p->is_and)
		return;
	p->outside = p->op == OP_NE || p->op == OP_LT || p->op == OP_GT;
	if (p->op == OP_EQ || p->op == OP_NE) {
		p->span = 0;
	} else {
		p->num = from ? c : least;
		p->span = (from ? greatest : c) - p->num;
	}
}

static int bind_number(struct binder *b, const struct node *n, struct pred *p, unsigned size,
		       bool is_signed)
{
	uint64_t all = size == 8 ? UINT64_MAX : (1ull << (8 * size)) - 1, top = all >> 1;
	struct number v;

	if (n->op == OP_GLOB)
		return expr_complain(b->e, b->x->text, n->at,
				     "'%s' of %s:%s is a number; ~ takes strings", n->field,
				     b->t->system, b->t->name);
	if (n->quoted || !number_parse(n->value, &v))
		return expr_complain(b->e, b->x->text, n->value_at,
				     "'%s' of %s:%s is a number, '%.40s' is none of 64 bits",
				     n->field, b->t->system, b->t->name, n->value);
	if (!is_signed && v.neg)
		return expr_complain(b->e, b->x->text, n->value_at,
				     "'%s' of %s:%s is unsigned and never negative", n->field,
				     b->t->system, b->t->name);
	if (is_signed && (v.neg ? v.mag > 1ull << 63 : !v.bits && v.mag > INT64_MAX))
		return expr_complain(b->e, b->x->text, n->value_at,
				     "'%.40s' does not fit into a signed number of 64 bits",
				     n->value);
	p->num = v.neg ? -v.mag : v.mag;
	if (n->op == OP_AND) {
		p->num &= all;
	} else if (!is_signed) {
		if (v.mag > all)
			bind_const(p, true);
	} else if (v.neg) {
		if (v.mag > top + 1)
			bind_const(p, false);
	} else if (v.mag > top) {
		/* 0xffffffff for an int is -1: the kernel cuts constants to the size too. */
		if (v.bits && v.mag <= all)
			p->num = v.mag | ~all;
		else
			bind_const(p, true);
	}
	if (p->load != LOAD_CONST)
		bind_range(p, is_signed);
	return 0;
}

static int bind_string(struct binder *b, const struct node *n, struct pred *p)
{
	if (n->op != OP_EQ && n->op != OP_NE && n->op != OP_GLOB)
		return expr_complain(b->e, b->x->text, n->at,
				     "'%s' of %s:%s is a string: only ==, != and ~ compare it",
				     n->field, b->t->system, b->t->name);
	p->str = n->value;
	p->len = strlen(n->value);
	return 0;
}

/* CPUS{0,2-5}, as kernels from 6.6 on write a set of CPUs. */
static int bind_cpus(struct binder *b, const struct node *n, struct pred *p)
{
	size_t len = strlen(n->value), bad;
	uint64_t *bits = arena_alloc(&b->w->arena, EXPR_CPUS / 8);
	uint32_t words = EXPR_CPUS / 64;

	if (n->op != OP_EQ && n->op != OP_NE && n->op != OP_AND)
		return expr_complain(b->e, b->x->text, n->at,
				     "sets of CPUs are compared by ==, != and &");
	if (n->quoted || len < 6 || strncmp(n->value, "CPUS{", 5) || n->value[len - 1] != '}')
		return expr_complain(b->e, b->x->text, n->value_at,
				     "'%s' of %s:%s is a set of bits; compare it with CPUS{0,2-5}",
				     n->field, b->t->system, b->t->name);
	if (cpulist_parse(n->value + 5, len - 6, bits, &bad) < 0)
		return expr_complain(b->e, b->x->text, n->value_at + 5 + bad,
				     "a list of CPUs reads 0,2-5, with numbers below %d",
				     EXPR_CPUS);
	while (words && !bits[words - 1])
		words--;
	p->mask = bits;
	p->len = words;
	return 0;
}

/* A FIELD_ENUM by number, or by the name of a value. */
static int bind_enum(struct binder *b, const struct node *n, struct pred *p, const struct field *f)
{
	struct node by_number = *n;
	char text[24];

	p->load = LOAD_SCALAR;
	for (unsigned i = 0; i < f->more->nlabels; i++) {
		if (strcmp(f->more->labels[i].name, n->value))
			continue;
		snprintf(text, sizeof(text), "%lld", (long long)f->more->labels[i].value);
		by_number.value = text;
		by_number.quoted = false;
		return bind_number(b, &by_number, p, f->size, f->is_signed);
	}
	return bind_number(b, n, p, f->size, f->is_signed);
}

static int bind_field(struct binder *b, const struct node *n, struct pred *p, const struct field *f)
{
	p->field = f;
	switch (f->kind) {
	case FIELD_UINT:
	case FIELD_INT:
		if (f->loc != FIELD_AT)
			break;
		p->off = f->off;
		p->load = f->swap      ? LOAD_SCALAR :
			  f->size == 8 ? LOAD_U64 :
			  f->size != 4 ? LOAD_SCALAR :
			  f->is_signed ? LOAD_S32 :
					 LOAD_U32;
		if (!n->quoted && !strncmp(n->value, "CPUS{", 5)) {
			p->load = LOAD_SCALAR;
			return bind_cpus(b, n, p);
		}
		return bind_number(b, n, p, f->size, f->is_signed);
	case FIELD_STR:
		p->load = LOAD_STR;
		return bind_string(b, n, p);
	case FIELD_BITMASK:
		p->load = LOAD_MASK;
		return bind_cpus(b, n, p);
	case FIELD_ENUM:
		return bind_enum(b, n, p, f);
	case FIELD_FLOAT:
		return expr_complain(b->e, b->x->text, n->at,
				     "'%s' of %s:%s is a floating-point "
				     "number; filters take integers and strings",
				     n->field, b->t->system, b->t->name);
	case FIELD_NONE:
		b->lacks = true;
		return expr_complain(b->e, b->x->text, n->at,
				     "this trace has nothing for '%s' of "
				     "%s:%s",
				     n->field, b->t->system, b->t->name);
	}
	return expr_complain(b->e, b->x->text, n->at,
			     "'%s' of %s:%s is an array; filters take numbers and strings",
			     n->field, b->t->system, b->t->name);
}

/* "sched:sched_switch", which is the same for all records: so is the answer. */
static int bind_event(struct binder *b, const struct node *n, struct pred *p)
{
	size_t size = strlen(b->t->system) + strlen(b->t->name) + 2;
	char *name;

	TRY(bind_string(b, n, p));
	name = arena_alloc(&b->w->arena, size);
	snprintf(name, size, "%s:%s", b->t->system, b->t->name);
	p->num = program_string(p, name, size - 1);
	p->load = LOAD_CONST;
	return 0;
}

static int bind_pseudo(struct binder *b, const struct node *n, struct pred *p, struct meaning m)
{
	static const struct {
		uint8_t load, size; /* size 0: a string */
		bool is_signed;
	} loads[] = {
		[PSEUDO_TS] = { LOAD_TS, 8, false },
		[PSEUDO_SECS] = { LOAD_SECS, 8, false },
		[PSEUDO_NSECS] = { LOAD_NSECS, 4, false },
		[PSEUDO_CPU] = { LOAD_CPU, 4, true },
		[PSEUDO_PID] = { LOAD_PID, 4, true },
		[PSEUDO_COMM] = { LOAD_COMM, 0, false },
		[PSEUDO_SEQUENCE] = { LOAD_SEQUENCE, 8, false },
		[PSEUDO_INSTANCE] = { LOAD_INSTANCE, 0, false },
		[PSEUDO_SOURCE] = { LOAD_SOURCE, 4, false },
	};

	if (m.what == PSEUDO_EVENT)
		return bind_event(b, n, p);
	p->load = loads[m.what].load;
	p->field = m.field;
	b->w->head.has_names |= m.what == PSEUDO_COMM;
	if (!loads[m.what].size)
		return bind_string(b, n, p);
	if (m.what == PSEUDO_CPU && !n->quoted && !strncmp(n->value, "CPUS{", 5))
		return bind_cpus(b, n, p);
	return bind_number(b, n, p, loads[m.what].size, loads[m.what].is_signed);
}

static int bind_pred(struct binder *b, const struct node *n, struct pred *p)
{
	struct meaning m = pseudo_meaning(b->t, n->field, b->scope);

	p->op = n->op;
	if (m.what != PSEUDO_NONE)
		return bind_pseudo(b, n, p, m);
	return m.field ? bind_field(b, n, p, m.field) : no_field(b, n);
}

/* Comparisons are laid down from the last to the first, so that both jumps of each are known. */
static int emit(struct binder *b, const struct node *n, uint16_t yes, uint16_t no)
{
	int at;

	switch (n->type) {
	case NODE_NOT:
		return emit(b, n->a, no, yes);
	case NODE_AND:
		at = emit(b, n->b, yes, no);
		return at < 0 ? -1 : emit(b, n->a, at, no);
	case NODE_OR:
		at = emit(b, n->b, yes, no);
		return at < 0 ? -1 : emit(b, n->a, yes, at);
	}
	at = b->w->n++;
	b->w->preds[at].yes = yes;
	b->w->preds[at].no = no;
	return bind_pred(b, n, &b->w->preds[at]) < 0 ? -1 : at;
}

/* A single comparison of a plain number is copied to the head, for program_pass(). */
static void find_quick(struct compiled *w)
{
	static const uint8_t quick[] = {
		[LOAD_U32] = WHERE_U32,
		[LOAD_S32] = WHERE_S32,
		[LOAD_U64] = WHERE_U64,
	};
	const struct pred *p = &w->preds[w->entry];

	if (w->n != 1 || p->load > LOAD_U64)
		return;
	w->head.quick = quick[p->load];
	w->head.off = p->off;
	w->head.num = p->num;
	w->head.span = p->span;
	w->head.is_and = p->is_and;
	w->head.outside = p->outside;
	/* "not x": the jumps are swapped. */
	if (p->yes == ACCEPT)
		return;
	if (p->is_and)
		w->head.quick = WHERE_LONG;
	else
		w->head.outside = !p->outside;
}

struct program *program_bind(const struct expr *x, const struct etype *t,
			     const struct program_names *names, bool *lacks, struct err *e)
{
	static const uint64_t no_base;
	struct compiled *w = mem_zalloc(sizeof(*w) + x->preds * sizeof(w->preds[0]));
	struct binder b = { .w = w, .x = x, .t = t, .e = e };
	int entry;

	b.scope = names ? names->scope : PSEUDO_ALL;
	w->machine = t->machine;
	w->base = names && names->base ? names->base : &no_base;
	entry = emit(&b, x->top, ACCEPT, REJECT);
	*lacks = b.lacks;
	if (entry < 0) {
		program_free(&w->head);
		return NULL;
	}
	w->entry = entry;
	find_quick(w);
	return &w->head;
}

int program_syntax(const char *text, struct err *e)
{
	struct expr *x = expr_new(text, 0, e);

	expr_free(x);
	return x ? 0 : -1;
}

struct program *program_new(const char *text, const struct etype *t,
			    const struct program_names *names, struct err *e)
{
	bool lacks;

	return program_try(text, t, names, &lacks, e);
}

struct program *program_try(const char *text, const struct etype *t,
			    const struct program_names *names, bool *lacks, struct err *e)
{
	struct expr *x = expr_new(text, 0, e);
	struct program *w;

	*lacks = false;
	if (!x)
		return NULL;
	w = program_bind(x, t, names, lacks, e);
	if (w)
		((struct compiled *)w)->own = x;
	else
		expr_free(x);
	return w;
}

void program_free(struct program *w)
{
	struct compiled *p = (struct compiled *)w;

	if (!p)
		return;
	expr_free(p->own);
	arena_fini(&p->arena);
	free(p);
}
