// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_tasks: who causes an event, in which interrupt, and what tasks are called.  Unlike ftrace's,
 * an event of CTF has no number of a task, but in a context that the user chose; so the task and
 * the interrupts of each CPU are followed from event to event.  Before the first switch of a CPU,
 * and after a loss, its task is unknown: LTTng's list of the tasks at its start (the state dump)
 * names them, and says of each on which CPU it last was, but of none that it runs.
 */
#include "base/mem.h"
#include "reader/ctf/trace.h"
#include "trace/field.h"

#include <stdlib.h>

/* Of common_flags, as ftrace has them (include/linux/trace_events.h). */
#define HARDIRQ 0x08
#define SOFTIRQ 0x10

#define HRTIMER_VECTOR 8 /* HRTIMER_SOFTIRQ (include/linux/interrupt.h) */

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
			t->running[n++] = (struct ctf_running){ .task = -1, .named = -1 };
	}
	return &t->running[cpu];
}

/* EV's integer F, -1: it has none. */
static int32_t number_in(const struct event *ev, const struct field *f)
{
	return f ? (int32_t)field_scalar(f, ev) : -1;
}

/* TASK is called what EV has in F, from now on. */
static void learn(struct ctf *t, const struct event *ev, const struct field *f, int32_t task)
{
	struct comms *comms = t->base.machine.comms;
	const char *name;
	struct span s;
	size_t len;

	if (!f || f->kind != FIELD_STR || task <= 0 || !field_span(f, ev, &s))
		return;
	name = (const char *)s.p;
	len = strnlen(name, s.len);
	comms_learn(comms, task, name, len);
	comms_set(comms, 0, task, name, len);
}

/* ---- the context of a CPU ---- */

static uint8_t flags_of(const struct ctf_running *r)
{
	return (r->irqs ? HARDIRQ : 0) | (r->softirqs ? SOFTIRQ : 0);
}

/* An end whose beginning was not seen ends nothing. */
static void count_down(uint8_t *n)
{
	*n -= *n > 0;
}

/* A CPU nests a handful. */
static void count_up(uint8_t *n)
{
	*n += *n < UINT8_MAX;
}

/* Is the function of a timer called in an interrupt of its own?  Some run in a softirq. */
static bool is_hard(const struct ctf_running *r)
{
	return !r->of_hrtimers || r->irqs;
}

static void begins(struct ctf_running *r, const struct ctf_known *k, const struct event *ev)
{
	if (k->says == SAYS_IRQ_BEGINS || (k->says == SAYS_HRTIMER_BEGINS && is_hard(r)))
		count_up(&r->irqs);
	if (k->says != SAYS_SOFTIRQ_BEGINS)
		return;
	count_up(&r->softirqs);
	r->of_hrtimers = number_in(ev, k->vec) == HRTIMER_VECTOR;
}

static void ends(struct ctf_running *r, const struct ctf_known *k)
{
	if (k->says == SAYS_IRQ_ENDS || (k->says == SAYS_HRTIMER_ENDS && is_hard(r)))
		count_down(&r->irqs);
	if (k->says != SAYS_SOFTIRQ_ENDS)
		return;
	count_down(&r->softirqs);
	r->of_hrtimers = false;
}

/* No interrupt lasts over a switch; a softirq does, where tasks handle them (PREEMPT_RT). */
static void switches(struct ctf_running *r, const struct ctf_known *k, const struct event *ev)
{
	*r = (struct ctf_running){ .task = number_in(ev, k->next), .named = r->named };
}

/* F's next event comes after a loss: what it hid is unknown. */
static void forget(struct ctf_running *r, const struct ctf_packets *f)
{
	r->irqs = r->softirqs = 0;
	r->of_hrtimers = false;
	if (f->types && f->types->has_switch)
		r->task = -1;
	if (f->trace->hides_exits)
		ctf_calls_forget(f->t);
}

/* TASK enters a call, or leaves the one that it is in. */
static void follow_calls(struct ctf *t, const struct ctf_packets *f, int32_t task)
{
	const struct ctf_known *k = f->known;
	const struct event ev = { .type = k->type, .data = f->rec.data, .size = f->rec.size };

	if (k->says == SAYS_CALL_BEGINS)
		ctf_call_begins(t, task,
				k->own_call ? (int64_t)field_scalar(k->own_call, &ev) : k->enters);
	else if (k->says == SAYS_CALL_ENDS && k->call)
		field_store(f->rec.data + k->call->off, 8, false, (uint64_t)ctf_call_ends(t, task));
}

/* ---- an event ---- */

static int32_t follow(struct ctf *t, const struct ctf_packets *f)
{
	const struct ctf_known *k = f->known;
	struct ctf_running *running = running_on(t, f->to->cpu);
	struct event ev;
	int32_t task;

	if (running && (f->lost || f->lost_some) && f->trace->is_kernel)
		forget(running, f);
	if (!k)
		return -1;
	ev = (struct event){ .type = k->type, .data = f->rec.data, .size = f->rec.size };
	task = running ? running->task : -1;
	if (running) {
		begins(running, k, &ev);
		if (k->flags)
			f->rec.data[k->flags->off] = flags_of(running);
		ends(running, k);
	}
	if (k->says == SAYS_SWITCH && running) {
		task = number_in(&ev, k->task);
		switches(running, k, &ev);
	}
	if (k->says >= SAYS_MAPS_BEGIN)
		ctf_maps_take(t, f, &ev);
	if (k->says == SAYS_STATE)
		learn(t, &ev, k->name, number_in(&ev, k->task));
	/* The kernel's own number, by which its events know the task, comes before another one. */
	if (!k->tid || (k->tid_is_virtual && f->trace->is_kernel && task >= 0))
		return task;
	task = (int32_t)field_scalar(k->tid, &ev);
	if (k->procname && running && running->named != task) {
		running->named = task;
		learn(t, &ev, k->procname, task);
	}
	return task;
}

int32_t ctf_task(struct ctf *t, const struct ctf_packets *f)
{
	int32_t task = follow(t, f);

	if (f->known && f->trace->hides_exits)
		follow_calls(t, f, task);
	return task;
}
