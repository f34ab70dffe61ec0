// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * content: the content of a result: what is around its tables, and the budget of all.
 */
#include "programs/zedperl/mcp/content.h"

#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/mcp/content_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DECORATION 160 /* bytes that a revision of the protocol adds to a result */
#define FRAME 320      /* ... besides all that is counted, these included */
#define NEXT_FRAME 320 /* ... of what says how to continue, besides the arguments */
#define LINE_BYTES 400 /* of a limit, a note, a message */
#define HEAD_LEAST 500 /* ... of a member of the head, or this part of all: */
#define HEAD_SHARE 6

/* clang-format off */
#define TEXT "{\"type\":\"string\"}"
#define TEXTS "{\"type\":\"array\",\"items\":" TEXT
const char CONTENT_SCHEMA[] =
	"{\"type\":\"object\",\"properties\":{\"trace\":" TEXT ","
	"\"command\":{\"type\":\"string\",\"description\":\"gives the same numbers\"},"
	"\"status\":{\"type\":\"integer\",\"description\":\"of it; 1: something was skipped\"},"
	"\"start\":" TEXT ",\"end\":" TEXT ",\"asked\":" TEXT ","
	"\"limits\":" TEXTS ",\"description\":\"what changes how the answer has to be read\"},"
	"\"notes\":" TEXTS "},\"messages\":" TEXTS "},"
	"\"findings\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
	"\"text\":" TEXT ","
	"\"closer\":{\"type\":\"object\",\"description\":\"the call that shows it closer\"}},"
	"\"required\":[\"text\"]}},"
	"\"tables\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
	"\"name\":" TEXT ",\"title\":" TEXT ","
	"\"columns\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
	"\"key\":" TEXT ",\"head\":" TEXT ",\"unit\":" TEXT "},\"required\":[\"key\"]}},"
	"\"first\":{\"type\":\"integer\"},"
	"\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"array\"}},"
	"\"all\":{\"type\":\"array\",\"description\":\"the row of sums\"},"
	"\"left\":{\"type\":[\"integer\",\"null\"],"
	"\"description\":\"rows after these; null: some, how many is not known\"}},"
	"\"required\":[\"name\",\"columns\",\"first\",\"rows\",\"left\"]}},"
	"\"cut\":{\"type\":[\"object\",\"null\"],\"properties\":{\"why\":" TEXT ","
	"\"next\":{\"type\":\"object\",\"description\":\"the call with the rows that follow\"}},"
	"\"required\":[\"why\",\"next\"]}},"
	"\"required\":[\"trace\",\"command\",\"limits\",\"tables\",\"cut\"]}";
/* clang-format on */

void content_init(struct content *t, const char *tool, const struct call_args *args)
{
	struct outbuf next = { 0 };

	*t = (struct content){ .tool = tool, .args = args };
	t->most = (size_t)args_number(args, ARG_CHARS, CHARS_USUAL);
	t->only = args_text(args, ARG_TABLE);
	t->limits.most = t->most / 5;
	t->findings.most = t->most / 6;
	t->notes.most = t->messages.most = t->most / 10;
	args_put_next(&next, args, "", UINT32_MAX, CHARS_MOST);
	t->rest = FRAME + NEXT_FRAME + next.len + t->most / TEXT_SHARE;
	outbuf_fini(&next);
}

void content_fini(struct content *t)
{
	outbuf_fini(&t->head);
	outbuf_fini(&t->findings.items);
	outbuf_fini(&t->tables);
	outbuf_fini(&t->limits.items);
	outbuf_fini(&t->notes.items);
	outbuf_fini(&t->messages.items);
	outbuf_fini(&t->text);
	outbuf_fini(&t->now.line);
	outbuf_fini(&t->now.sums);
}

/* Of all that was given. */
size_t content_bytes(const struct content *t)
{
	return t->head.len + t->findings.items.len + t->tables.len + t->limits.items.len +
	       t->notes.items.len + t->messages.items.len;
}

/* At most MOST bytes of TEXT, whole characters. */
size_t content_cut_len(const char *text, size_t len, size_t most)
{
	return len <= most ? len : most - utf8_unfinished(text, most);
}

static void put_cut(struct outbuf *o, const char *text, size_t len, size_t most)
{
	out_json(o, text, content_cut_len(text, len, most));
	if (len <= most)
		return;
	o->len--;
	out_str(o, "[CUT]\"");
}

void content_put_text(struct outbuf *o, const char *text, size_t len)
{
	put_cut(o, text, len, CONTENT_CELL);
}

/* ---- around the tables ---- */

void content_member(struct content *t, const char *key, const char *text, size_t len)
{
	size_t most = t->most / HEAD_SHARE;

	out_printf(&t->head, "\"%s\":", key);
	put_cut(&t->head, text, len, most < HEAD_LEAST ? HEAD_LEAST : most);
	out_char(&t->head, ',');
}

void content_number(struct content *t, const char *key, int64_t n)
{
	out_printf(&t->head, "\"%s\":%" PRId64 ",", key, n);
}

