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

#define LISTED 12 /* events in the head of a script if none were named */
#define HANDLED 3 /* number of them with a handler */

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

/* ---- named events ---- */

/* Stable events as types: a script is made only from their names and fields. */
struct stables {
	struct etype *v;
	unsigned n;
	size_t cap;
};

static void add_stable(struct stables *s, const struct stable_event *ev)
{
	struct etype t = {
		.system = ev->system,
		.name = ev->name,
		.fields = ev->desc.fields,
		.nfields = ev->desc.n,
		.known = true,
		.resolved = true,
		.stable = true,
	};

	for (unsigned i = 0; i < s->n; i++)
		if (!etype_compare(&s->v[i], &t))
			return;
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = t;
}

/* The stable events that W names and that can be made from TYPES. */
static struct stables stables_of(const struct words *w, const struct etype **types, unsigned n)
{
	struct stables s = { 0 };

	for (unsigned k = 0; k < n; k++) {
		const struct stable_event *ev;
		unsigned i = 0;
		int from;

		while ((ev = words_stable(w, types[k], &i, &from)))
			add_stable(&s, ev);
	}
	return s;
}

void starter_named(struct catalog *c, const struct words *w, const char *trace, struct notes *n,
		   FILE *to)
{
	unsigned ntypes, used = 0;
	const struct etype **types = starter_types(c, w, &ntypes);
	struct stables s = stables_of(w, types, ntypes);
	const struct etype **all = mem_zalloc((ntypes + s.n + 1) * sizeof(*all));

	for (unsigned i = 0; i < ntypes; i++)
		if (words_take_raw(w, types[i]) &&
		    !(used && !etype_compare(all[used - 1], types[i])))
			all[used++] = types[i];
	for (unsigned i = 0, nraw = used; i < s.n; i++) {
		unsigned k = 0;

		while (k < nraw && etype_compare(all[k], &s.v[i]))
			k++;
		if (k == nraw)
			all[used++] = &s.v[i];
	}
	starter_title(trace, to);
	script(c, all, used, n, to);
	free(all);
	free(types);
	free(s.v);
}

/* ---- no event is named ---- */

struct happened {
	const struct etype *type;
	uint64_t n;
};

static int most_first(const void *a, const void *b)
{
	const struct happened *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return etype_compare(x->type, y->type);
}

/* The events of C, the most frequent first; *N of them, to be freed. */
static struct happened *happened_in(struct catalog *c, const uint64_t *counts, size_t ncounts,
				    unsigned *n)
{
	unsigned ntypes;
	const struct etype **types = starter_types(c, NULL, &ntypes);
	struct happened *all = mem_zalloc((ntypes + 1) * sizeof(*all));

	*n = 0;
	for (unsigned i = 0; i < ntypes; i++) {
		if (!*n || etype_compare(all[*n - 1].type, types[i]))
			all[(*n)++].type = types[i];
		all[*n - 1].n += types[i]->idx < ncounts ? counts[types[i]->idx] : 0;
	}
	qsort(all, *n, sizeof(*all), most_first);
	free(types);
	return all;
}

static void list_happened(const struct happened *all, unsigned n, const char *trace, FILE *to)
{
	unsigned i, some = 0;
	char name[2 * NAME_SIZE];

	while (some < n && all[some].n)
		some++;
	fputs("#\n# The events of ", to);
	starter_comment(to, trace);
	fputs(some ? ", the most frequent first:\n#\n" : ": none was recorded.\n", to);
	for (i = 0; i < some && i < LISTED; i++) {
		snprintf(name, sizeof(name), "%s:%s", all[i].type->system, all[i].type->name);
		fprintf(to, "# %10" PRIu64 "  ", all[i].n);
		starter_comment(to, name);
		fputc('\n', to);
	}
	if (some > LISTED)
		fprintf(to, "# and %u more (zedperl -t)\n", some - LISTED);
	fputs("#\n# A script for others: zedperl -g EVENT... ", to);
	starter_comment(to, trace);
	fputs("\n# One with all events: zedperl -g all ", to);
	starter_comment(to, trace);
	fputs("\n\n", to);
}

/* Most questions begin with these. */
static const char *const ASKED[][2] = {
	{ "sched", "sched_switch" },	 { "sched", "sched_waking" },
	{ "raw_syscalls", "sys_enter" }, { "block", "block_rq_issue" },
	{ "irq", "irq_handler_entry" },	 { "workqueue", "workqueue_execute_start" },
	{ "sched", "sched_wakeup" },
};

static bool is_chosen(const struct etype **chosen, unsigned n, const struct etype *t)
{
	for (unsigned i = 0; i < n; i++)
		if (chosen[i] == t)
			return true;
	return false;
}

/* At most HANDLED of ALL: those of ASKED, then the most frequent.  Returns how many. */
static unsigned choose(const struct happened *all, unsigned n, const struct etype **chosen)
{
	unsigned used = 0;

	for (unsigned k = 0; k < sizeof(ASKED) / sizeof(ASKED[0]); k++)
		for (unsigned i = 0; i < n && all[i].n && used < HANDLED; i++)
			if (!strcmp(all[i].type->system, ASKED[k][0]) &&
			    !strcmp(all[i].type->name, ASKED[k][1]))
				chosen[used++] = all[i].type;
	for (unsigned i = 0; i < n && used < HANDLED; i++)
		if ((all[i].n || !used) && !is_chosen(chosen, used, all[i].type))
			chosen[used++] = all[i].type;
	return used;
}

void starter_short(struct catalog *c, const uint64_t *counts, size_t ncounts, const char *trace,
		   struct notes *n, FILE *to)
{
	const struct etype *chosen[HANDLED];
	unsigned nall;
	struct happened *all = happened_in(c, counts, ncounts, &nall);
	unsigned used = choose(all, nall, chosen);

	starter_title(trace, to);
	list_happened(all, nall, trace, to);
	script(c, chosen, used, n, to);
	free(all);
}
