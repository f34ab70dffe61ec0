/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_CONSTANTS_H
#define ZED_READER_TEXT_PRINTFMT_CONSTANTS_H

#include "reader/text/printfmt/tree.h"

/* The constants of a print format. */

/* The value of a table's entry; false: not a constant that the library can compute. */
bool fmtconst_table(const struct pf_node *n, int64_t *out);

/* The value of a number, or of a name that kernels leave in tables; 0 for an unknown one. */
uint64_t fmtconst_word(const char *word);

/* Is something in N, or in what follows it, divided by a constant zero? */
bool fmtconst_zero_divisor(const struct pf_node *n);

#endif
