/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_CONTENT_PRIV_H
#define ZED_PROGRAMS_ZEDPERL_MCP_CONTENT_PRIV_H

#include "programs/zedperl/mcp/content.h"

/* Shared by content.c and content_table.c. */

#define TEXT_SHARE 6 /* the text has at most a sixth of the budget */

/* The bytes of all that was given so far, without the text. */
size_t content_bytes(const struct content *t);

/* The length of TEXT that has at most MOST bytes, whole characters. */
size_t content_cut_len(const char *text, size_t len, size_t most);

#endif
