// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of tracefs's `trace` file, with its header: `cat trace` of the buffer that was
 * recorded, and with the latency column as the kernel's option latency-format shows it.
 */
#include "sink/print/print_priv.h"
#include "trace/machine.h"
#include "text/engine.h"

#include <inttypes.h>
#include <stdlib.h>

static const char HEADER[] = "# tracer: nop\n"
			     "#\n"
			     "#                                _-----=> irqs-off/BH-disabled\n"
			     "#                               / _----=> need-resched\n"
			     "#                              | / _---=> hardirq/softirq\n"
			     "#                              || / _--=> preempt-depth\n"
			     "#                              ||| / _-=> migrate-disable\n"
			     "#                              |||| /     delay\n"
			     "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
			     "#              | |         |   |||||     |         |\n";

static const char LATENCY_HEADER[] = "#                    _------=> CPU#            \n"
				     "#                   / _-----=> irqs-off/BH-disabled\n"
				     "#                  | / _----=> need-resched    \n"
				     "#                  || / _---=> hardirq/softirq \n"
				     "#                  ||| / _--=> preempt-depth   \n"
				     "#                  |||| / _-=> migrate-disable \n"
				     "#                  ||||| /     delay           \n"
				     "#  cmd     pid     |||||| time  |   caller     \n"
				     "#     \\   /        ||||||  \\    |    /       \n";

/* With several buffers, each line names its own. */
static void begin(struct print *p)
{
	print_labels(p);
	p->kernel = engine_new(DIALECT_KERNEL, p->opts.notes);
	if (p->opts.latency) {
		out_str(&p->out, "# tracer: nop\n#\n");
		out_str(&p->out, LATENCY_HEADER);
	} else {
		out_str(&p->out, HEADER);
	}
}

static void lost_line(struct print *p, const struct event *ev)
{
	size_t from = p->out.len;

	if (!ev->lost)
		return;
	print_label(p, ev);
	out_str(&p->out, "CPU:");
	out_u64(&p->out, ev->cpu);
	out_str(&p->out, " [LOST ");
	if (ev->lost != LOST_UNKNOWN) {
		out_u64(&p->out, ev->lost);
		out_char(&p->out, ' ');
	}
	out_str(&p->out, "EVENTS]");
	print_end(p, from, 0);
}

/* NAME, at most MOST bytes, right-aligned in WIDTH columns, and the pid. */
static void task(struct outbuf *o, const char *name, size_t width, size_t most, int32_t pid)
{
	size_t len = strnlen(name, most), from;

	if (len < width)
		out_fill(o, ' ', width - len);
	out_bytes(o, name, len);
	out_char(o, '-');
	from = o->len;
	out_i64(o, pid);
	if (o->len - from < 7)
		out_fill(o, ' ', 7 - (o->len - from));
	out_char(o, ' ');
}

static void time_column(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;
	bool ns;
	uint64_t ts = print_time(p, ev, &ns);

	out_char(o, ' ');
	if (ns)
		print_seconds(p, ts);
	else
		out_u64_pad(o, ts, 12, ' ');
	out_bytes(o, ": ", 2);
}

/* The time to the next event, which is known when that comes. */
static char delay(uint64_t ns)
{
	static const struct {
		uint64_t ns;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		      { 1000000, '#' },	   { 100000, '!' },    { 10000, '+' } };

	/* The kernel compares whole microseconds. */
	ns = (ns + 500) / 1000 * 1000;
	for (unsigned i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (ns > marks[i].ns)
			return marks[i].mark;
	return ' ';
}

/* Write the previous event's line with its mark. */
static void release(struct print *p, uint64_t ts)
{
	if (!p->held.len)
		return;
	if (p->held_ns)
		p->held.p[p->held_mark] = delay(ts > p->held_ts ? ts - p->held_ts : 0);
	out_bytes(&p->out, p->held.p, p->held.len);
	p->held.len = 0;
}

static void latency_time(struct print *p, const struct event *ev, size_t from)
{
	struct outbuf *o = &p->out;
	bool ns;
	uint64_t ts;

	if (!p->started_at)
		p->started_at = ev->ts;
	ts = print_time(p, ev, &ns);
	p->held_ns = ns;
	p->held_ts = ev->ts;
	out_char(o, ' ');
	if (!ns) {
		out_u64_pad(o, ts, 4, ' ');
		out_bytes(o, ": ", 2);
		return;
	}
	out_u64_pad(o, (ev->ts - p->started_at + 500) / 1000, 4, ' ');
	out_str(o, "us ");
	p->held_mark = o->len - 1 - from;
	out_bytes(o, ": ", 2);
}

static void event(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;
	struct machine *m = ev->type->machine;
	const char *comm = m ? comms_recorded_name(m->comms, ev->pid) : "<...>";
	size_t from;

	if (p->opts.latency)
		release(p, ev->ts);
	lost_line(p, ev);
	from = o->len;
	print_label(p, ev);
	if (p->opts.latency) {
		task(o, comm, 8, 8, ev->pid);
		out_u64_pad(o, ev->cpu, 3, ' ');
	} else {
		task(o, comm, 16, SIZE_MAX, ev->pid);
		out_char(o, '[');
		out_u64_pad(o, ev->cpu, 3, '0');
		out_bytes(o, "] ", 2);
	}
	o->len += engine_flags(p->kernel, ev, out_room(o, FLAGS_MAX));
	if (p->opts.latency)
		latency_time(p, ev, from);
	else
		time_column(p, ev);
	engine_put(p->kernel, ev, o, true);
	if (!plain_ascii(o->p + from, o->len - from))
		out_plain_slow(o, from, print_kept(ev->type));
	print_limit(p, from, ev);
	out_char(o, '\n');
	if (p->opts.latency) {
		out_bytes(&p->held, o->p + from, o->len - from);
		o->len = from;
	}
}

static void lost(struct print *p, const struct event *ev)
{
	if (p->opts.latency)
		release(p, ev->ts);
	lost_line(p, ev);
}

static void end(struct print *p)
{
	release(p, p->held_ts);
}

const struct print_ops print_kernel_ops = {
	.begin = begin, .event = event, .lost = lost, .end = end
};
