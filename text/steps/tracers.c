// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events that the kernel prints by dedicated functions: those of its tracers (the kernel's
 * trace_output.c), stacks and trace_printk.
 */
#include "text/steps/tracers.h"

#include "trace/field.h"
#include "trace/machine.h"
#include "text/steps/binary.h"

static uint64_t number(const struct own *own, unsigned i, const struct event *ev)
{
	return own->field[i] ? field_scalar(own->field[i], ev) : 0;
}

static struct span bytes(const struct own *own, unsigned i, const struct event *ev)
{
	struct span s = { ev->data, 0 };

	if (own->field[i])
		field_span(own->field[i], ev, &s);
	return s;
}

static void text(struct outbuf *o, struct span s)
{
	out_bytes(o, (const char *)s.p, strnlen((const char *)s.p, s.len));
}

/* The symbol of IP as function tracers show it: without offset, or a number. */
static void put_symbol(struct outbuf *o, struct machine *m, uint64_t ip)
{
	uint64_t start, size;
	const char *name, *module;

	if (!ip) {
		out_char(o, '0');
		return;
	}
	name = machine_kernel_symbol(m, ip, &start, &size, &module);
	if (!name)
		out_printf(o, "0x%08llx", (unsigned long long)ip);
	else if (strstr(name, "rethook_trampoline") || strstr(name, "kretprobe_trampoline"))
		out_str(o, "[unknown/kretprobe'd]");
	else
		out_str(o, name);
}

/* ---- functions ---- */

enum { IP, PARENT };

/*
 * The arguments of a function, in field I, if they were recorded (func-args, since Linux 6.15).
 * There is one per argument register: the kernel looks up the function's actual number of arguments
 * and their names in its BTF.
 */
static bool arguments(const struct own *own, unsigned i, const struct event *ev, struct outbuf *o)
{
	struct machine *m = ev->type->machine;
	struct span s = bytes(own, i, ev);
	unsigned size = m->long_size;

	if (s.len < size)
		return false;
	for (uint32_t at = 0; at + size <= s.len; at += size) {
		out_str(o, at ? ", 0x" : "(0x");
		out_hex(o, field_load(s.p + at, size, m->swap));
	}
	out_char(o, ')');
	return true;
}

static void called_by(const struct own *own, const struct event *ev, struct outbuf *o)
{
	uint64_t parent = number(own, PARENT, ev);

	if (!parent)
		return;
	out_bytes(o, " <-", 3);
	put_symbol(o, ev->type->machine, parent);
}

static void function(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	put_symbol(o, ev->type->machine, number(own, IP, ev));
	arguments(own, 2, ev, o);
	called_by(own, ev, o);
}

static void func_repeats(const struct own *own, const struct event *ev, struct outbuf *o,
			 size_t max)
{
	uint64_t delta = number(own, 3, ev) << 32 | number(own, 4, ev), us;

	put_symbol(o, ev->type->machine, number(own, IP, ev));
	called_by(own, ev, o);
	us = (ev->ts - delta + 500) / 1000;
	out_printf(o, " (repeats: %u, last_ts: %5llu.%06llu)", (unsigned)number(own, 2, ev),
		   (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000));
}

static void graph_entry(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	uint64_t depth = number(own, 1, ev);

	out_str(o, "            |  ");
	out_fill(o, ' ', depth < 64 ? depth * 2 : 128);
	put_symbol(o, ev->type->machine, number(own, 0, ev));
	out_str(o, arguments(own, 2, ev, o) ? " {" : "() {");
}

static void graph_exit(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	uint64_t depth = number(own, 1, ev), ns = number(own, 3, ev) - number(own, 2, ev);
	size_t from = o->len;

	out_printf(o, "%c %llu.%03llu us",
		   ns > 1000000000 ? '$' :
		   ns > 100000000  ? '@' :
		   ns > 10000000   ? '*' :
		   ns > 1000000	   ? '#' :
		   ns > 100000	   ? '!' :
		   ns > 10000	   ? '+' :
				     ' ',
		   (unsigned long long)(ns / 1000), (unsigned long long)(ns % 1000));
	if (o->len - from < 12)
		out_fill(o, ' ', 12 - (o->len - from));
	out_str(o, "|  ");
	out_fill(o, ' ', depth < 64 ? depth * 2 : 128);
	out_char(o, '}');
}

/* ---- stacks ---- */

