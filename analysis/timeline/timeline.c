/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline: follows CPUs and tasks through the scheduler's events, and records what they did.
 */
#include "analysis/timeline/timeline_priv.h"

#include "base/mem.h"
#include "trace/field.h"

#include <stdlib.h>
#include <string.h>

#define CPU_CELLS 65536
#define CPU_CELLS_MOST (1u << 20) /* of all CPUs */
#define TASK_CELLS 8192
#define HARDIRQ 0x08 /* of common_flags (include/linux/trace_events.h) */
#define SOFTIRQ 0x10

struct timeline *timeline_new(struct catalog *c, const struct stable *stable, struct notes *n,
			      const struct timeline_part *part)
{
	struct timeline *t = mem_zalloc(sizeof(*t));

	t->part = part ? *part : (struct timeline_part){ .to = UINT64_MAX };
	t->catalog = c;
	t->stable = stable;
	t->notes = n;
	tasks_init(&t->tasks);
	t->detail = (struct timeline_detail){ .cpu_cells = CPU_CELLS,
					      .cpu_cells_most = CPU_CELLS_MOST };
	return t;
}

void timeline_detail(struct timeline *t, const struct timeline_detail *d)
{
	t->detail = *d;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->nsources; i++) {
		for (unsigned k = 0; k < t->sources[i].n; k++)
			free(t->sources[i].cpus[k]);
		free(t->sources[i].cpus);
	}
	for (size_t i = 0; i < t->nroles; i++)
		event_role_fini(&t->roles[i]);
	free(t->sources);
	free(t->cpus);
	free(t->roles);
	free(t->waiting);
	cells_fini(&t->cpu_cells);
	cells_fini(&t->task_cells);
	tasks_fini(&t->tasks);
	marks_fini(&t->marks);
	free(t);
}

const struct tl_task *timeline_task(const struct timeline *t, uint32_t number)
{
	return &t->tasks.v[number];
}

uint64_t timeline_marks(const struct timeline *t)
{
	return t->marks.all;
}

static void begin(struct timeline *t, uint64_t ts)
{
	t->begun = true;
	t->first = t->last = ts;
	cells_init(&t->cpu_cells, t->detail.cpu_cells, t->detail.cpu_cells_most, ts);
	cells_init(&t->task_cells, TASK_CELLS, (uint64_t)TASK_CELLS * TASK_LANES, ts);
}

/* ---- the part that is asked for ---- */

bool timeline_is_over(const struct timeline *t, uint64_t ts)
{
	return ts > t->part.to;
}

static bool takes_cpu(const struct timeline *t, int cpu)
{
	return !t->part.takes_cpu || t->part.takes_cpu(t->part.arg, cpu);
}

/* Is C's event EV drawn? */
static bool draws(const struct timeline *t, const struct tl_cpu *c, const struct event *ev)
{
	return c->lane != NO_LANE && ev->ts >= t->part.from;
}

static void fill_cpu(struct timeline *t, const struct tl_cpu *c, unsigned part, uint64_t from,
		     uint64_t to, uint32_t who)
{
	if (c->lane != NO_LANE)
		cells_fill(&t->cpu_cells, c->lane, part, from, to, who);
}

/* ---- CPUs ---- */

static struct tl_cpu *new_cpu(struct timeline *t, struct tl_source *s, uint32_t source, int cpu,
			      uint64_t ts)
{
	bool shown = takes_cpu(t, cpu);
	int lane = shown ? cells_lane(&t->cpu_cells) : -1;
	struct tl_cpu *c;

	if (shown && lane < 0)
		return NULL;
	cells_reach(&t->cpu_cells, ts);
	c = mem_zalloc(sizeof(*c));
	c->number = cpu;
	c->source = source;
	c->lane = shown ? (unsigned)lane : NO_LANE;
	c->task = NO_TASK;
	c->in = c->sure = ts;
	s->cpus[cpu] = c;
	if (!shown)
		return c;
	cells_fill(&t->cpu_cells, c->lane, CPU_UNKNOWN, t->first, ts, NO_TASK);
	t->cpus = mem_grow(t->cpus, &t->cap_cpus, c->lane + 1u, sizeof(*t->cpus));
	t->cpus[c->lane] = c;
	return c;
}

