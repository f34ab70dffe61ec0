/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXTFAST_H
#define ZED_TEXTFAST_H

#include "outbuf.h"
#include "printfmt.h"

/* The number that libtraceevent takes an entry of a table for: VALUE as its format has it. */
uint64_t fast_flag_value(const char *value);

#endif
