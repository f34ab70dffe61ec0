// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compiles the expressions of a print format, by C's rules for types, to operations on a stack.  An
 * expression can only access the record: a kernel address is a number, and dereferencing one is
 * refused.
 */
#include "text/steps/code.h"

#include "base/ascii.h"
#include "trace/machine.h"
#include "text/printfmt/enumerators.h"

#include <stdlib.h>
#include <string.h>

/* ---- compiling ---- */

static const struct ctype INT_TYPE = { .size = 4, .is_signed = true };

bool code_fail(struct code *c, const char *why)
{
	if (!c->why)
		c->why = why;
	return false;
}

static unsigned long_size(const struct code *c)
{
	return c->type->machine ? c->type->machine->long_size : 8;
}

/* Append an operation; DEPTH: its effect on the stack depth. */
struct op *code_emit(struct code *c, int op, int depth)
{
	if (c->n == CODE_MAX || c->depth + depth > CODE_STACK) {
		code_fail(c, "an expression that is too long");
		return &c->spare;
	}
	c->ops = mem_grow(c->ops, &c->cap, c->n + 1, sizeof(*c->ops));
	c->depth += depth;
	c->ops[c->n] = (struct op){ .op = op };
	return &c->ops[c->n++];
}

void code_const(struct code *c, uint64_t v)
{
	code_emit(c, OP_CONST, 1)->u.imm = v;
}

void code_sized(struct code *c, int op, int depth, struct ctype t)
{
	struct op *o = code_emit(c, op, depth);

	o->size = t.size;
	o->is_signed = t.is_signed;
}

/* Convert the value of type FROM, at BELOW the top of the stack, to type TO. */
static void convert_below(struct code *c, struct ctype from, struct ctype to, unsigned below)
{
	if (to.size == 8 || (from.size < to.size && !from.is_signed) ||
	    (from.size <= to.size && from.is_signed == to.is_signed))
		return;
	code_sized(c, OP_CONV, 0, to);
	if (!c->why)
		c->ops[c->n - 1].arg = below;
}

static void convert(struct code *c, struct ctype from, struct ctype to)
{
	convert_below(c, from, to, 0);
}

struct ctype code_items(const struct field *f)
{
	bool whole = f->elem == 1 || f->elem == 2 || f->elem == 4 || f->elem == 8;

	return (struct ctype){ .bytes = true,
			       .size = whole ? f->elem : 1,
			       .is_signed = f->is_signed };
}


static bool number(struct code *c, const struct pf_node *n, struct ctype *t)
{
	*t = INT_TYPE;
	if (!code_value(c, n, t))
		return false;
	return !t->bytes || code_fail(c, "an address where a number should be");
}

static bool address(struct code *c, const struct pf_node *n, struct ctype *t)
{
	if (!code_value(c, n, t))
		return false;
	return t->bytes || code_fail(c, "data at an address of the kernel");
}

/* A truth value: addresses of the record are not 0. */
static bool truth(struct code *c, const struct pf_node *n)
{
	struct ctype t = INT_TYPE;

	if (!code_value(c, n, &t))
		return false;
	if (t.bytes)
		code_sized(c, OP_BOOL, 0, t);
	return true;
}

