/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_DEMANGLE_H
#define ZED_PROGRAMS_ZEDSYMS_DEMANGLE_H

/*
 * The name NAME of C++ or Rust as its source has it, without parameters, as perf shows it; else
 * NAME itself, also if this is built without libiberty.  It may be NAME, or new memory.
 */
const char *demangle(const char *name);

/* Is this built with libiberty? */
extern const _Bool DEMANGLES;

#endif
