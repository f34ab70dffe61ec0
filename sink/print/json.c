// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json: one JSON object a line (RFC 8259) for each event.  Numbers are whole, strings are valid
 * UTF-8 and can be turned back into the bytes of the record.
 */
#include "sink/print/print_priv.h"
#include "trace/chain.h"
#include "trace/chain_frame.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/utf8_text.h"

#define MAX_NAME 300 /* bytes shown of a name; the kernel's are shorter */

/* The names in the objects of a type, escaped once: its own, and those of its fields. */
struct json_names {
	struct span event;   /* ,"event":"SYSTEM::NAME","cpu": */
	struct span field[]; /* "NAME": with a comma before it, except for the first */
};

static void string(struct outbuf *o, const void *bytes, size_t len)
{
	out_char(o, '"');
	utf8_json(o, bytes, len);
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

	for (utf8_json(o, s, len); o->len - from > MAX_NAME; utf8_json(o, s, len)) {
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
	.time = "",
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

/* A copy of O from FROM on. */
static struct span keep(struct print *p, size_t from)
{
	struct outbuf *o = &p->out;
	uint32_t len = o->len - from;
	char *kept = arena_strndup(&p->json_arena, o->p + from, len);

	o->len = from;
	return (struct span){ (const uint8_t *)kept, len };
}

static struct json_names *make_names(struct print *p, const struct etype *t)
{
	unsigned n = t->nfields - t->ncommon;
	struct json_names *names = arena_alloc(&p->json_arena,
					       sizeof(*names) + n * sizeof(names->field[0]));
	struct outbuf *o = &p->out;
	size_t from = o->len;

	out_str(o, ",\"event\":\"");
	name(o, t->system);
	out_str(o, "::");
	name(o, t->name);
	out_str(o, "\",\"cpu\":");
	names->event = keep(p, from);
	for (unsigned i = 0; i < n; i++) {
		if (i)
			out_char(o, ',');
		name_string(o, t->fields[t->ncommon + i].name);
		out_char(o, ':');
		names->field[i] = keep(p, from);
	}
	return names;
}

static const struct json_names *names_of(struct print *p, const struct etype *t)
{
	size_t n = p->njson;

	if (t->idx >= n)
		p->json = mem_grow_zeroed(p->json, &p->njson, (size_t)t->idx + 1, sizeof(*p->json));
	if (!p->json[t->idx])
		p->json[t->idx] = make_names(p, t);
	return p->json[t->idx];
}

static void put_span(struct outbuf *o, const struct span *s)
{
	out_bytes(o, (const char *)s->p, s->len);
}

/*
 * The call chain that came with an event; an event without a kernel format has it among its fields.
 * False: it is too long for the line.
 */
static bool callchain(struct print *p, const struct event *ev, size_t max)
{
	struct outbuf *o = &p->out;
	size_t from;
	uint32_t i;

	if (!ev->nchain || !ev->type->format_len)
		return true;
	out_str(o, ",\"callchain\":[");
	from = o->len;
	for (i = 0; i < ev->nchain && o->len <= max; i++) {
		if (chain_is_mark(ev->chain[i])) {
			i += chain_has_cookie(ev->chain[i]);
			continue;
		}
		if (o->len > from)
			out_char(o, ',');
		out_u64(o, ev->chain[i]);
	}
	out_char(o, ']');
	return i >= ev->nchain;
}

/* --stack: the names of C's addresses, up to MAX bytes of the line. */
static void address_names(struct print *p, const struct event *ev, const struct chain *c,
			  size_t max)
{
	struct outbuf *o = &p->out;
	char text[CHAIN_TEXT_MAX];
	size_t from = o->len;
	bool kernel = false;
	uint64_t address;
	uint32_t i = 0;

	frame_cache_event(&p->frames, ev);
	while (o->len <= max && chain_next(c, &i, &address, &kernel)) {
		struct cached_frame *f = frame_cache_at(&p->frames, address, kernel);

		if (!f->text.len)
			name_string(&f->text, chain_text(&f->frame, address, text, sizeof(text)));
		if (o->len > from)
			out_char(o, ',');
		out_bytes(o, f->text.p, f->text.len);
	}
}

/* --inline: the names of C's frames, or their LINES of the source, null where one is not known. */
static void frames_of(struct print *p, const struct event *ev, const struct chain *c, size_t max,
		      bool lines)
{
	struct chain_walk w = { .ev = ev, .chain = *c };
	struct outbuf *o = &p->out;
	char text[CHAIN_TEXT_MAX];
	size_t from = o->len;
	struct chain_frame f;

	while (o->len <= max && chain_walk_next(&w, &f)) {
		if (o->len > from)
			out_char(o, ',');
		if (!lines)
			name_string(o, chain_text(&f, w.address, text, sizeof(text)));
		else if (f.source)
			name_string(o, chain_source(&f, text, sizeof(text)));
		else
			out_str(o, "null");
	}
}

/*
 * --stack: what is known of a chain; *MAX grows with the addresses that are not in the event's
 * chain.  False: too many for the line.
 */
static bool stack(struct print *p, const struct event *ev, size_t *max)
{
	struct chain chain = { .n = 0 };
	struct outbuf *o = &p->out;

	if (p->opts.stack)
		chain = stack_chain_of(&p->chain, ev);
	if (!chain.n)
		return true;
	*max += LINE_PER_BYTE * 8 * (size_t)(chain.n - ev->nchain);
	out_str(o, ",\"stack\":[");
	if (chain_has_lines(ev)) {
		frames_of(p, ev, &chain, *max, false);
		out_str(o, "],\"lines\":[");
		frames_of(p, ev, &chain, *max, true);
	} else {
		address_names(p, ev, &chain, *max);
	}
	out_char(o, ']');
	return o->len <= *max;
}

/* --names: those that values of EV have.  False: too many for the line. */
static bool value_names(struct print *p, const struct event *ev, size_t max)
{
	const struct etype *t = ev->type;
	const struct type_names *names = p->names ? value_names_of(p->names, t) : NULL;
	struct outbuf *o = &p->out;
	bool any = false;

	for (unsigned i = t->ncommon; names && i < t->nfields && o->len <= max; i++) {
		p->text.len = 0;
		if (!value_name_put(names, i, ev, &p->text))
			continue;
		out_str(o, any ? "," : ",\"names\":{");
		any = true;
		name_string(o, t->fields[i].name);
		out_char(o, ':');
		string(o, p->text.p, p->text.len);
	}
	if (any)
		out_char(o, '}');
	return o->len <= max;
}

static void event(struct print *p, const struct event *ev)
{
	const struct etype *t = ev->type;
	const struct json_names *names = names_of(p, t);
	struct outbuf *o = &p->out;
	/* A name and a value may still follow. */
	size_t max = o->len + print_line_max(ev) / 2;
	unsigned i;

	ts(p, ev);
	put_span(o, &names->event);
	out_u64(o, ev->cpu);
	out_str(o, ",\"pid\":");
	out_i64(o, ev->pid);
	out_str(o, ",\"comm\":");
	name_string(o, comms_name(t->machine->comms, ev->pid));
	out_str(o, ",\"seq\":");
	out_u64(o, ev->seq);
	place(p, ev);
	if (!callchain(p, ev, max) || !stack(p, ev, &max)) {
		out_str(o, ",\"cut\":true}\n");
		return;
	}
	out_str(o, ",\"fields\":{");
	for (i = t->ncommon; i < t->nfields && o->len <= max; i++) {
		put_span(o, &names->field[i - t->ncommon]);
		value_print(o, &t->fields[i], ev, &style);
	}
	out_char(o, '}');
	if (i < t->nfields || !value_names(p, ev, max))
		out_str(o, ",\"cut\":true");
	out_bytes(o, "}\n", 2);
}

const struct print_ops print_json_ops = { .event = event, .lost = lost };