static bool scalar(const struct field *f)
{
	return f->loc == FIELD_AT &&
	       (f->kind == FIELD_INT || f->kind == FIELD_UINT || f->kind == FIELD_ENUM) &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static bool load_field(struct code *c, const struct field *f, struct ctype *t)
{
	struct op *o;

	if (!scalar(f)) {
		code_emit(c, OP_SPAN, 1)->u.field = f;
		*t = code_items(f);
		return true;
	}
	o = code_emit(c, OP_LOAD, 1);
	o->arg = f->off;
	o->size = f->size;
	o->is_signed = f->is_signed;
	o->swap = f->swap;
	if (f->off + f->size > c->need)
		c->need = f->off + f->size;
	*t = (struct ctype){ .size = f->size, .is_signed = f->is_signed };
	return true;
}

static bool atom(struct code *c, const struct pf_node *n, struct ctype *t)
{
	const char *word = n->text;
	uint64_t v;

	*t = INT_TYPE;
	if (ascii_digit(*word)) {
		v = strtoull(word, NULL, 0);
		*t = ctype_of_number(word, v, long_size(c));
		code_const(c, v);
		return true;
	}
	if (!enumerator_value(word, &v)) {
		c->untold = word;
		return code_fail(c, "a word whose value is not in the trace");
	}
	code_const(c, v);
	return true;
}

static bool cast(struct code *c, const struct pf_node *n, struct ctype *t)
{
	bool known, pointer;
	struct ctype to = ctype_of_words(n->text, long_size(c), &known, &pointer);
	struct ctype from = INT_TYPE;

	if (!code_value(c, n->a, &from))
		return false;
	*t = from;
	if (pointer && from.bytes) {
		*t = to;
		t->bytes = true;
		return true;
	}
	if (pointer) {
		to = (struct ctype){ .size = long_size(c) };
		convert(c, from, to);
		*t = to;
		return true;
	}
	/* A cast to (unsigned long) keeps the address of a record's bytes. */
	if (from.bytes || !known)
		return true;
	convert(c, from, to);
	*t = to;
	return true;
}

static bool unary(struct code *c, const struct pf_node *n, struct ctype *t)
{
	struct ctype from = INT_TYPE;

	switch (n->op[0]) {
	case '!':
		if (!truth(c, n->b))
			return false;
		code_emit(c, OP_NOT, 0);
		*t = INT_TYPE;
		return true;
	case '&':
		if (n->b->kind == PF_FIELD) {
			const struct field *f = n->b->field;

			code_emit(c, OP_SPAN, 1)->u.field = f;
			*t = code_items(f);
			return true;
		}
		if (n->b->kind == PF_OP && n->b->op[0] == '[') {
			struct ctype index = INT_TYPE;

			if (!address(c, n->b->a, t) || !number(c, n->b->b, &index))
				return false;
			code_const(c, t->size);
			code_sized(c, OP_MUL, -1, (struct ctype){ .size = 8 });
			code_emit(c, OP_SHIFT, -1);
			return true;
		}
		return code_fail(c, "the address of a value");
	case '*':
		if (!address(c, n->b, t))
			return false;
		code_const(c, 0);
		code_sized(c, OP_INDEX, -1, *t);
		c->ops[c->n - 1].swap = c->type->machine && c->type->machine->swap;
		t->bytes = false;
		return true;
	}
	if (!number(c, n->b, &from))
		return false;
	*t = ctype_promoted(from);
	if (n->op[0] == '-')
		code_sized(c, OP_NEG, 0, *t);
	else if (n->op[0] == '~')
		code_sized(c, OP_INVERT, 0, *t);
	return true;
}

static void land(struct code *c, unsigned jump)
{
	if (!c->why)
		c->ops[jump].arg = c->n;
}

/* A && B, A || B. */
static bool logical(struct code *c, const struct pf_node *n, struct ctype *t)
{
	bool and = n->op[0] == '&';
	unsigned jump, end;

	*t = INT_TYPE;
	if (!truth(c, n->a))
		return false;
	if (!and)
		code_emit(c, OP_NOT, 0);
	jump = c->n;
	code_emit(c, OP_JZ, -1);
	if (!truth(c, n->b))
		return false;
	code_sized(c, OP_BOOL, 0, INT_TYPE);
	end = c->n;
	code_emit(c, OP_JUMP, -1);
	land(c, jump);
	code_const(c, !and);
	land(c, end);
	return !c->why;
}

static bool conditional(struct code *c, const struct pf_node *n, struct ctype *t)
{
	unsigned jump, end, conv;
	struct ctype a = INT_TYPE, b = INT_TYPE;

	if (!truth(c, n->a))
		return false;
	jump = c->n;
	code_emit(c, OP_JZ, -1);
	if (!code_value(c, n->b->a, &a))
		return false;
	/* The type is known only after the other side; for 8 bytes this does nothing. */
	conv = c->n;
	code_sized(c, OP_CONV, 0, (struct ctype){ .size = 8 });
	end = c->n;
	code_emit(c, OP_JUMP, -1);
	land(c, jump);
	if (!code_value(c, n->b->b, &b))
		return false;
	if (a.bytes != b.bytes)
		return code_fail(c, "an address or a number");
	*t = a.bytes ? a : ctype_common(a, b);
	if (!a.bytes) {
		convert(c, b, *t);
		c->ops[conv].size = t->size;
		c->ops[conv].is_signed = t->is_signed;
	}
	land(c, end);
	return !c->why;
}

static int binary_op(const char *op)
{
	static const struct {
		const char *op;
		int code;
	} ops[] = {
		{ "+", OP_ADD },  { "-", OP_SUB },  { "*", OP_MUL }, { "/", OP_DIV },
		{ "%", OP_MOD },  { "&", OP_AND },  { "|", OP_OR },  { "^", OP_XOR },
		{ "<<", OP_SHL }, { ">>", OP_SHR }, { "==", OP_EQ }, { "!=", OP_NE },
		{ "<", OP_LT },	  { ">", OP_GT },   { "<=", OP_LE }, { ">=", OP_GE },
	};

	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcmp(op, ops[i].op))
			return ops[i].code;
	return -1;
}

/* "jiffies - X": jiffies when the kernel printed is unknown, so the result is that of X alone. */
static bool since(struct code *c, const struct pf_node *n, struct ctype *t)
{
	if (strcmp(n->op, "-") || n->a->kind != PF_ATOM || strcmp(n->a->text, "jiffies"))
		return false;
	code_const(c, 0);
	*t = (struct ctype){ .size = long_size(c) };
	return true;
}

