// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * others: notices, by inotify, what other processes do with the buffers of a session, and reports
 * it.
 */
#include "kernel/session/others.h"

#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* What other processes have done: */
enum {
	READ = 1,    /* have opened trace_pipe or trace_pipe_raw */
	CLEARED = 2, /* have written to trace */
	CLOCK = 4,   /* have set the clock */
	SIZE = 8,    /* have set the size of the buffers, or of sub-buffers */
};

struct others {
	struct session *session;
	unsigned noticed; /* of these */
	unsigned now;	  /* ... since that was last reported */
	int fd;		  /* inotify's; -1: none */
	struct watched {
		int wd;
		unsigned what;
		int cpu;	/* -1: all */
		unsigned times; /* so often */
	} * v;
	unsigned n;
	size_t cap;
};

/* Accesses MASK of NAME in DIR, which is CPU's (-1: of all), mean WHAT. */
static void add(struct others *o, const char *dir, int cpu, const char *name, uint32_t mask,
		unsigned what)
{
	char path[512];
	int wd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	wd = inotify_add_watch(o->fd, path, mask);
	if (wd < 0)
		return; /* a kernel without this file, or without room for more */
	o->v = mem_grow(o->v, &o->cap, o->n + 1, sizeof(*o->v));
	o->v[o->n++] = (struct watched){ wd, what, cpu, 0 };
}

static void add_buffer(struct others *o, const char *dir, int cpu)
{
	add(o, dir, cpu, "trace_pipe", IN_OPEN, READ);
	add(o, dir, cpu, "trace", IN_MODIFY, CLEARED);
}

struct others *others_open(struct session *s)
{
	struct others *o = mem_zalloc(sizeof(*o));
	const char *dir = session_dir(s);
	const int *cpus;
	unsigned n = session_cpus(s, &cpus);

	o->session = s;
	o->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (o->fd < 0)
		return o;
	add_buffer(o, dir, -1);
	add(o, dir, -1, "trace_clock", IN_MODIFY, CLOCK);
	add(o, dir, -1, "buffer_size_kb", IN_MODIFY, SIZE);
	add(o, dir, -1, "buffer_subbuf_size_kb", IN_MODIFY, SIZE);
	for (unsigned i = 0; i < n; i++) {
		char cpu[400];

		snprintf(cpu, sizeof(cpu), "%s/per_cpu/cpu%d", dir, cpus[i]);
		add_buffer(o, cpu, cpus[i]);
		add(o, cpu, cpus[i], "trace_pipe_raw", IN_OPEN, READ);
		add(o, cpu, cpus[i], "buffer_size_kb", IN_MODIFY, SIZE);
	}
	return o;
}

void others_close(struct others *o)
{
	if (!o)
		return;
	if (o->fd >= 0)
		close(o->fd);
	free(o->v);
	free(o);
}

/* Notes what has happened since the last call.  Does not wait. */
static void look(struct others *o)
{
	_Alignas(struct inotify_event) char buf[4096];
	ssize_t len;

	while (o->fd >= 0 &&
	       ((len = read(o->fd, buf, sizeof(buf))) > 0 || (len < 0 && errno == EINTR)))
		for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= len;) {
			const struct inotify_event *ev = (const void *)(buf + at);

			for (unsigned i = 0; i < o->n; i++)
				if (o->v[i].wd == ev->wd) {
					o->now |= o->v[i].what;
					o->v[i].times++;
				}
			at += (ssize_t)(sizeof(*ev) + ev->len);
		}
}

/* How often the kernel's counts of CPU have begun anew by now. */
static unsigned resets(struct others *o, int cpu)
{
	unsigned n = 0;

	look(o);
	for (unsigned i = 0; i < o->n; i++)
		if (o->v[i].what & (CLEARED | CLOCK) && (o->v[i].cpu < 0 || o->v[i].cpu == cpu))
			n += o->v[i].times;
	return n;
}

int others_stats(struct others *o, const struct session *s, int cpu, struct stats_total *t,
		 struct cpu_stats *st, char **text, struct err *e)
{
	unsigned before, after = o ? resets(o, cpu) : 0, tries = 0;

	if (text)
		*text = NULL;
	do {
		before = after;
		if (text)
			free(*text);
		TRY(session_stats(s, cpu, st, text, e));
		after = o ? resets(o, cpu) : 0;
	} while (after != before && ++tries < 4); /* somebody may clear them all the time */
	stats_total_take(t, st, after);
	return 0;
}

bool others_say(struct others *o, struct notes *n)
{
	const char *dir = session_dir(o->session);
	char names[300];
	unsigned new;

	look(o);
	new = o->now & ~o->noticed;
	o->noticed |= o->now;
	o->now = 0;
	if (new &READ)
		note_say(n, NOTE_WARN,
			 "another process opened trace_pipe in %s: events that it reads are "
			 "missing here",
			 dir);
	if (new &CLEARED)
		note_say(n, NOTE_WARN,
			 "another process cleared %s/trace: the events in the buffers are lost, "
			 "and the kernel's counts restart at 0",
			 dir);
	if (new &CLOCK)
		note_say(n, NOTE_WARN,
			 "another process set %s/trace_clock: the events in the buffers are lost, "
			 "and time stamps are no longer comparable",
			 dir);
	if (new &SIZE)
		note_say(n, NOTE_WARN,
			 "another process resized the buffers of %s: events that no longer fit are "
			 "lost",
			 dir);
	if (session_disabled(o->session, names, sizeof(names)))
		note_say(n, NOTE_WARN,
			 "another process disabled %s in this instance: these events are no longer "
			 "recorded",
			 names);
	return (o->noticed & ~(unsigned)SIZE) != 0;
}

void others_say_read(uint64_t count, struct notes *n)
{
	if (count)
		note_say(n, NOTE_WARN,
			 "other processes read %" PRIu64 " event%s from the buffers of this "
			 "session: missing here",
			 count, plural(count));
}

char *others_in_stats(char *text, uint64_t count)
{
	return session_stats_add(text, "read by others", count);
}
