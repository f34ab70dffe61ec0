// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run: computes a bound formula for a record, on a stack of values whose depth bind.c has checked.
 */
#include "reader/formula/formula_priv.h"

#include "reader/model/machine.h"

#include <inttypes.h>
#include <string.h>

#define NSEC 1000000000ull
#define MINOR_BITS 20 /* include/linux/kdev_t.h: of the kernel's dev_t */

struct value {
	uint64_t num;
	const char *str;
	uint32_t len;
};

static void set_text(struct value *v, const char *s)
{
	v->str = s;
	v->len = strlen(s);
}

/*
 * An analyzer cannot see that no operation takes more from the stack than others have left there:
 * bind.c counts it.  NOLINTBEGIN(clang-analyzer-core.*)
 */

static int print_number(const struct formula_step *s, uint64_t num, char text[FORMULA_DIGITS])
{
	if (s->op == F_SYMBOL)
		return snprintf(text, FORMULA_DIGITS, "0x%" PRIx64, num);
	if (s->op == F_DEV)
		return snprintf(text, FORMULA_DIGITS, "%" PRIu64 ":%" PRIu64, num >> MINOR_BITS,
				num & ((1u << MINOR_BITS) - 1));
	if (s->a_signed)
		return snprintf(text, FORMULA_DIGITS, "%" PRId64, (int64_t)num);
	return snprintf(text, FORMULA_DIGITS, "%" PRIu64, num);
}

/* The text of a number that has no name, or is a device. */
static void set_number(const struct formula_step *s, struct value *v)
{
	struct formula_digits *d = s->digits;

	if (!d->len || d->num != v->num) {
		d->num = v->num;
		d->len = print_number(s, v->num, d->text);
	}
	v->str = d->text;
	v->len = d->len;
}

static uint64_t divide(const struct formula_step *s, uint64_t a, uint64_t b)
{
	bool is_signed = s->a_signed && s->b_signed;

	if (!b)
		return 0;
	/* The least number has no opposite: like all that overflows, it wraps. */
	if (is_signed && b == UINT64_MAX)
		return s->op == F_DIV ? -a : 0;
	if (is_signed)
		return (uint64_t)(s->op == F_DIV ? (int64_t)a / (int64_t)b :
						   (int64_t)a % (int64_t)b);
	return s->op == F_DIV ? a / b : a % b;
}

static uint64_t shift(const struct formula_step *s, uint64_t a, uint64_t b)
{
	bool minus = s->a_signed && (int64_t)a < 0;

	if (b > 63)
		return s->op == F_SHR && minus ? UINT64_MAX : 0;
	if (s->op == F_SHL)
		return a << b;
	return minus ? ~(~a >> b) : a >> b;
}

/* As the numbers are, whatever the sign of the type of either. */
static bool is_less(uint64_t a, bool a_signed, uint64_t b, bool b_signed)
{
	bool a_minus = a_signed && (int64_t)a < 0, b_minus = b_signed && (int64_t)b < 0;

	return a_minus != b_minus ? a_minus : a < b;
}

static bool is_equal(const struct formula_step *s, const struct value *a, const struct value *b)
{
	if (s->strings)
		return a->len == b->len && !memcmp(a->str, b->str, a->len);
	/* A negative number is none that only an unsigned type has. */
	return a->num == b->num && (s->a_signed == s->b_signed || (int64_t)a->num >= 0);
}

static void of_one(const struct formula_step *s, struct value *v)
{
	const char *name = NULL, *module;
	uint64_t start;

	switch (s->op) {
	case F_NEG:
		v->num = -v->num;
		return;
	case F_INVERT:
		v->num = ~v->num;
		return;
	case F_NOT:
		v->num = !v->num;
		return;
	case F_LOG2:
		if (!v->num || (s->a_signed && (int64_t)v->num < 0))
			v->num = UINT64_MAX;
		else
			v->num = 63 - __builtin_clzll(v->num);
		return;
	case F_SYMBOL:
		name = machine_symbol(s->machine, v->num, &start, &module);
		break;
	case F_SYSCALL:
		name = sysnames_of(s->names, v->num);
		break;
	case F_DEV:
		break;
	default:
		/* Results are errors where they are negative: 2 may be bytes that were read. */
		if (s->a_signed && (int64_t)v->num < 0)
			name = errnos_of(s->names, -v->num);
		break;
	}
	if (name)
		set_text(v, name);
	else
		set_number(s, v);
}

