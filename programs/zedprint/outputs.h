/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPRINT_OUTPUTS_H
#define ZED_PROGRAMS_ZEDPRINT_OUTPUTS_H

#include "trace/sink.h"
#include "programs/rows.h"

#include <stdbool.h>

struct cli;

/* What -f parquet is asked for. */
struct tables {
	const char *dir; /* -o; NULL: not given */
	bool by_machine, by_day;
};

/* How events are printed. */
struct output_opts {
	unsigned format; /* one of OUTPUT_FORMATS */
	bool latency;	 /* kernel: the latency format */
	bool color;
	struct tables tables;
};

/* The words of -f. */
extern const struct cli_word OUTPUT_FORMATS[];

/* Bytes that a terminal cannot show are written to stdout. */
bool output_is_binary(unsigned format);
/* Texts of latency tracers are printed as well. */
bool output_is_text(unsigned format);

/* --partition WORDS: machine, day, or both with a comma between. */
int tables_partition(struct tables *t, const char *words, struct err *e);

/* The sink that prints C's events as O asks; its close() frees it. */
struct sink *output_sink(struct cli *c, const struct output_opts *o);

#endif
