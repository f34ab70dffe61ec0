/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPRINT_ZEDPRINT_H
#define ZED_PROGRAMS_ZEDPRINT_ZEDPRINT_H

#include "sink/print/print.h"
#include "programs/options.h"

#include <sys/types.h>

/* What the files of zedprint share. */

/* ---- outputs.c ---- */

/* The options of -f parquet. */
struct tables {
	const char *dir; /* -o; NULL: not given */
	bool by_machine, by_day;
};

/* How events are printed. */
struct output_opts {
	unsigned format; /* one of OUTPUT_FORMATS */
	bool latency;	 /* kernel: the latency format */
	bool stack;	 /* names, zed, json, parquet: the stack of each event */
	bool names;	 /* json, parquet: the names of values */
	bool color;
	struct tables tables;
};

/* The words of -f. */
extern const struct cli_word OUTPUT_FORMATS[];

/* Does it write bytes to stdout that a terminal cannot show? */
bool output_is_binary(unsigned format);
/* Does it print the texts of latency tracers as well? */
bool output_is_text(unsigned format);

/* --partition WORDS: machine, day, or both with a comma between. */
int tables_partition(struct tables *t, const char *words, struct err *e);

/* The sink that prints C's events as O asks; its close() frees it. */
struct sink *output_sink(struct cli *c, const struct output_opts *o);

/* ---- screen.c ---- */

/* A terminal gets colours and a pager.  Other outputs get neither, unless asked for. */
struct screen {
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	bool no_pager;
	bool painted; /* from screen_begin() on: use colours */
	pid_t pager;  /* 0: there is none */
};

/* Check standard output and, for recordings on a terminal, start the pager (pager_begin). */
void screen_begin(struct screen *s, const struct cli *c);

/* Close standard output and wait until the user has seen enough.  Nothing without a pager. */
void screen_end(struct screen *s);

/* ---- summary.c ---- */

/*
 * Read C's open inputs to their end and print the summary on stdout, also of a run that failed (E)
 * or was stopped.  Returns how the reading ended, for cli_finish().
 */
enum run_end summary_print(struct cli *c, struct err *e);

/* ---- tracer_text.c ---- */

/*
 * Print the texts of all of C's open inputs on stdout, except those of buffers that the filter
 * leaves out.  Damage is reported as a notice.  *EVENTS: some input has events too.
 */
void tracer_text_show(struct cli *c, enum print_format format, bool *events);

#endif
