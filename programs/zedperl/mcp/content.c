// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * content: the content of a result, within its budget.
 */
#include "programs/zedperl/mcp/content.h"

#include "programs/zedperl/explore/explore_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_SHARE 6	/* the text has at most a sixth of the budget */
#define DECORATION 160	/* bytes that a revision of the protocol adds to a result */
#define FRAME 320	/* ... besides all that is counted, these included */
#define NEXT_FRAME 320	/* ... of what says how to continue, besides the arguments */
#define TABLE_LEAST 400 /* ... of a table */
#define TABLE_END 60	/* ... of its end */
#define LINE_BYTES 400	/* of a limit, a note, a message */
#define HEAD_LEAST 500	/* ... of a member of the head, or this part of all: */
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
	outbuf_fini(&t->line);
	outbuf_fini(&t->sums);
}

/* Of all that was given. */
static size_t bytes(const struct content *t)
{
	return t->head.len + t->findings.items.len + t->tables.len + t->limits.items.len +
	       t->notes.items.len + t->messages.items.len;
}

/* At most MOST bytes of TEXT, whole characters. */
static size_t cut_len(const char *text, size_t len, size_t most)
{
	return len <= most ? len : most - utf8_unfinished(text, most);
}

static void put_cut(struct outbuf *o, const char *text, size_t len, size_t most)
{
	out_json(o, text, cut_len(text, len, most));
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
		content_line(t, "limit: %.*s", (int)cut_len(text, len, LINE_BYTES - 10), text);
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

/* ---- tables ---- */

static bool is_asked(const struct content *t, const char *name)
{
	return !t->only || !strcmp(t->only, name);
}

/* The first table gets three fifths of the room, if others may follow it. */
static size_t table_room(const struct content *t, unsigned others)
{
	size_t used = bytes(t) + t->rest + TABLE_END * (others + 1),
	       room = t->most > used ? t->most - used : 0;

	if (t->only || !others)
		return room;
	return t->ntables == 1 && !t->is_even ? room / 5 * 3 : room / (others + 1);
}

/* A table has no room, not even for its columns. */
static void leave_out(struct content *t)
{
	size_t len = strlen(t->left_out);

	snprintf(t->left_out + len, sizeof(t->left_out) - len, "%s%s", len ? ", " : "", t->table);
	if (t->is_cut)
		return;
	t->is_cut = true;
	t->cut_first = 0;
	t->cut_left = UINT64_MAX;
	memcpy(t->cut_table, t->table, sizeof(t->cut_table));
}

bool content_table(struct content *t, const char *name, const char *title, unsigned others,
		   bool sums)
{
	if (!is_asked(t, name))
		return false;
	snprintf(t->table, sizeof(t->table), "%s", name);
	if (t->ntables && table_room(t, others) < TABLE_LEAST) {
		leave_out(t);
		return false;
	}
	t->ntables++;
	t->first = t->only || t->ntables == 1 ? args_number(t->args, ARG_FIRST, 0) : 0;
	t->rows_most = (uint32_t)args_number(t->args, ARG_ROWS, ROWS_USUAL);
	if (!t->only && !t->is_even && t->ntables > 1 && t->rows_most > CONTENT_OTHERS)
		t->rows_most = CONTENT_OTHERS;
	t->at = t->shown = 0;
	t->sums.len = 0;
	t->is_full = t->named_columns = t->ended_columns = false;
	t->expects_sums = sums;
	t->longest = 0;
	t->table_from = t->tables.len;
	t->bytes_most = t->tables.len + table_room(t, others);
	t->bytes_one = t->tables.len + table_room(t, 0);
	out_str(&t->tables, t->ntables > 1 ? ",{\"name\":" : "{\"name\":");
	content_put_text(&t->tables, name, strlen(name));
	if (title) {
		out_str(&t->tables, ",\"title\":");
		content_put_text(&t->tables, title, strlen(title));
	}
	out_str(&t->tables, ",\"columns\":[");
	return true;
}

void content_column(struct content *t, const char *key, const char *head, const char *unit)
{
	out_str(&t->tables, t->named_columns ? ",{\"key\":" : "{\"key\":");
	t->named_columns = true;
	content_put_text(&t->tables, key, strlen(key));
	if (head && strcmp(head, key) != 0) {
		out_str(&t->tables, ",\"head\":");
		content_put_text(&t->tables, head, strlen(head));
	}
	if (unit) {
		out_str(&t->tables, ",\"unit\":");
		content_put_text(&t->tables, unit, strlen(unit));
	}
	out_char(&t->tables, '}');
}

static void end_columns(struct content *t)
{
	if (!t->ended_columns)
		out_printf(&t->tables, "],\"first\":%" PRIu64 ",\"rows\":[", t->first);
	t->ended_columns = true;
}

bool content_row(struct content *t)
{
	end_columns(t);
	if (t->at++ < t->first || t->is_full)
		return false;
	if (t->shown == t->rows_most) {
		t->is_full = true;
		return false;
	}
	t->row_from = t->tables.len;
	t->line.len = 0;
	t->to = &t->tables;
	out_str(&t->tables, t->shown ? ",[" : "[");
	return true;
}

bool content_sums(struct content *t)
{
	end_columns(t);
	t->line.len = t->sums.len = 0;
	t->to = &t->sums;
	out_char(&t->sums, '[');
	return t->tables.len < t->bytes_most;
}

static void begin_cell(struct content *t)
{
	if (t->line.len)
		out_char(t->to, ',');
}

static void in_line(struct content *t, const char *key, const char *value, size_t len)
{
	out_str(&t->line, t->line.len ? ", " : "");
	out_printf(&t->line, "%s %.*s", key, (int)cut_len(value, len, CONTENT_CELL), value);
}

void content_cell(struct content *t, const char *key, const char *json, size_t len)
{
	begin_cell(t);
	out_bytes(t->to, json, len);
	in_line(t, key, json, len);
}

void content_cell_text(struct content *t, const char *key, const char *text, size_t len)
{
	begin_cell(t);
	content_put_text(t->to, text, len);
	in_line(t, key, text, len);
}

void content_row_end(struct content *t)
{
	size_t most;

	out_char(&t->tables, ']');
	if (t->longest < t->tables.len - t->row_from)
		t->longest = t->tables.len - t->row_from;
	/* Sums are as long as a row. */
	most = t->ntables == 1 && !t->shown ? t->bytes_one : t->bytes_most;
	if (t->tables.len + (t->expects_sums ? t->longest : 0) > most) {
		t->tables.len = t->row_from;
		t->is_full = true;
		return;
	}
	t->shown++;
	if (t->ntables == 1 && t->text.len + t->line.len < t->most / TEXT_SHARE) {
		out_bytes(&t->text, t->line.p, t->line.len);
		out_char(&t->text, '\n');
	}
}

void content_table_end(struct content *t, uint64_t left)
{
	uint64_t given = t->first + t->shown;

	end_columns(t);
	if (left != UINT64_MAX)
		left += t->at > given ? t->at - given : 0;
	out_str(&t->tables, "],\"left\":");
	if (left == UINT64_MAX)
		out_str(&t->tables, "null");
	else
		out_printf(&t->tables, "%" PRIu64, left);
	if (t->sums.len > 1 && t->tables.len + t->sums.len <= t->bytes_most) {
		out_str(&t->tables, ",\"all\":");
		out_bytes(&t->tables, t->sums.p, t->sums.len);
		out_char(&t->tables, ']');
	}
	out_char(&t->tables, '}');
	if (t->ntables > 1 && t->tables.len > t->bytes_most + TABLE_END) {
		t->tables.len = t->table_from;
		t->ntables--;
		leave_out(t);
		return;
	}
	if (!left || t->is_cut)
		return;
	t->is_cut = true;
	t->cut_first = given;
	t->fits_no_row = !t->shown;
	t->cut_left = left;
	memcpy(t->cut_table, t->table, sizeof(t->cut_table));
}

/* ---- the end ---- */

/* Why, and with which budget the next call has more. */
static uint64_t say_why(const struct content *t, char *why, size_t size)
{
	char left[40] = "more rows";

	if (t->fits_no_row) {
		snprintf(why, size, "no row of %s fits into chars %zu", t->cut_table, t->most);
		return CHARS_MOST;
	}
	if (*t->left_out) {
		snprintf(why, size,
			 "left out: rows of %s, tables %s; rows and chars raise the "
			 "budget, table chooses one",
			 t->cut_table, t->left_out);
		return 0;
	}
	if (t->cut_left != UINT64_MAX)
		snprintf(left, sizeof(left), "%" PRIu64 " more row%s", t->cut_left,
			 plural(t->cut_left));
	snprintf(why, size,
		 "%s of %s after the first %" PRIu64
		 "; `left` of each table counts its own; rows and chars raise the budget",
		 left, t->cut_table, t->cut_first);
	return 0;
}

static void put_cut_call(struct content *t, struct outbuf *o)
{
	uint64_t chars;
	char why[400];

	if (!t->is_cut) {
		out_str(o, "null");
		return;
	}
	chars = say_why(t, why, sizeof(why));
	out_str(o, "{\"why\":");
	out_json(o, why, strlen(why));
	out_printf(o, ",\"next\":{\"tool\":\"%s\",\"arguments\":", t->tool);
	args_put_next(o, t->args, t->ntables == 1 && !t->only ? NULL : t->cut_table, t->cut_first,
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
