// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timeline_json: a time line's answer for the page that draws it.
 */
#include "programs/zedperl/explore/timeline_json.h"

#include "analysis/timeline/packing.h"
#include "programs/zedperl/explore/event_row.h"
#include "programs/zedperl/explore/lane_losses.h"
#include "trace/catalog.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- the states at the beginning ---- */

static void begin_cpu(void *arg, uint32_t source, int cpu, uint32_t task)
{
	struct timeline_begun *b = arg;

	b->cpus = mem_grow(b->cpus, &b->cap_cpus, b->ncpus + 1, sizeof(*b->cpus));
	b->cpus[b->ncpus++] = (struct begun_cpu){ .source = source, .cpu = cpu, .task = task };
}

static void begin_task(void *arg, uint32_t task, enum task_state state, char letter)
{
	struct timeline_begun *b = arg;

	b->tasks = mem_grow(b->tasks, &b->cap_tasks, b->ntasks + 1, sizeof(*b->tasks));
	b->tasks[b->ntasks++] =
		(struct begun_task){ .task = task, .state = (uint8_t)state, .letter = letter };
}

void timeline_begun_take(struct timeline_begun *b, const struct timeline *t)
{
	const struct timeline_state_taker each = { .cpu = begin_cpu, .task = begin_task, .arg = b };

	timeline_each_state(t, &each);
}

void timeline_begun_fini(struct timeline_begun *b)
{
	free(b->cpus);
	free(b->tasks);
}

/* ---- which tasks ---- */

static bool is_asked(const struct request *q, const struct tl_task *task)
{
	for (unsigned i = 0; i < q->nlanes; i++)
		if (q->tasks[i].source == task->source && q->tasks[i].pid == task->pid)
			return true;
	return false;
}

void timeline_keep_tasks(struct timeline_out *t, const struct request *q)
{
	struct timeline_answer *a = t->a;
	struct timeline_lane *lanes = a->lanes + a->ncpus;
	unsigned *from = mem_alloc((a->ntasks + 1) * sizeof(*from)), n = 0, others = 0;

	for (unsigned i = 0; i < a->ntasks; i++)
		if (is_asked(q, timeline_task(t->timeline, lanes[i].task)) ||
		    (lanes[i].run && others++ < q->ntasks))
			from[n++] = i;
	for (uint32_t c = 0; c < a->task_cells; c++)
		for (unsigned i = 0; i < n; i++)
			memmove(a->tasks + ((size_t)c * n + i) * 4,
				a->tasks + ((size_t)c * a->ntasks + from[i]) * 4, 4);
	for (unsigned i = 0; i < n; i++)
		lanes[i] = lanes[from[i]];
	a->ntasks = n;
	free(from);
}

/* ---- its parts ---- */

struct timeline_writing {
	const struct timeline_out *t;
	struct outbuf *o;
	struct timeline_pack pack;
};

static void put_task(struct outbuf *o, const struct tl_task *task)
{
	char comm[sizeof(task->comm) + 1] = "";

	memcpy(comm, task->comm, sizeof(task->comm));
	out_char(o, '[');
	out_json_name(o, comm);
	out_printf(o, ",%d", task->pid);
}

static void put_people(struct timeline_writing *w)
{
	for (size_t i = 0; i < w->pack.people.n; i++) {
		out_str(w->o, i ? "," : "");
		put_task(w->o, timeline_task(w->t->timeline, w->pack.people.v[i]));
		out_char(w->o, ']');
	}
}

static void put_types(struct timeline_writing *w)
{
	char name[2 * SHOWN_NAME];

	for (size_t i = 0; i < w->pack.types.n; i++) {
		const struct etype *t = catalog_at(w->t->catalog, w->pack.types.v[i]);

		snprintf(name, sizeof(name), "%s:%s", t->system, t->name);
		out_str(w->o, i ? "," : "");
		out_json_name(w->o, name);
	}
}

