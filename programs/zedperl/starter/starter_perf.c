/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter_perf: zedperl -g --perf, a starter script with the arguments and modules of perf's
 * scripts; perf script runs it too.
 */
#include "programs/zedperl/starter/starter_priv.h"

#include "base/mem.h"
#include "base/plain.h"
#include "programs/zedperl/starter/starter_fields.h"
#include "programs/zedperl/starter/starter_names.h"
#include "text/printfmt/printfmt_parse.h"
#include "text/printfmt/tree.h"

#include <stdlib.h>
#include <string.h>

static const char *const LEAD[] = {
	"event_name",	"context",    "common_cpu",  "common_secs",
	"common_nsecs", "common_pid", "common_comm", "common_callchain",
};

#define NLEAD (sizeof(LEAD) / sizeof(LEAD[0]))

static const char HEAD[] =
	"#\n"
	"# Eight arguments come before the fields of each event; common_pc($context) and\n"
	"# common_flags($context) have the rest.\n"
	"\n"
	"use lib \"$ENV{PERF_EXEC_PATH}/scripts/perl/Perf-Trace-Util/lib\";\n"
	"use Perf::Trace::Core;\n"
	"use Perf::Trace::Context;\n"
	"use Perf::Trace::Util;\n"
	"\n"
	"# Before the first event.\n"
	"sub trace_begin\n"
	"{\n"
	"}\n"
	"\n"
	"# After the last one.\n"
	"sub trace_end\n"
	"{\n"
	"}\n"
	"\n"
	"sub print_header\n"
	"{\n"
	"\tmy ($event_name, $cpu, $secs, $nsecs, $pid, $comm) = @_;\n"
	"\n"
	"\tprintf(\"%-20s %5u %05u.%09u %8d %-20s \", $event_name, $cpu, $secs, $nsecs, $pid,\n"
	"\t\t$comm);\n"
	"}\n"
	"\n"
	"# A call chain: each call has its address, and what is known of it.\n"
	"sub print_backtrace\n"
	"{\n"
	"\tfor my $call (@{$_[0]}) {\n"
	"\t\tmy $where = $call->{sym} ? $call->{sym}{name} : '';\n"
	"\n"
	"\t\t$where .= \" ($call->{dso})\" if defined $call->{dso};\n"
	"\t\tprintf(\"\\t[%x] %s\\n\", $call->{ip}, $where);\n"
	"\t}\n"
	"}\n"
	"\n"
	"# Arrays are references in zedperl, and 0 in perf.\n"
	"sub flat\n"
	"{\n"
	"\tmy ($value) = @_;\n"
	"\n"
	"\treturn ref $value ? '[' . join(' ', @$value) . ']' : $value;\n"
	"}\n"
	"\n"
	"sub in_hex\n"
	"{\n"
	"\treturn unpack('H*', $_[0]);\n"
	"}\n"
	"\n";

static void begin(const char *trace, FILE *to)
{
	fputs("# Made by zedperl -g --perf from ", to);
	starter_comment(to, trace);
	fputs(".\n# Run: zedperl ", to);
	starter_comment(to, trace);
	fputs(" THIS.pl, or perf script -s THIS.pl\n", to);
	fputs(HEAD, to);
}

/* Can a name from the trace be put in single quotes, and on a terminal? */
static bool is_quotable(const char *name)
{
	return !strpbrk(name, "'\\") && plain_ascii(name, strlen(name));
}

/* How field F in variable NAME is printed: an expression. */
static char *value_of(const struct flag_table *tables, const struct field *f, const char *name)
{
	char text[4 * NAME_SIZE];
	bool flags = printfmt_table_for(tables, f, true);

	if ((flags || printfmt_table_for(tables, f, false)) && is_quotable(f->name))
		/* perf has no name for some values, such as no flags at all. */
		snprintf(text, sizeof(text), "%s($event_name, '%.200s', $%s) // $%s",
			 flags ? "flag_str" : "symbol_str", f->name, name, name);
	else if (f->kind == FIELD_BYTES)
		snprintf(text, sizeof(text), "in_hex($%s)", name);
	else if (f->kind == FIELD_ARRAY || f->kind == FIELD_LIST)
		snprintf(text, sizeof(text), "flat($%s)", name);
	else
		snprintf(text, sizeof(text), "$%s", name);
	return mem_strdup(text);
}

/* print FIELD=VALUE, FIELD=VALUE */
static void put_fields(const struct etype *t, char (*names)[NAME_SIZE], FILE *to)
{
	struct arena arena = { 0 };
	const struct flag_table *tables = printfmt_tables(t, &arena);

	fputs("\tprint(join(', ',", to);
	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		const struct field *f = &t->fields[i];
		char *value = value_of(tables, f, names[i - t->ncommon]);

		fprintf(to, "\n\t\t'%s=' . (%s)%s", is_quotable(f->name) ? f->name : "?", value,
			i + 1 < t->nfields ? "," : "");
		free(value);
	}
	fputs("), \"\\n\");\n", to);
	arena_fini(&arena);
}

static void handler(const struct etype *t, const char *sub, FILE *to)
{
	unsigned own = t->nfields - t->ncommon, n, i;
	char(*names)[NAME_SIZE] = mem_zalloc((NLEAD + own) * sizeof(*names));
	char **words = mem_zalloc((NLEAD + own) * sizeof(*words));

	n = starter_variables(t, LEAD, NLEAD, names);
	for (i = 0; i < n; i++) {
		words[i] = mem_alloc(NAME_SIZE + 1);
		snprintf(words[i], NAME_SIZE + 1, "$%s", names[i]);
	}
	fprintf(to, "sub %s\n{\n", sub);
	starter_wrapped(to, "my (", words, n, ") = @_;\n\n");
	fputs("\tprint_header($event_name, $common_cpu, $common_secs, $common_nsecs, $common_pid,\n"
	      "\t\t$common_comm);\n",
	      to);
	put_fields(t, names + NLEAD, to);
	fputs("\tprint_backtrace($common_callchain);\n}\n\n", to);
	for (i = 0; i < n; i++)
		free(words[i]);
	free(words);
	free(names);
}

/* In perf a handler is found only by its name. */
static void no_handler(const struct etype *t, const char *sub, FILE *to)
{
	(void)t;
	fprintf(to, "# %s cannot be a sub: it comes to trace_unhandled\n\n", sub);
}

static void end(FILE *to)
{
	fputs("# Events that have no handler above, such as those of a later trace.\n"
	      "sub trace_unhandled\n{\n"
	      "\tmy ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, "
	      "$common_pid,\n\t\t$common_comm, $common_callchain) = @_;\n\n"
	      "\tprint_header($event_name, $common_cpu, $common_secs, $common_nsecs, "
	      "$common_pid,\n\t\t$common_comm);\n"
	      "\tprint(\"\\n\");\n\tprint_backtrace($common_callchain);\n}\n",
	      to);
}

const struct starter_shape starter_perf = {
	.begin = begin,
	.declare = "BEGIN { eval { require Zed; Zed->import(handlers => ",
	.declared = ") } }",
	.sub = handler,
	.on = no_handler,
	.end = end,
};
