// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print_report: turns events into the lines that trace-cmd report 3.1.6 prints for them (format.md 6.2).
 */
#include "printsink.h"

#include <stdlib.h>

#define NAME_WIDTH 20

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Labels stand before lines only where there is more than one buffer. */
static void make_labels(struct print *p)
{
	const struct pump *pump = p->pump;
	size_t width = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < pump->nsources; i++)
		n += pump->sources[i]->nbuffers;
	if (pump->nsources < 2 && n < 2)
		return;
	p->labels = mem_zalloc(n * sizeof(*p->labels));
	for (unsigned i = 0; i < pump->nsources; i++) {
		const struct source *s = pump->sources[i];

		for (unsigned k = 0; k < s->nbuffers; k++) {
			const char *label = s->buffers[k].name;

			if (!*label && pump->nsources > 1)
				label = base_name(s->in.path);
			if (strlen(label) > width)
				width = strlen(label);
			p->labels[p->nlabels++] = mem_strdup(label);
		}
	}
	for (unsigned i = 0; i < p->nlabels; i++) {
		char *label = p->labels[i];
		size_t len = strlen(label);

		p->labels[i] = mem_alloc(width + 3);
		memset(p->labels[i], ' ', width + 2);
		memcpy(p->labels[i] + width - len, label, len);
		if (len)
			p->labels[i][width] = ':';
		p->labels[i][width + 2] = '\0';
		free(label);
	}
}

static void begin(struct print *p)
{
	unsigned cpus = 0;

	for (unsigned i = 0; i < p->pump->nsources; i++) {
		const struct source *s = p->pump->sources[i];

		if (s->cpu_count > cpus)
			cpus = s->cpu_count;
		for (unsigned k = 0; k < s->nstreams && !s->cpu_count; k++)
			if (s->streams[k]->from->cpu >= (int)cpus)
				cpus = s->streams[k]->from->cpu + 1;
	}
	make_labels(p);
	out_printf(&p->out, "cpus=%u\n", cpus);
}

static void label(struct print *p, const struct event *ev)
{
	if (ev->from->buffer < p->nlabels)
		out_str(&p->out, p->labels[ev->from->buffer]);
}

/* trace-cmd sees a loss only if the page's first record is an event. */
static bool lost_line(struct print *p, const struct event *ev)
{
	if (!ev->lost || !ev->at_page_start)
		return false;
	label(p, ev);
	out_str(&p->out, "CPU:");
	out_u64(&p->out, ev->cpu);
	if (ev->lost == LOST_UNKNOWN) {
		out_str(&p->out, " [EVENTS DROPPED]\n");
	} else {
		out_str(&p->out, " [");
		out_u64(&p->out, ev->lost);
		out_str(&p->out, " EVENTS DROPPED]\n");
	}
	return true;
}

static void lost(struct print *p, const struct event *ev)
{
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

	if (!ns) {
		out_u64_pad(o, ts, 12, ' ');
	} else if (p->opts.ns) {
		out_char(o, ' ');
		out_u64_pad(o, ts / 1000000000, 5, ' ');
		out_char(o, '.');
		out_u64_pad(o, ts % 1000000000, 9, '0');
	} else {
		ts = (ts + 500) / 1000;
		out_char(o, ' ');
		out_u64_pad(o, ts / 1000000, 5, ' ');
		out_char(o, '.');
		out_u64_pad(o, ts % 1000000, 6, '0');
	}
	out_char(o, ':');
}

static void event(struct print *p, const struct event *ev)
{
	struct text *text = print_text(p);
	struct outbuf *o = &p->out;
	const char *name = ev->type->name, *info;
	size_t len;

	if (!lost_line(p, ev))
		label(p, ev);
	if (!ev->type->known) {
		/* What the library says once for each part of the line. */
		out_str(o, "[UNKNOWN EVENT][UNKNOWN EVENT]");
		if (p->opts.latency)
			out_str(o, "[UNKNOWN EVENT]");
		name = "(NULL)";
	} else {
		task(p, ev, text_comm(text, ev, ev->pid));
		if (p->opts.latency) {
			out_char(o, ' ');
			o->len += text_latency(text, ev, out_room(o, 64), 64);
		}
		time_column(p, ev);
	}
	out_char(o, ' ');
	len = strlen(name);
	out_bytes(o, name, len);
	out_bytes(o, ": ", 2);
	if (len < NAME_WIDTH)
		out_fill(o, ' ', NAME_WIDTH - len);
	info = text_info(text, ev, &len);
	if (len && info[len - 1] == '\n')
		len--;
	out_bytes(o, info, len);
	out_char(o, '\n');
}

const struct print_ops print_report_ops = { begin, event, lost };
