/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PARQUET_PARQUET_H
#define ZED_SINK_PARQUET_PARQUET_H

#include "trace/sink.h"

/*
 * The sink of zedprint -f parquet: a table for each event, as an Apache Parquet file, and one for
 * all losses (docs/zedprint.pod).  The files get their names together at the end, also if a signal
 * ended the run.  After an error there are none.
 */
struct parquet_opts {
	const char *dir; /* where the tables are written; borrowed */
	bool by_machine, by_day;
	bool stacks;		 /* a column with the names of functions in stacks */
	bool names;		 /* columns with the names of values */
	const char *version;	 /* of the program */
	volatile unsigned *beat; /* incremented while tables are written; or NULL; borrowed */
	struct notes *notes;
};

/* O is copied.  Its close() frees it. */
struct sink *parquet_new(const struct parquet_opts *o);

#endif
