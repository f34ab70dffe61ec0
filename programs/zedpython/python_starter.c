// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * python_starter: zedpython -g, a Python script with a count and a function for each of some
 * events.  Names of a trace that are none in Python stay out of the code.
 */
#include "programs/zedpython/python_starter.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "programs/event_counts.h"
#include "programs/script/starter_keys.h"
#include "trace/field.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 100	/* of a line */
#define FIELDS_MOST 200 /* parameters of a function */

static const char ABOUT[] =
	"# For each event: a count, made without a call of Python and printed at the end, and a\n"
	"# function, which gets the fields by name, on any kernel.  Either takes a condition,\n"
	"# such as where=\"cpu == 0\" (zedperl help python).\n"
	"\n"
	"import zed\n"
	"\n"
	"\n"
	"# The time, the CPU, the task that ran, the event and its fields, in one line.\n"
	"def show(ev, **fields):\n"
	"    values = \"\".join(f\" {k}={zed.plain(str(v))}\" for k, v in fields.items())\n"
	"    when = f\"{ev.ts // 10**9:6}.{ev.ts % 10**9:09} {ev.cpu:3}\"\n"
	"    print(f\"{when} {zed.plain(ev.comm):15} {ev.pid:7} {zed.plain(ev.name)}{values}\")\n";

/* What cannot be a parameter: the words of the language, and what the script itself calls so. */
static bool is_word(const char *name)
{
	static const char *const words[] = {
		"False",  "None",    "True",	 "and",	 "as",	   "assert", "async",  "await",
		"break",  "class",   "continue", "def",	 "del",	   "elif",   "else",   "ev",
		"except", "finally", "for",	 "from", "global", "if",     "import", "in",
		"is",	  "lambda",  "nonlocal", "not",	 "or",	   "pass",   "raise",  "return",
		"show",	  "try",     "while",	 "with", "yield",  "zed",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

static bool is_name(const char *name)
{
	return *name && !ascii_digit(*name) && starter_is_plain(name) && !is_word(name);
}

/* Is field I of T one that a parameter can name?  Of two with one name the first. */
static bool is_parameter(const struct etype *t, unsigned i)
{
	if (!is_name(t->fields[i].name))
		return false;
	for (unsigned k = t->ncommon; k < i; k++)
		if (!strcmp(t->fields[k].name, t->fields[i].name))
			return false;
	return true;
}

/* The names of T's parameters; *N of them, to be freed. */
static const char **parameters(const struct etype *t, unsigned *n)
{
	unsigned end = t->nfields - t->ncommon > FIELDS_MOST ? t->ncommon + FIELDS_MOST :
							       t->nfields;
	const char **names = mem_zalloc((t->nfields + 1) * sizeof(*names));

	*n = 0;
	for (unsigned i = t->ncommon; i < end; i++)
		if (is_parameter(t, i))
			names[(*n)++] = t->fields[i].name;
	return names;
}

/* HEAD, the names after it, TAIL; further lines begin with INDENT blanks.  TWICE: "NAME=NAME". */
static void put_names(const char *head, const char *const *names, unsigned n, bool twice,
		      size_t indent, const char *tail, FILE *to)
{
	size_t column = strlen(head);

	fputs(head, to);
	for (unsigned i = 0; i < n; i++) {
		size_t len = strlen(names[i]) * (1 + twice) + twice + 3;

		if (column + len > WIDTH) {
			fprintf(to, ",\n%*s", (int)indent, "");
			column = indent;
		} else {
			fputs(", ", to);
		}
		column += len - 1;
		fprintf(to, twice ? "%s=%s" : "%s", names[i], names[i]);
	}
	fputs(tail, to);
}

static void count(const struct etype *t, FILE *to)
{
	const struct field *quantity = starter_quantity(t);
	const char *key = starter_key(t);

	fprintf(to, "zed.count(\"%s:%s\"", t->system, t->name);
	if (key)
		fprintf(to, ", by=\"%s\"", key);
	fputs(")\n", to);
	if (quantity)
		fprintf(to, "zed.hist(\"%s:%s\", \"%s\")\n", t->system, t->name, quantity->name);
}

static void handler(const struct etype *t, FILE *to)
{
	unsigned n;
	const char **names = parameters(t, &n);
	char head[300];

	fputs("\n\n", to);
	count(t, to);
	fprintf(to, "\n\n@zed.on(\"%s:%s\")\n", t->system, t->name);
	snprintf(head, sizeof(head), "def on_%.250s(ev", t->name);
	for (char *p = head + strlen("def "); *p != '('; p++)
		*p = ascii_word(*p) ? *p : '_';
	put_names(head, names, n, false, 8, "):\n", to);
	put_names("    show(ev", names, n, true, 9, ")\n", to);
	free(names);
}

static void script(struct cli *c, const struct starter_events *s)
{
	char name[600];

	fputs(ABOUT, stdout);
	for (unsigned i = 0; i < s->n; i++) {
		const struct etype *t = s->v[i];

		snprintf(name, sizeof(name), "%s:%s", t->system, t->name);
		if (!t->stable &&
		    !starter_readable(c->run.pump.catalog, t, name, &c->run.notes, stdout))
			continue;
		if (starter_is_quotable(t->system) && starter_is_quotable(t->name)) {
			handler(t, stdout);
			continue;
		}
		fputs("\n\n# zed.on cannot take the name ", stdout);
		starter_comment(stdout, name);
		fputs("\n", stdout);
	}
}

static void title(const char *trace)
{
	fputs("#!/usr/bin/env zedpython\n# Made by zedpython -g from ", stdout);
	starter_comment(stdout, trace);
	fputs(".  Run: zedpython ", stdout);
	starter_comment(stdout, trace);
	fputs(" THIS.py\n", stdout);
}

/* All types, each once. */
static void all_events(struct starter_events *s, struct catalog *c)
{
	unsigned ntypes;
	const struct etype **types = starter_types(c, NULL, &ntypes);

	*s = (struct starter_events){ .v = types };
	for (unsigned i = 0; i < ntypes; i++)
		if (!s->n || etype_compare(s->v[s->n - 1], types[i]))
			s->v[s->n++] = types[i];
}

int python_starter_write(struct cli *c, struct starter_ask *a)
{
	const char *trace = c->words.inputs.v[0];
	struct event_counts k = { 0 };
	const struct words *words;
	struct starter_events s;
	int status = CLI_OK;

	if (!starter_bind(a, c, &words))
		return CLI_USAGE;
	title(trace);
	if (a->all || words)
		puts("");
	if (a->all) {
		all_events(&s, c->run.pump.catalog);
	} else if (words) {
		starter_events_named(&s, c->run.pump.catalog, words);
	} else {
		status = count_events(c, &k);
		starter_events_few(&s, c->run.pump.catalog, k.v, k.n, "zedpython", trace, stdout);
	}
	script(c, &s);
	starter_events_fini(&s);
	free(k.v);
	status = status == CLI_OK && (c->run.failed || c->run.notes.damage) ? CLI_DAMAGE : status;
	return cli_end_output(c, status);
}
