/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter_all: zedperl -g all, a Perl script with a sub for every event of a trace; and, in another
 * form, zedperl -g --perf.
 */
#include "programs/zedperl/starter/starter_priv.h"

#include "base/mem.h"
#include "programs/zedperl/starter/starter_fields.h"
#include "programs/zedperl/starter/starter_names.h"
#include "trace/machine.h"

#include <stdlib.h>
#include <string.h>

/*
 * The arguments of every sub before the fields, as passed by Zed::on; and the variables for them.
 */
static const char *const TIMES[] = { "common_cpu", "secs", "nsecs", "sequence" };
static const char *const VARIABLES[] = { "cpu", "secs", "nsecs", "sequence" };

#define NTIMES (sizeof(TIMES) / sizeof(TIMES[0]))

/* Declare the fields that the handler SUB is written for, by name. */
static void takes(const struct etype *t, const char *sub, FILE *to)
{
	size_t column = fprintf(to, "Zed::takes('%s'", sub);
	bool any = t->nfields > t->ncommon;

	if (any)
		starter_field_names(t, NULL, 0, column + fprintf(to, ", "), to);
	fputs(");\n", to);
}

/* The body of a handler: from its arguments to its last line. */
static void body(const struct etype *t, FILE *to)
{
	starter_arguments(t, VARIABLES, NTIMES, to);
	fputs("\tprint_event($cpu, $secs, $nsecs, $sequence);\n", to);
	if (t->nfields > t->ncommon)
		starter_show(t, VARIABLES, NTIMES, "print_fields(", false, to);
}

static void handler(const struct etype *t, const char *sub, FILE *to)
{
	if (starter_has_twins(t))
		fprintf(to, "# %s has two fields of the same name: take them by position\n", sub);
	else
		takes(t, sub, to);
	fprintf(to, "sub %s\n{\n", sub);
	body(t, to);
	fputs("}\n\n", to);
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

	if (!starter_is_quotable(t->system) || !starter_is_quotable(t->name) ||
	    starter_has_twins(t) || hides_times(t)) {
		fprintf(to, "# %s cannot be a sub: it comes to trace_unhandled\n\n", sub);
		return;
	}
	column = fprintf(to, "Zed::on('%s:%s', args => [", t->system, t->name);
	starter_field_names(t, TIMES, NTIMES, column, to);
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
	"\n";

static const char TAKES[] =
	"# Zed::takes(SUB, FIELDS): what the sub was written for.  On a trace of another kernel\n"
	"# it gets these by their names: undef for what is not there, nothing for what is new.\n"
	"\n";

void starter_declare(const struct etype **types, unsigned n, const char *before, const char *after,
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
			column = fprintf(to, "%s['%s'", before, c.package);
		else if (column + strlen(last) + 6 <= 90)
			column += fprintf(to, ", '%s'", last);
		else
			column = 7 + fprintf(to, ",\n\t'%s'", last);
	}
	if (column)
		fprintf(to, "]%s\n\n", after);
}

void starter_title(const char *trace, FILE *to)
{
	fputs("#!/usr/bin/env zedperl\n# Made by zedperl -g from ", to);
	starter_comment(to, trace);
	fputs(".  Run: zedperl ", to);
	starter_comment(to, trace);
	fputs(" THIS.pl\n", to);
}

static void own_begin(const char *trace, FILE *to)
{
	starter_title(trace, to);
	fprintf(to, "%s%s%s\n", HEAD, STARTER_FLAT, STARTER_HEX);
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

void starter_all(struct catalog *c, const struct words *w, const char *trace, bool perf,
		 struct notes *n, FILE *to)
{
	const struct starter_shape *shape = perf ? &starter_perf : &own_shape;
	char last[2 * NAME_SIZE + 8] = "";
	struct called name;
	unsigned used;
	const struct etype **types = starter_types(c, w, &used);

	shape->begin(trace, to);
	starter_declare(types, used, shape->declare, shape->declared, to);
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
		if (starter_readable(c, types[i], name.sub, n, to))
			(name.on ? shape->on : shape->sub)(types[i], name.sub, to);
	}
	shape->end(to);
	free(types);
}
