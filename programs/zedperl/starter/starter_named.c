/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter_named: zedperl -g EVENT, a Perl script that declares what it needs of the named events: a
 * count, and a handler that gets the fields by name.
 */
#include "programs/zedperl/starter/starter_priv.h"

#include "base/mem.h"
#include "programs/zedperl/starter/starter_fields.h"
#include "programs/zedperl/starter/starter_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one event ---- */

/* Can the script name T, and its fields, as Zed::on takes them? */
static bool by_name(const struct etype *t)
{
	return starter_is_quotable(t->system) && starter_is_quotable(t->name) &&
	       !starter_has_twins(t);
}

static void handler_by_name(const struct etype *t, FILE *to)
{
	bool own = t->nfields > t->ncommon;
	size_t column;

	fprintf(to, "# %s:%s\n", t->system, t->name);
	starter_aggregate(t, to);
	column = fprintf(to, "Zed::on('%s:%s', ", t->system, t->name);
	if (own) {
		column += fprintf(to, "args => [");
		starter_field_names(t, NULL, 0, column, to);
		fputs("], ", to);
	}
	fputs("sub {\n", to);
	starter_arguments(t, NULL, 0, to);
	if (own)
		starter_show(t, NULL, 0, "print_event(", true, to);
	else
		fputs("\tprint_event();\n", to);
	fputs("});\n\n", to);
}

/*
 * By position: the only way to read several fields of one name, and names that Zed::on would
 * misread.
 */
static void handler_by_place(const struct etype *t, const char *sub, FILE *to)
{
	static const char *const lead[] = { "cpu", "secs", "nsecs", "sequence" };

	fprintf(to,
		"# Zed::on cannot take its name, or two fields have one name: the fields come in\n"
		"# the order of this trace.\n"
		"sub %s\n{\n",
		sub);
	starter_arguments(t, lead, 4, to);
	if (t->nfields > t->ncommon)
		starter_show(t, lead, 4, "print_event(", true, to);
	else
		fputs("\tprint_event();\n", to);
	fputs("}\n\n", to);
}

/* ---- the script ---- */

static const char ABOUT[] =
	"use strict;\n"
	"use warnings;\n"
	"\n"
	"# For each event: a count, made without a call of Perl and printed at the end, and a\n"
	"# handler, which gets the fields by name, on any kernel.  Either takes a condition, such\n"
	"# as where => 'cpu == 0' (zedperl help scripts).\n"
	"\n";

static const char PRINT[] =
	"# The time, the CPU, the task that ran, the event and its fields, in one line.\n"
	"sub print_event\n"
	"{\n"
	"\tmy @fields = @_;\n"
	"\tmy $nsecs = Zed::ts() % 1_000_000_000;\n"
	"\tmy $line = sprintf '%6d.%09d %3d %-15s %7d %s', (Zed::ts() - $nsecs) / 1_000_000_000,\n"
	"\t\t$nsecs, Zed::cpu(), Zed::plain(Zed::comm()), Zed::pid(), Zed::plain(Zed::event());\n"
	"\n"
	"\twhile (my ($name, $value) = splice @fields, 0, 2) {\n"
	"\t\t$line .= \" $name=\" . flat($value);\n"
	"\t}\n"
	"\tprint \"$line\\n\";\n"
	"\treturn;\n"
	"}\n"
	"\n";

static bool has_bytes(const struct etype *t)
{
	for (unsigned i = t->ncommon; i < t->nfields; i++)
		if (t->fields[i].kind == FIELD_BYTES)
			return true;
	return false;
}

/* Everything after the head: TYPES, all with different names. */
static void script(struct catalog *c, const struct etype **types, unsigned n, struct notes *notes,
		   FILE *to)
{
	const struct etype **placed = mem_zalloc((n + 1) * sizeof(*placed));
	char last[2 * NAME_SIZE + 8] = "";
	unsigned nplaced = 0, nread = 0;
	struct called name;
	bool bytes = false;

	fputs(ABOUT, to);
	for (unsigned i = 0; i < n; i++) {
		starter_called(types[i], &name);
		if (!types[i]->stable && !starter_readable(c, types[i], name.sub, notes, to))
			continue;
		bytes |= has_bytes(types[i]);
		if (by_name(types[i]))
			types[nread++] = types[i];
		else if (name.on)
			fprintf(to, "# %s: neither a sub nor Zed::on can have this name\n\n",
				name.sub);
		else
			placed[nplaced++] = types[i];
	}
	for (unsigned i = 0; i < nread; i++)
		handler_by_name(types[i], to);
	starter_declare(placed, nplaced, "use Zed handlers => ", ";", to);
	for (unsigned i = 0; i < nplaced; i++) {
		starter_called(placed[i], &name);
		if (!strcmp(name.sub, last))
			continue;
		memcpy(last, name.sub, sizeof(last));
		handler_by_place(placed[i], name.sub, to);
	}
	if (!nread && !nplaced)
		fputs("sub trace_unhandled\n{\n\tprint_event();\n}\n\n", to);
	fprintf(to, "%s%s%s", PRINT, STARTER_FLAT, bytes ? STARTER_HEX : "");
	free(placed);
}

void starter_named(struct catalog *c, const struct words *w, const char *trace, struct notes *n,
		   FILE *to)
{
	struct starter_events s;

	starter_events_named(&s, c, w);
	starter_title(trace, to);
	script(c, s.v, s.n, n, to);
	starter_events_fini(&s);
}

void starter_short(struct catalog *c, const uint64_t *counts, size_t ncounts, const char *trace,
		   struct notes *n, FILE *to)
{
	struct starter_events s;

	starter_title(trace, to);
	starter_events_few(&s, c, counts, ncounts, "zedperl", trace, to);
	script(c, s.v, s.n, n, to);
	starter_events_fini(&s);
}
