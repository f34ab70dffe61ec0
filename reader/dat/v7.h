/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_V7_H
#define ZED_READER_DAT_V7_H

#include "reader/dat/dat.h"

/*
 * Version 7's sections and options, and the two dialects of them: what trace-cmd has shipped
 * since 3.0, and the RFC of June 2021 (format.md 1 and 2).  The dialect is chosen once, from the
 * first bytes of the header.
 */

/* A section's header, read. */
struct section {
	unsigned id, flags;
	uint64_t head;	    /* offset of the header */
	uint64_t off, size; /* payload in the file, after the header and its own size words */
	uint64_t usize;	    /* packed: what it unpacks to */
	bool packed;
	bool overrun;  /* it claims more bytes than the file has */
	uint64_t next; /* where the next section may begin */
};

#define SECTION_PACKED 1 /* bit of flags */

struct dat7_dialect {
	const char *name;
	bool loose; /* sizes may count the header or not */
	/* Read the section header at OFF. */
	int (*section)(struct dat *d, uint64_t off, struct section *s, struct err *e);
	/*
	 * After the header of S, a section of metadata: what is still between it and the payload.
	 * May be NULL.
	 */
	int (*payload)(struct dat *d, struct section *s, struct err *e);
	/* The options section at OFF: the cursor gets its options, *BUF is to be freed. */
	int (*options)(struct dat *d, uint64_t off, struct cursor *c, uint8_t **buf, struct err *e);
	/* An option that differs between the dialects; false: this dialect has none of that id. */
	bool (*option)(struct dat *d, unsigned id, struct cursor payload, int *rc, struct err *e);
	/*
	 * A BUFFER section that no option tells of, found by walking: enter it as far as it goes.
	 */
	void (*orphan)(struct dat *d, const struct section *s);
	/* When all options and formats are read: what had to wait for them.  May be NULL. */
	void (*finish)(struct dat *d);
};

#define DAT7_MAX_SECTIONS 4096 /* options sections in a chain */

/* The options sections that were read, so that a chain cannot loop. */
struct dat7_visited {
	uint64_t off[DAT7_MAX_SECTIONS];
	unsigned n;
};

bool dat7_was_visited(const struct dat7_visited *v, uint64_t off);

/* Does an option tell of the BUFFER section S?  One does if one of its CPUs lies in it. */
bool dat7_told_of(const struct dat *d, const struct section *s);

/*
 * The sections of a shipped file stand one after the other.  Is there one that no option leads to,
 * though it has what is missing: options, data, metadata?  The first one is reported as damage.
 */
bool dat7_misses(struct dat *d, const struct dat7_visited *v);

/* When all is read: report what belongs to no section, or to no CPU of its section. */
void dat7_rest(struct dat *d);

extern const struct dat7_dialect dat7_shipped, dat7_rfc;

/* All the options of the section at OFF, read into *BUF (to be freed), at most MAX bytes. */
int dat7_load_options(struct dat *d, uint64_t off, uint64_t max, struct cursor *c, uint8_t **buf,
		      struct err *e);

#endif
