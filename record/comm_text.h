/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_COMM_TEXT_H
#define ZED_RECORD_COMM_TEXT_H

#include <stddef.h>

/*
 * Lines "PID COMM\n" of TEXT, LEN bytes, as they were learnt: of two with the same PID the later
 * counts.  Returns them by PID, to be freed, *OUT_LEN bytes; what is no such line is left out.
 */
char *commtext_tidy(const char *text, size_t len, size_t *out_len);

#endif
