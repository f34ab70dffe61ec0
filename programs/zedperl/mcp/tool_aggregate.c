// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tool_aggregate: aggregate: counts, sums and distributions by keys (Zed::count and its kind).
 */
#include "analysis/aggregate/aggregate.h"
#include "programs/zedperl/mcp/answer_tables.h"
#include "programs/zedperl/mcp/tool.h"

#include <inttypes.h>
#include <string.h>

/*
 * What is run.  It is constant: what a client says are its arguments, which are data.  It prints
 * the rows of the aggregation, with the names of the parts of their keys.
 */
#define KEYS_MOST "20000" /* rows that it prints */
/* clang-format off */
static const char PROGRAM[] =
	"use Zed; use Zed::Table; my ($kind, $event, %o) = splice @ARGV, 0, 2; "
	"while (@ARGV) { my ($k, $v) = splice @ARGV, 0, 2; push @{$o{$k}}, $v } "
	"my @value = @{delete $o{value} // []}; "
	"$o{$_} = $o{$_}[0] for grep { $o{$_} } qw(where limit); "
	"my $all = Zed->can($kind)->($event, @value, %o); "
	"sub lost { my ($n, $places) = $all->lost; "
	"my @parts = $n ? $n . ' event' . ($n == 1 ? '' : 's') : (); "
	"push @parts, \"an unknown number at $places place\" . ($places == 1 ? '' : 's') "
	"if $places; @parts ? join(', and ', @parts) : undef } "
	"sub trace_end { my @rows = $all->rows; "
	"my $left = @rows - " KEYS_MOST "; $left = 0 if $left < 0; $#rows -= $left; "
	"delete $_->{buckets} for $kind eq 'quantiles' ? @rows : (); "
	"print Zed::Table::json({ by => [Zed::Aggregate::_names($all)], rows => \\@rows, "
	"left => $left, fields => $all->{fields} // [], lost => scalar lost(), "
	"ns => $all->_is_time && ($value[0] // '') !~ m{[*/]} ? 1 : 0, "
	"trace => { times => Zed::_counts_ns() ? 'ns' : 'ticks' } }), \"\\n\" }";
/* clang-format on */

/* The columns of a kind after its key; `records` and `buckets` are told apart below. */
static const struct aggregate_kind {
	const char *name;
	const char *columns[8];
	bool is_time[8]; /* in the unit of the value */
} KINDS[] = {
	{ "count", { "count" }, { 0 } },
	{ "sum", { "count", "sum" }, { 0, 1 } },
	{ "min", { "count", "min" }, { 0, 1 } },
	{ "max", { "count", "max" }, { 0, 1 } },
	{ "avg", { "count", "avg" }, { 0, 1 } },
	{ "stats", { "count", "sum", "min", "max", "mean", "stddev" }, { 0, 1, 1, 1, 1, 1 } },
	{ "hist", { "count", "min", "max", "from", "to", "n" }, { 0, 1, 1, 1, 1, 0 } },
	{ "quantiles", { "count", "min", "max", "p50", "p90", "p99" }, { 0, 1, 1, 1, 1, 1 } },
	{ "top", { "value", "at", "on_cpu", "task" }, { 1, 0, 0, 0 } },
	{ NULL, { NULL }, { 0 } },
};

static const struct aggregate_kind *kind_of(const char *name)
{
	const struct aggregate_kind *k = KINDS;

	while (k->name && strcmp(k->name, name) != 0)
		k++;
	return k;
}

/* ---- its words ---- */

/* TEXT as a string of Perl, in which nothing is interpolated. */
static void put_perl(struct outbuf *o, const char *text)
{
	out_char(o, '"');
	for (; *text; text++) {
		if (strchr("\\\"$@", *text))
			out_char(o, '\\');
		out_char(o, *text);
	}
	out_char(o, '"');
}

static void put_perl_list(struct outbuf *o, const char *option, const struct call_args *a,
			  enum arg_id id)
{
	const char *text;

	if (!a->of[id])
		return;
	out_printf(o, ", %s => [", option);
	for (unsigned i = 0; (text = args_item(a, id, i)); i++) {
		out_str(o, i ? ", " : "");
		put_perl(o, text);
	}
	out_char(o, ']');
}

/* Records that top keeps: one more than are shown says that there are more. */
static uint64_t records_of(const struct call_args *a)
{
	uint64_t n = args_number(a, ARG_FIRST, 0) + args_number(a, ARG_ROWS, ROWS_USUAL) + 1;

	return n < AGG_TOP_MAX ? n : AGG_TOP_MAX;
}

