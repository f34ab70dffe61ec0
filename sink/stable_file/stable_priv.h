/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_STABLE_FILE_STABLE_PRIV_H
#define ZED_SINK_STABLE_FILE_STABLE_PRIV_H

#include "base/outbuf.h"
#include "sink/stable_file/stable.h"
#include "stable/map.h"

/* Shared by stable.c and stable_head.c only. */

/* Numbers of the records that are not events. */
enum { MARK_END = 65535, MARK_LOST = 65534, MARK_TASK = 65533 };

#define NMARKS 3

/* A stable event made from a type of the trace, or a type of synthetic events. */
struct export_entry {
	struct export_entry *next; /* of the same type */
	const char *system, *name, *purpose;
	struct stable_map *map; /* NULL: the records are as they are */
	struct desc desc;	/* as in the file: absent items take no bits */
	struct field *fields;	/* where the records have the items */
	unsigned number, machine;
	uint64_t n;  /* records */
	bool failed; /* a record could not be packed, which was reported */
};

struct out_stream {
	const struct origin *from;
	const struct stream *s;
	unsigned number;
};

static inline int out_stream_compare(const void *a, const void *b)
{
	const struct out_stream *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* The last name written for a task, on machines whose names come with the events. */
struct told {
	uint64_t hash;
	int32_t pid;
	unsigned machine;
};

struct stableout {
	struct sink sink;
	struct stableout_opts o;
	const struct run_info *run; /* from begin on */
	struct outbuf out;
	struct export_entry **of_type; /* by etype idx */
	unsigned ntypes;
	struct export_entry **entries;
	unsigned nentries;
	size_t entries_cap;
	struct machine **machines;
	unsigned nmachines;
	size_t machines_cap;
	struct out_stream *streams; /* sorted by address of from */
	size_t nstreams;
	struct out_stream *last;
	struct told *told;
	uint64_t records, ts;
	bool begun, broken; /* the text is written; nothing more can be */
	bool late_type;	    /* it was reported that a type came too late */
	struct arena arena;
};

/* Find out what there is to export, request that from the catalog, and write the text. */
int stableout_text(struct stableout *s, struct err *e);

#endif
