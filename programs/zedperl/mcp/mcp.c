// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mcp: `zedperl mcp TRACE...`: its options, and the traces that may be asked about.
 */
#include "programs/zedperl/mcp/mcp.h"

#include "programs/conflicts.h"
#include "programs/reading.h"
#include "programs/zedperl/explore/trace_trial.h"
#include "programs/zedperl/mcp/mcp_indexes.h"
#include "programs/zedperl/mcp/mcp_server.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

struct mcp_words {
	bool index;
};

static const struct cli_opt OPTS[] = {
	{ "index", 0, NULL, "keep an index of each TRACE: calls about a range read only that",
	  OPT_FLAG(mcp_words, index) },
	{ .name = NULL },
};

static const struct cli_table TABLES[] = {
	{ .opts = OPTS },
	{ .opts = GENERAL, .of = CLI_OF_CLI },
	{ .opts = NULL },
};

static const struct cli_spec SPEC = {
	.prog = "zedperl",
	.usage = "zedperl mcp [OPTION]... TRACE...",
	.about = "Answers a program that asks about these traces: a server of the Model\n"
		 "Context Protocol on standard input and output, for agents. Its tools read\n"
		 "these traces and nothing else; answers are bounded, say what limits them,\n"
		 "and have the command line with the same numbers. It ends when its input does.",
	.more = "  zedperl mcp trace.dat\n"
		"How it is registered, and what an agent should know: zedperl help agents.\n"
		"Exit status: 0; 2 usage, or a trace cannot be read.",
	.tables = TABLES,
	.word = { .name = "a trace" },
};

/* Open it once, so that what is wrong is said now. */
static bool try_trace(struct cli *c, struct mcp_trace *t)
{
	struct explore x = { .trace = t->path, .index_file = -1 };
	bool ok = false;
	struct err e;

	if (tracetrial_file(&x, "mcp", &e) < 0 || tracetrial_open(&x, &ok, &e) < 0) {
		cli_say_err(c, &e);
		return false;
	}
	t->file = x.file;
	return ok;
}

static int serve(struct cli *c, const struct mcp_words *w, struct mcp_traces *t)
{
	pid_t indexes;
	struct err e;
	int rc;

	for (unsigned i = 0; i < t->n; i++)
		if (!try_trace(c, &t->v[i]))
			return CLI_USAGE;
	indexes = w->index ? mcpindexes_begin(t) : 0;
	rc = mcpserver_run(t, STDIN_FILENO, STDOUT_FILENO, &e);
	mcpindexes_end(indexes);
	if (rc == 0)
		return CLI_OK;
	cli_say_err(c, &e);
	return CLI_DAMAGE;
}

static int run(struct cli *c, const struct mcp_words *w)
{
	struct mcp_traces t;
	int status;

	/* Ignored, it would take the status of each process that is waited for. */
	signal(SIGCHLD, SIG_DFL);
	/* A client that has gone is seen by what is written. */
	signal(SIGPIPE, SIG_IGN);
	if (!cli_asked(c))
		return CLI_USAGE;
	if (!c->words.nargs)
		return cli_usage(c, true, "mcp needs a trace, or several");
	if (c->words.nargs > MCP_TRACES)
		return cli_usage(c, true, "mcp takes at most %d traces", MCP_TRACES);
	mcptraces_init(&t, c->words.args, (unsigned)c->words.nargs);
	status = serve(c, w, &t);
	mcptraces_fini(&t);
	return status;
}

int mcp_command(int argc, char **argv)
{
	struct mcp_words w = { .index = false };
	struct cli c;
	int status = 0;

	cli_init(&c, &SPEC, &w);
	if (cli_parse(&c, argc, argv, &status))
		status = run(&c, &w);
	cli_fini(&c);
	return status;
}
