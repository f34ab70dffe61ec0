/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_STARTER_KEYS_H
#define ZED_PROGRAMS_SCRIPT_STARTER_KEYS_H

#include "trace/event.h"

/* What a starter script counts of an event T. */

/*
 * The key by which T is counted, an expression: a system call, its first text, or the task that
 * ran; NULL: none.
 */
const char *starter_key(const struct etype *t);

/* Its amount, if it has one: a size or duration, whose distribution is of interest; or NULL. */
const struct field *starter_quantity(const struct etype *t);

#endif
