/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_RUNNING_KERNEL_H
#define ZED_KERNEL_RUNNING_KERNEL_H

#include "trace/finder.h"
#include "trace/symbols.h"

/*
 * Is the recording ID of the running kernel?  By its release, its host and its build id
 * (/sys/kernel/notes): what ID does not state is not compared.  -1 with E: it is of another machine
 * or kernel (ERR_UNKNOWN).  *OLDER: it was written before this boot.
 */
int running_kernel_check(const struct kernel_identity *id, bool *older, struct err *e);

/*
 * Are the symbols T those of ID's boot?  Its symbol has the same address, as KASLR chooses another
 * at each boot; or it states the number of this boot.  -1 with E: no.
 */
int running_kernel_check_boot(const struct symbols *t, const struct kernel_identity *id,
			      struct err *e);

/*
 * The symbols of the running kernel, from /proc/kallsyms: a new table, the caller's.  Without
 * MODULES only its own: where it is at one place in each boot, they hold for an older recording,
 * and those of modules do not.  NULL with E: it cannot be read, or the kernel hides its addresses
 * (kptr_restrict).
 */
struct symbols *running_kernel_symbols(bool modules, struct err *e);

/*
 * Has the running kernel the build id ID of LEN bytes?  Then its image has the same symbols, at
 * addresses that differ by one number (KASLR).
 */
bool running_kernel_is_build(const uint8_t *id, size_t len);

/* Was a recording whose host is HOST (NULL: not stated) made on this machine, by its name? */
bool running_kernel_is_host(const char *host);

#endif
