/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_OWN_H
#define ZED_PROGRAMS_SESSION_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Tracing causes events too: tracing everything also traces the tracer.  If these are many, their
 * number is reported.
 */

/* Are OWN events in NS nanoseconds that many? */
bool own_matters(uint64_t own, uint64_t ns);

/*
 * "about 1234 events are zedtrace's own" into BUF, returned.  HOW exactly the number is known:
 * "about ", "at least ", or "" for exactly.
 */
const char *own_text(char *buf, size_t size, const char *how, uint64_t own, const char *program);

#endif