static void stack(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	struct machine *m = ev->type->machine;
	unsigned size = m->long_size;
	struct span s = bytes(own, 0, ev);
	size_t from = o->len;

	/* Its size is in the record; the format says 8 even if there may be more. */
	if (own->field[0] && own->field[0]->off < ev->size)
		s = (struct span){ ev->data + own->field[0]->off, ev->size - own->field[0]->off };
	out_str(o, "<stack trace>");
	for (unsigned i = 0; i + size <= s.len && o->len - from <= max; i += size) {
		uint64_t ip = field_load(s.p + i, size, m->swap);

		if (ip == UINT64_MAX || (size == 4 && ip == UINT32_MAX))
			break;
		out_str(o, "\n => ");
		/* An entry of ftrace's own code: the kernel marks it with INT_MAX. */
		if (ip == INT32_MAX)
			out_str(o, "[FTRACE TRAMPOLINE]");
		else
			put_symbol(o, m, ip);
	}
}

static void user_stack(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	struct machine *m = ev->type->machine;
	unsigned size = m->long_size;
	struct span s = bytes(own, 0, ev);

	out_str(o, "<user stack trace>");
	for (unsigned i = 0; i + size <= s.len && i < 8 * size; i += size) {
		uint64_t ip = field_load(s.p + i, size, m->swap);

		if (!ip)
			break;
		out_printf(o, size == 8 ? "\n =>  <%016llx>" : "\n =>  <%08llx>",
			   (unsigned long long)ip);
	}
}

/* ---- trace_printk and trace_marker ---- */

static void print(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	put_symbol(o, ev->type->machine, number(own, 0, ev));
	out_bytes(o, ": ", 2);
	text(o, bytes(own, 1, ev));
}

static void bputs(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	struct machine *m = ev->type->machine;
	uint64_t addr = number(own, 1, ev);
	const char *s = machine_printk(m, addr);

	put_symbol(o, m, number(own, 0, ev));
	out_bytes(o, ": ", 2);
	if (s)
		binary_put_escaped(o, s);
	else
		out_printf(o, "(0x%llx)", (unsigned long long)addr);
}

static void bprint(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	struct machine *m = ev->type->machine;
	uint64_t addr = number(own, 1, ev);
	const char *fmt = machine_printk(m, addr);

	put_symbol(o, m, number(own, 0, ev));
	out_bytes(o, ": ", 2);
	if (fmt)
		binary_put(o, m, DIALECT_KERNEL, fmt, bytes(own, 2, ev), o->len, max);
	else
		out_printf(o, "(0x%llx)", (unsigned long long)addr);
}

static void raw_data(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	static const char hex[] = "0123456789abcdef";
	struct span s = bytes(own, 1, ev);

	out_printf(o, "# %x buf:", (unsigned)number(own, 0, ev));
	for (uint32_t i = 0; i < s.len; i++) {
		const char b[3] = { ' ', hex[s.p[i] >> 4], hex[s.p[i] & 15] };

		out_bytes(o, b, 3);
	}
}

/* ---- wakeups, switches, branches ---- */

static char state(uint64_t v)
{
	/* A number, not a mask: the task's single state. */
	return v < 9 ? "RSDTtXZPI"[v] : '?';
}

/* prev_pid, prev_prio, prev_state, next_pid, next_prio, next_state, next_cpu */
static void switched(const struct own *own, const struct event *ev, struct outbuf *o,
		     const char *how)
{
	int pid = (int)number(own, 3, ev);

	out_printf(o, " %7d:%3d:%c %s [%03d] %7d:%3d:%c %s", (int)number(own, 0, ev),
		   (int)number(own, 1, ev), state(number(own, 2, ev)), how, (int)number(own, 6, ev),
		   pid, (int)number(own, 4, ev), state(number(own, 5, ev)),
		   comms_listed_name(ev->type->machine->comms, pid));
}

static void context_switch(const struct own *own, const struct event *ev, struct outbuf *o,
			   size_t max)
{
	switched(own, ev, o, "==>");
}

static void wakeup(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	switched(own, ev, o, "  +");
}

static void branch(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	out_str(o, number(own, 3, ev) ? "[  ok  ] " : "[ MISS ] ");
	text(o, bytes(own, 1, ev));
	out_char(o, ':');
	text(o, bytes(own, 2, ev));
	out_printf(o, ":%u", (unsigned)number(own, 0, ev));
}

/* ---- latencies ---- */

