// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function of a function graph that calls no other is one line of a report, "1.023 us | name();":
 * if the event after its call is its return.  So the line of a call waits in the output for the
 * next event.
 */
#include "sink/print/print_priv.h"
#include "text/engine.h"

#define COST_WIDTH 13 /* the blanks that a call has where a return has its cost */
#define COST_MAX 32   /* the cost of 2^64 ns has 27 bytes */

void leaf_call(struct print *p, const struct event *ev, uint64_t func, size_t line, size_t text)
{
	p->leaf = (struct leaf){
		.from = ev->from, .func = func, .pid = ev->pid, .line = line, .text = text
	};
}

/* Make the call's line one for both, with the LEN bytes at COST in it. */
static bool fold(struct print *p, const char *cost, size_t len)
{
	struct outbuf *o = &p->out;
	char *at = o->p + p->leaf.text;
	size_t left = o->len - p->leaf.text;

	if (left < COST_WIDTH + 3 || at[COST_WIDTH] != '|' || memcmp(at + left - 3, " {\n", 3))
		return false;
	out_room(o, COST_MAX);
	at = o->p + p->leaf.text;
	memmove(at + len, at + COST_WIDTH, left - COST_WIDTH);
	memcpy(at, cost, len);
	o->len += len - COST_WIDTH - 1;
	memcpy(o->p + o->len - 2, ";\n", 2);
	return true;
}

bool leaf_return(struct print *p, const struct event *ev, bool returns, uint64_t func)
{
	struct outbuf *o = &p->out;
	size_t from = o->len, len;
	char cost[COST_MAX], *end;
	struct leaf call = p->leaf;
	bool is;

	if (!call.from)
		return false;
	is = returns && call.from == ev->from && call.func == func && call.pid == ev->pid &&
	     !ev->lost;
	if (is) {
		engine_put(p->kernel, ev, o, false);
		end = memchr(o->p + from, '|', o->len - from);
		len = end ? (size_t)(end - o->p) - from : COST_MAX + 1;
		o->len = from;
		is = len <= COST_MAX;
		if (is)
			memcpy(cost, o->p + from, len);
		is = is && fold(p, cost, len);
	}
	p->leaf.from = NULL;
	return is;
}

size_t leaf_settle(struct print *p, bool all)
{
	size_t line = p->leaf.line;

	if (!p->leaf.from)
		return p->out.len;
	if (all) {
		p->leaf.from = NULL;
		return p->out.len;
	}
	/* Write what precedes it, and move it to the front. */
	p->leaf.text -= line;
	p->leaf.line = 0;
	return line;
}
