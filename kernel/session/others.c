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
	int fd;		  /* inotify's; -1: none */
	struct watched {
		int wd;
		unsigned what;
	} * v;
	unsigned n;
	size_t cap;
};

/* Accesses MASK of NAME in DIR mean WHAT. */
static void add(struct others *o, const char *dir, const char *name, uint32_t mask, unsigned what)
{
	char path[512];
	int wd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	wd = inotify_add_watch(o->fd, path, mask);
	if (wd < 0)
		return; /* a kernel without this file, or without room for more */
	o->v = mem_grow(o->v, &o->cap, o->n + 1, sizeof(*o->v));
	o->v[o->n++] = (struct watched){ wd, what };
}

static void add_buffer(struct others *o, const char *dir)
{
	add(o, dir, "trace_pipe", IN_OPEN, READ);
	add(o, dir, "trace", IN_MODIFY, CLEARED);
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
	add_buffer(o, dir);
	add(o, dir, "trace_clock", IN_MODIFY, CLOCK);
	add(o, dir, "buffer_size_kb", IN_MODIFY, SIZE);
	add(o, dir, "buffer_subbuf_size_kb", IN_MODIFY, SIZE);
	for (unsigned i = 0; i < n; i++) {
		char cpu[400];

		snprintf(cpu, sizeof(cpu), "%s/per_cpu/cpu%d", dir, cpus[i]);
		add_buffer(o, cpu);
		add(o, cpu, "trace_pipe_raw", IN_OPEN, READ);
		add(o, cpu, "buffer_size_kb", IN_MODIFY, SIZE);
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

/* What has happened since the last call.  Does not wait. */
static unsigned look(struct others *o)
{
	_Alignas(struct inotify_event) char buf[4096];
	unsigned what = 0;
	ssize_t len;

	while (o->fd >= 0 &&
	       ((len = read(o->fd, buf, sizeof(buf))) > 0 || (len < 0 && errno == EINTR)))
		for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= len;) {
			const struct inotify_event *ev = (const void *)(buf + at);

			for (unsigned i = 0; i < o->n; i++)
				if (o->v[i].wd == ev->wd)
					what |= o->v[i].what;
			at += (ssize_t)(sizeof(*ev) + ev->len);
		}
	return what;
}

bool others_say(struct others *o, struct notes *n)
{
	unsigned now = look(o), new = now & ~o->noticed;
	const char *dir = session_dir(o->session);
	char names[300];

	o->noticed |= now;
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
