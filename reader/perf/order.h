/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_ORDER_H
#define ZED_READER_PERF_ORDER_H

#include "trace/event.h"
#include "trace/event_sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Entries that were read and wait for their time.  A file consists of sorted runs, one for each
 * buffer that perf emptied: each is a list, and a heap has the first entry of each.  So the cost of
 * an entry depends on the number of lists, not of entries.
 */
enum waiting { WAITS_EVENT, WAITS_COMM, WAITS_FORK, WAITS_EXIT, WAITS_MAP, WAITS_LOST };

struct entry {
	struct entry *next; /* in its list */
	uint64_t ts, seq;   /* seq: order of reading, breaks ties */
	struct order_block *block;
	uint64_t off; /* of its record in the file */
	const struct etype *type;
	uint8_t kind; /* enum waiting */
	uint32_t cpu;
	int32_t pid, tid; /* pid: common_pid of an event, the parent of a fork */
	uint32_t size;	  /* of an event's record, or of a name, in data */
	uint32_t nchain;
	const uint8_t *record; /* of an event; in data, like the others */
	const uint64_t *chain; /* in our byte order */
	union {
		struct event_sample sample; /* of an event */
		uint64_t lost;
		struct {
			int32_t process, parent_process; /* of a fork */
			bool exec;			 /* of a name: of another program */
		};
	};
	uint64_t data[];
};

struct order {
	struct entry_run **heap; /* the list with the earliest entry on top */
	size_t cap;
	unsigned n;
	struct entry_run *last;		 /* the list last added to */
	struct entry_run *spare;	 /* unused lists */
	struct order_block *blocks;	 /* the one being filled first ... */
	struct order_block *free_blocks; /* ... those that are empty */
	unsigned nfree;
	uint64_t bytes; /* of all blocks */
	uint64_t seq;
};

/* A new entry with room for LEN bytes of data; fill it, then call order_add(). */
struct entry *order_new(struct order *o, size_t len);
void order_add(struct order *o, struct entry *x);

/* The earliest entry, which stays; NULL: none. */
static inline const struct entry *order_first(const struct order *o);

/* Remove the earliest entry: the caller owns it until order_free(). */
struct entry *order_take(struct order *o);
void order_free(struct order *o, struct entry *x);

void order_fini(struct order *o);

/* Only used by order_first(). */
struct entry_run {
	struct entry *first, *last;
	struct entry_run *next; /* spare */
};

static inline const struct entry *order_first(const struct order *o)
{
	return o->n ? o->heap[0]->first : NULL;
}

#endif