/* CPU of the input SOURCE; NULL: there are more than fit. */
static struct tl_cpu *cpu_numbered(struct timeline *t, unsigned source, int cpu, uint64_t ts)
{
	struct tl_source *s;
	struct tl_cpu *c;

	if (cpu < 0 || cpu >= CPUS_MOST || source >= SOURCES_MOST)
		return NULL;
	if (source >= t->nsources) {
		t->sources = mem_realloc(t->sources, (source + 1) * sizeof(*t->sources));
		memset(&t->sources[t->nsources], 0,
		       (source + 1 - t->nsources) * sizeof(*t->sources));
		t->nsources = source + 1;
	}
	s = &t->sources[source];
	if ((unsigned)cpu >= s->n) {
		unsigned n = (unsigned)cpu + 1;

		s->cpus = mem_realloc(s->cpus, n * sizeof(*s->cpus));
		memset(&s->cpus[s->n], 0, (n - s->n) * sizeof(*s->cpus));
		s->n = n;
	}
	c = s->cpus[cpu];
	return c ? c : new_cpu(t, s, source, cpu, ts > t->last ? ts : t->last);
}

static struct tl_cpu *cpu_of(struct timeline *t, const struct event *ev)
{
	return cpu_numbered(t, ev->from->source, ev->cpu, ev->ts);
}

/* The same for the task that runs on C. */
static void close_cpu(struct timeline *t, struct tl_cpu *c, uint64_t ts)
{
	if (c->task == NO_TASK || !c->switches)
		fill_cpu(t, c, CPU_UNKNOWN, c->in, ts, NO_TASK);
	else if (c->task != TASK_IDLE)
		fill_cpu(t, c, CPU_BUSY, c->in, ts, c->task);
}

/* The task that runs on C left at TS; the caller sets its state. */
static void leave(struct timeline *t, struct tl_cpu *c, uint64_t ts)
{
	close_cpu(t, c, ts);
	if (c->switches && c->lane != NO_LANE && c->task != NO_TASK && c->task > TASK_OTHER &&
	    ts > c->in) {
		struct tl_task *task = &t->tasks.v[c->task];

		task->run += ts - c->in;
		if (task->lane < 0)
			tl_want_lane(t, c->task, ts);
	}
}

/* From TS on TASK runs on C. */
static void enter(struct timeline *t, struct tl_cpu *c, uint32_t task, uint64_t ts)
{
	c->task = task;
	c->in = c->sure = ts;
	tl_set_state(t, task, TASK_RUNS, ts);
}

/* An event of C shows that TASK runs there. */
static void seen(struct timeline *t, struct tl_cpu *c, uint32_t task, uint64_t ts)
{
	if (c->task == task) {
		c->sure = ts;
		return;
	}
	if (c->task != NO_TASK) {
		/* A switch is missing: somewhere after the last event that showed who ran. */
		uint64_t sure = c->switches ? c->sure : c->in;

		leave(t, c, sure);
		tl_set_state(t, c->task, TASK_UNKNOWN, sure);
		fill_cpu(t, c, CPU_UNKNOWN, sure, ts, NO_TASK);
		enter(t, c, task, ts);
		return;
	}
	/* The first task seen, or seen again after a gap, has run since the records begin. */
	c->task = task;
	c->sure = ts;
	tl_set_state(t, task, TASK_RUNS, c->in);
}

/* ---- losses ---- */

/* What happened on C between its last event and TS is unknown, and so is what its tasks woke. */
static void lose(struct timeline *t, struct tl_cpu *c, uint64_t ts, bool drawn)
{
	uint64_t sure = c->sure;

	if (c->task != NO_TASK) {
		leave(t, c, sure);
		tl_set_state(t, c->task, TASK_UNKNOWN, sure);
	} else {
		close_cpu(t, c, sure);
	}
	fill_cpu(t, c, CPU_UNKNOWN, sure, ts, NO_TASK);
	if (drawn)
		cells_flag(&t->cpu_cells, c->lane, sure, ts, CELL_LOST);
	c->task = NO_TASK;
	c->in = c->sure = ts;
}

