// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * answer_tables: the tables, limits and notes of an analysis' answer as content.
 */
#include "programs/zedperl/mcp/answer_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NSEC ((uint64_t)1000000000)
#define NAMES_SHOWN 300 /* bytes of the names in a message */
#define CLOSER "closer" /* the key of the column of spans */

void answer_words(struct analysis_words *w, const struct call_args *args)
{
	bool all = args_number(args, ARG_FIRST, 0) + args_number(args, ARG_ROWS, ROWS_USUAL) >
		   ANSWER_ROWS;

	analysis_word(w, "--page-data");
	analysis_word(w, "0,%d,tables", all ? ANSWER_ROWS_ALL : ANSWER_ROWS);
}

/* ---- values ---- */

/* Times that are numbers of ticks stay as they are, as texts. */
static bool is_in_ticks(const struct json_value *page)
{
	const char *times = json_member_text(json_member(page, "trace"), "times");

	return times && !strcmp(times, "ticks");
}

static bool is_text(const char *text, const char *a, const char *b)
{
	return text && (!strcmp(text, a) || (b && !strcmp(text, b)));
}

void answer_put_time(struct outbuf *o, const struct json_value *page, const struct json_value *v)
{
	if (!v || (v->kind != JSON_UINT && v->kind != JSON_NEGATIVE && v->kind != JSON_REAL))
		out_str(o, "null");
	else if (v->kind != JSON_UINT || is_in_ticks(page))
		out_printf(o, "\"%s\"", v->text);
	else
		out_printf(o, "\"%" PRIu64 ".%09" PRIu64 "\"", v->number / NSEC, v->number % NSEC);
}

/* The unit of a column's values as they are given here; NULL: none. */
static const char *unit_of(const struct json_value *column)
{
	const char *type = json_member_text(column, "type");

	if (is_text(type, "time", NULL))
		return "s, as text";
	if (is_text(type, "tick", NULL))
		return "ticks, as text";
	if (is_text(type, "share", NULL))
		return "of 1";
	return json_member_text(column, "unit");
}

/* A picture of letters is for people. */
static const char *key_of(const struct json_value *column)
{
	const char *key = json_member_text(column, "key");

	return is_text(key, "bar", NULL) ? NULL : key;
}

/* ... and of a value in a column of several. */
static const char *unit_of_row(const struct json_value *row)
{
	const char *type = json_member_text(row, "$type");

	if (is_text(type, "us", "ms"))
		return "ns";
	if (is_text(type, "share", NULL))
		return "of 1";
	return type && !is_text(type, "number", "int") ? type : "";
}

/* ---- around the tables ---- */

static void put_instant(struct content *t, const char *key, const struct json_value *page)
{
	struct outbuf time = { 0 };

	answer_put_time(&time, page, json_member(page, key));
	if (*time.p == '"')
		content_member(t, key, time.p + 1, time.len - 2);
	outbuf_fini(&time);
}

static void put_traces(struct content *t, const struct work *w)
{
	struct outbuf names = { 0 };

	for (unsigned i = 0; i < w->ntraces; i++) {
		out_str(&names, i ? ", " : "");
		out_str(&names, w->traces[i]->name);
	}
	content_member(t, "trace", names.p, names.len);
	content_line(t, "%s of %.*s", t->tool, (int)(names.len < 200 ? names.len : 200), names.p);
	outbuf_fini(&names);
}

void answer_command(struct content *t, const struct work *w)
{
	static const char changed[] = "the trace has changed since this server was started: "
				      "earlier answers are of what it was then";
	struct outbuf shown = { 0 };

	put_traces(t, w);
	analysis_shown(&w->shown, &shown);
	content_member(t, "command", shown.p, shown.len);
	outbuf_fini(&shown);
	for (unsigned i = 0; i < w->ntraces; i++)
		if (mcptrace_has_changed(w->traces[i]))
			content_limit(t, changed, sizeof(changed) - 1);
}

/* ---- notes ---- */

