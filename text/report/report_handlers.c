// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The events that trace-cmd report prints in its own form, and the fields that each form needs: an
 * event of another kernel that lacks one is printed by its print format.
 */
#include "text/report/handlers_priv.h"

static const struct {
	const char *system, *name;
	void (*put)(const struct own *own, const struct event *ev, struct outbuf *o, size_t max);
	const char *form; /* own.form */
	unsigned must;	  /* this many of the fields are required */
	/* by name; "$name" is text at a fixed offset, "@name" extends to the record's end */
	const char *fields[OWN_FIELDS];
} HANDLERS[] = {
	/* clang-format off */
	{ "sched", "sched_switch", sched_switch,
	  "{prev_comm}:{prev_pid} [{prev_prio}] {prev_state} {next_comm}:{next_pid} [{next_prio}]",
	  4, { "$prev_comm", "prev_pid", "$next_comm", "next_pid" } },
	{ "sched", "sched_wakeup", sched_wakeup, NULL,
	  3, { "$comm", "pid", "prio", "target_cpu", "success" } },
	{ "sched", "sched_wakeup_new", sched_wakeup, NULL,
	  3, { "$comm", "pid", "prio", "target_cpu", "success" } },
	{ "ftrace", "function", function_call, NULL, 2, { "ip", "parent_ip" } },
	{ "ftrace", "func_repeats", function_repeats, NULL,
	  5, { "ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts" } },
	{ "ftrace", "funcgraph_entry", graph_entry, NULL, 2, { "func", "depth" } },
	{ "ftrace", "funcgraph_exit", graph_exit, NULL,
	  4, { "func", "depth", "calltime", "rettime" } },
	{ "ftrace", "kernel_stack", kernel_stack, NULL, 1, { "@caller" } },
	{ "ftrace", "raw_data", raw_data, NULL, 2, { "id", "@buf" } },
	{ "ftrace", "bprint", printk_binary, NULL, 3, { "ip", "fmt", "@buf" } },
	{ "ftrace", "bputs", printk_string, NULL, 2, { "ip", "str" } },
	{ "timer", "hrtimer_start", hrtimer_start, NULL,
	  4, { "hrtimer", "function", "expires", "softexpires" } },
	{ "timer", "hrtimer_expire_entry", hrtimer_expire, NULL,
	  3, { "hrtimer", "function", "now" } },
	{ "kmem", "kfree", kmem_caller, "", 1, { "call_site" } },
	{ "kmem", "kmalloc", kmem_caller, "", 1, { "call_site" } },
	{ "kmem", "kmalloc_node", kmem_caller, "", 1, { "call_site" } },
	{ "kmem", "kmem_cache_alloc", kmem_caller, "", 1, { "call_site" } },
	{ "kmem", "kmem_cache_alloc_node", kmem_caller, "", 1, { "call_site" } },
	{ "kmem", "kmem_cache_free", kmem_caller, "", 1, { "call_site" } },
	{ "tlb", "tlb_flush", NULL, "pages={pages} reason={reason}", 0, { NULL } },
	{ "syscalls", "sys_enter_futex", futex_enter, NULL,
	  6, { "uaddr", "op", "val", "utime", "uaddr2", "val3" } },
	/* clang-format on */
};

/* Is F what a handler expects of a field of the kind MARK? */
static bool fits(const struct field *f, char mark)
{
	if (mark == '$')
		return f->loc == FIELD_AT && f->kind == FIELD_STR;
	/* Linux 3 has "u32 buf" of size 0 for "u32 buf[]". */
	if (mark == '@')
		return (f->dim || !f->size) && (f->loc == FIELD_AT || f->loc == FIELD_TAIL);
	return f->loc == FIELD_AT && field_is_int(f);
}

bool report_find(const struct etype *type, struct memory *memory, struct own *own)
{
	unsigned i = 0;

	memset(own, 0, sizeof(*own));
	while (i < sizeof(HANDLERS) / sizeof(HANDLERS[0]) &&
	       (strcmp(type->name, HANDLERS[i].name) || strcmp(type->system, HANDLERS[i].system)))
		i++;
	if (i == sizeof(HANDLERS) / sizeof(HANDLERS[0]) || !type->machine)
		return false;
	for (unsigned k = 0; k < OWN_FIELDS && HANDLERS[i].fields[k]; k++) {
		const char *name = HANDLERS[i].fields[k];
		char mark = *name;
		const struct field *f = field_find(type, name + (mark == '$' || mark == '@'));

		/* If it exists it must be of the expected kind. */
		if (f ? !fits(f, mark) : k < HANDLERS[i].must)
			return false;
		own->field[k] = f;
	}
	own->put = HANDLERS[i].put;
	own->form = HANDLERS[i].form;
	own->memory = memory;
	own->graph = own->put == graph_entry ? GRAPH_ENTRY :
		     own->put == graph_exit  ? GRAPH_EXIT :
					       GRAPH_NONE;
	if (HANDLERS[i].put == function_call || HANDLERS[i].put == function_repeats)
		own->calls = memory_calls(memory, type->machine);
	return true;
}
