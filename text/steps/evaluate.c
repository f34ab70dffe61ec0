// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the operations of an expression for a record.  The compiler has checked the stack depth;
 * what depends on the record (indices, lengths, divisors, shifts) is checked here.
 */
#include "text/steps/code.h"

#include "text/steps/number.h"

/* Both have the type of O. */
static uint64_t arithmetic(const struct op *o, uint64_t a, uint64_t b)
{
	unsigned bits = 8 * o->size;

	switch (o->op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
		if (!b)
			return 0;
		if (!o->is_signed)
			return a / b;
		return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
	case OP_MOD:
		if (!b || (o->is_signed && b == UINT64_MAX))
			return 0;
		return o->is_signed ? (uint64_t)((int64_t)a % (int64_t)b) : a % b;
	case OP_AND:
		return a & b;
	case OP_OR:
		return a | b;
	case OP_XOR:
		return a ^ b;
	case OP_SHL:
		return b < bits ? a << b : 0;
	case OP_SHR:
		if (b >= bits)
			b = bits - 1;
		return o->is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return o->is_signed ? (int64_t)a < (int64_t)b : a < b;
	case OP_GT:
		return o->is_signed ? (int64_t)a > (int64_t)b : a > b;
	case OP_LE:
		return o->is_signed ? (int64_t)a <= (int64_t)b : a <= b;
	default:
		return o->is_signed ? (int64_t)a >= (int64_t)b : a >= b;
	}
}

/*
 * An analyzer cannot see that the stack never underflows: code_emit() checks its depth.
 * NOLINTBEGIN(clang-analyzer-core.*)
 */
static uint64_t item(const struct value *at, uint64_t index, const struct op *o)
{
	if (!at->p || index >= at->len / o->size)
		return 0;
	return number_extend(field_load(at->p + index * o->size, o->size, o->swap), o->size,
			     o->is_signed);
}

struct value code_run(const struct op *ops, const struct operand *operand, const struct event *ev)
{
	struct value stack[CODE_STACK + 1], *top = stack;
	struct span s;

	top->v = 0;
	top->p = NULL;
	top->len = 0;
	for (unsigned i = operand->off; i < operand->end; i++) {
		const struct op *o = &ops[i];

		switch (o->op) {
		case OP_CONST:
			(++top)->v = o->u.imm;
			break;
		case OP_LOAD:
			(++top)->v = number_extend(field_load(ev->data + o->arg, o->size, o->swap),
						   o->size, o->is_signed);
			break;
		case OP_SPAN:
			field_span(o->u.field, ev, &s);
			*++top = (struct value){ .v = 1, .p = s.p, .len = s.len };
			break;
		case OP_LEN:
			field_span(o->u.field, ev, &s);
			(++top)->v = s.len;
			break;
		case OP_INDEX:
			top--;
			top->v = item(top, top[1].v, o);
			break;
		case OP_SHIFT:
			top--;
			if (top[1].v > top->len)
				top[1].v = top->len;
			top->p += top[1].v;
			top->len -= top[1].v;
			break;
		case OP_CONV:
			top[-(int)o->arg].v = number_extend(top[-(int)o->arg].v, o->size,
							    o->is_signed);
			break;
		case OP_BSWAP:
			top->v = __builtin_bswap64(top->v) >> (64 - 8 * o->size);
			break;
		case OP_BOOL:
			top->v = !!top->v;
			break;
		case OP_NOT:
			top->v = !top->v;
			break;
		case OP_NEG:
			top->v = number_extend(-top->v, o->size, o->is_signed);
			break;
		case OP_INVERT:
			top->v = number_extend(~top->v, o->size, o->is_signed);
			break;
		case OP_JZ:
			if (!(top--)->v)
				i = o->arg - 1;
			break;
		case OP_JUMP:
			i = o->arg - 1;
			break;
		default:
			top--;
			top->v = arithmetic(o, top->v, top[1].v);
			if (o->op < OP_EQ)
				top->v = number_extend(top->v, o->size, o->is_signed);
		}
	}
	return *top;
}
/* NOLINTEND(clang-analyzer-core.*) */
