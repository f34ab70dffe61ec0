/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_ROWS_STATE_H
#define ZED_INTERP_ROWS_STATE_H

#include "interp/perl/perl_inc.h"
#include "analysis/aggregate/aggregate.h"

/*
 * For states, which may be kept in files of any kind: a row in which every part of a key begins
 * with a letter for its kind (u undef, i number, s text, b set), and every number keeps all of its
 * bits.  Buckets are pairs of number and events.
 */
AV *state_row(pTHX_ const struct aggregate *a, const void *value);

/* Add such a row to A.  False: it is invalid, and part of it may have been added. */
bool state_take(pTHX_ struct aggregate *a, AV *row);

#endif
