/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_REPORT_CALLS_H
#define ZED_TEXT_REPORT_CALLS_H

/*
 * The nesting depth of functions, from the function tracer's records: each has a function and its
 * caller.
 */
struct calls;

struct calls *calls_new(void);
void calls_free(struct calls *c);

/*
 * The indentation of FUNC (NULL: no name), called by PARENT on CPU, from 0 to CALLS_DEEP: the depth
 * at which PARENT was last seen on that CPU.
 */
#define CALLS_DEEP 512 /* more than a kernel stack can hold */
unsigned calls_nest(struct calls *c, int cpu, const char *parent, const char *func);

#endif
