/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_ANSWER_KEY_H
#define ZED_INTERP_COMMON_ANSWER_KEY_H

#include "analysis/aggregate/key.h"

/* The set "0,2-5" (or "") of LEN bytes at S as the next part of K.  False: it is not one. */
bool answer_key_set(struct key *k, const char *s, size_t len);

#endif
