/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_MCP_SERVER_H
#define ZED_PROGRAMS_ZEDPERL_MCP_MCP_SERVER_H

#include "programs/zedperl/mcp/traces.h"

#define SERVER_CALLS 32	  /* calls that run or wait; more are refused */
#define SERVER_RUNNING 8  /* of them run at once, at most as many as there are CPUs */
#define SERVER_PROGRESS 1 /* seconds between two reports of progress */

/*
 * Answer the messages that come on the descriptor IN, by lines on OUT, until IN ends and all calls
 * have their results, or OUT takes no more.  -1 with E: it cannot go on.
 */
int mcpserver_run(const struct mcp_traces *t, int in, int out, struct err *e);

#endif
