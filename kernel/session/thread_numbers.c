// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread_numbers: the kernel's numbers of our other threads in a PID namespace: each is sent a
 * signal, and the kernel's record of that has the number of the receiver.  No thread has to take
 * part: all of ours block signals, and this one is ignored where it is not blocked.
 */
#include "kernel/procs.h"
#include "kernel/session/session_priv.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNAL SIGURG
#define BUFFER_KB 64 /* of a CPU: a thousand signals */

/* An instance that records the signals that this thread sends.  NULL with E. */
static struct session *open_beside(const struct session *s, struct err *e)
{
	static const char *const events[] = { "signal:signal_generate" };
	char suffix[32], filter[100];
	const char *const filters[] = { filter };
	const struct session_opts o = {
		.events = events,
		.nevents = 1,
		.filters = filters,
		.nfilters = 1,
		.buffer_kb = BUFFER_KB,
		.beside = suffix,
	};

	snprintf(suffix, sizeof(suffix), "%s" SESSION_THREADS, s->suffix);
	snprintf(filter, sizeof(filter), "signal:signal_generate: common_pid == %d && sig == %d",
		 (int)s->numbers.self, SIGNAL);
	return session_open(&o, e);
}

/* Signal the N threads in TIDS but this one.  Only threads of this process can get it. */
static unsigned signal_all(const pid_t *tids, unsigned n)
{
	pid_t pid = getpid(), self = (pid_t)syscall(SYS_gettid);
	unsigned sent = 0;

	for (unsigned i = 0; i < n; i++) {
		pid_t tid = procs_inner(tids[i]);

		sent += tid && tid != self && syscall(SYS_tgkill, pid, tid, SIGNAL) == 0;
	}
	return sent;
}

/* The receivers in TEXT, lines "... signal_generate: sig=23 ... comm=NAME pid=77 grp=0 res=1". */
static unsigned receivers(const char *text, pid_t *numbers, unsigned max)
{
	unsigned n = 0;

	for (const char *p = text; n < max && (p = strstr(p, " signal_generate: "));) {
		const char *end = p + strcspn(p, "\n"), *at = NULL;

		/* A name may look like a number: the last one is. */
		while ((p = strstr(p + 1, " pid=")) && p < end)
			at = p;
		p = end;
		if (at && sscanf(at, " pid=%d grp=", &numbers[n]) == 1)
			n++;
	}
	return n;
}

unsigned session_number_threads(struct session *s, pid_t *numbers, unsigned max, unsigned *unknown,
				struct err *e)
{
	pid_t *tids = mem_alloc(max * sizeof(*tids));
	unsigned n = procs_threads(procs_self(), tids, max), sent = 0, found = 0;
	struct session *beside = NULL;
	char *text = NULL;

	*unknown = n > 1 ? n - 1 : 0;
	if (*unknown)
		beside = open_beside(s, e);
	if (beside && session_start(beside, e) == 0) {
		sent = signal_all(tids, n);
		if (session_stop(beside, e) == 0)
			text = tracefs_text(beside->dir, "trace", NULL, e);
		found = text ? receivers(text, numbers, max) : 0;
		/* One that has ended meanwhile is not missed. */
		*unknown = sent > found ? sent - found : 0;
	}
	free(text);
	free(tids);
	session_close(beside);
	return found;
}
