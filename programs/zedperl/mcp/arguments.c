// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arguments: the arguments of tools: their bounds, and their schemas.
 */
#include "programs/zedperl/mcp/arguments.h"

#include "programs/installed.h"
#include "programs/zedperl/explore/analysis_name.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/mcp/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const KINDS[] = { "count", "sum",  "min",	   "max", "avg",
				     "stats", "hist", "quantiles", "top", NULL };

/* ---- the table ---- */

enum arg_type {
	TYPE_TEXT,     /* of at most .most bytes */
	TYPE_WORD,     /* one of .words */
	TYPE_TRACE,    /* the name of a trace */
	TYPE_ANALYSIS, /* ... of an analysis */
	TYPE_NUMBER,   /* whole, from .least to .most */
	TYPE_FLAG,
	TYPE_TEXTS,   /* a list of at most .items texts */
	TYPE_TRACES,  /* ... of names of traces */
	TYPE_OPTIONS, /* an object of at most .items texts, numbers and flags */
};

#define TIME "a time in seconds as answers have it (\"7.426\"), or \"+250ms\" from the first event"

static const struct arg_row {
	const char *name;
	enum arg_type type;
	unsigned items;
	uint64_t least, most;
	const char *const *words;
	const char *about;
} ROWS[ARGS] = {
	[ARG_TRACE] = { "trace", TYPE_TRACE, .most = 4096,
			.about = "which trace; needed if there are several" },
	[ARG_FROM] = { "from", TYPE_TEXT, .most = 64, .about = TIME },
	[ARG_TO] = { "to", TYPE_TEXT, .most = 64, .about = "up to this time" },
	[ARG_AROUND] = { "around", TYPE_TEXT, .most = 64,
			 .about = "TIME,SPAN in place of from and to: \"7.426,1ms\"" },
	[ARG_CPU] = { "cpu", TYPE_TEXT, .most = 200, .about = "only these CPUs: \"0,2-5\"" },
	[ARG_PID] = { "pid", TYPE_TEXT, .most = 200, .about = "only these tasks: \"12,34\"" },
	[ARG_COMM] = { "comm", TYPE_TEXT, .most = 200,
		       .about = "only tasks of these names, with * and ?: \"sh,kworker*\"" },
	[ARG_ANALYSIS] = { "analysis", TYPE_ANALYSIS, .most = 31,
			   .about = "which analysis; summary says which of them suit" },
	[ARG_OPTIONS] = { "options", TYPE_OPTIONS, .items = ARG_PAIRS,
			  .about = "of the analysis: worst (a number), by, kind, unit, weight (a "
				   "word), task; new, strict-loss, legs, wall (true)" },
	[ARG_EVENT] = { "event", TYPE_TEXT, .most = 500,
			.about = "SYSTEM:EVENT, with * and ?, or a stable event such as "
				 "sched:switch; separated by commas" },
	[ARG_FILTER] = { "filter", TYPE_TEXT, .most = 500,
			 .about = "of the events that it names only those that pass: "
				  "\"sched:sched_switch: prev_prio < 100 and next_comm ~ "
				  "\"kw*\"\"" },
	[ARG_FIELDS] = { "fields", TYPE_TEXTS, .most = 100, .items = ARG_ITEMS,
			 .about = "these fields, a column each, in place of the text" },
	[ARG_KIND] = { "kind", TYPE_WORD, .words = KINDS, .about = "what is computed" },
	[ARG_VALUE] = { "value", TYPE_TEXT, .most = 500,
			.about = "the field, or a formula of fields; not for count" },
	[ARG_BY] = { "by", TYPE_TEXTS, .most = 100, .items = ARG_ITEMS,
		     .about = "a row for each value of these: fields, comm, pid, cpu, event, "
			      "ts/50ms, syscall(id)" },
	[ARG_WHERE] = { "where", TYPE_TEXT, .most = 500,
			.about = "a condition on fields: \"prev_state == 0 and prev_prio < 100\"" },
	[ARG_TASK] = { "task", TYPE_TEXT, .most = 63, .about = "a pid, or the name of tasks" },
	[ARG_WHOLE] = { "whole", TYPE_FLAG,
			.about = "not the longest waits, but all of the time from `from` to `to` "
				 "of `task`" },
	[ARG_WORST] = { "worst", TYPE_NUMBER, .least = 1, .most = 100,
			.about = "how many waits are explained (5)" },
	[ARG_A] = { "a", TYPE_TRACES, .most = 4096, .items = ARG_SIDE,
		    .about = "traces of the first side, before" },
	[ARG_B] = { "b", TYPE_TRACES, .most = 4096, .items = ARG_SIDE,
		    .about = "traces of the second side, after" },
	[ARG_A_FROM] = { "a_from", TYPE_TEXT, .most = 64, .about = "only from this time of a on" },
	[ARG_A_TO] = { "a_to", TYPE_TEXT, .most = 64, .about = "... up to this time" },
	[ARG_B_FROM] = { "b_from", TYPE_TEXT, .most = 64, .about = "only from this time of b on" },
	[ARG_B_TO] = { "b_to", TYPE_TEXT, .most = 64, .about = "... up to this time" },
	[ARG_TABLE] = { "table", TYPE_TEXT, .most = 63, .about = "only this table of the answer" },
	[ARG_FIRST] = { "first", TYPE_NUMBER, .most = 100000000,
			.about = "the row to begin with, from 0" },
	[ARG_ROWS] = { "rows", TYPE_NUMBER, .least = 1, .most = ROWS_MOST,
		       .about = "rows of the table, at most (20)" },
	[ARG_CHARS] = { "chars", TYPE_NUMBER, .least = CHARS_LEAST, .most = CHARS_MOST,
			.about = "bytes of the answer, at most (8000)" },
};