static bool waits(const struct tl_task *task)
{
	return task->state == TASK_READY || task->state == TASK_BLOCKED;
}

static void lose_task(struct timeline *t, uint32_t number, uint32_t source, uint64_t sure)
{
	const struct tl_task *task = &t->tasks.v[number];

	if (task->source == source && waits(task))
		tl_set_state(t, number, TASK_UNKNOWN, sure > task->since ? sure : task->since);
}

/*
 * Tasks that wait or sleep may have been woken, or have run, on the CPU that lost events.  Tasks
 * without a lane are not shown.
 */
static void lose_tasks(struct timeline *t, uint32_t source, uint64_t sure)
{
	size_t left = 0;

	for (unsigned i = 0; i < t->task_cells.nlanes; i++)
		lose_task(t, t->lane_task[i], source, sure);
	for (size_t i = 0; i < t->nwaiting; i++) {
		uint32_t number = t->waiting[i];

		lose_task(t, number, source, sure);
		if (waits(&t->tasks.v[number]))
			t->waiting[left++] = number;
		else
			t->tasks.v[number].listed = false;
	}
	t->nwaiting = left;
}

static struct mark *new_mark(struct timeline *t, bool drawn)
{
	return drawn ? marks_add(&t->marks) : &t->undrawn;
}

static void take_losses(struct timeline *t, struct tl_cpu *c, const struct event *ev, uint64_t ts)
{
	struct tl_source *s = &t->sources[c->source];
	struct mark *m = new_mark(t, draws(t, c, ev));

	*m = (struct mark){ .ts = ts,
			    .who = TASK_OTHER,
			    .other = ev->lost,
			    .lane = (uint16_t)c->lane,
			    .type = UINT32_MAX,
			    .kind = MARK_LOST };
	lose_tasks(t, c->source, c->sure);
	for (unsigned i = 0; i < s->n; i++)
		if (s->cpus[i] && (ev->lost_anywhere || s->cpus[i] == c))
			lose(t, s->cpus[i], ts > s->cpus[i]->sure ? ts : s->cpus[i]->sure,
			     draws(t, s->cpus[i], ev));
}

/* ---- events ---- */

static uint32_t task_of(struct timeline *t, const struct event *ev, const struct field *pid,
			const struct field *comm, uint64_t ts)
{
	uint32_t task = tasks_find(&t->tasks, ev->from->source, (int32_t)field_scalar(pid, ev));
	struct span name;

	if (comm && field_span(comm, ev, &name))
		tasks_name(&t->tasks, task, &name);
	tl_meet_task(t, task, ts);
	return task;
}

static void take_switch(struct timeline *t, struct tl_cpu *c, const struct event_role *s,
			const struct event *ev, uint64_t ts, struct mark *m)
{
	uint32_t prev = task_of(t, ev, s->pid, s->comm, ts),
		 next = task_of(t, ev, s->next_pid, s->next_comm, ts);
	char letter = s->state ? (char)ev->data[s->state->off] : 0;
	bool preempted = s->preempted && field_scalar(s->preempted, ev);

	seen(t, c, prev, ts);
	c->switches = t->has_switches = true;
	leave(t, c, ts);
	if (prev > TASK_OTHER) {
		struct tl_task *task = &t->tasks.v[prev];
		bool ready = preempted || letter == 'R' || task->noted;

		tl_set_state(t, prev,
			     letter == 'X' || letter == 'Z' || letter == 'x' ? TASK_DEAD :
			     ready					     ? TASK_READY :
									       TASK_BLOCKED,
			     ts);
		task->letter = letter;
	}
	enter(t, c, next, ts);
	m->kind = MARK_SWITCH;
	m->who = prev;
	m->other = next;
	m->letter = preempted ? '+' : letter;
}

