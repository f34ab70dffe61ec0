/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_SYMBOL_AT_H
#define ZED_INTERP_COMMON_SYMBOL_AT_H

#include "trace/event.h"

/* What is at an address. */
struct symbol_at {
	const char *name;   /* the function; NULL: not known */
	uint64_t off;	    /* of the address in it */
	const char *module; /* of the kernel, or the file of a program; NULL: the kernel's image */
};

/*
 * The function that the program of EV has mapped at ADDR, or else the kernel's there.  Texts are
 * borrowed until the next event.
 */
void symbol_at(const struct event *ev, uint64_t addr, struct symbol_at *out);

#endif
