/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CATALOG_H
#define ZED_TRACE_CATALOG_H

#include "base/err.h"
#include "trace/event.h"

/*
 * The event types of all open sources, each with a dense index.  Adding a type reads the first two
 * lines of its format; the fields are parsed at its first record, or when requested.  The catalog
 * owns every etype, field and name; they live until catalog_free().
 */
struct catalog;

struct catalog *catalog_new(void);
void catalog_free(struct catalog *c);

/*
 * Add the type that the format text TEXT of LEN bytes describes (kept by reference: it must outlive
 * the catalog) for source S.  Returns NULL and fills E if it has no usable name and ID.
 */
struct etype *catalog_add(struct catalog *c, struct machine *s, const char *system,
			  const char *text, size_t len, struct err *e);

/*
 * Add a type whose N fields are known without a kernel's format text (FIELDS is kept by reference:
 * it must outlive the catalog).  A record has at least FIXED bytes.  None of the fields are common
 * ones.
 */
struct etype *catalog_add_fields(struct catalog *c, struct machine *s, const char *system,
				 const char *name, unsigned id, const struct field *fields,
				 unsigned n, uint32_t fixed);

/*
 * T, just added by catalog_add_fields(), is the event L of LTTng's kernel tracer.  The first
 * NCOMMON of its fields are common ones.  PRINT says what its numbers mean, as the print format of
 * the kernel's event does; "": nothing.  L and PRINT must outlive the catalog.
 */
void catalog_set_lttng(struct catalog *c, struct etype *t, const struct lttng_event *l,
		       unsigned ncommon, const char *print);

/* Add a type for an id without a format: system "unknown", name "id_N", known = false. */
struct etype *catalog_add_unknown(struct catalog *c, struct machine *s, unsigned id);

unsigned catalog_count(const struct catalog *c);

/* The type of index IDX, resolved or not.  IDX < catalog_count(). */
const struct etype *catalog_at(const struct catalog *c, unsigned idx);

/*
 * Names of events that are not types here but that the running kernel has, for messages only; in
 * the order in which they were added.  Both are copied.
 */
void catalog_add_other(struct catalog *c, const char *system, const char *name);

/* The name of the I-th of them; *SYSTEM gets its system.  NULL: no more. */
const char *catalog_other(const struct catalog *c, unsigned i, const char **system);

/* What the consumer of a run wants of a type's events: catalog_want(). */
enum wanted {
	WANT_NO,
	WANT_ORDER,  /* in the order of the merge; the default */
	WANT_EARLY,  /* in any order: pump_early() */
	WANT_BEYOND, /* in order, and also outside the requested window (NEXT_BEYOND) */
};

/*
 * What a run does with the events of a type (struct etype): the request, and what streams do as a
 * result: events that name tasks (comm_event.h) may be read for the names only.
 */
struct demand {
	uint8_t asked; /* enum wanted */
	bool skip;     /* streams count its records and skip them */
	bool early;    /* streams give them to stream.early */
	bool beyond;   /* the time window does not apply to it */
};

/*
 * Set which types the consumer wants: WANT has one byte (WANT_...) per idx for the first
 * catalog_count() types and is copied (NULL: all, in order).  Types added later are wanted.  May be
 * called at any time; does not affect counts and losses.
 */
void catalog_want(struct catalog *c, const uint8_t *want);

/* Is a type wanted WANT_BEYOND? */
bool catalog_wants_beyond(const struct catalog *c);

/* Call when the answer of comms_needs() may have changed for some types. */
void catalog_see_names(struct catalog *c);

/*
 * Parse the fields of T unless that has been done.  Returns -1 with E when the format is damaged: T
 * then counts as unknown (known = false, no fields) and is nevertheless resolved, so later calls
 * return 0.
 */
int etype_resolve(struct catalog *c, const struct etype *t, struct err *e);

/* The first type of that name from index FROM on (several sources may each have one), or NULL. */
const struct etype *catalog_find(const struct catalog *c, const char *system, const char *name,
				 unsigned from);

/*
 * Do the globs SYSTEM and NAME match T's name?  An event of LTTng's kernel tracer has a second one,
 * "lttng" and what LTTng calls it.  The second function also takes names as a Perl sub has them.
 */
bool etype_matches(const struct etype *t, const char *system, const char *name);
bool etype_matches_perl(const struct etype *t, const char *system, const char *name);

/* By system, then name; the second is for qsort() of an array of types. */
int etype_compare(const struct etype *a, const struct etype *b);
int etype_order(const void *a, const void *b);

/* Finds a record's type by its 16-bit id; one per source. */
struct idmap {
	struct catalog *catalog;
	struct machine *machine;
	struct notes *notes;
	const struct etype **types; /* 65536; NULL: no record and no format yet */
	uint32_t type_off;	    /* of common_type, bytes */
	unsigned missing;	    /* ids in records that have no format */
	uint32_t pid_off;	    /* of common_pid; UINT32_MAX: none */
};

void idmap_init(struct idmap *m, struct catalog *c, struct machine *s, struct notes *n);
void idmap_fini(struct idmap *m);

/*
 * Enter T; of two with the same id the first stays, unless it is an unknown one: records may
 * precede the format (live, zed streams).
 */
void idmap_add(struct idmap *m, const struct etype *t);

/* Has the type of ID (16 bits) a format? */
bool idmap_knows(const struct idmap *m, unsigned id);

/*
 * The type of ID (16 bits), whose first record this is: resolved, or a new unknown one.  Never
 * NULL; errors are reported.
 */
const struct etype *idmap_meet(struct idmap *m, unsigned id);

/*
 * Learn from the type with the lowest id where common_type and common_pid are; all types of a
 * source share them.  Call when all types have been added.
 */
void idmap_common(struct idmap *m);

#endif
