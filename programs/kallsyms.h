/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_KALLSYMS_H
#define ZED_PROGRAMS_KALLSYMS_H

#include "base/err.h"
#include "trace/symbols.h"

/*
 * --kallsyms: the symbols of the file PATH, a copy of /proc/kallsyms or that file itself, into a
 * new table *OUT (the caller's).  Invalid lines are left out and reported to N.
 * Returns 0, or -1 with E, which names PATH: it cannot be read, is not such a file, or its
 * addresses are hidden (proc(5), kptr_restrict: all are 0).
 */
int kallsyms_read(const char *path, struct notes *n, struct symbols **out, struct err *e);

#endif