/* ---- checking ---- */

static int wrong(const struct arg_row *r, const char *expects, struct err *e)
{
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "invalid %s: expected %s", r->name, expects);
}

/* A number is taken for a text: 7.43 for a time, 131 for a pid. */
static const char *text_of(const struct json_value *v)
{
	return v->kind == JSON_STRING || v->kind == JSON_UINT || v->kind == JSON_NEGATIVE ||
			       v->kind == JSON_REAL ?
		       v->text :
		       NULL;
}

/* Without control characters, which no name or expression needs. */
static bool is_text(const struct json_value *v, uint64_t most)
{
	const char *s = text_of(v);
	size_t len = s ? strlen(s) : 0;

	if (!len || len > most)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			return false;
	return true;
}

static int check_word(const struct arg_row *r, const struct json_value *v, struct err *e)
{
	char list[200] = "";
	size_t len = 0;

	for (unsigned i = 0; r->words[i]; i++) {
		if (v->kind == JSON_STRING && !strcmp(v->text, r->words[i]))
			return 0;
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					r->words[i]);
	}
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "invalid %s: expected one of %s", r->name, list);
}

static int check_list(const struct arg_row *r, const struct json_value *v, struct err *e)
{
	if (v->kind != JSON_ARRAY)
		return is_text(v, r->most) ? 0 : wrong(r, "a list of texts", e);
	if (!v->n || v->n > r->items)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "invalid %s: expected 1 to %u texts",
			       r->name, r->items);
	for (const struct json_value *item = v->first; item; item = item->next)
		if (!is_text(item, r->most))
			return wrong(r, "texts", e);
	return 0;
}

/* What each means is checked with the analysis. */
static int check_options(const struct arg_row *r, const struct json_value *v, struct err *e)
{
	if (v->kind != JSON_OBJECT || v->n > r->items)
		return wrong(r, "an object of at most 8 options", e);
	for (const struct json_value *item = v->first; item; item = item->next)
		if (item->kind != JSON_BOOL && !is_text(item, 63))
			return wrong(r, "options with a text, a number or true", e);
	return 0;
}

static int check_text(const struct arg_row *r, const struct json_value *v, struct err *e)
{
	if (is_text(v, r->most))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "invalid %s: expected a text of 1 to %" PRIu64
		       " bytes without control characters",
		       r->name, r->most);
}

