/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_STACK_CHAIN_H
#define ZED_TRACE_STACK_CHAIN_H

#include "trace/event_sample.h"
#include "trace/unwound.h"

#include <stddef.h>

/*
 * The stack that an event shows: its whole chain, or, of ftrace's kernel_stack and
 * user_stack, which are events of their own, the one that it is.  Zero-initialise.
 */
struct stack_chain {
	const struct etype *type; /* of the last one that is a stack, and its fields */
	const struct field *caller, *count;
	uint64_t *v;
	size_t cap;
};

/* Can there be one? */
static inline bool stack_chain_any(const struct event *ev)
{
	return ev->nchain || (ev->type->stack && ev->type->known) ||
	       (ev->sample && ev->sample->stack_len);
}

/* The process that EV's stack of a program is of; 0: not known. */
int32_t stack_process(const struct event *ev);

/* The one of EV, until the next call or event.  An empty one: there is none. */
struct chain stack_chain_of(struct stack_chain *s, const struct event *ev);

void stack_chain_fini(struct stack_chain *s);

#endif
