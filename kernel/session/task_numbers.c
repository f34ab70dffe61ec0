// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task_numbers: the kernel's numbers of our own tasks.  In a PID namespace they are found by
 * markers: each task writes one, and the record of it has the number as its common_pid.
 */
#include "base/mono.h"
#include "kernel/procs.h"
#include "kernel/session/session_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MARK_WAIT 2000000000ull /* ns for a task to write its marker */

/*
 * The common_pid of the record of TEXT in the LEN bytes of a sub-buffer; 0: it is not there.
 * ftrace:print has u16 type, u8 flags, u8 preempt_count, s32 common_pid, a long, and the text.
 */
static pid_t pid_of_mark(const uint8_t *page, size_t len, const char *text)
{
	size_t before = sizeof(long) + sizeof(int32_t);
	const uint8_t *at = memmem(page, len, text, strlen(text));
	int32_t pid = 0;

	if (at && (size_t)(at - page) >= before)
		memcpy(&pid, at - before, sizeof(pid));
	return pid;
}

/* Read sub-buffers of one CPU: the pid of TEXT, if it is in there. */
static pid_t look_in_cpu(const struct session *s, int cpu, uint8_t *page, const char *text)
{
	char path[700];
	pid_t pid = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", s->dir, cpu);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while (!pid && (n = read(fd, page, s->page_size)) > 0)
		pid = pid_of_mark(page, (size_t)n, text);
	close(fd);
	return pid;
}

static pid_t look_for(const struct session *s, uint8_t *page, const char *text)
{
	pid_t pid = 0;

	for (unsigned i = 0; i < s->ncpus && !pid; i++)
		pid = look_in_cpu(s, s->cpus[i], page, text);
	return pid;
}

/* Write TEXT, our own marker, and find the number that it has; 0: unknown. */
static pid_t number_ourselves(const struct session *s, uint8_t *page, const char *text)
{
	struct err none;

	return tracefs_write(s->dir, "trace_marker", text, &none) < 0 ? 0 : look_for(s, page, text);
}

/* Have C write TEXT, and wait for that. */
static pid_t number_child(const struct session *s, const struct session_child *c, uint8_t *page,
			  const char *text)
{
	uint64_t until = mono_ns() + MARK_WAIT;
	char marker[400];
	pid_t pid;

	snprintf(marker, sizeof(marker), "%s/trace_marker", s->dir);
	c->mark(c->arg, marker, text);
	while (!(pid = look_for(s, page, text)) && mono_ns() < until)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return pid;
}

/* In another namespace than the initial one: our number, and that of C in *CHILD. */
static int number_by_marks(struct session *s, const struct session_child *c, pid_t *child,
			   struct err *e)
{
	uint8_t *page;
	char text[100];
	struct err none;

	TRY(session_read_pages(s, e));
	TRY(session_find_cpus(s, e));
	page = mem_alloc(s->page_size);
	/* The same text is in no other instance, so copies of others' markers do not matter. */
	snprintf(text, sizeof(text), "%s%s is", s->name, s->suffix);
	if (s->numbers.space == PIDNS_OTHER)
		s->numbers.self = number_ourselves(s, page, text);
	snprintf(text, sizeof(text), "%s%s forked", s->name, s->suffix);
	if (c->pid)
		*child = number_child(s, c, page, text);
	free(page);
	/* The markers, and the kernel's counts of them. */
	tracefs_write(s->dir, "trace", "", &none);
	if (!*child && c->pid)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "cannot record process %d only: in this PID namespace the kernel's "
			       "number of it is unknown, and %s/trace_marker does not tell it",
			       (int)c->pid, s->dir);
	return 0;
}

int session_number_tasks(struct session *s, const struct session_opts *o, struct err *e)
{
	pid_t child = o->child.pid;

	if (s->numbers.space == PIDNS_OTHER && o->npids)
		return err_set(
			e, ERR_USAGE, ERR_NO_OFF,
			"process %d: that is its number in this PID namespace, and the "
			"kernel's, by which it traces, is unknown here: run it outside "
			"(docker run --pid=host), or trace a command: -c EVENT... -- COMMAND",
			(int)o->pids[0]);
	if (s->numbers.space != PIDNS_INITIAL)
		TRY(number_by_marks(s, &o->child, &child, e));
	s->numbers.pids = mem_alloc((o->npids + 1) * sizeof(*s->numbers.pids));
	if (o->npids)
		memcpy(s->numbers.pids, o->pids, o->npids * sizeof(*s->numbers.pids));
	s->numbers.npids = o->npids;
	if (child)
		s->numbers.pids[s->numbers.npids++] = child;
	return 0;
}
