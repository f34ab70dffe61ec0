/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_MAPS_MAP_TABLE_H
#define ZED_TRACE_MAPS_MAP_TABLE_H

#include "trace/maps/map_log.h"

/*
 * What each process had mapped at which time, out of the records of a map_log: which file, and
 * where in it, is at an address.  None rather than a wrong one: nothing is found for a time before
 * the first look at a process's program, or where two looks contradict.
 */
struct map_table;

#define MAP_TABLE_FILES (1u << 16)
#define MAP_TABLE_SPANS (1u << 20) /* mappings of all looks; a look like another has none */
#define MAP_TABLE_LOOKS (1u << 20)
#define MAP_TABLE_LATE 64 /* looks at a process that are later than one that comes after them */

struct map_table *map_table_new(void);
void map_table_free(struct map_table *t); /* NULL is fine */

/* Nothing was added, or only files. */
bool map_table_is_empty(const struct map_table *t);

/*
 * Add R, whose times are those of events; it is copied.  False: dropped, as it is too late, or as
 * there is no room: then the mappings of its process are not known from then on, instead of those
 * of an older program.
 */
bool map_table_apply(struct map_table *t, const struct map_record *r);

struct map_found {
	const char *path; /* a string, borrowed as long as the table, as is: */
	const uint8_t *id;
	uint8_t id_len;
	uint32_t major, minor;
	uint64_t inode;
	uint64_t off; /* of the address in the file */
};

/* What PID had at ADDRESS at TS, into OUT.  False: not known. */
bool map_table_find(const struct map_table *t, int32_t pid, uint64_t ts, uint64_t address,
		    struct map_found *out);

/*
 * A number for what PID had mapped at TS: while it is the same, so is each answer of
 * map_table_find().  0: nothing is known.
 */
uint64_t map_table_generation(const struct map_table *t, int32_t pid, uint64_t ts);

#endif
