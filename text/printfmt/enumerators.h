/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_ENUMERATORS_H
#define ZED_TEXT_PRINTFMT_ENUMERATORS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The value of a word that kernels leave in print formats: enumerators without a
 * TRACE_DEFINE_ENUM().  False: unknown.
 */
bool enumerator_value(const char *word, uint64_t *v);

#endif
