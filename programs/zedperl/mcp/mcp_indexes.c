// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mcp_indexes: makes the indexes of the traces, which calls about a part of the time share.
 */
#include "programs/zedperl/mcp/mcp_indexes.h"

#include "index/index.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/explore/view_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* One that is there already is as good; what is wrong with a trace the answers say. */
static void make(const struct mcp_trace *t)
{
	struct explore x = { .trace = t->path, .file = t->file, .index_file = -1 };
	struct trace_index_opts o = { .progress = NULL };
	struct trace_index *found;
	struct source *s;
	struct err e;
	struct cli c;

	explore_prepare(&x, &c, 0, UINT64_MAX);
	if (explore_open(&x, &c, &e) == 0 && c.run.pump.nsources == 1) {
		s = c.run.pump.sources[0];
		found = trace_index_find(s);
		trace_index_close(found ? found : trace_index_make(s, &o, true, &e));
	}
	cli_fini(&c);
}

/* Never returns. */
static void live(const struct mcp_traces *t)
{
	int null = open("/dev/null", O_RDWR);

	viewprocess_signals();
	viewprocess_memory();
	/* The streams are the client's. */
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		_exit(1);
	for (unsigned i = 0; i < t->n; i++)
		make(&t->v[i]);
	_exit(0);
}

pid_t mcpindexes_begin(const struct mcp_traces *t)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
			live(t);
		_exit(1);
	}
	return pid < 0 ? 0 : pid;
}

void mcpindexes_end(pid_t pid)
{
	if (!pid)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
