/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_CONSTANT_H
#define ZED_TEXT_PRINTFMT_CONSTANT_H

#include "text/printfmt/tree.h"

/*
 * The value of N, if it consists of numbers and known words; in 64 bits, like the constants of
 * tables and masks.
 */
bool constant_value(const struct pf_node *n, uint64_t *v);

#endif