static bool is_top(const struct call_args *a)
{
	return !strcmp(args_text(a, ARG_KIND), "top");
}

/* The same as a line of Perl, to be run in a terminal. */
static void show(struct work *w, const struct call_args *a)
{
	const char *value = args_text(a, ARG_VALUE), *where = args_text(a, ARG_WHERE);
	struct outbuf o = { 0 };

	out_printf(&o, "Zed::%s(", args_text(a, ARG_KIND));
	put_perl(&o, args_text(a, ARG_EVENT));
	if (value) {
		out_str(&o, ", ");
		put_perl(&o, value);
	}
	put_perl_list(&o, "by", a, ARG_BY);
	put_perl_list(&o, "fields", a, ARG_FIELDS);
	if (where) {
		out_str(&o, ", where => ");
		put_perl(&o, where);
	}
	if (is_top(a))
		out_printf(&o, ", limit => %" PRIu64, records_of(a));
	out_char(&o, ')');
	plan_begin(w, &w->shown, a);
	analysis_word(&w->shown, "-e");
	analysis_word(&w->shown, "%s", out_end(&o));
	outbuf_fini(&o);
}

static void add_pair(struct analysis_words *words, const char *name, const char *text)
{
	if (!text)
		return;
	analysis_word(words, "%s", name);
	analysis_word(words, "%s", text);
}

static void add_pairs(struct analysis_words *words, const char *name, const struct call_args *a,
		      enum arg_id id)
{
	const char *text;

	for (unsigned i = 0; (text = args_item(a, id, i)); i++)
		add_pair(words, name, text);
}

int aggregate_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		   struct err *e)
{
	struct analysis_words *words = &w->runs[0];
	const char *kind = args_text(a, ARG_KIND);
	bool counts = !strcmp(kind, "count");

	if (counts == (a->of[ARG_VALUE] != NULL))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       counts ? "count takes no value: it counts events" :
					"%s needs value: the field, or the formula, of which it is",
			       kind);
	if (a->of[ARG_FIELDS] && !is_top(a))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "fields are for top: by has the keys");
	TRY(plan_trace(w, a, t, e));
	show(w, a);
	plan_begin(w, words, a);
	analysis_word(words, "-e");
	analysis_word(words, "%s", PROGRAM);
	analysis_word(words, "--");
	analysis_word(words, "%s", kind);
	analysis_word(words, "%s", args_text(a, ARG_EVENT));
	add_pair(words, "value", args_text(a, ARG_VALUE));
	add_pair(words, "where", args_text(a, ARG_WHERE));
	add_pairs(words, "by", a, ARG_BY);
	add_pairs(words, "fields", a, ARG_FIELDS);
	if (is_top(a)) {
		analysis_word(words, "limit");
		analysis_word(words, "%" PRIu64, records_of(a));
	}
	w->nruns = 1;
	return 0;
}

/* ---- its rows ---- */

struct aggregate_table {
	struct content *t;
	const struct aggregate_kind *kind;
	const struct json_value *data, *by, *fields;
};

static const struct json_value *first_of(const struct json_value *list)
{
	return list ? list->first : NULL;
}

/* The unit of values that are times; NULL: they are not. */
static const char *value_unit(const struct aggregate_table *l)
{
	const struct json_value *ns = json_member(l->data, "ns");

	return ns && ns->number ? "ns" : NULL;
}

static void put_columns(const struct aggregate_table *l)
{
	const struct aggregate_kind *k = l->kind;
	const struct json_value *v;

	for (v = first_of(l->by); v; v = v->next)
		content_column(l->t, v->text, NULL, NULL);
	for (unsigned i = 0; k->columns[i]; i++)
		content_column(l->t, k->columns[i], NULL,
			       !strcmp(k->columns[i], "at") ? "s, as text" :
			       k->is_time[i]		    ? value_unit(l) :
							      NULL);
	for (v = first_of(l->fields); v; v = v->next)
		content_column(l->t, v->text, NULL, NULL);
}

static void put_value(const struct aggregate_table *l, const char *key, const struct json_value *v)
{
	if (!v || v->kind == JSON_NULL || v->kind == JSON_ARRAY || v->kind == JSON_OBJECT)
		content_cell(l->t, key, "null", 4);
	else if (v->kind == JSON_STRING)
		content_cell_text(l->t, key, v->text, strlen(v->text));
	else
		content_cell(l->t, key, v->text ? v->text : "null", v->text ? strlen(v->text) : 4);
}

