// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index_process: makes the index of explore's trace beside the server, and opens it for views.
 */
#include "programs/zedperl/explore/index_process.h"

#include "index/index.h"
#include "programs/zedperl/explore/view_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- in its process ---- */

static void on_progress(void *arg, double done)
{
	*(volatile double *)arg = done;
}

#define IN_CACHE 'c'
#define IN_FILE 'f'

/* Where views find it; 0: there is none. */
static char make(const struct explore *x, const struct index_process *p)
{
	const struct trace_index_opts o = { .progress = on_progress,
					    .progress_arg = (void *)(uintptr_t)p->done };
	struct trace_index *found;
	struct source *s;
	struct stat st;
	struct err e;
	struct cli c;

	explore_prepare(x, &c, 0, UINT64_MAX);
	if (explore_open(x, &c, &e) < 0 || c.run.pump.nsources != 1)
		return 0;
	s = c.run.pump.sources[0];
	found = trace_index_find(s);
	if (!found && stat(x->trace, &st) == 0 && st.st_size >= INDEX_CACHED_FROM) {
		trace_index_close(trace_index_make(s, &o, true, &e));
		found = trace_index_find(s);
	}
	if (found)
		return IN_CACHE;
	return trace_index_write(x->trace, p->file, &o, &e) == 0 ? IN_FILE : 0;
}

/* ---- in the server ---- */

#define MAKING_MOST 0.999

/* Never returns. */
static void live(const struct explore *x, const struct index_process *p, int ended)
{
	char made;
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	viewprocess_signals();
	viewprocess_memory();
	/* Its messages are those of the answers. */
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	made = make(x, p);
	_exit(made && write(ended, &made, 1) != 1);
}

void indexprocess_start(struct index_process *p, struct explore *x)
{
	pid_t parent = getpid();
	void *shared = mmap(NULL, sizeof(*p->done), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ends[2];

	*p = (struct index_process){ .x = x, .ended = -1 };
	p->done = shared == MAP_FAILED ? NULL : shared;
	p->file = memfd_create("index", MFD_CLOEXEC);
	if (!p->done || p->file < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	p->ended = ends[0];
	p->pid = fork();
	if (p->pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
			live(x, p, ends[1]);
		_exit(1);
	}
	close(ends[1]);
	if (p->pid > 0)
		setpgid(p->pid, p->pid);
	else
		p->pid = 0;
}

void indexprocess_look(struct index_process *p)
{
	double done = p->pid ? *p->done : 0;

	/* All of it is only what has ended well. */
	if (p->pid)
		p->x->indexed = done >= 0 && done < MAKING_MOST ? done : MAKING_MOST;
}

/* What was killed or has ended. */
static void reap(struct index_process *p)
{
	while (p->pid && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	if (p->ended >= 0)
		close(p->ended);
	p->ended = -1;
}

void indexprocess_end(struct index_process *p)
{
	char made = 0;

	p->x->indexed = 0;
	if (read(p->ended, &made, 1) == 1) {
		p->x->indexed = 1;
		p->x->index_file = made == IN_FILE ? p->file : -1;
	}
	reap(p);
}

void indexprocess_stop(struct index_process *p)
{
	if (p->pid)
		kill(p->pid, SIGKILL);
	reap(p);
	p->x->index_file = -1;
	if (p->file >= 0)
		close(p->file);
	if (p->done)
		munmap((void *)(uintptr_t)p->done, sizeof(*p->done));
}