/* The beginnings of keys of notes that forbid a conclusion, though they are not warnings. */
#define DAMAGED "damaged_"
static const char *const LIMITING[] = { "nothing", "lost_", "same_", DAMAGED };

static bool begins_with(const char *text, const char *begin)
{
	return text && !strncmp(text, begin, strlen(begin));
}

static bool is_limit(const struct json_value *note)
{
	const char *key = json_member_text(note, "key");

	for (size_t i = 0; i < sizeof(LIMITING) / sizeof(*LIMITING); i++)
		if (begins_with(key, LIMITING[i]))
			return true;
	return json_member(note, "level");
}

/* Was one of the traces that a comparison reads damaged?  It ends with status 0. */
static bool says_damage(const struct json_value *page)
{
	const struct json_value *notes = json_member(page, "notes");

	for (const struct json_value *v = notes ? notes->first : NULL; v; v = v->next)
		if (begins_with(json_member_text(v, "key"), DAMAGED))
			return true;
	return false;
}

/* ---- the head ---- */

static void put_status(struct content *t, int status, const struct printed *p)
{
	content_number(t, "status", status);
	content_messages(t, p->said.p ? p->said.p : "", p->said.len);
}

void answer_status(struct content *t, const struct printed *p)
{
	static const char damage[] = "something of the trace was skipped or damaged (exit status "
				     "1): messages say what";

	if (p->status)
		content_limit(t, damage, sizeof(damage) - 1);
	put_status(t, p->status, p);
}

void answer_head(struct content *t, const struct work *w, const struct printed *p,
		 const struct json_value *page)
{
	const char *asked = json_member_text(page, "asked");

	answer_command(t, w);
	if (!p->status && says_damage(page))
		put_status(t, 1, p);
	else
		answer_status(t, p);
	put_instant(t, "start", page);
	put_instant(t, "end", page);
	if (asked)
		content_member(t, "asked", asked, strlen(asked));
}

void answer_notes(struct content *t, const struct json_value *page)
{
	const char *lost = json_member_text(page, "lost_text");
	const struct json_value *notes = json_member(page, "notes");
	struct outbuf text = { 0 };

	if (lost) {
		out_printf(&text, "lost: %s; what they may have hidden is left out", lost);
		content_limit(t, text.p, text.len);
	}
	for (const struct json_value *v = notes ? notes->first : NULL; v; v = v->next) {
		const struct json_value *n = json_member(v, "n");
		const char *say = json_member_text(v, "text");

		if (!say)
			continue;
		text.len = 0;
		if (n && n->text)
			out_printf(&text, "%s ", n->text);
		out_str(&text, say);
		(is_limit(v) ? content_limit : content_note)(t, text.p, text.len);
	}
	outbuf_fini(&text);
}

/* ---- tables ---- */

/* The table that is put. */
struct put_table {
	struct content *t;
	const struct json_value *page, *columns, *rows;
	bool has_span, is_varied;
};

static const struct json_value *first_of(const struct json_value *list)
{
	return list ? list->first : NULL;
}

static bool any_has(const struct json_value *rows, const char *key)
{
	for (const struct json_value *row = first_of(rows); row; row = row->next)
		if (json_member(row, key))
			return true;
	return false;
}

static void put_columns(const struct put_table *p)
{
	for (const struct json_value *c = first_of(p->columns); c; c = c->next) {
		const char *key = key_of(c);

		if (key)
			content_column(p->t, key, json_member_text(c, "head"), unit_of(c));
	}
	if (p->is_varied)
		content_column(p->t, "unit", "unit of the values", NULL);
	if (p->has_span)
		content_column(p->t, CLOSER, "arguments that show it closer", NULL);
}

