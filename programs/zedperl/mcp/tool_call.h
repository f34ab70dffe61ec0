/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_TOOL_CALL_H
#define ZED_PROGRAMS_ZEDPERL_MCP_TOOL_CALL_H

#include "programs/zedperl/mcp/message.h"
#include "programs/zedperl/mcp/revision.h"
#include "programs/zedperl/mcp/tool.h"

#include <sys/types.h>

/*
 * One call of a tool, made by a process of its own: with limits of memory, CPU time and time, and
 * with what it starts in a process group of its own, so that all of it can be ended.  Its result is
 * a file in memory.
 */
struct call {
	struct arena arena; /* of its message */
	struct message message;
	enum revision revision;
	const struct json_value *token; /* of its progress; NULL: none is asked for */
	const struct tool *tool;
	struct call_args args;
	struct work work;
	struct outbuf key; /* of what it prints, in struct kept_calls */

	pid_t pid;	   /* 0: it waits */
	int ended;	   /* readable when its process has ended; -1 */
	int result;	   /* the file; -1 */
	int said;	   /* ... of messages; -1 */
	uint64_t began;	   /* mono_ns(), of the process */
	unsigned progress; /* seconds that were reported */
};

/*
 * The call that the message M, of which A is, asks for: tools/call.  *CODE 0: it is the result that
 * is wrong, not the message.  NULL with E and *CODE; then A and M are the caller's again, as they
 * are if there is none.
 */
struct call *call_new(struct arena *a, const struct message *m, enum revision revision,
		      const struct mcp_traces *t, int *code, struct err *e);
/* Ends its process, too. */
void call_free(struct call *c);

/* Begin.  -1 with E. */
int call_start(struct call *c, struct err *e);

/*
 * C->ended is readable: wait for it (which takes no time), and append the members of its result.
 * False: it is an error, which may not come again.
 */
bool call_end(struct call *c, struct outbuf *body);

/* The members of a result that is an error, with TEXT. */
void call_error(struct outbuf *body, const char *text);

#endif
