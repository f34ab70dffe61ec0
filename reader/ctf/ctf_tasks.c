// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_tasks: who causes an event, and what tasks are called.  Unlike ftrace's, an event of CTF has
 * no number of a task, but in a context that the user chose; so the task of each CPU is followed
 * from switch to switch.  Before the first switch of a CPU it is unknown.
 */
#include "base/mem.h"
#include "reader/ctf/trace.h"
#include "trace/field.h"

#include <stdlib.h>

/* CPU, or NULL: there is no such one. */
static struct ctf_running *running_on(struct ctf *t, int cpu)
{
	unsigned n = t->nrunning;

	if (cpu < 0 || cpu >= CTF_MAX_CPUS)
		return NULL;
	if ((unsigned)cpu >= n) {
		t->nrunning = (unsigned)cpu + 64;
		t->running = mem_realloc(t->running, t->nrunning * sizeof(*t->running));
		while (n < t->nrunning)
			t->running[n++] = (struct ctf_running){ -1, -1 };
	}
	return &t->running[cpu];
}

/* EV's integer NAME, -1: it has none. */
static int32_t number_in(const struct event *ev, const char *name)
{
	const struct field *f = field_find(ev->type, name);

	return f && field_is_int(f) && f->loc == FIELD_AT ? (int32_t)field_scalar(f, ev) : -1;
}

/* TASK is called what EV has in F. */
static void learn(struct ctf *t, const struct event *ev, const struct field *f, int32_t task)
{
	struct span s;

	if (f && f->kind == FIELD_STR && task > 0 && field_span(f, ev, &s))
		comms_learn(t->base.machine.comms, task, (const char *)s.p,
			    strnlen((const char *)s.p, s.len));
}

int32_t ctf_task(struct ctf *t, const struct ctf_packets *f)
{
	const struct ctf_known *k = f->known;
	struct ctf_running *running;
	struct event ev;
	int32_t task;

	if (!k)
		return -1;
	ev = (struct event){ .type = k->type, .data = f->rec.data, .size = f->rec.size };
	running = running_on(t, f->to->cpu);
	task = running ? running->task : -1;
	if (k->is_switch && running) {
		task = number_in(&ev, "prev_tid");
		running->task = number_in(&ev, "next_tid");
	}
	if (k->is_state)
		learn(t, &ev, field_find(k->type, "name"), number_in(&ev, "tid"));
	if (!k->tid)
		return task;
	task = (int32_t)field_scalar(k->tid, &ev);
	if (k->procname && running && running->named != task) {
		running->named = task;
		learn(t, &ev, k->procname, task);
	}
	return task;
}