static void hwlat(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	out_printf(o, "#%-5u inner/outer(us): %4llu/%-5llu ts:%lld.%09ld count:%d",
		   (unsigned)number(own, 0, ev), (unsigned long long)number(own, 1, ev),
		   (unsigned long long)number(own, 2, ev), (long long)number(own, 3, ev),
		   (long)number(own, 4, ev), (int)number(own, 5, ev));
	if (number(own, 6, ev))
		out_printf(o, " nmi-count:%u", (unsigned)number(own, 6, ev));
}

static void osnoise(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	uint64_t runtime = number(own, 0, ev), noise = number(own, 1, ev);
	uint64_t ratio = runtime ? (runtime - noise) * 10000000 / runtime : 0;

	out_printf(o, "%llu %10llu %3llu.%05llu %7llu", (unsigned long long)runtime,
		   (unsigned long long)noise, (unsigned long long)(ratio / 100000),
		   (unsigned long long)(ratio % 100000), (unsigned long long)number(own, 2, ev));
	for (unsigned i = 3; i < 8; i++)
		out_printf(o, " %6u", (unsigned)number(own, i, ev));
}

static void timerlat(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	static const char *const contexts[] = { "irq", "thread", "user-ret" };
	uint64_t context = number(own, 1, ev);

	out_printf(o, "#%-5u context %6s timer_latency %9llu ns", (unsigned)number(own, 0, ev),
		   context < 3 ? contexts[context] : "?", (unsigned long long)number(own, 2, ev));
}

/* ---- which is which ---- */

static const struct {
	const char *name;
	void (*put)(const struct own *own, const struct event *ev, struct outbuf *o, size_t max);
	unsigned must; /* this many of the fields are required */
	const char *fields[OWN_FIELDS];
} TRACERS[] = {
	{ "function", function, 2, { "ip", "parent_ip", "args" } },
	{ "func_repeats",
	  func_repeats,
	  5,
	  { "ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts" } },
	{ "funcgraph_entry", graph_entry, 2, { "func", "depth", "args" } },
	{ "funcgraph_exit", graph_exit, 4, { "func", "depth", "calltime", "rettime" } },
	{ "kernel_stack", stack, 1, { "caller" } },
	{ "user_stack", user_stack, 1, { "caller" } },
	{ "print", print, 2, { "ip", "buf" } },
	{ "bputs", bputs, 2, { "ip", "str" } },
	{ "bprint", bprint, 3, { "ip", "fmt", "buf" } },
	{ "raw_data", raw_data, 2, { "id", "buf" } },
	{ "context_switch",
	  context_switch,
	  7,
	  { "prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio", "next_state",
	    "next_cpu" } },
	{ "wakeup",
	  wakeup,
	  7,
	  { "prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio", "next_state",
	    "next_cpu" } },
	{ "branch", branch, 4, { "line", "func", "file", "correct" } },
	{ "hwlat",
	  hwlat,
	  6,
	  { "seqnum", "duration", "outer_duration", "tv_sec", "tv_nsec", "count", "nmi_count" } },
	{ "osnoise",
	  osnoise,
	  8,
	  { "runtime", "noise", "max_sample", "hw_count", "nmi_count", "irq_count", "softirq_count",
	    "thread_count" } },
	{ "timerlat", timerlat, 3, { "seqnum", "context", "timer_latency" } },
};

/* Which fields are bytes; the others must be numbers. */
static bool is_bytes(const char *name)
{
	return !strcmp(name, "buf") || !strcmp(name, "caller") || !strcmp(name, "func") ||
	       !strcmp(name, "file") || !strcmp(name, "args");
}

static bool take_fields(const struct etype *type, struct own *own, const char *const *names,
			unsigned must)
{
	for (unsigned i = 0; i < OWN_FIELDS && names[i]; i++) {
		const struct field *f = field_find(type, names[i]);
		bool number = f && f->loc == FIELD_AT && field_is_int(f) && f->size <= 8;

		if (f && !number && !is_bytes(names[i]))
			f = NULL;
		if (!f && i < must)
			return false;
		own->field[i] = f;
	}
	return true;
}

static bool find_tracer(const struct etype *type, struct own *own)
{
	for (unsigned i = 0; i < sizeof(TRACERS) / sizeof(TRACERS[0]); i++) {
		if (strcmp(type->name, TRACERS[i].name))
			continue;
		own->put = TRACERS[i].put;
		return take_fields(type, own, TRACERS[i].fields, TRACERS[i].must);
	}
	return false;
}

bool own_find(const struct etype *type, struct own *own)
{
	memset(own, 0, sizeof(*own));
	return type->machine && !strcmp(type->system, "ftrace") && find_tracer(type, own);
}
