/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_EXPLORE_PRIV_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_EXPLORE_PRIV_H

#include "base/err.h"
#include "base/outbuf.h"
#include "programs/options.h"

#include <sys/stat.h>

/*
 * What the server and the views of `zedperl explore` share.  The server never opens the trace:
 * each answer is made by a view in a process of its own, which opens the trace, writes JSON and
 * ends.
 */

struct trace_index; /* index/index.h */

/* What the server knows when it forks for an answer; constant in the child. */
struct explore {
	const char *trace;		 /* as the user named it */
	const char *program;		 /* the path of this program, to run analyses with */
	const struct trace_index *index; /* of the trace; NULL: see explore_index() */
	int index_file;	  /* of the server: the index, in memory; -1: none is there */
	double indexed;	  /* how much of it is made: below 1, but 1 when all of it is */
	struct stat file; /* the trace's, as explore has begun */
};

#define REQUEST_TEXT 512   /* bytes of a text, decoded, with its NUL */
#define REQUEST_TASKS 64   /* tasks in a request */
#define REQUEST_ARGS 8	   /* options of an analysis */
#define REQUEST_CELLS 4096 /* cells of a lane */
#define REQUEST_COUNT 1000 /* rows of the event list */

struct request_task {
	uint32_t source;
	int64_t pid;
};

/* One option of an analysis, checked: --NAME or --NAME=VALUE. */
struct request_arg {
	const char *name; /* constant */
	char value[64];	  /* "": it takes none */
};

/*
 * A request's parameters, parsed and bounded: the route table (routes.c) says which a view takes
 * and which it needs; others were refused.  Times are ns (or ticks) after the trace's first
 * record.  What was not given is 0, "" or the default that is told here.
 */
struct request {
	bool ranged;	   /* `from` and `to` were given; false: all of the trace */
	uint64_t from, to; /* inclusive; from <= to; without them 0 and UINT64_MAX */
	uint32_t cells;	   /* lanes: 1 to REQUEST_CELLS */
	struct request_task tasks[REQUEST_TASKS];
	unsigned nlanes; /* how many of tasks: tasks=SOURCE:PID,... */
	uint32_t ntasks; /* lanes: how many tasks, chosen by run time (8) */
	uint64_t first;	 /* events: row of the window to begin with */
	uint32_t count;	 /* events: rows, 1 to REQUEST_COUNT (100) */
	bool fields;	 /* events: with the fields of each row */
	uint64_t at;	 /* find: where it begins */
	bool has_row;	 /* find: `row` was given */
	uint64_t row;	 /* find: the row at `at` that is not meant */
	int dir;	 /* find: 1 (default) or -1 */
	bool has_cpu, has_pid;
	uint32_t cpu;  /* answer */
	int64_t pid;   /* answer */
	char comm[64]; /* answer; "" is none */
	char filter[REQUEST_TEXT];
	char what[REQUEST_TEXT]; /* find */
	char name[32];		 /* answer: of an installed analysis that explore shows */
	struct request_arg args[REQUEST_ARGS];
	unsigned nargs;
};

/*
 * A view: appends its answer to Q, JSON, to O.  Runs in a process of its own with limits of memory
 * and CPU time, so it may allocate without freeing, and is killed when the client has gone.  -1
 * with E: the answer becomes {"error":"..."}; ERR_USAGE: the request was wrong (400), else 500.
 */
typedef int view_fn(struct explore *x, const struct request *q, struct outbuf *o, struct err *e);

view_fn view_head;     /* head.c */
view_fn view_lanes;    /* lanes.c */
view_fn view_events;   /* row_list.c */
view_fn view_find;     /* find.c */
view_fn view_answer;   /* range_answer.c */
view_fn view_findings; /* findings.c */

/* ---- trace_open.c: for views ---- */

/*
 * Prepare C to read X's trace from FROM to TO (as in struct request).  Afterwards a view may
 * choose further (READING_CHOOSER.take[CLI_FILTER](c, text, e), c->choice.events, ...), then open.
 */
void explore_prepare(const struct explore *x, struct cli *c, uint64_t from, uint64_t to);

/*
 * cli_open() of X's trace: -1 with E if its file is another one than at the beginning, or, the
 * first message that was printed, if it cannot be read or what was chosen is not in it.  What is
 * printed on stderr in a child goes to the server, not to the user.
 */
int explore_open(const struct explore *x, struct cli *c, struct err *e);

/*
 * The time of the first record of C's open trace, which is 0 of all requests and answers, and the
 * time from there to the last one.
 */
int explore_times(struct cli *c, uint64_t *base, uint64_t *length, struct err *e);

/* ---- json_out.c: for views ---- */

/* TEXT as a JSON string with its quotes; bytes that are not UTF-8 become the text \xNN. */
void out_json(struct outbuf *o, const char *text, size_t len);

/* N bytes in base64 as a JSON string with its quotes. */
void out_base64(struct outbuf *o, const void *p, size_t n);

#endif
