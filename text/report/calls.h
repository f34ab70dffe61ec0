/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_REPORT_CALLS_H
#define ZED_TEXT_REPORT_CALLS_H

/*
 * How deep functions are nested, as far as the function tracer's records tell: each names a
 * function and who called it.
 */
struct calls;

struct calls *calls_new(void);
void calls_free(struct calls *c);

/*
 * The depth of a function FUNC (NULL: one without a name) that PARENT calls on CPU, from 0 to
 * CALLS_DEEP: as deep as PARENT was seen there last.
 */
#define CALLS_DEEP 512 /* a kernel stack has room for fewer */
unsigned calls_nest(struct calls *c, int cpu, const char *parent, const char *func);

#endif