static uint64_t of_two(const struct formula_step *s, const struct value *a, const struct value *b)
{
	switch (s->op) {
	case F_MUL:
		return a->num * b->num;
	case F_DIV:
	case F_MOD:
		return divide(s, a->num, b->num);
	case F_ADD:
		return a->num + b->num;
	case F_SUB:
		return a->num - b->num;
	case F_SHL:
	case F_SHR:
		return shift(s, a->num, b->num);
	case F_LT:
		return is_less(a->num, s->a_signed, b->num, s->b_signed);
	case F_LE:
		return !is_less(b->num, s->b_signed, a->num, s->a_signed);
	case F_GT:
		return is_less(b->num, s->b_signed, a->num, s->a_signed);
	case F_GE:
		return !is_less(a->num, s->a_signed, b->num, s->b_signed);
	case F_EQ:
		return is_equal(s, a, b);
	case F_NE:
		return !is_equal(s, a, b);
	case F_AND:
		return a->num & b->num;
	case F_XOR:
		return a->num ^ b->num;
	case F_OR:
		return a->num | b->num;
	case F_BOTH:
		return a->num && b->num;
	default:
		return a->num || b->num;
	}
}

static void leaf(const struct formula_step *s, const struct event *ev, struct value *v)
{
	struct span span;

	*v = (struct value){ 0 };
	switch (s->op) {
	case F_NUMBER:
		v->num = s->num;
		return;
	case F_TEXT:
		v->str = s->text;
		v->len = s->len;
		return;
	case F_U32:
		v->num = field_load(ev->data + s->off, 4, false);
		return;
	case F_S32:
		v->num = (uint64_t)field_load_signed(ev->data + s->off, 4, false);
		return;
	case F_U64:
		v->num = field_load(ev->data + s->off, 8, false);
		return;
	case F_SCALAR:
		v->num = field_scalar(s->field, ev);
		return;
	case F_STRING:
	case F_BYTES:
		field_span(s->field, ev, &span);
		v->str = (const char *)span.p;
		v->len = span.len;
		if (s->op == F_STRING && span.len)
			v->len = strnlen(v->str, span.len);
		return;
	case F_TS:
		v->num = ev->ts;
		return;
	case F_SECS:
		v->num = ev->ts / NSEC;
		return;
	case F_NSECS:
		v->num = ev->ts % NSEC;
		return;
	case F_CPU:
		v->num = (uint64_t)ev->cpu;
		return;
	case F_PID:
		v->num = (uint64_t)ev->pid;
		return;
	case F_SEQUENCE:
		v->num = ev->seq;
		return;
	case F_SOURCE:
		v->num = ev->from->source;
		return;
	case F_COMM:
		set_text(v, machine_comm(s->machine,
					 s->field ? (int32_t)field_scalar(s->field, ev) : ev->pid));
		return;
	default:
		set_text(v, ev->from->instance);
		return;
	}
}

void formula_run(const struct formula *f, const struct event *const *ev, struct formula_value *v)
{
	const struct formula_bound *b = (const struct formula_bound *)f;
	struct value stack[FORMULA_STACK];
	unsigned n = 0;

	for (const struct formula_step *s = b->steps, *end = s + b->n; s < end; s++) {
		if (s->op >= F_MUL) {
			n--;
			stack[n - 1].num = of_two(s, &stack[n - 1], &stack[n]);
		} else if (s->op >= F_NEG) {
			of_one(s, &stack[n - 1]);
		} else {
			leaf(s, ev[s->side], &stack[n++]);
		}
	}
	if (f->kind == FORMULA_NUMBER) {
		v->num = stack[0].num;
		return;
	}
	v->str = stack[0].str;
	v->len = stack[0].len;
}
/* NOLINTEND(clang-analyzer-core.*) */