static void take_waking(struct timeline *t, const struct event_role *s, const struct event *ev,
			const struct event *raw, uint64_t ts, struct mark *m)
{
	uint32_t number = task_of(t, ev, s->pid, s->comm, ts);
	struct tl_task *task = &t->tasks.v[number];
	uint64_t flags = s->flags ? field_scalar(s->flags, raw) : 0;

	if (number <= TASK_OTHER)
		return;
	if (s->kind == EVENT_ROLE_NEW || task->state == TASK_BLOCKED ||
	    task->state == TASK_UNKNOWN || task->state == TASK_DEAD)
		tl_set_state(t, number, TASK_READY, ts);
	else if (task->state == TASK_RUNS)
		task->noted = s->kind == EVENT_ROLE_WAKING;
	/*
	 * The woken task is queued later: only the decision is drawn as an arrow, unless it is
	 * missing.
	 */
	if (s->kind == EVENT_ROLE_WAKEUP)
		return;
	m->kind = MARK_WAKING;
	m->other = number;
	m->letter = (char)(flags & HARDIRQ ? 'i' : flags & SOFTIRQ ? 's' : ' ');
}

static struct event_role *role_of(struct timeline *t, const struct etype *type)
{
	if (type->idx >= t->nroles)
		t->roles = mem_grow_zeroed(t->roles, &t->nroles, type->idx + 1, sizeof(*t->roles));
	if (!t->roles[type->idx].met)
		event_role_find(&t->roles[type->idx], type, t->catalog, t->stable, t->notes);
	return &t->roles[type->idx];
}

/* The CPU of EV, allocated if needed, with its losses recorded; *TS: the time of EV. */
static struct tl_cpu *come(struct timeline *t, const struct event *ev, uint64_t *ts)
{
	struct tl_cpu *c;

	if (timeline_is_over(t, ev->ts)) {
		t->is_over = true;
		return NULL;
	}
	if (!t->begun)
		begin(t, t->part.from ? t->part.from : ev->ts);
	c = cpu_of(t, ev);
	if (!c) {
		t->left++;
		return NULL;
	}
	*ts = ev->ts > t->last ? ev->ts : t->last;
	t->last = *ts;
	cells_reach(&t->cpu_cells, *ts);
	cells_reach(&t->task_cells, *ts);
	if (ev->lost)
		take_losses(t, c, ev, *ts);
	return c;
}

void timeline_lost(struct timeline *t, const struct event *ev)
{
	uint64_t ts;

	come(t, ev, &ts);
}

/* Handle EV, which counts if it was CHOSEN. */
static void take(struct timeline *t, const struct event *ev, bool chosen)
{
	const struct event *stable;
	const struct event_role *s;
	struct tl_cpu *c;
	struct cell *cell;
	struct mark *m;
	bool drawn;
	uint64_t ts;

	c = come(t, ev, &ts);
	if (!c || ev->bare)
		return;
	s = role_of(t, ev->type);
	drawn = draws(t, c, ev);
	cell = drawn && chosen ? cells_at(&t->cpu_cells, c->lane, ts) : NULL;
	if (cell)
		cell->n += cell->n != UINT32_MAX;
	m = new_mark(t, drawn);
	*m = (struct mark){
		.ts = ts, .other = NO_TASK, .type = ev->type->idx, .lane = (uint16_t)c->lane
	};
	if (s->kind == EVENT_ROLE_SWITCH) {
		stable = s->map ? stable_map_event(s->map, ev) : ev;
		if (stable) {
			take_switch(t, c, s, stable, ts, m);
			return;
		}
	}
	m->who = ev->pid >= 0 ? tasks_find(&t->tasks, ev->from->source, ev->pid) : TASK_OTHER;
	if (ev->pid >= 0)
		seen(t, c, m->who, ts);
	if (s->kind == EVENT_ROLE_IRQ) {
		if (cell)
			cell->flags |= CELL_IRQ;
	} else if (s->kind != EVENT_ROLE_NOTHING) {
		stable = s->map ? stable_map_event(s->map, ev) : ev;
		if (stable)
			take_waking(t, s, stable, ev, ts, m);
	}
}

void timeline_event(struct timeline *t, const struct event *ev)
{
	take(t, ev, true);
}

void timeline_beyond(struct timeline *t, const struct event *ev)
{
	take(t, ev, false);
}

