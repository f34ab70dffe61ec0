/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter: zedperl -g, a Perl script that handles every event of a trace, to begin from.
 */
#include "programs/zedperl/starter/starter.h"

#include "base/mem.h"
#include "base/plain.h"
#include "programs/zedperl/starter/starter_names.h"
#include "programs/zedperl/starter/starter_shape.h"
#include "trace/machine.h"

#include <stdlib.h>
#include <string.h>

/* "\t" and WORDS joined by SEP, in lines of at most 90 columns. */
void starter_wrapped(FILE *to, const char *lead, char **words, unsigned n, const char *end)
{
	size_t column = 8 + strlen(lead);
	unsigned i;

	fprintf(to, "\t%s", lead);
	for (i = 0; i < n; i++) {
		size_t len = strlen(words[i]) + 2;

		if (i && column + len > 90) {
			fputs("\n\t\t", to);
			column = 16;
		} else if (i) {
			fputc(' ', to);
		}
		fprintf(to, "%s%s", words[i], i + 1 < n ? "," : "");
		column += len;
	}
	fputs(end, to);
}

/* How a value is printed: arguments of print_fields for field F in variable NAME. */
static char *shown(const struct field *f, const char *name)
{
	char text[5 * NAME_SIZE], label[4 * NAME_SIZE];
	char *p;

	plain_text(label, sizeof(label), f->name);
	for (p = label; *p; p++)
		if (*p == '\'' || (*p == '\\' && (!p[1] || p[1] == '\\')))
			*p = '_';
	if (f->kind == FIELD_BYTES)
		snprintf(text, sizeof(text), "'%s', in_hex($%s)", label, name);
	else
		snprintf(text, sizeof(text), "'%s', $%s", label, name);
	return mem_strdup(text);
}

/* ASCII's, whatever the locale. */
static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Can S stand in qw()? */
static bool is_plain(const char *s)
{
	while (is_alnum(*s) || *s == '_')
		s++;
	return !*s;
}

/* S as a Perl string whose value is its very bytes. */
static char *literal(const char *s)
{
	char *text = mem_zalloc(4 * strlen(s) + 3), *to = text;

	*to++ = '"';
	for (; *s; s++) {
		unsigned char c = *s;

		if (c < 0x20 || c >= 0x7f || strchr("\"\\$@", c))
			to += snprintf(to, 5, "\\x%02x", c);
		else
			*to++ = c;
	}
	*to++ = '"';
	return text;
}

/* What Zed::on gives before the fields: the arguments of every sub; and the variables for them. */
static const char *const TIMES[] = { "common_cpu", "secs", "nsecs", "sequence" };
static const char *const VARIABLES[] = { "cpu", "secs", "nsecs", "sequence" };

#define NTIMES (sizeof(TIMES) / sizeof(TIMES[0]))

