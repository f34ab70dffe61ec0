/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPRINT_PARQUET_OPTIONS_H
#define ZED_PROGRAMS_ZEDPRINT_PARQUET_OPTIONS_H

#include "trace/sink.h"

struct cli;

/* What -f parquet is asked for. */
struct tables {
	const char *dir; /* -o; NULL: not given */
	bool by_machine, by_day;
};

/* --partition WORDS: machine, day, or both with a comma between. */
int tables_partition(struct tables *t, const char *words, struct err *e);

/* The sink that writes them; its close() frees it. */
struct sink *tables_sink(struct cli *c, const struct tables *t);

#endif
