/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_WORK_H
#define ZED_PROGRAMS_ZEDPERL_MCP_WORK_H

#include "base/json_tree.h"
#include "base/outbuf.h"
#include "programs/zedperl/explore/analysis_run.h"
#include "programs/zedperl/mcp/traces.h"

/*
 * What a call has to do: command lines of this program, whose words are all its own or checked, and
 * the command line that is shown for it.
 */
#define WORK_RUNS 2
#define WORK_TRACES 32

struct work {
	struct analysis_words runs[WORK_RUNS]; /* to be executed, one after the other */
	unsigned nruns;
	bool is_direct;		     /* nothing is executed: RUNS[0] has options for this process */
	struct analysis_words shown; /* gives the same numbers in a terminal */
	const struct mcp_trace *traces[WORK_TRACES];
	unsigned ntraces;
	/*
	 * For each run a file in memory with what it printed: kept from an earlier call, or empty,
	 * and then written by the process of this one.
	 */
	int printed[WORK_RUNS];
};

void work_init(struct work *w);
void work_fini(struct work *w);

/* Append a copy of the words of FROM. */
void work_words(struct analysis_words *to, const struct analysis_words *from);

/* What a run has printed. */
struct printed {
	int status;
	struct outbuf out, said; /* standard output and standard error */
};

/*
 * In the process of a call: what run I of W prints, kept or not.  -1 with E: it could not be
 * started, or printed too much.
 */
int work_run(struct work *w, unsigned i, struct printed *p, struct err *e);

/*
 * The same as one JSON object from A.  -1 with E: it ended with an error, whose message becomes
 * E's.
 */
int work_json(struct work *w, unsigned i, struct printed *p, struct json_value *v, struct arena *a,
	      struct err *e);

/* E becomes the first message of P, without the program's name.  Returns -1. */
int work_message(const struct printed *p, struct err *e);

#endif
