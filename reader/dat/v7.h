/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_V7_H
#define ZED_READER_DAT_V7_H

#include "reader/dat/dat.h"

/*
 * Sections and options of version 7, in two dialects: that of trace-cmd since 3.0, and the RFC of
 * June 2021 (format.md 1 and 2).  The dialect is chosen once, from the first bytes of the header.
 */

/* A parsed section header. */
struct section {
	unsigned id, flags;
	uint64_t head;	    /* offset of the header */
	uint64_t off, size; /* payload in the file, after the header and its own size words */
	uint64_t usize;	    /* packed: its unpacked size */
	bool packed;
	bool overrun;  /* it exceeds the file */
	uint64_t next; /* where the next section may begin */
};

#define SECTION_PACKED 1 /* bit of flags */

struct dat7_dialect {
	const char *name;
	bool loose; /* sizes may include the header or not */
	/* Read the section header at OFF. */
	int (*section)(struct dat *d, uint64_t off, struct section *s, struct err *e);
	/*
	 * Read what is between the header of S, a metadata section, and its payload.  May be NULL.
	 */
	int (*payload)(struct dat *d, struct section *s, struct err *e);
	/* The options section at OFF: sets the cursor to its options; free *BUF. */
	int (*options)(struct dat *d, uint64_t off, struct cursor *c, uint8_t **buf, struct err *e);
	/* An option that differs between the dialects; false: not in this dialect. */
	bool (*option)(struct dat *d, unsigned id, struct cursor payload, int *rc, struct err *e);
	/* A BUFFER section without an option, found by walking: enter what is valid. */
	void (*orphan)(struct dat *d, const struct section *s);
	/* Work to do once all options and formats have been read.  May be NULL. */
	void (*finish)(struct dat *d);
};

#define DAT7_MAX_SECTIONS 4096 /* options sections in a chain */

/* The options sections that were read, so that a chain cannot loop. */
struct dat7_visited {
	uint64_t off[DAT7_MAX_SECTIONS];
	unsigned n;
};

bool dat7_was_visited(const struct dat7_visited *v, uint64_t off);

/* Does an option describe the BUFFER section S?  Yes if one of the entered CPUs is in it. */
bool dat7_told_of(const struct dat *d, const struct section *s);

/*
 * The sections of a shipped file are consecutive.  Is there one that no option leads to, though it
 * has options, data or metadata that are missing otherwise?  The first one is reported as damage.
 */
bool dat7_misses(struct dat *d, const struct dat7_visited *v);

/* Once all is read: report bytes outside any section, or outside any CPU of their section. */
void dat7_rest(struct dat *d);

extern const struct dat7_dialect dat7_shipped, dat7_rfc;

/* Read all options of the section at OFF into *BUF (to be freed), at most MAX bytes. */
int dat7_load_options(struct dat *d, uint64_t off, uint64_t max, struct cursor *c, uint8_t **buf,
		      struct err *e);

#endif
