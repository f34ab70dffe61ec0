/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_CATALOG_H
#define ZED_CATALOG_H

#include "err.h"
#include "event.h"

/*
 * The event types of all open sources, each with a dense index.  Adding a type costs a look at the
 * two first lines of its format; the fields are parsed when the first record of it is met or
 * somebody asks. The catalog owns every etype, field and name; they live until catalog_free().
 */
struct catalog;

struct catalog *catalog_new(void);
void catalog_free(struct catalog *c);

/*
 * Add the type that the format text TEXT of LEN bytes describes (kept by reference: it must outlive
 * the catalog) for source S.  Returns NULL and fills E if there is no usable name and ID in it.
 */
struct etype *catalog_add(struct catalog *c, struct schema *s, const char *system,
			  const char *text, size_t len, struct err *e);

/*
 * Add a type whose N fields are known without a kernel's format text (FIELDS is kept by reference:
 * it must outlive the catalog).  A record has at least FIXED bytes.  None of the fields is a common
 * one.
 */
struct etype *catalog_add_fields(struct catalog *c, struct schema *s, const char *system,
				 const char *name, unsigned id, const struct field *fields,
				 unsigned n, uint32_t fixed);

/* Add a type for an id that no format tells of: system "unknown", name "id_N", known = false. */
struct etype *catalog_add_unknown(struct catalog *c, struct schema *s, unsigned id);

unsigned catalog_count(const struct catalog *c);

/* The type of index IDX, unresolved maybe.  IDX < catalog_count(). */
const struct etype *catalog_at(const struct catalog *c, unsigned idx);

/*
 * Tell which types the sink has use for: WANT has one byte per idx for the first catalog_count()
 * types and is copied (NULL: all).  Types that come later are wanted.  May be called at any time;
 * counts and losses are not affected by it.
 */
void catalog_want(struct catalog *c, const uint8_t *want);

/*
 * Parse the fields of T if that has not been done.  Returns -1 with E when the format is damaged; T
 * then counts as unknown (known = false, no fields) and is resolved all the same, so later calls
 * return 0.
 */
int etype_resolve(struct catalog *c, const struct etype *t, struct err *e);

/* The first type of that name from index FROM on (several sources may each have one), or NULL. */
const struct etype *catalog_find(const struct catalog *c, const char *system, const char *name,
				 unsigned from);

#endif
