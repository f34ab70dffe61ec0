// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * traces: the traces of `zedperl mcp`, and the names by which they are asked for.
 */
#include "programs/zedperl/mcp/traces.h"

#include "base/mem.h"
#include "reader/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 400 /* bytes of the names in a message */

/* ---- names ---- */

/* The end of PATH, with what follows the last '/' that has something after it. */
static const char *end_of(const char *path)
{
	const char *end = path;

	for (const char *p = path; *p; p++)
		if (*p == '/' && p[1] && p[1] != '/')
			end = p + 1;
	return end;
}

static bool is_its_alone(const struct mcp_traces *t, unsigned i)
{
	for (unsigned k = 0; k < t->n; k++)
		if (k != i && !strcmp(end_of(t->v[k].path), end_of(t->v[i].path)))
			return false;
	return true;
}

void mcptraces_init(struct mcp_traces *t, char **paths, unsigned n)
{
	*t = (struct mcp_traces){ .v = mem_zalloc(n * sizeof(*t->v)), .n = n };
	for (unsigned i = 0; i < n; i++) {
		t->v[i].path = paths[i];
		snprintf(t->v[i].shown, sizeof(t->v[i].shown), "%s%s", *paths[i] == '-' ? "./" : "",
			 paths[i]);
	}
	for (unsigned i = 0; i < n; i++)
		t->v[i].name = is_its_alone(t, i) ? end_of(paths[i]) : paths[i];
}

void mcptraces_fini(struct mcp_traces *t)
{
	free(t->v);
}

static int say_names(const struct mcp_traces *t, const char *name, struct err *e)
{
	char names[NAMES_SHOWN] = "";
	size_t len = 0;

	for (unsigned i = 0; i < t->n && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
					t->v[i].name);
	if (!name)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "trace is missing: name one of %s", names);
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "no trace '%.100s': this server has %s", name,
		       names);
}

const struct mcp_trace *mcptraces_named(const struct mcp_traces *t, const char *name, struct err *e)
{
	if (!name && t->n == 1)
		return t->v;
	for (unsigned i = 0; name && i < t->n; i++)
		if (!strcmp(name, t->v[i].name) || !strcmp(name, t->v[i].path))
			return &t->v[i];
	say_names(t, name, e);
	return NULL;
}

/* ---- files ---- */

void mcptrace_stamp(const struct mcp_trace *t, struct outbuf *o)
{
	struct stat st;

	if (!source_stat(t->path, &st))
		return;
	out_printf(o, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ".%09ld\n",
		   (uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size,
		   (uint64_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

bool mcptrace_has_changed(const struct mcp_trace *t)
{
	const struct stat *was = &t->file;
	struct stat now;

	return was->st_mode && (!source_stat(t->path, &now) || now.st_dev != was->st_dev ||
				now.st_ino != was->st_ino || now.st_size != was->st_size ||
				now.st_mtim.tv_sec != was->st_mtim.tv_sec ||
				now.st_mtim.tv_nsec != was->st_mtim.tv_nsec);
}