static int check_analysis(const struct arg_row *r, const struct json_value *v, struct err *e)
{
	TRY(check_text(r, v, e));
	if (v->text[strspn(v->text, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return wrong(r, "the name of an analysis", e);
	return analysis_check_name(v->text, e);
}

static int check_number(const struct arg_row *r, const struct json_value *v, struct err *e)
{
	if (v->kind == JSON_UINT && v->number >= r->least && v->number <= r->most)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "invalid %s: expected a number from %" PRIu64 " to %" PRIu64, r->name,
		       r->least, r->most);
}

static int check_value(const struct arg_row *r, const struct json_value *v, struct err *e)
{
	switch (r->type) {
	case TYPE_TEXT:
	case TYPE_TRACE:
		return check_text(r, v, e);
	case TYPE_WORD:
		return check_word(r, v, e);
	case TYPE_ANALYSIS:
		return check_analysis(r, v, e);
	case TYPE_NUMBER:
		return check_number(r, v, e);
	case TYPE_FLAG:
		return v->kind == JSON_BOOL ? 0 : wrong(r, "true or false", e);
	case TYPE_TEXTS:
	case TYPE_TRACES:
		return check_list(r, v, e);
	case TYPE_OPTIONS:
		return check_options(r, v, e);
	}
	return 0;
}

static int say_unknown(const char *name, const char *who, unsigned takes, struct err *e)
{
	char list[400] = "";
	size_t len = 0;

	for (unsigned i = 0; i < ARGS && len < sizeof(list); i++)
		if (takes & 1u << i)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
						len ? ", " : "", ROWS[i].name);
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s takes no argument '%.60s'; it takes %s", who,
		       name, list);
}

int args_take(struct call_args *a, const struct json_value *all, const char *who, unsigned takes,
	      unsigned needs, struct err *e)
{
	*a = (struct call_args){ .all = all };
	for (const struct json_value *v = all ? all->first : NULL; v; v = v->next) {
		unsigned i = 0;

		while (i < ARGS && (!(takes & 1u << i) || strcmp(ROWS[i].name, v->key) != 0))
			i++;
		if (i == ARGS)
			return say_unknown(v->key, who, takes, e);
		/* As programs write what they leave out. */
		if (v->kind == JSON_NULL)
			continue;
		TRY(check_value(&ROWS[i], v, e));
		a->of[i] = v;
	}
	for (unsigned i = 0; i < ARGS; i++)
		if (needs & 1u << i && !a->of[i])
			return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s needs %s: %s", who,
				       ROWS[i].name, ROWS[i].about);
	return 0;
}

/* ---- reading ---- */

const char *args_text(const struct call_args *a, enum arg_id id)
{
	return a->of[id] ? text_of(a->of[id]) : NULL;
}

uint64_t args_number(const struct call_args *a, enum arg_id id, uint64_t otherwise)
{
	return a->of[id] ? a->of[id]->number : otherwise;
}

bool args_flag(const struct call_args *a, enum arg_id id)
{
	return a->of[id] && a->of[id]->number;
}

const char *args_item(const struct call_args *a, enum arg_id id, unsigned i)
{
	const struct json_value *v = a->of[id];

	if (!v || v->kind != JSON_ARRAY)
		return v && !i ? text_of(v) : NULL;
	for (v = v->first; v && i; v = v->next)
		i--;
	return v ? text_of(v) : NULL;
}

/* ---- schemas ---- */

static void put_text(struct outbuf *o, const char *key, const char *text)
{
	out_printf(o, ",\"%s\":", key);
	out_json(o, text, strlen(text));
}

static void put_names(struct outbuf *o, const struct mcp_traces *t)
{
	out_str(o, ",\"enum\":[");
	for (unsigned i = 0; i < t->n; i++) {
		out_str(o, i ? "," : "");
		out_json(o, t->v[i].name, strlen(t->v[i].name));
	}
	out_char(o, ']');
}

