// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack_chain: the addresses in the record of a stack, as a call chain.
 */
#include "trace/stack_chain.h"

#include "base/mem.h"
#include "trace/chain.h"
#include "trace/field.h"

#include <stdlib.h>

int32_t stack_process(const struct event *ev)
{
	const struct field *tgid;

	if (ev->type->stack != STACK_USER)
		return ev->process;
	tgid = field_find(ev->type, "tgid");
	return tgid ? (int32_t)field_scalar(tgid, ev) : 0;
}

/* The fields of T, a type of stacks.  Without addresses it has no `caller`. */
static void learn(struct stack_chain *s, const struct etype *t)
{
	const struct field *caller = field_find(t, "caller"), *count = field_find(t, "size");
	bool is_list = caller && (caller->elem == 4 || caller->elem == 8) &&
		       (caller->loc == FIELD_AT || caller->loc == FIELD_TAIL);

	s->type = t;
	s->caller = is_list ? caller : NULL;
	s->count = count && count->loc == FIELD_AT && count->size == 4 ? count : NULL;
}

/* Their number.  The end mark of old kernels is not an address. */
static uint32_t take(struct stack_chain *s, const struct event *ev)
{
	const struct field *f = s->caller;
	uint64_t most = s->count ? field_scalar(s->count, ev) : UINT32_MAX;
	uint64_t none = f->elem == 4 ? UINT32_MAX : UINT64_MAX;
	uint32_t n = 0;

	s->v = mem_grow(s->v, &s->cap, ev->size / f->elem + 1, sizeof(*s->v));
	s->v[n++] = (uint64_t)(ev->type->stack == STACK_KERNEL ? CHAIN_KERNEL : CHAIN_USER);
	for (uint32_t off = f->off; most-- && off <= ev->size && f->elem <= ev->size - off;
	     off += f->elem) {
		uint64_t address = field_load(ev->data + off, f->elem, f->swap);

		if (!address || address == none)
			break;
		if (!chain_is_mark(address))
			s->v[n++] = address;
	}
	return n;
}

struct chain stack_chain_of(struct stack_chain *s, const struct event *ev)
{
	const struct chain none = { .n = 0 };
	uint32_t n;

	if (ev->nchain || !ev->type->stack || !ev->type->known)
		return chain_whole(ev);
	if (s->type != ev->type)
		learn(s, ev->type);
	if (!s->caller)
		return none;
	n = take(s, ev);
	return (struct chain){ .v = s->v, .n = n };
}

void stack_chain_fini(struct stack_chain *s)
{
	free(s->v);
}
