// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_row: events of the list, and the one that is looked at.
 */
#include "programs/zedperl/explore/event_row.h"

#include "programs/zedperl/explore/explore_priv.h"
#include "text/field_text.h"
#include "trace/machine.h"

#define LINE_MOST 8192 /* bytes of the text of an event, unless the caller says otherwise */
#define CUT "[CUT]"    /* what a text ends with that is longer */

void event_rows_init(struct event_rows *r, uint64_t base, bool fields)
{
	*r = (struct event_rows){
		.base = base, .fields = fields, .most = LINE_MOST, .names = value_names_new()
	};
}

void event_rows_fini(struct event_rows *r)
{
	value_names_free(r->names);
	outbuf_fini(&r->text);
}

void event_rows_ask(struct event_rows *r, const struct pump *p)
{
	if (r->asked)
		return;
	r->asked = true;
	for (unsigned i = 0; i < p->nsources; i++)
		comms_want(p->sources[i]->machine.comms);
}

/* T from FROM on as a JSON string, plain. */
static void put_plain(struct outbuf *o, struct outbuf *t, size_t from)
{
	out_plain(t, from, 0);
	out_json(o, t->p + from, t->len - from);
}

void out_json_name(struct outbuf *o, const char *text)
{
	struct outbuf t = { .len = 0 };

	out_bytes(&t, text, strnlen(text, SHOWN_NAME));
	put_plain(o, &t, 0);
	outbuf_fini(&t);
}

/* What is longer than a line may be is cut. */
static void cut(const struct event_rows *r, struct outbuf *text)
{
	if (text->len <= r->most)
		return;
	text->len = r->most - strlen(CUT);
	out_str(text, CUT);
}

/* The fields as they are in a line of zedprint, without the last comma. */
static void put_line(struct event_rows *r, struct outbuf *o, const struct event *ev,
		     const struct type_names *names)
{
	const struct etype *t = ev->type;
	struct outbuf *line = &r->text;

	line->len = 0;
	for (unsigned i = t->ncommon; i < t->nfields && line->len <= r->most; i++) {
		out_str(line, i > t->ncommon ? ", " : "");
		out_str(line, t->fields[i].name);
		out_str(line, " = ");
		field_text(line, names, i, ev);
	}
	cut(r, line);
	put_plain(o, line, 0);
}

static void put_fields(struct event_rows *r, struct outbuf *o, const struct event *ev,
		       const struct type_names *names)
{
	const struct etype *t = ev->type;
	size_t from = o->len;

	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		out_str(o, i > t->ncommon ? ",[" : "[");
		if (o->len - from > r->most) {
			out_str(o, "\"\",\"" CUT "\"]");
			break;
		}
		out_json_name(o, t->fields[i].name);
		out_char(o, ',');
		r->text.len = 0;
		field_text(&r->text, names, i, ev);
		cut(r, &r->text);
		put_plain(o, &r->text, 0);
		out_char(o, ']');
	}
}

static void put_task(struct outbuf *o, const struct event *ev)
{
	out_str(o, ",\"pid\":");
	if (ev->pid < 0)
		out_str(o, "null,\"comm\":\"\"");
	else {
		out_i64(o, ev->pid);
		out_str(o, ",\"comm\":");
		out_json_name(o, comms_name(ev->type->machine->comms, ev->pid));
	}
}

void event_row_name(struct event_rows *r, struct outbuf *o, const struct etype *t)
{
	struct outbuf *name = &r->text;

	name->len = 0;
	out_bytes(name, t->system, strnlen(t->system, SHOWN_NAME));
	out_char(name, ':');
	out_bytes(name, t->name, strnlen(t->name, SHOWN_NAME));
	put_plain(o, name, 0);
}

static void put_place(struct outbuf *o, const struct event *ev)
{
	if (*ev->from->instance) {
		out_str(o, ",\"instance\":");
		out_json_name(o, ev->from->instance);
	}
	if (ev->lost == LOST_UNKNOWN)
		out_str(o, ",\"lost\":null");
	else if (ev->lost)
		out_printf(o, ",\"lost\":%u", ev->lost);
}

void event_row_line(struct event_rows *r, struct outbuf *o, const struct event *ev)
{
	put_line(r, o, ev, value_names_of(r->names, ev->type));
}

void event_row_field(struct event_rows *r, struct outbuf *o, const struct event *ev,
		     const char *name)
{
	const struct etype *t = ev->type;
	unsigned i = 0;

	while (i < t->nfields && strcmp(t->fields[i].name, name) != 0)
		i++;
	if (i == t->nfields) {
		out_str(o, "null");
		return;
	}
	r->text.len = 0;
	field_text(&r->text, value_names_of(r->names, t), i, ev);
	cut(r, &r->text);
	put_plain(o, &r->text, 0);
}

void event_row(struct event_rows *r, struct outbuf *o, const struct event *ev, uint64_t row)
{
	const struct type_names *names = value_names_of(r->names, ev->type);

	out_str(o, "{\"row\":");
	out_u64(o, row);
	out_str(o, ",\"at\":");
	out_i64(o, (int64_t)(ev->ts - r->base));
	out_str(o, ",\"cpu\":");
	out_i64(o, ev->cpu);
	out_str(o, ",\"source\":");
	out_u64(o, ev->from->source);
	put_task(o, ev);
	out_str(o, ",\"name\":");
	event_row_name(r, o, ev->type);
	put_place(o, ev);
	out_str(o, ",\"text\":");
	put_line(r, o, ev, names);
	if (r->fields) {
		out_str(o, ",\"fields\":[");
		put_fields(r, o, ev, names);
		out_char(o, ']');
	}
	out_char(o, '}');
}
