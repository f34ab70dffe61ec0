// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zed: lines "system::event cpu = N, time = S.NS, sequence = N, common_comm = NAME, common_pid = N,
 * field = value,": as the first zedprint printed them, and the task, with every value as it is in
 * the record.
 */
#include "print/print_priv.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"

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

/* Text up to its NUL. */
static void text(struct outbuf *o, const struct span *s)
{
	out_bytes(o, (const char *)s->p, strnlen((const char *)s->p, s->len));
}

static const struct value_style style = {
	.string = text,
	.quote = "",
	.between = ", ",
	.time = " ns",
	.none = "undef",
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
}

/*
 * The task that was running, by the names that filters and scripts have for it: pid and comm are
 * fields of many events.  A name of 15 bytes, the kernel's longest, has no room for
 * ", common_pid = 0,", so where it ends is certain whatever it is.
 */
static void task(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;

	if (ev->pid < 0)
		return;
	out_str(o, " common_comm = ");
	out_str(o, machine_comm(ev->type->machine, ev->pid));
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

static void event(struct print *p, const struct event *ev)
{
	const struct etype *t = ev->type;
	struct outbuf *o = &p->out;
	size_t from, max;

	lost(p, ev);
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
		value_print(o, &t->fields[i], ev, &style);
		out_char(o, ',');
	}
	out_plain(o, from, 0);
	print_limit(p, from, ev);
	out_char(o, '\n');
}

const struct print_ops print_zed_ops = { .event = event, .lost = lost };