/* The names of T's own fields, behind those of TIMES if so asked, as a list from COLUMN on. */
static void field_names(const struct etype *t, bool times, size_t column, FILE *to)
{
	unsigned own = t->nfields - t->ncommon, n = times ? NTIMES : 0, i;
	bool plain = true;

	for (i = t->ncommon; i < t->nfields; i++)
		plain = plain && *t->fields[i].name && is_plain(t->fields[i].name);
	column += fprintf(to, plain ? "qw(" : "(");
	for (i = 0; i < n + own; i++) {
		const char *name = i < n ? TIMES[i] : t->fields[t->ncommon + i - n].name;
		char *word = plain ? mem_strdup(name) : literal(name);
		size_t len = strlen(word) + !plain;

		if (i && column + 1 + len + 3 > 90) {
			fputs("\n\t", to);
			column = 8;
		} else if (i) {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%s%s", word, plain || i + 1 == n + own ? "" : ",");
		column += len;
		free(word);
	}
	fputc(')', to);
}

/* The fields that the handler SUB is written for, by name. */
static void takes(const struct etype *t, const char *sub, FILE *to)
{
	size_t column = fprintf(to, "Zed::takes('%s'", sub);
	bool any = t->nfields > t->ncommon;

	if (any)
		field_names(t, false, column + fprintf(to, ", "), to);
	fputs(");\n", to);
}

/* What a handler does: from its arguments on, to its last line. */
static void body(const struct etype *t, FILE *to)
{
	unsigned own = t->nfields - t->ncommon, n, i;
	char(*names)[NAME_SIZE] = mem_zalloc((4 + own) * sizeof(*names));
	char **words = mem_zalloc((4 + own) * sizeof(*words));
	char var[NAME_SIZE + 1];

	n = starter_variables(t, VARIABLES, NTIMES, names);
	for (i = 0; i < n; i++) {
		snprintf(var, sizeof(var), "$%s", names[i]);
		words[i] = mem_strdup(var);
	}
	starter_wrapped(to, "my (", words, n, ") = @_;\n\n");
	for (i = 0; i < n; i++)
		free(words[i]);
	fputs("\tprint_event($cpu, $secs, $nsecs, $sequence);\n", to);
	if (own) {
		for (i = 0; i < own; i++)
			words[i] = shown(&t->fields[t->ncommon + i], names[4 + i]);
		starter_wrapped(to, "print_fields(", words, own, ");\n");
		for (i = 0; i < own; i++)
			free(words[i]);
	}
	free(words);
	free(names);
}

static void handler(const struct etype *t, const char *sub, FILE *to)
{
	if (starter_has_twins(t))
		fprintf(to, "# %s has two fields of one name: their places tell them\n", sub);
	else
		takes(t, sub, to);
	fprintf(to, "sub %s\n{\n", sub);
	body(t, to);
	fputs("}\n\n", to);
}

/* Is S told to Zed::on as it stands, in quotes: no glob, nothing that ends a name or a string? */
static bool is_quotable(const char *s)
{
	const char *p = s;

	while (*p && (is_alnum(*p) || strchr("_-.+=/@", *p)))
		p++;
	return p > s && !*p;
}

/* A field that would be taken for one of TIMES. */
static bool hides_times(const struct etype *t)
{
	unsigned i, k;

	for (i = t->ncommon; i < t->nfields; i++)
		for (k = 0; k < NTIMES; k++)
			if (!strcmp(t->fields[i].name, TIMES[k]))
				return true;
	return false;
}

/* An event whose sub would be perl's, or a module's. */
static void handler_on(const struct etype *t, const char *sub, FILE *to)
{
	size_t column;

	if (!is_quotable(t->system) || !is_quotable(t->name) || starter_has_twins(t) ||
	    hides_times(t)) {
		fprintf(to, "# %s cannot be a sub: it comes to trace_unhandled\n\n", sub);
		return;
	}
	column = fprintf(to, "Zed::on('%s:%s', args => [", t->system, t->name);
	field_names(t, true, column, to);
	fputs("], sub {\n", to);
	body(t, to);
	fputs("});\n\n", to);
}

static const char HEAD[] =
	"use strict;\n"
	"use warnings;\n"
	"\n"
	"# Before the first event.\n"
	"sub trace_begin\n"
	"{\n"
	"}\n"
	"\n"
	"# After the last one, however the run ended.\n"
	"sub trace_end\n"
	"{\n"
	"}\n"
	"\n"
	"# Events were lost on a CPU; $count is undef where the kernel did not count them.\n"
	"sub trace_lost\n"
	"{\n"
	"\tmy ($cpu, $count) = @_;\n"
	"\n"
	"\tprintf \"lost: cpu %d, %s events\\n\", $cpu, $count // 'some';\n"
	"}\n"
	"\n"
	"sub print_event\n"
	"{\n"
	"\tmy ($cpu, $secs, $nsecs, $sequence) = @_;\n"
	"\n"
	"\t# What else there is of an event: see zedperl help Zed.\n"
	"\tprintf \"%-32s %3d %6u.%09u %8u %7d %s\\n\", Zed::plain(Zed::event()), $cpu,\n"
	"\t\t$secs, $nsecs, $sequence, Zed::pid(), Zed::plain(Zed::comm());\n"
	"\treturn;\n"
	"}\n"
	"\n"
	"sub print_fields\n"
	"{\n"
	"\twhile (my ($name, $value) = splice @_, 0, 2) {\n"
	"\t\tprintf \"\\t%s=%s\\n\", $name, flat($value);\n"
	"\t}\n"
	"\treturn;\n"
	"}\n"
	"\n"
	"# Arrays and structures are references.  Names are anybody's: Zed::plain() keeps them\n"
	"# from steering the terminal.\n"
	"sub flat\n"
	"{\n"
	"\tmy ($value) = @_;\n"
	"\n"
	"\treturn '[' . join(' ', map { flat($_) } @$value) . ']' if ref $value eq 'ARRAY';\n"
	"\treturn '{' . join(' ', map { Zed::plain($_) . '=' . flat($value->{$_}) }\n"
	"\t\tsort keys %$value) . '}'\n"
	"\t\tif ref $value;\n"
	"\treturn defined $value ? Zed::plain($value) : '(none)';\n"
	"}\n"
	"\n"
	"sub in_hex\n"
	"{\n"
	"\tmy ($bytes) = @_;\n"
	"\n"
	"\treturn defined $bytes ? unpack('H*', $bytes) : undef;\n"
	"}\n"
	"\n";

static const char TAKES[] =
	"# Zed::takes(SUB, FIELDS): what the sub was written for.  On a trace of another kernel\n"
	"# it gets these by their names: undef for what is not there, nothing for what is new.\n"
	"\n";

static int by_name(const void *a, const void *b)
{
	const struct etype *x = *(const struct etype *const *)a;
	const struct etype *y = *(const struct etype *const *)b;
	int c = strcmp(x->system, y->system);

	if (!c)
		c = strcmp(x->name, y->name);
	return c ? c : x->idx < y->idx ? -1 : 1;
}

/* For the head of the script: a path may hold anything. */
void starter_comment(FILE *to, const char *s)
{
	char text[4 * NAME_SIZE];

	fputs(plain_text(text, sizeof(text), s), to);
}

/* The line that makes handlers of the subs in packages that no kernel has. */
static void declare(const struct etype **types, unsigned n, const struct starter_shape *shape,
		    FILE *to)
{
	char last[NAME_SIZE] = "";
	struct called c;
	size_t column = 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		starter_called(types[i], &c);
		if (!c.declared || !strcmp(c.package, last))
			continue;
		memcpy(last, c.package, sizeof(last));
		if (!column)
			column = fprintf(to, "%s['%s'", shape->declare, c.package);
		else if (column + strlen(last) + 6 <= 90)
			column += fprintf(to, ", '%s'", last);
		else
			column = 7 + fprintf(to, ",\n\t'%s'", last);
	}
	if (column)
		fprintf(to, "]%s\n\n", shape->declared);
}