static bool binary(struct code *c, const struct pf_node *n, struct ctype *t)
{
	int op = binary_op(n->op);
	struct ctype a = INT_TYPE, b = INT_TYPE, at;
	unsigned from;

	if (op < 0)
		return code_fail(c, "an operator that is not known");
	if (since(c, n, t))
		return true;
	from = c->n;
	if (!code_value(c, n->a, &a))
		return false;
	if (a.bytes && op == OP_ADD) {
		if (!number(c, n->b, &b))
			return false;
		if (a.size > 1) {
			code_const(c, a.size);
			code_sized(c, OP_MUL, -1, (struct ctype){ .size = 8 });
		}
		code_emit(c, OP_SHIFT, -1);
		*t = a;
		return true;
	}
	if (a.bytes && (op == OP_EQ || op == OP_NE)) {
		/* Compared with NULL. */
		if (!number(c, n->b, &b))
			return false;
		c->n = from;
		c->depth -= 2;
		code_const(c, op == OP_NE);
		*t = INT_TYPE;
		return !c->why;
	}
	if (a.bytes)
		return code_fail(c, "an operator on an address");
	if (!number(c, n->b, &b))
		return false;
	at = op == OP_SHL || op == OP_SHR ? ctype_promoted(a) : ctype_common(a, b);
	convert_below(c, a, at, 1);
	if (op != OP_SHL && op != OP_SHR)
		convert(c, b, at);
	code_sized(c, op, -1, at);
	*t = op >= OP_EQ ? INT_TYPE : at;
	return !c->why;
}

/* "REC->args[3]" of an array with fixed offset and length: a load like that of a field. */
static bool fixed_item(struct code *c, const struct pf_node *n, struct ctype *t)
{
	const struct field *f = n->a->kind == PF_FIELD ? n->a->field : NULL;
	uint64_t off;
	struct op *o;

	if (!f || f->loc != FIELD_AT || n->b->kind != PF_ATOM || !ascii_digit(*n->b->text))
		return false;
	*t = code_items(f);
	off = strtoull(n->b->text, NULL, 0);
	if (off >= f->size / t->size)
		return false;
	o = code_emit(c, OP_LOAD, 1);
	o->arg = f->off + (uint32_t)off * t->size;
	o->size = t->size;
	o->is_signed = t->is_signed;
	o->swap = f->swap;
	if (o->arg + o->size > c->need)
		c->need = o->arg + o->size;
	t->bytes = false;
	return true;
}

bool code_value(struct code *c, const struct pf_node *n, struct ctype *t)
{
	struct ctype index = INT_TYPE;

	if (c->why)
		return false;
	switch (n->kind) {
	case PF_ATOM:
		return atom(c, n, t);
	case PF_FIELD:
		return load_field(c, n->field, t);
	case PF_CAST:
		return cast(c, n, t);
	case PF_FUNC:
		return code_function(c, n, t);
	case PF_OP:
		break;
	case PF_STRING:
		return code_fail(c, "a string where a number should be");
	default:
		return code_fail(c, "a table where a number should be");
	}
	if (!strcmp(n->op, "?"))
		return conditional(c, n, t);
	if (!strcmp(n->op, "&&") || !strcmp(n->op, "||"))
		return logical(c, n, t);
	if (n->a->kind == PF_NONE)
		return unary(c, n, t);
	if (strcmp(n->op, "["))
		return binary(c, n, t);
	if (fixed_item(c, n, t))
		return true;
	if (!address(c, n->a, t) || !number(c, n->b, &index))
		return false;
	code_sized(c, OP_INDEX, -1, *t);
	c->ops[c->n - 1].swap = c->type->machine && c->type->machine->swap;
	t->bytes = false;
	return !c->why;
}

bool code_compile(struct code *c, const struct pf_node *n, struct operand *out)
{
	static const struct event nothing;
	unsigned from = c->n;
	bool constant = true;

	memset(out, 0, sizeof(*out));
	c->depth = 0;
	if (!code_value(c, n, &out->type) || c->why)
		return false;
	out->from = OPERAND_CODE;
	out->off = from;
	out->end = c->n;
	for (unsigned i = from; i < c->n; i++)
		constant &= c->ops[i].op != OP_LOAD && c->ops[i].op != OP_SPAN &&
			    c->ops[i].op != OP_LEN;
	if (constant) {
		out->value = code_run(c->ops, out, &nothing).v;
		out->from = OPERAND_CONST;
		c->n = from;
	} else if (c->n == from + 1 && c->ops[from].op == OP_LOAD) {
		const struct op *o = &c->ops[from];

		out->from = OPERAND_FIELD;
		out->off = o->arg;
		out->size = o->size;
		out->is_signed = o->is_signed;
		out->swap = o->swap;
		c->n = from;
	}
	return true;
}

const struct field *code_only_field(const struct code *c, const struct operand *o)
{
	if (o->from != OPERAND_CODE || o->end != o->off + 1 || c->ops[o->off].op != OP_SPAN)
		return NULL;
	return c->ops[o->off].u.field;
}
