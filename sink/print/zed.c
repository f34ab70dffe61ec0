// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zed: lines "system::event cpu = N, time = S.NS, sequence = N, common_comm = NAME, common_pid = N,
 * field = value,": as the first zedprint printed them, and the task.  A value is as it is in the
 * record, or by its name, if it has one.  With colour, everything but the values is coloured, piece
 * by piece.
 */
#include "sink/print/print_priv.h"
#include "text/field_text.h"
#include "trace/machine.h"

/* Select Graphic Rendition (ECMA-48): names of events and of fields, losses; and an end to it. */
#define SGR_EVENT "\033[1;33m"
#define SGR_NAME "\033[36m"
#define SGR_LOST "\033[1;31m"
#define SGR_END "\033[m"

static void time_of(struct print *p, const struct event *ev)
{
	bool ns;
	uint64_t ts = print_time(p, ev, &ns);

	if (!ns) {
		out_u64(&p->out, ts);
		return;
	}
	out_u64(&p->out, ts / 1000000000);
	out_char(&p->out, '.');
	out_u64_pad(&p->out, ts % 1000000000, 9, '0');
}

static void head(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;

	out_str(o, " cpu = ");
	out_u64(o, ev->cpu);
	out_str(o, ", time = ");
	time_of(p, ev);
	out_str(o, ", sequence = ");
	out_u64(o, ev->seq);
	out_char(o, ',');
}

/*
 * The task that was running, by the names that filters and scripts use: pid and comm are fields of
 * many events.  A name of 15 bytes, the kernel's longest, has no room for ", common_pid = 0,", so
 * its end is unambiguous whatever it contains.
 */
static void task(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;

	if (ev->pid < 0)
		return;
	out_str(o, " common_comm = ");
	out_str(o, comms_name(ev->type->machine->comms, ev->pid));
	out_str(o, ", common_pid = ");
	out_u64(o, ev->pid);
	out_char(o, ',');
}

static void instance(struct print *p, const struct event *ev)
{
	if (!*ev->from->instance)
		return;
	out_str(&p->out, " instance = ");
	out_str(&p->out, ev->from->instance);
	out_char(&p->out, ',');
}

static void lost(struct print *p, const struct event *ev)
{
	size_t from = p->out.len;

	if (!ev->lost)
		return;
	out_str(&p->out, "lost");
	head(p, ev);
	instance(p, ev);
	out_str(&p->out, " count = ");
	if (ev->lost == LOST_UNKNOWN)
		out_str(&p->out, "unknown");
	else
		out_u64(&p->out, ev->lost);
	out_char(&p->out, ',');
	print_end(p, from, 0);
}

/* The names of EV's values; NULL: they are printed bare. */
static const struct type_names *names_of(struct print *p, const struct event *ev)
{
	return p->names ? value_names_of(p->names, ev->type) : NULL;
}

/* NAME in the colour SGR, made plain: it may come from the file.  Returns the bytes of colour. */
static size_t painted(struct outbuf *o, const char *sgr, const char *name, const char *more)
{
	size_t from;

	out_str(o, sgr);
	from = o->len;
	out_str(o, name);
	out_str(o, more);
	out_plain(o, from, 0);
	out_str(o, SGR_END);
	return strlen(sgr) + strlen(SGR_END);
}

/* " NAME = " of a value that comes next. */
static size_t painted_name(struct outbuf *o, const char *name)
{
	size_t paint;

	out_char(o, ' ');
	paint = painted(o, SGR_NAME, name, "");
	out_str(o, " = ");
	return paint;
}

/* What was written from FROM on is a value. */
static void end_value(struct outbuf *o, size_t from)
{
	out_plain(o, from, 0);
	out_char(o, ',');
}

static size_t painted_text(struct outbuf *o, const char *name, const char *value)
{
	size_t paint = painted_name(o, name), from = o->len;

	out_str(o, value);
	end_value(o, from);
	return paint;
}

static size_t painted_number(struct outbuf *o, const char *name, uint64_t value)
{
	size_t paint = painted_name(o, name);

	out_u64(o, value);
	out_char(o, ',');
	return paint;
}

static size_t painted_head(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;
	size_t paint = painted_number(o, "cpu", ev->cpu);

	paint += painted_name(o, "time");
	time_of(p, ev);
	out_char(o, ',');
	return paint + painted_number(o, "sequence", ev->seq);
}

static size_t painted_instance(struct print *p, const struct event *ev)
{
	return *ev->from->instance ? painted_text(&p->out, "instance", ev->from->instance) : 0;
}

static void painted_lost(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;

	if (!ev->lost)
		return;
	painted(o, SGR_LOST, "lost", "");
	painted_head(p, ev);
	painted_instance(p, ev);
	if (ev->lost == LOST_UNKNOWN)
		painted_text(o, "count", "unknown");
	else
		painted_number(o, "count", ev->lost);
	out_char(o, '\n');
}

/* The line in colour.  False: it is too long, and nothing was written. */
static bool painted_event(struct print *p, const struct event *ev)
{
	const struct type_names *names = names_of(p, ev);
	const struct etype *t = ev->type;
	struct outbuf *o = &p->out;
	size_t at = o->len, max = print_line_max(ev), paint, from;

	paint = painted(o, SGR_EVENT, t->system, "::");
	paint += painted(o, SGR_EVENT, t->name, "");
	paint += painted_head(p, ev);
	if (ev->pid >= 0) {
		paint += painted_text(o, "common_comm", comms_name(t->machine->comms, ev->pid));
		paint += painted_number(o, "common_pid", ev->pid);
	}
	paint += painted_instance(p, ev);
	for (unsigned i = t->ncommon; i < t->nfields && o->len - at - paint < max; i++) {
		paint += painted_name(o, t->fields[i].name);
		from = o->len;
		field_text(o, names, i, ev);
		end_value(o, from);
	}
	if (o->len - at - paint >= max) {
		o->len = at;
		return false;
	}
	out_char(o, '\n');
	return true;
}

static void event(struct print *p, const struct event *ev)
{
	const struct type_names *names = names_of(p, ev);
	const struct etype *t = ev->type;
	struct outbuf *o = &p->out;
	size_t from, max;

	if (p->opts.color)
		painted_lost(p, ev);
	else
		lost(p, ev);
	/* A line that has to be cut is printed without colours. */
	if (p->opts.color && painted_event(p, ev))
		return;
	from = o->len;
	out_str(o, t->system);
	out_bytes(o, "::", 2);
	out_str(o, t->name);
	head(p, ev);
	task(p, ev);
	instance(p, ev);
	max = from + print_line_max(ev);
	for (unsigned i = t->ncommon; i < t->nfields && o->len <= max; i++) {
		const char *name = t->fields[i].name;
		size_t len = strlen(name);
		char *to = out_room(o, len + 4);

		*to++ = ' ';
		to = mempcpy(to, name, len);
		mempcpy(to, " = ", 3);
		o->len += len + 4;
		field_text(o, names, i, ev);
		out_char(o, ',');
	}
	out_plain(o, from, 0);
	print_limit(p, from, ev);
	out_char(o, '\n');
}

static void lost_alone(struct print *p, const struct event *ev)
{
	if (p->opts.color)
		painted_lost(p, ev);
	else
		lost(p, ev);
}

const struct print_ops print_zed_ops = { .event = event, .lost = lost_alone };