/* The key of ROW; that of what had no room is "(other)". */
static void put_key(const struct aggregate_table *l, const struct json_value *row)
{
	bool is_other = json_member(row, "other");

	for (const struct json_value *v = first_of(l->by); v; v = v->next)
		if (is_other)
			content_cell_text(l->t, v->text, "(other)", 7);
		else
			put_value(l, v->text, json_member(row, v->text));
}

static void put_plain_row(const struct aggregate_table *l, const struct json_value *row)
{
	if (!content_row(l->t))
		return;
	put_key(l, row);
	for (unsigned i = 0; l->kind->columns[i]; i++)
		put_value(l, l->kind->columns[i], json_member(row, l->kind->columns[i]));
	content_row_end(l->t);
}

/* A row for each bucket: [from, to, n]. */
static void put_buckets(const struct aggregate_table *l, const struct json_value *row)
{
	const struct json_value *b = first_of(json_member(row, "buckets"));

	for (; b; b = b->next) {
		const struct json_value *from = b->first, *to = from ? from->next : NULL;

		if (!content_row(l->t))
			continue;
		put_key(l, row);
		for (unsigned i = 0; i < 3; i++)
			put_value(l, l->kind->columns[i], json_member(row, l->kind->columns[i]));
		put_value(l, "from", from);
		put_value(l, "to", to);
		put_value(l, "n", to ? to->next : NULL);
		content_row_end(l->t);
	}
}

/* A row for each record. */
static void put_records(const struct aggregate_table *l, const struct json_value *row)
{
	const struct json_value *r = first_of(json_member(row, "records"));
	struct outbuf at = { 0 };

	for (; r; r = r->next) {
		if (!content_row(l->t))
			continue;
		put_key(l, row);
		put_value(l, "value", json_member(r, "value"));
		at.len = 0;
		answer_put_time(&at, l->data, json_member(r, "ts"));
		content_cell(l->t, "at", at.p, at.len);
		put_value(l, "on_cpu", json_member(r, "cpu"));
		put_value(l, "task", json_member(r, "comm"));
		for (const struct json_value *f = first_of(l->fields); f; f = f->next)
			put_value(l, f->text, json_member(r, f->text));
		content_row_end(l->t);
	}
	outbuf_fini(&at);
}

static void put_limits(struct content *t, const struct json_value *data)
{
	static const char none[] = "no event was counted: messages say why, if the event or a "
				   "field is not in the trace";
	static const char many[] = "only the first " KEYS_MOST " keys are given: choose by where, "
				   "or by fewer parts";
	const struct json_value *rows = json_member(data, "rows"),
				*left = json_member(data, "left");
	const char *lost = json_member_text(data, "lost");
	struct outbuf o = { 0 };

	if (lost) {
		out_printf(&o, "lost meanwhile: %s; counts and sums are lower bounds", lost);
		content_limit(t, o.p, o.len);
		outbuf_fini(&o);
	}
	if (!rows || !rows->n)
		content_limit(t, none, sizeof(none) - 1);
	if (left && left->number)
		content_limit(t, many, sizeof(many) - 1);
}

int aggregate_answer(struct content *t, struct work *w, const struct call_args *a, struct err *e)
{
	struct aggregate_table l = { .t = t, .kind = kind_of(args_text(a, ARG_KIND)) };
	struct arena arena = { .blocks = NULL };
	struct json_value data;
	struct printed p;

	if (t->only && strcmp(t->only, "rows") != 0)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "no table '%s': this answer has rows",
			       t->only);
	TRY(work_json(w, 0, &p, &data, &arena, e));
	l.data = &data;
	l.by = json_member(&data, "by");
	l.fields = json_member(&data, "fields");
	answer_command(t, w);
	answer_status(t, &p);
	put_limits(t, &data);
	content_table_begin(t, "rows", NULL, 0, false);
	put_columns(&l);
	for (const struct json_value *row = first_of(json_member(&data, "rows")); row;
	     row = row->next)
		if (json_member(row, "buckets"))
			put_buckets(&l, row);
		else if (json_member(row, "records"))
			put_records(&l, row);
		else
			put_plain_row(&l, row);
	content_table_end(t, 0);
	return 0;
}
