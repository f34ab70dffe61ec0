/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_OWN_H
#define ZED_PROGRAMS_SESSION_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Tracing makes events too: who traces everything also traces the tracer.  Where these are many,
 * their number is said.
 */

/* Are OWN events in NS nanoseconds so many? */
bool own_matters(uint64_t own, uint64_t ns);

/*
 * "about 1234 events are zedtrace's own" into BUF, returned.  HOW the number is known: "about ",
 * "at least ", or "" for exactly.
 */
const char *own_text(char *buf, size_t size, const char *how, uint64_t own, const char *program);

#endif
