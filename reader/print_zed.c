// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print_zed: turns events into "system::event cpu = N, time = S.NS, sequence = N, field = value,"
 * lines: the shape of seed 004's zedprint, every value as it is in the record.
 */
#include "printsink.h"
#include "field.h"

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

/* Text up to its NUL; what would break the line is written as \n or \xNN. */
static void text(struct outbuf *o, const struct span *s)
{
	for (uint32_t i = 0; i < s->len && s->p[i]; i++) {
		uint8_t c = s->p[i];

		if (c == '\n')
			out_bytes(o, "\\n", 2);
		else if (c < 0x20 || c == 0x7f)
			out_printf(o, "\\x%02x", c);
		else
			out_char(o, c);
	}
}

static const struct value_style style = {
	.string = text, .quote = "", .between = ", ", .none = "undef",
};

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
	if (*ev->from->instance) {
		out_str(o, " instance = ");
		out_str(o, ev->from->instance);
		out_char(o, ',');
	}
}

static void lost(struct print *p, const struct event *ev)
{
	if (!ev->lost)
		return;
	out_str(&p->out, "lost");
	head(p, ev);
	out_str(&p->out, " count = ");
	if (ev->lost == LOST_UNKNOWN)
		out_str(&p->out, "unknown");
	else
		out_u64(&p->out, ev->lost);
	out_str(&p->out, ",\n");
}

static void event(struct print *p, const struct event *ev)
{
	const struct etype *t = ev->type;
	struct outbuf *o = &p->out;

	lost(p, ev);
	out_str(o, t->system);
	out_bytes(o, "::", 2);
	out_str(o, t->name);
	head(p, ev);
	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		out_char(o, ' ');
		out_str(o, t->fields[i].name);
		out_bytes(o, " = ", 3);
		value_print(o, &t->fields[i], ev, &style);
		out_char(o, ',');
	}
	out_char(o, '\n');
}

const struct print_ops print_zed_ops = { NULL, event, lost };
