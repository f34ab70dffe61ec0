// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json: one JSON object a line (RFC 8259) for each event.  Numbers are whole, strings are valid
 * UTF-8 and can be turned back into the bytes of the record.
 */
#include "print/print_priv.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"

#define MAX_NAME 300 /* bytes that are shown of a name; the kernel's are shorter */

/*
 * Bytes that are not UTF-8 become private use characters, U+EF80 for 0x80 to U+EFFF for 0xff.
 * Every JSON reader accepts these (lone surrogates, the alternative, are refused by some and all
 * mapped to one character by others), and real text has no use for them.  If it has one, its three
 * bytes are escaped in the same way.
 */
static bool stands_for_byte(const uint8_t *p, unsigned n)
{
	return n == 3 && p[0] == 0xee && p[1] >= 0xbe;
}

/*
 * The inside of a string.  What plain.h keeps from terminals is escaped as well, so that the object
 * is plain text whatever the string holds.
 */
void print_json_text(struct outbuf *o, const void *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = p + len;

	while (p < end) {
		const uint8_t *run = p;
		unsigned n;

		while (p < end && *p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
			p++;
		out_bytes(o, (const char *)run, p - run);
		if (p == end)
			return;
		n = utf8_len(p, end - p);
		if (*p == '"' || *p == '\\') {
			out_char(o, '\\');
			out_char(o, *p);
		} else if (!n || stands_for_byte(p, n)) {
			out_printf(o, "\\uef%02x", *p);
			n = 1;
		} else if (n < 2) {
			out_printf(o, "\\u%04x", *p);
		} else if (!plain_may(p, n)) {
			/* None of these is beyond U+FFFF. */
			out_printf(o, "\\u%04x",
				   n == 2 ? (p[0] & 0x1f) << 6 | (p[1] & 0x3f) :
					    (p[0] & 0x0f) << 12 | (p[1] & 0x3f) << 6 |
						    (p[2] & 0x3f));
		} else {
			out_bytes(o, (const char *)p, n);
		}
		p += n;
	}
}

static void string(struct outbuf *o, const void *bytes, size_t len)
{
	out_char(o, '"');
	print_json_text(o, bytes, len);
	out_char(o, '"');
}

static void c_string(struct outbuf *o, const char *s)
{
	string(o, s, strlen(s));
}

/* The inside of a string that is a name from the trace: at most MAX_NAME bytes. */
static void name(struct outbuf *o, const char *s)
{
	size_t from = o->len, len = strnlen(s, MAX_NAME);

	for (print_json_text(o, s, len); o->len - from > MAX_NAME; print_json_text(o, s, len)) {
		o->len = from;
		len /= 2;
	}
}

static void name_string(struct outbuf *o, const char *s)
{
	out_char(o, '"');
	name(o, s);
	out_char(o, '"');
}

static void text(struct outbuf *o, const struct span *s)
{
	string(o, s->p, strnlen((const char *)s->p, s->len));
}

static const struct value_style style = {
	.string = text,
	.quote = "\"",
	.between = ",",
	.none = "null",
	.names_quoted = true,
};

/* Instance, file and losses: the members that events and losses have in common. */
static void place(struct print *p, const struct event *ev)
{
	struct outbuf *o = &p->out;

	if (*ev->from->instance) {
		out_str(o, ",\"instance\":");
		name_string(o, ev->from->instance);
	}
	if (p->run->nsources > 1) {
		out_str(o, ",\"file\":");
		c_string(o, ev->from->path);
	}
	if (ev->lost) {
		out_str(o, ",\"lost\":");
		if (ev->lost == LOST_UNKNOWN)
			out_str(o, "null");
		else
			out_u64(o, ev->lost);
	}
}

static void ts(struct print *p, const struct event *ev)
{
	bool ns;

	out_str(&p->out, "{\"ts\":");
	out_u64(&p->out, print_time(p, ev, &ns));
}

/* Losses before an event that the filter rejects: an object without an event. */
static void lost(struct print *p, const struct event *ev)
{
	if (!ev->lost)
		return;
	ts(p, ev);
	out_str(&p->out, ",\"cpu\":");
	out_u64(&p->out, ev->cpu);
	place(p, ev);
	out_str(&p->out, "}\n");
}

static void event(struct print *p, const struct event *ev)
{
	const struct etype *t = ev->type;
	struct outbuf *o = &p->out;
	/* A name and a value may still follow. */
	size_t max = o->len + print_line_max(ev) / 2;
	unsigned i;

	ts(p, ev);
	out_str(o, ",\"event\":\"");
	name(o, t->system);
	out_str(o, "::");
	name(o, t->name);
	out_char(o, '"');
	out_str(o, ",\"cpu\":");
	out_u64(o, ev->cpu);
	out_str(o, ",\"pid\":");
	out_i64(o, ev->pid);
	out_str(o, ",\"comm\":");
	name_string(o, machine_comm(t->machine, ev->pid));
	out_str(o, ",\"seq\":");
	out_u64(o, ev->seq);
	place(p, ev);
	out_str(o, ",\"fields\":{");
	for (i = t->ncommon; i < t->nfields && o->len <= max; i++) {
		if (i > t->ncommon)
			out_char(o, ',');
		name_string(o, t->fields[i].name);
		out_char(o, ':');
		value_print(o, &t->fields[i], ev, &style);
	}
	if (i < t->nfields)
		out_str(o, "},\"cut\":true}\n");
	else
		out_bytes(o, "}}\n", 3);
}

const struct print_ops print_json_ops = { NULL, event, lost, NULL };
