/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_TRACES_H
#define ZED_PROGRAMS_ZEDPERL_MCP_TRACES_H

#include "base/err.h"
#include "base/outbuf.h"

#include <limits.h>
#include <sys/stat.h>

/* The traces that the user has named, the only ones that a call can ask about. */
#define MCP_TRACES 64

struct mcp_trace {
	const char *path;     /* as the user named it */
	const char *name;     /* how calls name it: the end of the path, if that is its alone */
	struct stat file;     /* as the server has begun; st_mode 0: there is none */
	char shown[PATH_MAX]; /* the path as a word that is not an option */
};

struct mcp_traces {
	struct mcp_trace *v;
	unsigned n;
};

/* N (1 to MCP_TRACES) of PATHS, which are borrowed; their files are looked at later. */
void mcptraces_init(struct mcp_traces *t, char **paths, unsigned n);
void mcptraces_fini(struct mcp_traces *t);

/*
 * The trace that NAME means; NULL is the only one there is.  NULL with E (ERR_USAGE), which lists
 * the names.
 */
const struct mcp_trace *mcptraces_named(const struct mcp_traces *t, const char *name,
					struct err *e);

/* Append which file T is of now, the same text as long as that is as it was. */
void mcptrace_stamp(const struct mcp_trace *t, struct outbuf *o);

/* Is T of another file, or of another content, than as the server has begun? */
bool mcptrace_has_changed(const struct mcp_trace *t);

#endif
