/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_MCP_INDEXES_H
#define ZED_PROGRAMS_ZEDPERL_MCP_MCP_INDEXES_H

#include "programs/zedperl/mcp/traces.h"

#include <sys/types.h>

/*
 * --index: a process beside the server makes the indexes of the traces, in the cache folder, where
 * all calls find them.  Begin: its number; 0: it could not be started, and calls read the traces.
 */
pid_t mcpindexes_begin(const struct mcp_traces *t);

/* End it, if it still runs.  0 is fine. */
void mcpindexes_end(pid_t pid);

#endif