bool timeline_follows(struct timeline *t, const struct etype *type)
{
	uint8_t kind;

	if (t->is_over)
		return false;
	kind = role_of(t, type)->kind;
	return kind != EVENT_ROLE_NOTHING && kind != EVENT_ROLE_IRQ;
}

/* ---- states that are known before the first event ---- */

void timeline_assume(struct timeline *t, const struct timeline_assumed *a)
{
	struct span name = { (const uint8_t *)a->comm, (uint32_t)strlen(a->comm) };
	uint32_t task = tasks_find(&t->tasks, a->source, a->pid);
	struct tl_cpu *c;

	if (!t->begun)
		begin(t, t->part.from);
	tasks_name(&t->tasks, task, &name);
	tl_meet_task(t, task, t->last);
	if (a->state != TASK_RUNS) {
		tl_set_state(t, task, a->state, t->last);
		t->tasks.v[task].letter = a->letter;
		return;
	}
	c = cpu_numbered(t, a->source, a->cpu, t->last);
	if (!c)
		return;
	c->switches = t->has_switches = true;
	enter(t, c, task, t->last);
}

/* ---- the end ---- */

void timeline_cut(struct timeline *t, unsigned source, int cpu, uint64_t ts)
{
	const struct tl_source *s = source < t->nsources ? &t->sources[source] : NULL;

	if (s && cpu >= 0 && (unsigned)cpu < s->n && s->cpus[cpu]) {
		s->cpus[cpu]->cut = s->cpus[cpu]->cut_tasks = true;
		s->cpus[cpu]->cut_at = ts;
	}
}

void timeline_chosen(struct timeline *t, unsigned source)
{
	const struct tl_source *s = source < t->nsources ? &t->sources[source] : NULL;

	for (unsigned i = 0; s && i < s->n; i++) {
		if (s->cpus[i]) {
			s->cpus[i]->cut = true;
			s->cpus[i]->cut_at = s->cpus[i]->sure;
		}
	}
}

/* What the CPUs of S did after their last records is unknown, where they are cut. */
static void lose_rest(struct timeline *t, const struct tl_source *s)
{
	uint64_t first = UINT64_MAX;
	unsigned i;

	for (i = 0; i < s->n; i++)
		if (s->cpus[i] && s->cpus[i]->cut_tasks && s->cpus[i]->cut_at < first)
			first = s->cpus[i]->cut_at;
	if (first < t->last)
		lose_tasks(t, (uint32_t)(s - t->sources), first);
	for (i = 0; i < s->n; i++) {
		struct tl_cpu *c = s->cpus[i];

		if (!c || !c->cut || c->cut_at >= t->last)
			continue;
		if (c->sure < c->cut_at)
			c->sure = c->cut_at;
		lose(t, c, t->last, false);
	}
}

void timeline_settle(struct timeline *t)
{
	/* It is known that nothing more happened up to the end that was asked for. */
	if (t->part.to != UINT64_MAX && (t->is_over || t->part.to_end)) {
		t->last = t->part.to > t->last ? t->part.to : t->last;
		cells_reach(&t->cpu_cells, t->last);
		cells_reach(&t->task_cells, t->last);
	}
	for (unsigned i = 0; i < t->nsources; i++)
		lose_rest(t, &t->sources[i]);
	for (unsigned i = 0; i < t->cpu_cells.nlanes; i++) {
		struct tl_cpu *c = t->cpus[i];

		leave(t, c, t->last);
		c->in = t->last;
	}
	for (unsigned i = 0; i < t->task_cells.nlanes; i++) {
		tl_close_task(t, t->lane_task[i], t->last);
		t->tasks.v[t->lane_task[i]].since = t->last;
	}
	for (uint32_t i = TASK_OTHER + 1; t->detail.task && i < t->tasks.n; i++) {
		if (t->tasks.v[i].lane >= 0)
			continue;
		tl_close_task(t, i, t->last);
		t->tasks.v[i].since = t->last;
	}
}

void timeline_keep(struct timeline *t, uint64_t from, uint64_t to, uint64_t weight)
{
	if (from <= to)
		marks_keep(&t->marks, from, to, weight);
}
