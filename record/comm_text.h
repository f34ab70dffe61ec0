/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_COMM_TEXT_H
#define ZED_RECORD_COMM_TEXT_H

#include <stddef.h>

/*
 * TEXT, LEN bytes, has lines "PID COMM\n" in the order they were recorded: of two with the same PID
 * the later one counts.  Returns them sorted by PID, *OUT_LEN bytes, to be freed; lines of another
 * form are left out.
 */
char *commtext_tidy(const char *text, size_t len, size_t *out_len);

#endif
