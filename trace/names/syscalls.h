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
};

/* The trace's machine (the last word of its uname), into ARCH, printable; "" if not stated. */
void sysnames_arch(struct machine *m, char *arch, size_t size);

/*
 * The names for MACHINE (uname -m: "x86_64", "armv7l", "aarch64"), allocated from A.  False: this
 * architecture is not in the table.
 */
bool sysnames_load(struct sysnames *s, const char *machine, struct arena *a);

/* The name of call NR, or NULL. */
static inline const char *sysnames_of(const struct sysnames *s, uint64_t nr)
{
	if (nr < s->n)
		return s->names[nr];
	return nr - s->far_base < s->nfar ? s->far[nr - s->far_base] : NULL;
}

#endif
