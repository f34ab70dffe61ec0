/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_NAMES_ERRNOS_H
#define ZED_TRACE_NAMES_ERRNOS_H

#include "base/mem.h"

#include <stdint.h>

/* Names of error numbers on one machine: they differ between architectures. */
struct errnos {
	const char **names; /* by number (not negated); NULL if there is none */
	unsigned n;
};

/*
 * The names for MACHINE (uname -m; "" if unknown: the most common names), allocated from A.  512 to
 * 531 are internal to the kernel and the same on all.  Linux's uapi headers are the source.
 */
void errnos_load(struct errnos *t, const char *machine, struct arena *a);

/* The name of error NR, or NULL. */
static inline const char *errnos_of(const struct errnos *t, uint64_t nr)
{
	return nr < t->n ? t->names[nr] : NULL;
}

#endif
