/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_CATALOGUE_H
#define ZED_STABLE_CATALOGUE_H

#include "trace/catalog.h"
#include "stable/layout.h"

/*
 * The catalogue of stable events: what each promises, and where its fields come from on any kernel.
 * docs/zed-stable.pod describes the language of its files.  The shipped ones (stable/ *.stable) are
 * embedded; users can add their own, and a later definition of a name replaces an earlier one.
 */
struct stable;

/* A raw event that can be the source of a stable one. */
struct stable_raw {
	const char *system, *name;
};

/*
 * One "from" line: the first alternative that a trace describes is used.  A raw event may be in
 * several lines, and the first that takes it wins; with a "where" it may be in only one.
 */
struct stable_from {
	struct stable_raw *alts;
	unsigned n;
	const char *where; /* an expression that its records must pass (filter.h), or NULL */
};

struct stable_event {
	const char *system, *name;
	const char *purpose;
	const char *gone; /* why current kernels have no source for it, or NULL */
	const char *file; /* where it is defined, for messages, and the line */
	unsigned line;
	struct desc desc;			/* finished; its items are the fields in order */
	const struct stable_expr *const *exprs; /* desc.n of them, for map.c */
	const struct stable_from *from;		/* each line is a separate source */
	unsigned nfrom;
};

/* The shipped catalogue.  Never fails: tests cover every line of it. */
struct stable *stable_new(void);
void stable_free(struct stable *s);

/*
 * Add the definitions in TEXT (LEN bytes, copied).  FILE names it in messages.  -1 with E
 * (ERR_FORMAT, path FILE, "line L, column C: ..."): then none of TEXT was added.
 */
int stable_add(struct stable *s, const char *file, const char *text, size_t len, struct err *e);

/* The same for a file, or for every *.stable file of a directory, sorted. */
int stable_add_path(struct stable *s, const char *path, struct err *e);

/* Sorted by system and name.  Borrowed until the next stable_add(). */
unsigned stable_count(const struct stable *s);
const struct stable_event *stable_at(const struct stable *s, unsigned i);
const struct stable_event *stable_find(const struct stable *s, const char *system,
				       const char *name);

#endif
