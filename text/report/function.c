// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The function and function_graph tracers.  Functions are indented by the calls seen before; an
 * entry and its exit of function_graph are separate lines, as neither waits for the other.
 */
#include "text/report/handlers_priv.h"

#define MAX_INDENT 64 /* levels of function_graph that are shown */

static void symbol(struct outbuf *o, const char *name, uint64_t addr)
{
	if (name) {
		out_str(o, name);
	} else {
		out_bytes(o, "0x", 2);
		out_hex(o, addr);
	}
}

/* ip, parent_ip */
void function_call(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	struct machine *m = ev->type->machine;
	uint64_t ip = handler_number(own, 0, ev), start;
	const char *module, *name = machine_symbol(m, ip, &start, &module);
	const char *parent = machine_symbol(m, handler_number(own, 1, ev), &start, &module);

	if (parent)
		out_fill(o, ' ', 3 * calls_nest(own->calls, ev->cpu, parent, name));
	symbol(o, name, ip);
}

/* ip, parent_ip, count, top_delta_ts, bottom_delta_ts */
void function_repeats(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	uint64_t delta = handler_number(own, 3, ev) << 32 | handler_number(own, 4, ev);
	uint64_t us = (ev->ts - delta + 500) / 1000;

	function_call(own, ev, o, max);
	out_printf(o, " (count: %llu  last_ts: %5llu.%06llu)",
		   (unsigned long long)handler_number(own, 2, ev),
		   (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000));
}

static void indent(struct outbuf *o, uint64_t depth)
{
	out_fill(o, ' ', 2 * (depth < MAX_INDENT ? depth : MAX_INDENT));
}

/* func, depth */
void graph_entry(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	uint64_t func = handler_number(own, 0, ev), start;
	const char *module, *name = machine_symbol(ev->type->machine, func, &start, &module);

	out_str(o, "             |  ");
	indent(o, handler_number(own, 1, ev));
	if (name)
		out_str(o, name);
	else
		out_hex(o, func);
	out_bytes(o, "() {", 4);
}

/* The mark of a function that took long; the kernel has two more. */
static char overhead(uint64_t ns)
{
	return ns > 1000000000 ? '$' :
	       ns > 1000000    ? '#' :
	       ns > 100000     ? '!' :
	       ns > 10000      ? '+' :
				 ' ';
}

/* func, depth, calltime, rettime */
void graph_exit(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	uint64_t ns = handler_number(own, 3, ev) - handler_number(own, 2, ev);
	size_t from;

	out_char(o, overhead(ns));
	out_char(o, ' ');
	from = o->len;
	out_u64(o, ns / 1000);
	if (ns < 1000000000) {
		out_char(o, '.');
		out_u64_pad(o, ns % 1000, 3, '0');
	}
	out_bytes(o, " us ", 4);
	if (o->len - from < 11)
		out_fill(o, ' ', 11 - (o->len - from));
	out_bytes(o, "|  ", 3);
	indent(o, handler_number(own, 1, ev));
	out_char(o, '}');
}