static void own_begin(const char *trace, FILE *to)
{
	fputs("#!/usr/bin/env zedperl\n# Made by zedperl -g from ", to);
	starter_comment(to, trace);
	fputs(".  Run: zedperl ", to);
	starter_comment(to, trace);
	fprintf(to, " THIS.pl\n%s", HEAD);
}

static void own_end(FILE *to)
{
	fputs("# Events that have no handler above, such as those of a later trace.\n"
	      "sub trace_unhandled\n{\n"
	      "\tmy ($event, $cpu, $secs, $nsecs, $sequence) = @_;\n\n"
	      "\tprint_event($cpu, $secs, $nsecs, $sequence);\n}\n",
	      to);
}

static const struct starter_shape own_shape = {
	.begin = own_begin,
	.declare = "use Zed handlers => ",
	.declared = ";",
	.sub = handler,
	.on = handler_on,
	.end = own_end,
};

/* The types of C that are of use, by name; *N of them, to be freed. */
static const struct etype **types_of(struct catalog *c, unsigned *n)
{
	unsigned count = catalog_count(c);
	const struct etype **types = mem_zalloc((count + 1) * sizeof(*types));

	*n = 0;
	for (unsigned i = 0; i < count; i++)
		if (catalog_at(c, i)->known && catalog_at(c, i)->demand->asked != WANT_NO)
			types[(*n)++] = catalog_at(c, i);
	qsort(types, *n, sizeof(*types), by_name);
	return types;
}

void starter_write(struct catalog *c, const char *trace, bool perf, struct notes *n, FILE *to)
{
	const struct starter_shape *shape = perf ? &starter_perf : &own_shape;
	char last[2 * NAME_SIZE + 8] = "";
	struct called name;
	unsigned used;
	const struct etype **types = types_of(c, &used);
	struct err e;

	shape->begin(trace, to);
	declare(types, used, shape, to);
	if (!perf)
		fputs(TAKES, to);
	for (unsigned i = 0; i < used; i++) {
		starter_called(types[i], &name);
		/*
		 * Several inputs describe the same events; names that Perl cannot tell apart
		 * share a sub.
		 */
		if (!strcmp(name.sub, last))
			continue;
		memcpy(last, name.sub, sizeof(last));
		if (etype_resolve(c, types[i], &e) < 0 || !types[i]->known) {
			if (types[i]->machine->path)
				err_path(&e, types[i]->machine->path);
			note_err(n, NOTE_DAMAGE, &e);
			fprintf(to, "# %s: its format cannot be read\n\n", name.sub);
			continue;
		}
		(name.on ? shape->on : shape->sub)(types[i], name.sub, to);
	}
	shape->end(to);
	free(types);
}
