/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_ROWS_ROWS_PRIV_H
#define ZED_INTERP_ROWS_ROWS_PRIV_H

#include "interp/rows/rows.h"

/* Shared by rows and states. */

/* New scalars, the caller's. */
SV *rows_number_sv(pTHX_ struct number v);
SV *rows_part_sv(pTHX_ const struct key_part *p);

/* How a part of a key is written: rows_part_sv(), or with more. */
typedef SV *part_to_sv(pTHX_ const struct key_part *p);

/* A row with the key of VALUE, one of A's, and its number of events; the caller's. */
AV *rows_begin(pTHX_ const struct aggregate *a, const void *value, part_to_sv *how);

/* Appended to it, for AGG_TOP: an array of VALUE's records. */
void rows_push_records(pTHX_ AV *row, const struct aggregate *a, const void *value,
		       part_to_sv *how);

/* A whole number of 64 bits, as such or in text.  False: SV, which may be NULL, is not one. */
bool rows_number_from(pTHX_ SV *sv, struct number *v);

#endif
