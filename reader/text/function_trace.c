// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * function_trace: prints the records of the function and function_graph tracers as trace-cmd does.
 */
#include "reader/text/function_trace.h"

#include "base/mem.h"

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include <stdlib.h>
#include <string.h>

#define MAX_INDENT 64 /* levels of function_graph that are shown */
/* levels of nested functions; a kernel stack has room for fewer */
#define MAX_NEST 512
#define MAX_CPUS 8192 /* the kernel's greatest NR_CPUS; functions of others stay flat */

/* The functions of a CPU from the outermost inwards, each a hash of its name. */
struct functrace_cpu {
	uint64_t *names;
	size_t cap;
	unsigned n;
};

void functrace_fini(struct functrace *ft)
{
	for (unsigned i = 0; i < ft->ncpus; i++)
		free(ft->cpus[i].names);
	free(ft->cpus);
}

/* ---- function graph: entries and exits, each a line of its own ---- */

static void graph_indent(struct trace_seq *s, struct tep_event *event, struct tep_record *record)
{
	unsigned long long depth = 0;

	tep_get_field_val(NULL, event, "depth", record, &depth, 0);
	for (unsigned i = 0; i < depth && i < MAX_INDENT; i++)
		trace_seq_puts(s, "  ");
}

static int graph_entry(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		       void *context)
{
	unsigned long long func;
	const char *name;

	if (tep_get_field_val(NULL, event, "func", record, &func, 0))
		return 1;
	trace_seq_puts(s, "             |  ");
	graph_indent(s, event, record);
	name = tep_find_function(event->tep, func);
	if (name)
		trace_seq_printf(s, "%s() {", name);
	else
		trace_seq_printf(s, "%llx() {", func);
	return 0;
}

static int graph_exit(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		      void *context)
{
	unsigned long long call, ret, ns;
	int len;

	if (tep_get_field_val(NULL, event, "calltime", record, &call, 0) ||
	    tep_get_field_val(NULL, event, "rettime", record, &ret, 0))
		return 1;
	ns = ret - call;
	trace_seq_puts(s, ns > 1000000000 ? "$ " :
			  ns > 1000000	  ? "# " :
			  ns > 100000	  ? "! " :
			  ns > 10000	  ? "+ " :
					    "  ");
	len = trace_seq_printf(s, "%llu.%03llu us ", ns / 1000, ns % 1000);
	for (; len < 11; len++)
		trace_seq_putc(s, ' ');
	trace_seq_puts(s, "|  ");
	graph_indent(s, event, record);
	trace_seq_putc(s, '}');
	return 0;
}

void functrace_register(struct tep_handle *tep)
{
	tep_register_event_handler(tep, -1, "ftrace", "funcgraph_entry", graph_entry, NULL);
	tep_register_event_handler(tep, -1, "ftrace", "funcgraph_exit", graph_exit, NULL);
}

/* ---- function: indented by the calls seen so far ---- */

/* FNV-1a. */
static uint64_t hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return h;
}

static void put(struct functrace_cpu *c, unsigned pos, const char *name)
{
	if (!name || pos > c->n || pos >= MAX_NEST)
		return;
	c->names = mem_grow(c->names, &c->cap, pos + 1, sizeof(*c->names));
	c->names[pos] = hash(name);
	if (pos == c->n)
		c->n++;
}

/*
 * Depth of PARENT on CPU, which now calls FUNC: where it was last seen, else 0.  FUNC is noted one
 * level below.  Deeper levels are kept, as the plugin keeps them.
 */
static unsigned nest(struct functrace *ft, int cpu, const char *parent, const char *func)
{
	struct functrace_cpu *c;
	uint64_t h = hash(parent);

	if (cpu < 0 || cpu >= MAX_CPUS)
		return 0;
	if ((unsigned)cpu >= ft->ncpus) {
		ft->cpus = mem_realloc(ft->cpus, (cpu + 1) * sizeof(*ft->cpus));
		memset(ft->cpus + ft->ncpus, 0, (cpu + 1 - ft->ncpus) * sizeof(*ft->cpus));
		ft->ncpus = cpu + 1;
	}
	c = &ft->cpus[cpu];
	for (unsigned i = 0; i < c->n; i++) {
		if (c->names[i] == h) {
			put(c, i + 1, func);
			return i;
		}
	}
	put(c, 0, parent);
	put(c, 1, func);
	return 0;
}

static int function(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		    void *context)
{
	unsigned long long ip, caller;
	const char *func, *parent;
	unsigned depth = 0;

	if (tep_get_field_val(s, event, "ip", record, &ip, 1))
		return trace_seq_putc(s, '!');
	func = tep_find_function(event->tep, ip);
	if (tep_get_field_val(s, event, "parent_ip", record, &caller, 1))
		return trace_seq_putc(s, '!');
	parent = tep_find_function(event->tep, caller);
	if (parent)
		depth = nest(context, record->cpu, parent, func);
	trace_seq_printf(s, "%*s", (int)depth * 3, "");
	if (func)
		trace_seq_puts(s, func);
	else
		trace_seq_printf(s, "0x%llx", ip);
	return 0;
}

static int func_repeats(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
			void *context)
{
	unsigned long long count, top, bottom;
	struct tep_record last = *record;

	function(s, record, event, context);
	if (tep_get_field_val(s, event, "count", record, &count, 1) ||
	    tep_get_field_val(s, event, "top_delta_ts", record, &top, 1) ||
	    tep_get_field_val(s, event, "bottom_delta_ts", record, &bottom, 1))
		return trace_seq_putc(s, '!');
	last.ts -= top << 32 | bottom;
	trace_seq_printf(s, " (count: %lld  last_ts: ", count);
	tep_print_event(event->tep, s, &last, "%6.1000d", TEP_PRINT_TIME);
	trace_seq_puts(s, ")");
	return 0;
}

void functrace_take(struct functrace *ft, struct tep_event *event)
{
	if (!event->handler || strcmp(event->system, "ftrace"))
		return;
	if (!strcmp(event->name, "function"))
		event->handler = function;
	else if (!strcmp(event->name, "func_repeats"))
		event->handler = func_repeats;
	else
		return;
	event->context = ft;
}
