/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_OPEN_INPUTS_H
#define ZED_PROGRAMS_OPEN_INPUTS_H

#include "base/err.h"
#include "run/pump.h"
#include "symbols/symbol_finder.h"

#include <stdbool.h>
#include <stdint.h>

struct cli;
struct trace_index;

/* The open inputs, and the state of the reading. */
struct cli_run {
	struct pump pump;
	bool ready;		     /* cli_open() has initialised it */
	unsigned failed;	     /* inputs that could not be opened */
	bool apart;		     /* they are unrelated, see pump_opts */
	struct symbols *symbols;     /* --kallsyms, for all inputs; or NULL */
	struct symbol_finder finder; /* names.h */
	char *reader;		     /* ... the path of zedsyms; NULL: it was not built */
	/* The index of the only input, if a program has it before cli_open(); borrowed; or NULL. */
	const struct trace_index *known;
	/* Of the inputs, NULL: none is known (indexes.h). */
	struct trace_index **indexes;
	unsigned nindexes;
	/*
	 * Set by a program that reads the running system: returns one more input, which has no
	 * path.  NULL with E: cli_open() reports it and fails.
	 */
	struct source *(*open_live)(struct cli *c, struct err *e);
	struct poll_hook *guest; /* set by a program before cli_open(): pump.h; or NULL */

	struct notes notes;
	uint64_t said;	  /* notices */
	uint64_t began;	  /* mono_ns(), at cli_open */
	double cpu_began; /* seconds of CPU time used before */
	bool progress_shown;
	double progress_last; /* seconds since began */
};

/*
 * Initialise C->run.pump with the options and the filter and open every input.  One that cannot be
 * opened is reported and skipped (exit status 1 at the end).  False if none could be opened, or one
 * was refused (another clock; --strict and any failure), or the filter names what no input has:
 * *STATUS is 2.  True if none was named.  May be called only once.
 */
bool cli_open(struct cli *c, int *status);

/*
 * After the run: erase the progress, report E if END is RUN_FAILED, print --stats, and return the
 * exit status: 2 for a usage error, 1 for another failure or if anything was damaged or skipped or
 * could not be opened, 128 + N after signal N, else 0.
 */
int cli_finish(struct cli *c, enum run_end end, const struct err *e);

/* ---- progress.c ---- */

/*
 * The run begins: seconds are counted from here, and if stderr is a terminal that nothing else
 * writes to, O makes the pump show its progress.
 */
void cli_began(struct cli *c, struct pump_opts *o);

/* --stats: records, losses, damage and time, each a line on stderr. */
void cli_say_stats(struct cli *c);

#endif