static void put_cell(const struct put_table *p, const struct json_value *column,
		     const struct json_value *row)
{
	const char *key = key_of(column), *type = json_member_text(column, "type");
	const struct json_value *v = key ? json_member(row, key) : NULL;
	struct outbuf time = { 0 };

	if (!key)
		return;
	if (!v || v->kind == JSON_NULL || v->kind == JSON_ARRAY || v->kind == JSON_OBJECT)
		content_cell(p->t, key, "null", 4);
	else if (v->kind == JSON_STRING)
		content_cell_text(p->t, key, v->text, strlen(v->text));
	else if (v->kind == JSON_BOOL)
		content_cell(p->t, key, v->number ? "true" : "false", v->number ? 4 : 5);
	else if (is_text(type, "time", "tick")) {
		answer_put_time(&time, p->page, v);
		content_cell(p->t, key, time.p, time.len);
		outbuf_fini(&time);
	} else {
		content_cell(p->t, key, v->text, strlen(v->text));
	}
}

/*
 * The arguments of a call that shows ROW closer.  While a task waits, it has no events: what others
 * do on its CPU shows why.
 */
static void put_closer(const struct put_table *p, const struct json_value *row)
{
	const struct json_value *span = json_member(row, "$span"), *v;
	struct outbuf o = { 0 };

	if (!span) {
		content_cell(p->t, CLOSER, "null", 4);
		return;
	}
	out_str(&o, "{\"from\":");
	answer_put_time(&o, p->page, json_member(span, "from"));
	out_str(&o, ",\"to\":");
	answer_put_time(&o, p->page, json_member(span, "to"));
	v = json_member(span, "pid");
	if (v && v->kind == JSON_UINT && !json_member(span, "waits"))
		out_printf(&o, ",\"pid\":\"%s\"", v->text);
	v = json_member(row, "cpu");
	if (v && v->kind == JSON_UINT)
		out_printf(&o, ",\"cpu\":\"%s\"", v->text);
	out_char(&o, '}');
	content_cell(p->t, CLOSER, o.p, o.len);
	outbuf_fini(&o);
}

static void put_cells(const struct put_table *p, const struct json_value *row)
{
	for (const struct json_value *c = first_of(p->columns); c; c = c->next)
		put_cell(p, c, row);
	if (p->is_varied) {
		const char *unit = unit_of_row(row);

		content_cell_text(p->t, "unit", unit, strlen(unit));
	}
	if (p->has_span)
		put_closer(p, row);
}

static unsigned tables_after(const struct json_value *table)
{
	unsigned n = 0;

	for (; table->next; table = table->next)
		n++;
	return n;
}

static void put_table(struct content *t, const struct json_value *page,
		      const struct json_value *table,
		      bool (*leaves_out)(const char *table, const struct json_value *row))
{
	struct put_table p = { .t = t,
			       .page = page,
			       .columns = json_member(table, "columns"),
			       .rows = json_member(table, "rows") };
	const char *name = json_member_text(table, "name");
	const struct json_value *left = json_member(table, "left"),
				*all = json_member(table, "all");

	if (!name || !content_table_begin(t, name, json_member_text(table, "title"),
					  tables_after(table), all != NULL))
		return;
	p.has_span = any_has(p.rows, "$span");
	p.is_varied = any_has(p.rows, "$type");
	put_columns(&p);
	for (const struct json_value *row = first_of(p.rows); row; row = row->next) {
		if ((leaves_out && leaves_out(name, row)) || !content_row(t))
			continue;
		put_cells(&p, row);
		content_row_end(t);
	}
	if (all && content_sums(t))
		put_cells(&p, all);
	content_table_end(t, left && left->kind == JSON_UINT ? left->number : 0);
}

int answer_tables(struct content *t, const struct json_value *page,
		  bool (*leaves_out)(const char *table, const struct json_value *row),
		  struct err *e)
{
	const struct json_value *tables = json_member(page, "tables");
	char names[NAMES_SHOWN] = "";
	size_t len = 0;

	for (const struct json_value *v = first_of(tables); v; v = v->next) {
		const char *name = json_member_text(v, "name");

		put_table(t, page, v, leaves_out);
		if (name && len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
						len ? ", " : "", name);
	}
	if (!t->only || t->ntables)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "no table '%s': this answer has %s", t->only,
		       *names ? names : "none");
}
