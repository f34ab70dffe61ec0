// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outputs: the formats of -f.  A new text format is a word here, another output a word and a row.
 */
#include "programs/zedprint/zedprint.h"

#include "sink/parquet/parquet.h"
#include "sink/perfetto/perfetto.h"
#include "programs/stop.h"

#include <string.h>
#include <unistd.h>

/* With those of enum print_format, which are text. */
enum { PERFETTO = PRINT_FORMATS, PARQUET };

const struct cli_word OUTPUT_FORMATS[] = {
	{ "names", PRINT_NAMES },   { "zed", PRINT_ZED },   { "report", PRINT_REPORT },
	{ "kernel", PRINT_KERNEL }, { "json", PRINT_JSON }, { "perfetto", PERFETTO },
	{ "parquet", PARQUET },	    { .name = NULL },
};

static struct sink *lines(struct cli *c, const struct output_opts *o)
{
	const struct print_opts to = {
		.format = o->format,
		.ns = c->words.ns,
		.latency = o->latency,
		.stack = o->stack,
		.names = o->names,
		.color = o->color,
		.notes = &c->run.notes,
	};

	return print_new(&to);
}

static struct sink *packets(struct cli *c, const struct output_opts *o)
{
	const struct perfetto_opts to = { .fd = STDOUT_FILENO, .notes = &c->run.notes };

	return perfetto_new(&to);
}

static struct sink *tables(struct cli *c, const struct output_opts *o)
{
	const struct parquet_opts to = {
		.dir = o->tables.dir,
		.by_machine = o->tables.by_machine,
		.by_day = o->tables.by_day,
		.stacks = o->stack,
		.names = o->names,
		.version = ZED_VERSION,
		.beat = &cli_beat,
		.notes = &c->run.notes,
	};

	return parquet_new(&to);
}

struct print_output {
	struct sink *(*sink)(struct cli *c, const struct output_opts *o);
	bool is_text;
	bool is_binary; /* on stdout */
};

static const struct print_output *output_of(unsigned format)
{
	static const struct print_output TEXT = { lines, .is_text = true };
	static const struct print_output OTHERS[] = {
		[PERFETTO - PRINT_FORMATS] = { packets, .is_binary = true },
		[PARQUET - PRINT_FORMATS] = { tables },
	};

	return format < PRINT_FORMATS ? &TEXT : &OTHERS[format - PRINT_FORMATS];
}

bool output_is_binary(unsigned format)
{
	return output_of(format)->is_binary;
}

bool output_is_text(unsigned format)
{
	return output_of(format)->is_text;
}

struct sink *output_sink(struct cli *c, const struct output_opts *o)
{
	return output_of(o->format)->sink(c, o);
}

int tables_partition(struct tables *t, const char *words, struct err *e)
{
	for (const char *w = words; w; w = strchr(w, ',') ? strchr(w, ',') + 1 : NULL) {
		size_t len = strcspn(w, ",");

		if (len == 7 && !memcmp(w, "machine", 7))
			t->by_machine = true;
		else if (len == 3 && !memcmp(w, "day", 3))
			t->by_day = true;
		else
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "'%s': it takes machine, day, or machine,day", words);
	}
	return 0;
}
