// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * row_run: computes a row of steps for a record, on a stack of values whose depth value.c has
 * checked.
 */
#include "expr/bound.h"

#include "base/glob.h"
#include "trace/machine.h"

#include <inttypes.h>
#include <string.h>

#define MINOR_BITS 20 /* include/linux/kdev_t.h: of the kernel's dev_t */

static void set_text(struct expr_result *v, const char *s)
{
	v->str = s;
	v->len = strlen(s);
}

/*
 * An analyzer cannot see that the stack never underflows: value.c checks its depth.
 * NOLINTBEGIN(clang-analyzer-core.*)
 */

static int print_number(const struct expr_step *s, uint64_t num, char text[EXPR_DIGITS])
{
	if (s->op == OP_SYMBOL)
		return snprintf(text, EXPR_DIGITS, "0x%" PRIx64, num);
	if (s->op == OP_DEV)
		return snprintf(text, EXPR_DIGITS, "%" PRIu64 ":%" PRIu64, num >> MINOR_BITS,
				num & ((1u << MINOR_BITS) - 1));
	if (s->a_signed)
		return snprintf(text, EXPR_DIGITS, "%" PRId64, (int64_t)num);
	return snprintf(text, EXPR_DIGITS, "%" PRIu64, num);
}

/* The text of a number without a name, or of a device. */
static void set_number(const struct expr_step *s, struct expr_result *v)
{
	struct digits *d = s->digits;

	if (!d->len || d->num != v->num) {
		d->num = v->num;
		d->len = print_number(s, v->num, d->text);
	}
	v->str = d->text;
	v->len = d->len;
}

static uint64_t divide(const struct expr_step *s, uint64_t a, uint64_t b)
{
	bool is_signed = s->a_signed && s->b_signed;

	if (!b)
		return 0;
	/* The smallest number has no negative: it wraps, as all overflow does. */
	if (is_signed && b == UINT64_MAX)
		return s->op == OP_DIV ? -a : 0;
	if (is_signed)
		return (uint64_t)(s->op == OP_DIV ? (int64_t)a / (int64_t)b :
						    (int64_t)a % (int64_t)b);
	return s->op == OP_DIV ? a / b : a % b;
}

static uint64_t shift(const struct expr_step *s, uint64_t a, uint64_t b)
{
	bool minus = s->a_signed && (int64_t)a < 0;

	if (b > 63)
		return s->op == OP_SHR && minus ? UINT64_MAX : 0;
	if (s->op == OP_SHL)
		return a << b;
	return minus ? ~(~a >> b) : a >> b;
}

/* By mathematical value, whatever the sign of either type. */
static bool is_less(uint64_t a, bool a_signed, uint64_t b, bool b_signed)
{
	bool a_minus = a_signed && (int64_t)a < 0, b_minus = b_signed && (int64_t)b < 0;

	return a_minus != b_minus ? a_minus : a < b;
}

static bool is_equal(const struct expr_step *s, const struct expr_result *a,
		     const struct expr_result *b)
{
	if (s->strings)
		return a->len == b->len && !memcmp(a->str, b->str, a->len);
	/* A negative number never equals one that needs an unsigned type. */
	return a->num == b->num && (s->a_signed == s->b_signed || (int64_t)a->num >= 0);
}

static void of_one(const struct expr_step *s, struct expr_result *v)
{
	const char *name = NULL, *module;
	uint64_t start;

	switch (s->op) {
	case OP_NEG:
		v->num = -v->num;
		return;
	case OP_INVERT:
		v->num = ~v->num;
		return;
	case OP_NOT:
		v->num = !v->num;
		return;
	case OP_LOG2:
		if (!v->num || (s->a_signed && (int64_t)v->num < 0))
			v->num = UINT64_MAX;
		else
			v->num = 63 - __builtin_clzll(v->num);
		return;
	case OP_SYMBOL:
		name = machine_symbol(s->place.machine, v->num, &start, &module);
		break;
	case OP_SYSCALL:
		name = sysnames_of(s->names, v->num);
		break;
	case OP_DEV:
		break;
	default:
		/* Only negative results are errors: 2 may be a count of bytes read. */
		if (s->a_signed && (int64_t)v->num < 0)
			name = errnos_of(s->names, -v->num);
		break;
	}
	if (name)
		set_text(v, name);
	else
		set_number(s, v);
}

static uint64_t of_two(const struct expr_step *s, const struct expr_result *a,
		       const struct expr_result *b)
{
	switch (s->op) {
	case OP_MUL:
		return a->num * b->num;
	case OP_DIV:
	case OP_MOD:
		return divide(s, a->num, b->num);
	case OP_ADD:
		return a->num + b->num;
	case OP_SUB:
		return a->num - b->num;
	case OP_SHL:
	case OP_SHR:
		return shift(s, a->num, b->num);
	case OP_LT:
		return is_less(a->num, s->a_signed, b->num, s->b_signed);
	case OP_LE:
		return !is_less(b->num, s->b_signed, a->num, s->a_signed);
	case OP_GT:
		return is_less(b->num, s->b_signed, a->num, s->a_signed);
	case OP_GE:
		return !is_less(a->num, s->a_signed, b->num, s->b_signed);
	case OP_EQ:
		return is_equal(s, a, b);
	case OP_NE:
		return !is_equal(s, a, b);
	case OP_GLOB:
		return glob_match_len(b->str, a->str, a->len);
	case OP_AND:
		return a->num & b->num;
	case OP_XOR:
		return a->num ^ b->num;
	case OP_OR:
		return a->num | b->num;
	case OP_BOTH:
		return a->num && b->num;
	default:
		return a->num || b->num;
	}
}

static void leaf(const struct expr_step *s, const struct event *const *ev, const uint64_t *base,
		 struct expr_result *v)
{
	const struct event *of = ev[s->place.side];

	if (s->op <= OP_SOURCE) {
		v->num = place_number(&s->place, of, base);
	} else if (s->op <= OP_INSTANCE) {
		place_string(&s->place, of, &v->str, &v->len);
	} else if (s->op == OP_COMPARISON) {
		v->num = comparison_run(s->test, of, base);
	} else {
		v->num = s->num;
		v->str = s->text;
		v->len = s->len;
	}
}

void row_run(const struct row *row, const struct event *const *ev, const uint64_t *base,
	     struct expr_result *out)
{
	struct expr_result stack[EXPR_STACK];
	unsigned n = 0;

	const struct expr_step *s = row->steps;
	const struct expr_step *end = s + row->n;

	/* A row has one step at least, and begins with a leaf. */
	do {
		if (s->op >= OP_MUL) {
			n--;
			stack[n - 1].num = of_two(s, &stack[n - 1], &stack[n]);
		} else if (s->op >= OP_NEG) {
			of_one(s, &stack[n - 1]);
		} else {
			leaf(s, ev, base, &stack[n++]);
		}
	} while (++s < end);
	*out = stack[0];
}
/* NOLINTEND(clang-analyzer-core.*) */

void expr_value_run(const struct expr_value *v, const struct event *const *ev,
		    struct expr_result *out)
{
	const struct bound_value *b = (const struct bound_value *)v;

	row_run(&b->row, ev, b->bound.base, out);
}
