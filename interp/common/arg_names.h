/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_ARG_NAMES_H
#define ZED_INTERP_COMMON_ARG_NAMES_H

#include "trace/event.h"

/* The arguments of a handler by name: fields of its events, or pseudo fields. */

/* A list of names, owned. */
struct arg_names {
	char **v;
	unsigned n;
	size_t cap;
};

void arg_names_add(struct arg_names *l, const char *name);
void arg_names_fini(struct arg_names *l);

/*
 * Has T (resolved) a field of that name, with values, or is there a pseudo field (pseudo.h)?
 * FRAME: after cpu, secs, nsecs and sequence, where the only pseudo fields are those called
 * common_*.
 */
bool args_has(const struct etype *t, const char *name, bool frame);

#endif
