/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PARQUET_TABLE_DIRS_H
#define ZED_SINK_PARQUET_TABLE_DIRS_H

#include "base/err.h"
#include "base/outbuf.h"

/*
 * Where tables are written: DIR/NAME.parquet; or, partitioned,
 * DIR/NAME/machine=M/day=D/RUN.parquet, where later runs add theirs.
 */
struct table_place {
	const char *dir; /* borrowed */
	bool by_machine, by_day;
	bool made; /* DIR was not there */
	char *run; /* partitioned: name of the files, without .parquet; freed at the end */
};

/* The value of a partition that is not known: the name used by Hive, and so by all engines. */
#define PLACE_UNKNOWN "__HIVE_DEFAULT_PARTITION__"

/*
 * Make DIR if it does not exist.  Unless partitioned, a non-empty one is refused:
 * tables of two runs would be taken for those of one.
 */
int place_begin(struct table_place *p, struct err *e);

/*
 * The path of the table NAME (a part of a file's name), in O, NUL-terminated; its directory is
 * made.  MACHINE: NULL is not known; DAY: since 1970, negative: not known.
 */
int place_path(const struct table_place *p, struct outbuf *o, const char *name, const char *machine,
	       int64_t day, struct err *e);

/* Remove the empty directories on the way to PATH; DIR itself only if it was made here. */
void place_undo(const struct table_place *p, const char *path);

void place_fini(struct table_place *p);

#endif