static void put_lanes(struct timeline_writing *w, bool tasks)
{
	const struct timeline_answer *a = w->t->a;
	const struct timeline_lane *l = a->lanes + (tasks ? a->ncpus : 0);

	for (unsigned i = 0, n = tasks ? a->ntasks : a->ncpus; i < n; i++, l++) {
		out_str(w->o, i ? "," : "");
		if (tasks) {
			put_task(w->o, timeline_task(w->t->timeline, l->task));
			out_printf(w->o, ",%" PRIu64 ",%u]", l->run, l->source);
		} else {
			out_printf(w->o, "[%d,%u]", l->cpu, l->source);
		}
	}
}

static void put_ranges(struct timeline_writing *w)
{
	const struct timeline_answer *a = w->t->a;

	for (size_t i = 0; i < a->marks.nranges; i++) {
		const struct marks_range *r = &a->marks.ranges[i];

		out_printf(w->o, "%s[%" PRIu64 ",%" PRIu64 ",%zu]", i ? "," : "",
			   r->from - a->start, r->to - a->start, r->n);
	}
}

static void put_running(struct timeline_writing *w)
{
	const struct timeline_begun *b = w->t->begun;
	bool any = false;

	for (size_t i = 0; i < b->ncpus; i++) {
		int lane = lane_of_cpu(w->t->a, b->cpus[i].source, b->cpus[i].cpu);

		if (lane < 0)
			continue;
		out_printf(w->o, "%s[%d,%u]", any ? "," : "", lane,
			   used_place(&w->pack.people, b->cpus[i].task));
		any = true;
	}
}

/* Those of tasks that occur otherwise. */
static void put_states(struct timeline_writing *w)
{
	const struct timeline_begun *b = w->t->begun;
	bool any = false;

	for (size_t i = 0; i < b->ntasks; i++) {
		const struct begun_task *s = &b->tasks[i];
		char letter[2] = { s->state == TASK_BLOCKED ? s->letter : '\0' };

		if (!w->pack.people.of[s->task])
			continue;
		out_printf(w->o, "%s[%u,\"%s\",", any ? "," : "", w->pack.people.of[s->task] - 1,
			   s->state == TASK_READY   ? "ready" :
			   s->state == TASK_BLOCKED ? "off" :
						      "dead");
		out_json_name(w->o, letter);
		out_char(w->o, ']');
		any = true;
	}
}

static void put_member(struct timeline_writing *w, const char *name,
		       void (*put)(struct timeline_writing *w))
{
	out_printf(w->o, ",\"%s\":[", name);
	put(w);
	out_char(w->o, ']');
}

static void put_cpus(struct timeline_writing *w)
{
	put_lanes(w, false);
}

static void put_tasks(struct timeline_writing *w)
{
	put_lanes(w, true);
}

static unsigned count_sources(const struct timeline_answer *a)
{
	unsigned n = 1;

	for (unsigned i = 0; i < a->ncpus; i++)
		if (a->lanes[i].source >= n)
			n = a->lanes[i].source + 1;
	return n;
}

void timeline_put(const struct timeline_out *t, struct outbuf *o)
{
	const struct timeline_answer *a = t->a;
	struct timeline_writing w = { .t = t, .o = o };

	timeline_pack_init(&w.pack, a, catalog_count(t->catalog));
	out_printf(o,
		   "\"timeline\":{\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"cpu_width\":%" PRIu64
		   ",\"task_width\":%" PRIu64
		   ",\"nmarks\":%zu,\"has_switches\":%d,\"left\":%" PRIu64 ",\"sources\":%u",
		   a->start - t->base, a->end - t->base, a->cpu_width, a->task_width, a->marks.n,
		   a->has_switches, a->left, count_sources(a));
	put_member(&w, "cpus", put_cpus);
	put_member(&w, "tasks", put_tasks);
	put_member(&w, "ranges", put_ranges);
	put_member(&w, "running", put_running);
	put_member(&w, "states", put_states);
	put_member(&w, "people", put_people);
	put_member(&w, "types", put_types);
	out_str(o, "},\"cells-cpu\":");
	out_base64(o, a->cpus, (size_t)a->cpu_cells * a->ncpus * 4);
	out_str(o, ",\"cells-task\":");
	out_base64(o, a->tasks, (size_t)a->task_cells * a->ntasks * 4);
	out_str(o, ",\"marks\":");
	out_base64(o, w.pack.marks.p, w.pack.marks.len);
	timeline_pack_fini(&w.pack);
}
