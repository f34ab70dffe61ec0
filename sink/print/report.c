// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of trace-cmd report 3.3 and later (format.md 6.2).
 */
#include "sink/print/print_priv.h"
#include "text/engine.h"

#include <stdlib.h>

#define NAME_WIDTH 20

static unsigned cpu_count(const struct source *s)
{
	unsigned cpus = s->cpu_count;

	for (unsigned k = 0; k < s->nstreams && !s->cpu_count; k++)
		if (s->streams[k]->from->cpu >= (int)cpus)
			cpus = s->streams[k]->from->cpu + 1;
	return cpus;
}

/*
 * A "cpus=N" for each file, with the file's label if there are several.  The label is as wide as
 * stock trace-cmd's: which at that point knows the names of all files and of the instances of
 * earlier ones.
 */
static void begin(struct print *p)
{
	const struct run_info *run = p->run;
	size_t width = print_label_width(run);

	for (unsigned i = 0; i < run->nsources; i++) {
		const struct source *s = run->sources[i];
		size_t from = p->out.len;

		if (run->nsources > 1) {
			char *label = print_make_label(print_base_name(s->in.path), width);

			out_str(&p->out, label);
			free(label);
		}
		out_printf(&p->out, "cpus=%u", cpu_count(s));
		print_end(p, from, 0);
		for (unsigned k = 0; k < s->nbuffers; k++) {
			size_t len = strlen(s->buffers[k].name);

			width = len > width ? len : width;
		}
	}
	print_labels(p);
	p->kernel = engine_new(DIALECT_REPORT, p->opts.notes);
}

/* trace-cmd notices a loss only if the page's first record is an event. */
static bool lost_line(struct print *p, const struct event *ev)
{
	size_t from = p->out.len;

	if (!ev->lost || !ev->at_page_start)
		return false;
	print_label(p, ev);
	out_str(&p->out, "CPU:");
	out_u64(&p->out, ev->cpu);
	if (ev->lost == LOST_UNKNOWN) {
		out_str(&p->out, " [EVENTS DROPPED]");
	} else {
		out_str(&p->out, " [");
		out_u64(&p->out, ev->lost);
		out_str(&p->out, " EVENTS DROPPED]");
	}
	print_end(p, from, 0);
	return true;
}

static void lost(struct print *p, const struct event *ev)
{
	leaf_return(p, ev, false, 0);
	lost_line(p, ev);
}

/* `%16s-%-5d [%03d]` */
static void task(struct print *p, const struct event *ev, const char *comm)
{
	struct outbuf *o = &p->out;
	size_t len = strlen(comm), from;

	if (len < 16)
		out_fill(o, ' ', 16 - len);
	out_bytes(o, comm, len);
	out_char(o, '-');
	from = o->len;
	out_i64(o, ev->pid);
	if (o->len - from < 5)
		out_fill(o, ' ', 5 - (o->len - from));
	out_bytes(o, " [", 2);
	out_u64_pad(o, ev->cpu, 3, '0');
	out_char(o, ']');
}

static void time_column(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;
	bool ns;
	uint64_t ts = print_time(p, ev, &ns);

	if (ns) {
		out_char(o, ' ');
		print_seconds(p, ts);
	} else {
		out_u64_pad(o, ts, 12, ' ');
	}
	out_char(o, ':');
}

static void event(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;
	struct machine *m = ev->type->machine;
	const char *name = ev->type->name;
	size_t from = o->len, len, text;
	uint64_t func = 0;
	enum graph graph = engine_graph(p->kernel, ev, &func);

	if (leaf_return(p, ev, graph == GRAPH_EXIT, func))
		return;
	if (lost_line(p, ev))
		from = o->len;
	else
		print_label(p, ev);
	if (!ev->type->known) {
		/*
		 * trace-cmd asks the library for each part of the line, and gets this text for
		 * each.
		 */
		out_str(o, "[UNKNOWN EVENT][UNKNOWN EVENT][UNKNOWN EVENT]");
		name = "(NULL)";
	} else {
		task(p, ev, m ? engine_report_comm(p->kernel, m, ev->pid) : "<...>");
		out_char(o, ' ');
		o->len += engine_flags(p->kernel, ev, out_room(o, FLAGS_MAX));
		time_column(p, ev);
	}
	out_char(o, ' ');
	len = strlen(name);
	if (ev->type->known && !ev->type->format_len) {
		/* Names of stable events and of facilities say little without their system. */
		size_t system = strlen(ev->type->system);

		out_bytes(o, ev->type->system, system);
		out_bytes(o, "::", 2);
		out_bytes(o, name, len);
		len += system + 2;
	} else {
		out_bytes(o, name, len);
	}
	out_bytes(o, ": ", 2);
	if (len < NAME_WIDTH)
		out_fill(o, ' ', NAME_WIDTH - len);
	if (graph == GRAPH_ENTRY && !plain_ascii(o->p + from, o->len - from))
		out_plain_slow(o, from, print_kept(ev->type)); /* or it would move the text */
	text = o->len;
	engine_put(p->kernel, ev, o, false);
	if (!plain_ascii(o->p + from, o->len - from))
		out_plain_slow(o, from, print_kept(ev->type));
	print_limit(p, from, ev);
	out_char(o, '\n');
	if (graph == GRAPH_ENTRY)
		leaf_call(p, ev, func, from, text);
}

const struct print_ops print_report_ops = {
	.begin = begin, .event = event, .lost = lost, .settle = leaf_settle
};
