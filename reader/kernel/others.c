// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * others: notices, by inotify, what other processes do with the buffers of a session.
 */
#include "reader/kernel/others.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

struct others {
	int fd;
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
	add(o, dir, "trace_pipe", IN_OPEN, OTHERS_READ);
	add(o, dir, "trace", IN_MODIFY, OTHERS_CLEARED);
}

struct others *others_open(const struct session *s)
{
	struct others *o = mem_zalloc(sizeof(*o));
	const char *dir = session_dir(s);
	const int *cpus;
	unsigned n = session_cpus(s, &cpus);

	o->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (o->fd < 0) {
		free(o);
		return NULL;
	}
	add_buffer(o, dir);
	add(o, dir, "trace_clock", IN_MODIFY, OTHERS_CLOCK);
	for (unsigned i = 0; i < n; i++) {
		char cpu[400];

		snprintf(cpu, sizeof(cpu), "%s/per_cpu/cpu%d", dir, cpus[i]);
		add_buffer(o, cpu);
		add(o, cpu, "trace_pipe_raw", IN_OPEN, OTHERS_READ);
	}
	return o;
}

void others_close(struct others *o)
{
	if (!o)
		return;
	close(o->fd);
	free(o->v);
	free(o);
}

unsigned others_look(struct others *o)
{
	_Alignas(struct inotify_event) char buf[4096];
	unsigned what = 0;
	ssize_t len;

	while (o && ((len = read(o->fd, buf, sizeof(buf))) > 0 || (len < 0 && errno == EINTR)))
		for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= len;) {
			const struct inotify_event *ev = (const void *)(buf + at);

			for (unsigned i = 0; i < o->n; i++)
				if (o->v[i].wd == ev->wd)
					what |= o->v[i].what;
			at += (ssize_t)(sizeof(*ev) + ev->len);
		}
	return what;
}
