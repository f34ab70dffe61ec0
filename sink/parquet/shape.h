/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PARQUET_SHAPE_H
#define ZED_SINK_PARQUET_SHAPE_H

#include "base/parquet/table.h"
#include "text/value_names.h"
#include "trace/frame_cache.h"
#include "trace/stack_chain.h"

/* The traced host's name in UTF-8; LEN is 0 if it is not known. */
struct shape_machine {
	char *name;
	uint32_t len;
};

/* The name of M's host, to be freed. */
struct shape_machine shape_machine_of(struct machine *m);

/*
 * The columns of a type, and how a record becomes a row: made once, run for each record.
 *
 *	ts		of the record; a time of day where the trace has it (shape_traits)
 *	cpu, pid, comm	of the record: the task that was running
 *	seq		number of the record in its buffer's CPU
 *	lost		events lost just before; null: some
 *	instance	the buffer, "" for the top one
 *	machine		the traced host's name
 *	file		the input, if there are several
 *	callchain	perf.data: addresses, the innermost first
 *	stack		the same with the names of functions (shape_traits)
 *
 * and then a column for each field, of the field's type (docs/zedprint.pod), and those of their
 * values' names.
 */
struct shape_traits {
	const struct shape_machine *machines; /* of each input */
	bool ticks;			      /* ts does not count ns */
	bool has_file;			      /* several inputs */
	bool no_machine;		      /* the directories have it */
	bool stacks;			      /* a column for the names in a stack */
	struct value_names *names;	      /* columns for those of values; NULL: none */
	uint64_t base;			      /* what is subtracted from times */
};

enum shape_kind {
	SHAPE_EVENT,
	SHAPE_LOST,  /* the table of losses: no type */
	SHAPE_OTHER, /* events of any type: their name, the fields as JSON */
};

struct shape;

/*
 * The shape of type T (resolved; NULL but for SHAPE_EVENT).  CHAINS: its events may have call
 * chains.  W is borrowed.
 */
struct shape *shape_new(enum shape_kind kind, const struct etype *t, bool chains,
			const struct shape_traits *w);
void shape_free(struct shape *s);

const struct parquet_column *shape_columns(const struct shape *s, unsigned *n);

/* Would the rows of both go to one table? */
bool shape_equal(const struct shape *a, const struct shape *b);

/* Working memory of shape_row(). */
struct shape_scratch {
	struct outbuf text, name;
	struct stack_chain chain;
	struct frame_cache frames;
	struct column_item *items;
	size_t cap_items;
	uint64_t late; /* times beyond the range of a timestamp: stored as the last one */
};

void shape_scratch_fini(struct shape_scratch *with);

/* Put EV into the columns of a table of S. */
void shape_row(const struct shape *s, struct parquet_table *to, const struct event *ev,
	       struct shape_scratch *with);

#endif
