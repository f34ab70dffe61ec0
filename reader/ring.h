/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_H
#define ZED_RING_H

#include "catalog.h"
#include "clock.h"
#include "feed.h"
#include "format.h"

/*
 * The ring buffer's sub-buffers as a stream of events (format.md 4).  A record is delivered only
 * after its length was checked against its page and against its type's fixed size.
 */

/* From the 16-bit id of a record to its type; one per source. */
struct idmap {
	struct catalog *catalog;
	struct schema *schema;
	struct notes *notes;
	const struct etype **types;	/* 65536, NULL: not met and no format */
	uint32_t type_off;		/* of common_type, bytes */
	unsigned missing;		/* ids met without a format */
	uint32_t pid_off;		/* of common_pid; UINT32_MAX: there is none */
};

void idmap_init(struct idmap *m, struct catalog *c, struct schema *s, struct notes *n);
void idmap_fini(struct idmap *m);

/* Enter T; of two with the same id the first stays, unless it is an unknown one. */
void idmap_add(struct idmap *m, const struct etype *t);

/*
 * Learn from the type with the lowest id where common_type and common_pid are; all types of a
 * source share them.  Call when all types are in.
 */
void idmap_common(struct idmap *m);

struct ring_opts {
	struct feed *feed;		/* taken over */
	struct page_layout layout;
	const struct clock *clock;	/* borrowed, as all that follow */
	struct idmap *ids;
	const struct origin *from;
	unsigned seq;			/* order of opening */
};

/* A stream of the records of FEED.  Never NULL; closing it closes the feed. */
struct stream *ring_stream(const struct ring_opts *o);

#endif
