/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_NAMES_SYSCALLS_H
#define ZED_TRACE_NAMES_SYSCALLS_H

#include "base/mem.h"
#include "trace/machine.h"

#include <stdbool.h>

/*
 * Names of system calls by architecture, from the table stable/syscalls.txt that `make regen` makes
 * from the kernel's headers.
 */
struct sysnames {
	const char **names; /* by number; NULL if there is none */
	unsigned n;
	const char **far; /* for numbers far above (ARM's private calls), from far_base on */
	unsigned nfar;
	uint64_t far_base;
	const struct own_calls *own; /* the machine's, of which only the names are known, or NULL */
};

/*
 * Names of calls without a number, or of a machine that a trace of names does not state: they get
 * numbers that no machine has, from SYSNAMES_OWN on, in the order in which they are met.
 */
#define SYSNAMES_OWN 0x1c00 /* MIPS has numbers up to 0x1a00 */
#define SYSNAMES_MOST 1024

struct own_calls {
	const char **names;
	unsigned n;
	size_t cap;
};

/* The trace's machine (the last word of its uname), into ARCH, printable; "" if not stated. */
void sysnames_arch(struct machine *m, char *arch, size_t size);

/*
 * The names for MACHINE (uname -m: "x86_64", "armv7l", "aarch64"), allocated from A.  False: this
 * architecture is not in the table.
 */
bool sysnames_load(struct sysnames *s, const char *machine, struct arena *a);

/*
 * The names of M's calls: those of the architecture that it states, ARCH (sysnames_arch()), and its
 * own, which S borrows.  False: of ARCH there are none.
 */
bool sysnames_of_machine(struct sysnames *s, struct machine *m, const char *arch, struct arena *a);

/* The name of call NR, or NULL. */
static inline const char *sysnames_of(const struct sysnames *s, uint64_t nr)
{
	if (nr < s->n)
		return s->names[nr];
	if (nr - s->far_base < s->nfar)
		return s->far[nr - s->far_base];
	return s->own && nr - SYSNAMES_OWN < s->own->n ? s->own->names[nr - SYSNAMES_OWN] : NULL;
}

/* The number of the call NAME in the table of S; -1: it has none there. */
int64_t sysnames_number(const struct sysnames *s, const char *name);

/*
 * The number of the call NAME (kept by reference) among OWN, to which it is added if it is new; -1:
 * there are too many.
 */
int64_t own_calls_number(struct own_calls *own, const char *name);

#endif
