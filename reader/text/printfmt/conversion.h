/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_CONVERSION_H
#define ZED_READER_TEXT_PRINTFMT_CONVERSION_H

#include "reader/text/printfmt/tree.h"

#define PF_MAX_WIDTH 1024 /* of one conversion */

enum pf_conv_kind { CONV_NUMBER, CONV_POINTER, CONV_STRING };

/* A conversion of the format string with its argument. */
struct pf_conv {
	enum pf_conv_kind kind;
	const char *spec; /* from its '%' on, spec_len bytes */
	unsigned spec_len;
	char letter; /* d u x ... s; for pointers what follows the p */
	int longs;   /* number of l minus number of h */
	const struct pf_node *arg, *width;
};

/*
 * The next conversion of a format string at or after *P: fills C (without its arguments) and moves
 * *P behind it.  Returns 1, 0 at the end, -1 if it must not reach vsnprintf() (*WHY).  *STARS gets
 * how many arguments it takes for widths, *WIDTH the sum of its literal widths.
 */
int printfmt_conv(const char **p, struct pf_conv *c, unsigned *stars, unsigned *width,
		  const char **why);

/* Does C print the name of a symbol? */
bool pf_conv_of_symbol(const struct pf_conv *c);

#endif