static void put_words(struct outbuf *o, const char *const *words)
{
	out_str(o, ",\"enum\":[");
	for (unsigned i = 0; words[i]; i++)
		out_printf(o, "%s\"%s\"", i ? "," : "", words[i]);
	out_char(o, ']');
}

static void put_analysis(const char *name, const char *path, void *arg)
{
	struct outbuf *o = arg;
	struct err e;

	if (analysis_check_name(name, &e) < 0)
		return;
	out_str(o, o->p[o->len - 1] == '[' ? "" : ",");
	out_json(o, name, strlen(name));
}

static void put_items(struct outbuf *o, const struct arg_row *r, const struct mcp_traces *t)
{
	out_printf(o, "\"array\",\"minItems\":1,\"maxItems\":%u,\"items\":{\"type\":\"string\"",
		   r->items);
	if (r->type == TYPE_TRACES)
		put_names(o, t);
	out_char(o, '}');
}

static void put_row(struct outbuf *o, const struct arg_row *r, const struct mcp_traces *t)
{
	out_printf(o, "\"%s\":{\"type\":", r->name);
	switch (r->type) {
	case TYPE_TEXT:
		out_printf(o, "\"string\",\"maxLength\":%" PRIu64, r->most);
		break;
	case TYPE_TRACE:
		out_str(o, "\"string\"");
		put_names(o, t);
		break;
	case TYPE_WORD:
		out_str(o, "\"string\"");
		put_words(o, r->words);
		break;
	case TYPE_ANALYSIS:
		out_str(o, "\"string\",\"enum\":[");
		installed_each(put_analysis, o);
		out_char(o, ']');
		break;
	case TYPE_NUMBER:
		out_printf(o, "\"integer\",\"minimum\":%" PRIu64 ",\"maximum\":%" PRIu64, r->least,
			   r->most);
		break;
	case TYPE_FLAG:
		out_str(o, "\"boolean\"");
		break;
	case TYPE_TEXTS:
	case TYPE_TRACES:
		put_items(o, r, t);
		break;
	case TYPE_OPTIONS:
		out_printf(o, "\"object\",\"maxProperties\":%u", r->items);
		break;
	}
	put_text(o, "description", r->about);
	out_char(o, '}');
}

void args_schema(struct outbuf *o, unsigned takes, unsigned needs, const struct mcp_traces *t)
{
	const char *comma = "";

	if (takes & ARG(TRACE) && t->n > 1)
		needs |= ARG(TRACE);
	out_str(o, "{\"type\":\"object\",\"properties\":{");
	for (unsigned i = 0; i < ARGS; i++) {
		if (!(takes & 1u << i))
			continue;
		out_str(o, comma);
		put_row(o, &ROWS[i], t);
		comma = ",";
	}
	out_str(o, "},\"required\":[");
	comma = "";
	for (unsigned i = 0; i < ARGS; i++) {
		if (!(needs & 1u << i))
			continue;
		out_printf(o, "%s\"%s\"", comma, ROWS[i].name);
		comma = ",";
	}
	out_str(o, "],\"additionalProperties\":false}");
}

/* ---- the next call ---- */

void args_put_next(struct outbuf *o, const struct call_args *a, const char *table, uint64_t first,
		   uint64_t chars)
{
	unsigned changed = ARG(FIRST) | (table ? ARG(TABLE) : 0) | (chars ? ARG(CHARS) : 0);

	out_char(o, '{');
	for (unsigned i = 0; i < ARGS; i++) {
		if (!a->of[i] || changed & 1u << i)
			continue;
		out_printf(o, "\"%s\":", ROWS[i].name);
		message_put(o, a->of[i]);
		out_char(o, ',');
	}
	if (table) {
		out_str(o, "\"table\":");
		out_json(o, table, strlen(table));
		out_char(o, ',');
	}
	if (chars)
		out_printf(o, "\"chars\":%" PRIu64 ",", chars);
	out_printf(o, "\"first\":%" PRIu64 "}", first);
}
