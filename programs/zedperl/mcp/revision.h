/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_REVISION_H
#define ZED_PROGRAMS_ZEDPERL_MCP_REVISION_H

#include "programs/zedperl/mcp/message.h"

/*
 * The revisions of the Model Context Protocol.  Those up to 2025-11-25 begin with initialize, which
 * says which one all that follows is of.  From 2026-07-28 on each request says so itself, in its
 * _meta, and a result says what it is; server/discover tells about the server.  Facts:
 * modelcontextprotocol/modelcontextprotocol, schema/REVISION/schema.ts, and docs/specification/
 * 2026-07-28/basic, index and versioning.
 */
enum revision {
	REVISION_NONE, /* no request has said which */
	REVISION_2025_06_18,
	REVISION_2025_11_25,
	REVISION_2026_07_28,
};

/*
 * Which revision the request M is of; AGREED is that of initialize.  REVISION_NONE with E, *CODE
 * and, of RPC_VERSION, the error's data, appended to DATA.
 */
enum revision revision_of(const struct message *m, enum revision agreed, enum rpc_error *code,
			  struct outbuf *data, struct err *e);

/* The one that initialize agrees on when the client asks for VERSION. */
enum revision revision_agree(const char *version);

/*
 * Append the members that a result of R has besides its own, each with a comma after it.
 * CACHEABLE: of a list, which stays the same as long as the server runs.
 */
void revision_put(struct outbuf *o, enum revision r, bool cacheable);

/* Append the members of the results of initialize and server/discover. */
void revision_put_initialize(struct outbuf *o, enum revision r);
void revision_put_discover(struct outbuf *o);

#endif