void content_line(struct content *t, const char *fmt, ...)
{
	char text[LINE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	out_str(&t->text, text);
	out_char(&t->text, '\n');
}

/* The items of L end at FROM if what follows does not fit. */
static bool keep_line(struct content_lines *l, size_t from)
{
	if (l->n < CONTENT_LINES && l->items.len <= l->most) {
		l->n++;
		return true;
	}
	l->items.len = from;
	l->is_full = true;
	return false;
}

static bool add_line(struct content_lines *l, const char *text, size_t len)
{
	size_t from = l->items.len;

	if (!len || l->is_full)
		return false;
	out_str(&l->items, from ? "," : "");
	put_cut(&l->items, text, len, LINE_BYTES);
	if (keep_line(l, from))
		return true;
	out_str(&l->items, from ? "," : "");
	out_str(&l->items, "\"... more are left out\"");
	return false;
}

void content_limit(struct content *t, const char *text, size_t len)
{
	if (add_line(&t->limits, text, len))
		content_line(t, "limit: %.*s", (int)content_cut_len(text, len, LINE_BYTES - 10),
			     text);
}

void content_note(struct content *t, const char *text, size_t len)
{
	add_line(&t->notes, text, len);
}

void content_messages(struct content *t, const char *lines, size_t len)
{
	while (len) {
		const char *end = memchr(lines, '\n', len);
		size_t n = end ? (size_t)(end - lines) : len;

		add_line(&t->messages, lines, n);
		n += end != NULL;
		lines += n;
		len -= n;
	}
}

void content_finding(struct content *t, const char *text, const char *closer)
{
	static const char more[] = "more sticks out than there is room for: raise chars";
	struct content_lines *l = &t->findings;
	size_t from = l->items.len;

	if (l->is_full)
		return;
	out_str(&l->items, from ? ",{\"text\":" : "{\"text\":");
	put_cut(&l->items, text, strlen(text), LINE_BYTES);
	if (closer)
		out_printf(&l->items, ",\"closer\":%s", closer);
	out_char(&l->items, '}');
	if (keep_line(l, from))
		content_line(t, "%s", text);
	else
		content_note(t, more, sizeof(more) - 1);
}

/* ---- the end ---- */

/* Why, and with which budget the next call has more. */
static uint64_t say_why(const struct content *t, char *why, size_t size)
{
	char left[40] = "more rows";

	if (t->cut.fits_no_row) {
		snprintf(why, size, "no row of %s fits into chars %zu", t->cut.table, t->most);
		return CHARS_MOST;
	}
	if (*t->cut.left_out) {
		snprintf(why, size,
			 "left out: rows of %s, tables %s; rows and chars raise the "
			 "budget, table chooses one",
			 t->cut.table, t->cut.left_out);
		return 0;
	}
	if (t->cut.left != UINT64_MAX)
		snprintf(left, sizeof(left), "%" PRIu64 " more row%s", t->cut.left,
			 plural(t->cut.left));
	snprintf(why, size,
		 "%s of %s after the first %" PRIu64
		 "; `left` of each table counts its own; rows and chars raise the budget",
		 left, t->cut.table, t->cut.first);
	return 0;
}

static void put_cut_call(struct content *t, struct outbuf *o)
{
	uint64_t chars;
	char why[400];

	if (!t->cut.any) {
		out_str(o, "null");
		return;
	}
	chars = say_why(t, why, sizeof(why));
	out_str(o, "{\"why\":");
	out_json(o, why, strlen(why));
	out_printf(o, ",\"next\":{\"tool\":\"%s\",\"arguments\":", t->tool);
	args_put_next(o, t->args, t->ntables == 1 && !t->only ? NULL : t->cut.table, t->cut.first,
		      chars);
	out_str(o, "}}");
	content_line(t, "cut: %s", why);
}

static void put_array(struct outbuf *o, const char *key, const struct outbuf *items)
{
	out_printf(o, "\"%s\":[", key);
	out_bytes(o, items->p, items->len);
	out_str(o, "],");
}

static void put_lists(struct content *t, struct outbuf *o)
{
	put_array(o, "limits", &t->limits.items);
	if (t->notes.n)
		put_array(o, "notes", &t->notes.items);
	if (t->messages.n)
		put_array(o, "messages", &t->messages.items);
	if (t->findings.n)
		put_array(o, "findings", &t->findings.items);
	put_array(o, "tables", &t->tables);
}

/* As much of the text as there is room for, in whole lines. */
static void put_text(struct content *t, struct outbuf *o, size_t most)
{
	size_t from = o->len;

	out_end(&t->text);
	while (true) {
		o->len = from;
		out_json(o, t->text.p, t->text.len);
		if (o->len - from <= most || !t->text.len)
			return;
		do
			t->text.len--;
		while (t->text.len && t->text.p[t->text.len - 1] != '\n');
	}
}

int content_end(struct content *t, struct outbuf *o, struct err *e)
{
	size_t from = o->len, used;
	struct outbuf all = { 0 };

	out_char(&all, '{');
	out_bytes(&all, t->head.p, t->head.len);
	put_lists(t, &all);
	out_str(&all, "\"cut\":");
	put_cut_call(t, &all);
	out_char(&all, '}');
	out_str(o, "\"content\":[{\"type\":\"text\",\"text\":");
	used = all.len + DECORATION + 60;
	put_text(t, o, t->most > used ? t->most - used : 0);
	out_str(o, "}],\"structuredContent\":");
	out_bytes(o, all.p, all.len);
	outbuf_fini(&all);
	used = o->len - from + DECORATION;
	if (used <= t->most)
		return 0;
	o->len = from;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "the answer does not fit into chars %zu even without rows: it takes %zu",
		       t->most, used);
}
