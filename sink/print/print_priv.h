/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PRINT_PRINT_PRIV_H
#define ZED_SINK_PRINT_PRINT_PRIV_H

#include "sink/print/print.h"
#include "text/field_value.h"
#include "text/value_names.h"
#include "trace/frame_cache.h"
#include "trace/stack_chain.h"

#include <string.h>

/* Shared by the formats of the print sink; only for the files of this folder. */
struct print;
struct engine;
struct json_names;

struct print_ops {
	void (*begin)(struct print *p);
	void (*event)(struct print *p, const struct event *ev);
	void (*lost)(struct print *p, const struct event *ev);
	void (*end)(struct print *p); /* may be NULL, as begin may */
	/* How much of the output may be written already (ALL: at the end).  NULL: all of it. */
	size_t (*settle)(struct print *p, bool all);
};

/* report: the last line, if it is the call of a function. */
struct leaf {
	const struct origin *from; /* NULL: it is not */
	uint64_t func;
	size_t line, text; /* where it begins in the output, and its text */
	int32_t pid;
};

struct print {
	struct sink sink;
	const struct print_ops *ops;
	const struct run_info *run; /* from begin on */
	struct print_opts opts;
	struct outbuf out;
	struct engine *kernel;	   /* kernel, report: made at begin */
	struct value_names *names; /* names, and opts.names; else NULL */
	struct frame_cache frames;
	struct stack_chain chain; /* opts.stack */
	/*
	 * kernel with the latency column: the last line, whose delay mark at held_mark is still
	 * missing
	 */
	struct outbuf held;
	size_t held_mark;
	uint64_t held_ts, started_at;
	bool held_ns;
	/* json: the texts escaped once, by index of the type */
	struct json_names **json;
	size_t njson;
	struct arena json_arena;
	struct outbuf text; /* json: one name */
	struct leaf leaf;   /* report */
	/* report, kernel: the label before a line, by buffer number */
	char **labels;
	unsigned nlabels;
};

extern const struct print_ops print_zed_ops, print_report_ops, print_kernel_ops, print_json_ops;

/* ---- label.c ---- */

/* What follows the last slash. */
const char *print_base_name(const char *path);

/* "   NAME: ", WIDTH bytes and two; only blanks if there is no name.  Owned by the caller. */
char *print_make_label(const char *name, size_t width);

/* How wide the names of several inputs are; 0: there is one. */
size_t print_label_width(const struct run_info *run);

/* Make the labels of all buffers if there are several, and write that of EV's. */
void print_labels(struct print *p);
void print_label(struct print *p, const struct event *ev);

/* ---- leaf.c: functions of a function graph that call none ---- */

/* EV calls FUNC; its line begins at LINE, its text at TEXT, and both end the output. */
void leaf_call(struct print *p, const struct event *ev, uint64_t func, size_t line, size_t text);

/*
 * EV is the next event; RETURNS: it is a return of FUNC.  True: it is the return of the last call,
 * whose line now shows that.
 */
bool leaf_return(struct print *p, const struct event *ev, bool returns, uint64_t func);

/* print_ops.settle: a call is held, unless ALL. */
size_t leaf_settle(struct print *p, bool all);

/* The time of EV to show; *NS: it is in ns, else in ticks of the clock. */
uint64_t print_time(const struct print *p, const struct event *ev, bool *ns);

/* Append TS ns as seconds, with 9 digits (opts.ns), or rounded to 6. */
void print_seconds(struct print *p, uint64_t ts);

/*
 * What print_end() keeps of the text of an event of T: tabs, and the line breaks of a stack, whose
 * lines cannot be taken for events.
 */
unsigned print_kept(const struct etype *t);

/*
 * How long the line of an event may be: a fixed part for its names, and a multiple of its size.
 * That bounds the output of a trace by its events and bytes (docs/zedprint.pod).
 */
#define LINE_FIXED 3072
#define LINE_PER_BYTE 32
#define LINE_CUT "[CUT]" /* what a cut line ends with */

static inline size_t print_line_max(const struct event *ev)
{
	return LINE_FIXED + (size_t)LINE_PER_BYTE * (ev->size + 8 * (size_t)ev->nchain);
}

/* Cut the line of EV that begins at FROM. */
static inline void print_limit(struct print *p, size_t from, const struct event *ev)
{
	size_t max = print_line_max(ev);

	if (p->out.len - from < max)
		return;
	p->out.len = from + max - strlen(LINE_CUT) - 1;
	out_str(&p->out, LINE_CUT);
}

/* End the line that begins at FROM, made plain first: any of it may come from the file. */
static inline void print_end(struct print *p, size_t from, unsigned keep)
{
	out_plain(&p->out, from, keep);
	out_char(&p->out, '\n');
}

#endif
