// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lane_irqs: pairs the beginnings and ends of handlers, which nest: an interrupt in a softirq.
 */
#include "programs/zedperl/explore/lane_irqs.h"

#include "programs/zedperl/explore/event_row.h"
#include "programs/zedperl/explore/lane_losses.h"
#include "stable/map.h"
#include "trace/field.h"

#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 32 /* bytes of a handler's name that are shown */
#define DEPTH 8	     /* handlers in each other */

/* What a type of event says: found once for each. */
struct irq_role {
	bool met, is_one, begins;
	uint8_t kind;
	struct stable_map *map; /* NULL: the record itself has the fields */
	const struct field *number, *name;
};

struct irq_frame {
	uint8_t kind;
	int64_t number;
	uint64_t from;
	char name[NAME_SIZE];
};

struct irq_cpu {
	uint32_t source;
	int cpu;
	unsigned depth;
	struct irq_frame frames[DEPTH];
};

struct irq_piece {
	uint32_t source;
	int cpu;
	uint8_t kind;
	uint64_t from, to;
	char name[NAME_SIZE];
};

struct lane_irqs {
	struct catalog *catalog;
	const struct stable *stable;
	struct notes *notes;
	uint64_t from, to;
	size_t most;
	struct irq_role *roles; /* by etype.idx */
	size_t nroles;
	struct irq_cpu *cpus;
	size_t ncpus, cap_cpus;
	size_t last; /* the CPU that was asked for last */
	struct irq_piece *v;
	size_t n, cap;
	bool is_over; /* there are more than `most` */
};

struct lane_irqs *lane_irqs_new(struct catalog *c, const struct stable *stable, struct notes *n,
				uint64_t from, uint64_t to, size_t most)
{
	struct lane_irqs *q = mem_zalloc(sizeof(*q));

	q->catalog = c;
	q->stable = stable;
	q->notes = n;
	q->from = from;
	q->to = to;
	q->most = most;
	return q;
}

void lane_irqs_free(struct lane_irqs *q)
{
	for (size_t i = 0; i < q->nroles; i++)
		stable_map_free(q->roles[i].map);
	free(q->roles);
	free(q->cpus);
	free(q->v);
	free(q);
}

/* ---- what types say ---- */

static const struct irq_event {
	const char *system, *name, *number;
	bool begins;
	enum lane_irq_kind kind;
} EVENTS[] = {
	{ "irq", "enter", "irq", true, LANE_IRQ },
	{ "irq", "exit", "irq", false, LANE_IRQ },
	{ "softirq", "enter", "vec", true, LANE_SOFTIRQ },
	{ "softirq", "exit", "vec", false, LANE_SOFTIRQ },
};

static bool take_fields(struct irq_role *r, const struct etype *t, const struct irq_event *of)
{
	const struct field *name = field_find(t, "name"), *number = field_find(t, of->number);

	r->number = number && field_is_int(number) ? number : NULL;
	r->name = name && name->kind == FIELD_STR ? name : NULL;
	r->kind = of->kind;
	r->begins = of->begins;
	r->is_one = r->number;
	return r->is_one;
}

/* T in the role of the stable event OF, if it has it. */
static bool try_event(struct lane_irqs *q, struct irq_role *r, const struct etype *t,
		      const struct irq_event *of)
{
	const struct stable_event *ev = stable_find(q->stable, of->system, of->name);
	struct err e;
	int from;

	if (!strcmp(t->system, of->system) && !strcmp(t->name, of->name))
		return take_fields(r, t, of);
	from = ev ? stable_takes(ev, q->catalog, t) : -1;
	if (from < 0)
		return false;
	r->map = stable_map_new(ev, q->catalog, (unsigned)from, t, q->notes, &e);
	return r->map && take_fields(r, stable_map_type(r->map), of);
}

static struct irq_role *role_of(struct lane_irqs *q, const struct etype *t)
{
	struct irq_role *r;

	if (t->idx >= q->nroles)
		q->roles = mem_grow_zeroed(q->roles, &q->nroles, (size_t)t->idx + 1,
					   sizeof(*q->roles));
	r = &q->roles[t->idx];
	for (size_t i = 0; t->known && !r->met && i < sizeof(EVENTS) / sizeof(*EVENTS); i++)
		if (try_event(q, r, t, &EVENTS[i]))
			break;
	r->met = true;
	return r;
}

bool lane_irqs_follow(struct lane_irqs *q, const struct etype *t)
{
	return role_of(q, t)->is_one;
}

/* ---- CPUs ---- */

static struct irq_cpu *cpu_of(struct lane_irqs *q, const struct event *ev)
{
	uint32_t source = ev->from->source;
	size_t i = q->last;

	if (i < q->ncpus && q->cpus[i].cpu == ev->cpu && q->cpus[i].source == source)
		return &q->cpus[i];
	for (i = 0; i < q->ncpus; i++)
		if (q->cpus[i].cpu == ev->cpu && q->cpus[i].source == source)
			break;
	if (i == q->ncpus) {
		q->cpus = mem_grow(q->cpus, &q->cap_cpus, i + 1, sizeof(*q->cpus));
		q->cpus[q->ncpus++] = (struct irq_cpu){ .source = source, .cpu = ev->cpu };
	}
	q->last = i;
	return &q->cpus[i];
}

/* F has run on C up to TO. */
static void add_piece(struct lane_irqs *q, const struct irq_cpu *c, const struct irq_frame *f,
		      uint64_t to)
{
	struct irq_piece *p;

	if (to < q->from || f->from > q->to || q->is_over)
		return;
	q->is_over = q->n == q->most;
	if (q->is_over)
		return;
	q->v = mem_grow(q->v, &q->cap, q->n + 1, sizeof(*q->v));
	p = &q->v[q->n++];
	*p = (struct irq_piece){ .source = c->source,
				 .cpu = c->cpu,
				 .kind = f->kind,
				 .from = f->from > q->from ? f->from : q->from,
				 .to = to < q->to ? to : q->to };
	memcpy(p->name, f->name, sizeof(p->name));
}

/* What ran when events were lost did so up to the last one before. */
static void lose(struct lane_irqs *q, struct irq_cpu *c, uint64_t since)
{
	while (c->depth) {
		const struct irq_frame *f = &c->frames[--c->depth];

		if (since != TS_UNKNOWN && since >= f->from)
			add_piece(q, c, f, since);
	}
}

static void see_losses(struct lane_irqs *q, const struct event *ev)
{
	lose(q, cpu_of(q, ev), ev->lost_since);
	for (size_t i = 0; i < q->ncpus && ev->lost_anywhere; i++)
		if (q->cpus[i].source == ev->from->source)
			lose(q, &q->cpus[i], ev->lost_since);
}

static void name_frame(struct irq_frame *f, const struct irq_role *r, const struct event *ev)
{
	struct span name;

	memset(f->name, 0, sizeof(f->name));
	if (r->name && field_span(r->name, ev, &name) && name.len)
		memcpy(f->name, name.p,
		       strnlen((const char *)name.p,
			       name.len < NAME_SIZE - 1 ? name.len : NAME_SIZE - 1));
	if (!*f->name)
		snprintf(f->name, sizeof(f->name), "%lld", (long long)f->number);
}

static void begin(struct irq_cpu *c, const struct irq_role *r, const struct event *ev)
{
	struct irq_frame *f;

	/* Deeper than kernels nest: what is at the bottom has no end. */
	if (c->depth == DEPTH) {
		memmove(c->frames, c->frames + 1, (DEPTH - 1) * sizeof(*c->frames));
		c->depth--;
	}
	f = &c->frames[c->depth++];
	f->kind = r->kind;
	f->number = (int64_t)field_scalar(r->number, ev);
	f->from = ev->ts;
	name_frame(f, r, ev);
}

/* The innermost one of that number ends; those in it have no end of their own. */
static void end(struct lane_irqs *q, struct irq_cpu *c, const struct irq_role *r,
		const struct event *ev)
{
	int64_t number = (int64_t)field_scalar(r->number, ev);

	for (unsigned i = c->depth; i-- > 0;) {
		if (c->frames[i].kind != r->kind || c->frames[i].number != number)
			continue;
		add_piece(q, c, &c->frames[i], ev->ts);
		c->depth = i;
		return;
	}
}

void lane_irqs_see(struct lane_irqs *q, const struct event *ev, bool alone)
{
	struct irq_role *r;

	if (ev->lost)
		see_losses(q, ev);
	if (alone || ev->bare)
		return;
	r = role_of(q, ev->type);
	if (!r->is_one)
		return;
	if (r->map)
		ev = stable_map_event(r->map, ev);
	if (!ev)
		return;
	if (r->begins)
		begin(cpu_of(q, ev), r, ev);
	else
		end(q, cpu_of(q, ev), r, ev);
}

void lane_irqs_end(struct lane_irqs *q)
{
	for (size_t i = 0; i < q->ncpus; i++)
		lose(q, &q->cpus[i], q->to);
}

/* ---- the answer ---- */

bool lane_irqs_put(const struct lane_irqs *q, struct outbuf *o, const struct timeline_answer *a,
		   uint64_t base)
{
	bool any = false;

	out_char(o, '[');
	for (size_t i = 0; i < q->n && !q->is_over; i++) {
		const struct irq_piece *p = &q->v[i];
		int lane = lane_of_cpu(a, p->source, p->cpu);

		if (lane < 0)
			continue;
		out_printf(o, "%s[%d,", any ? "," : "", lane);
		out_u64(o, p->from - base);
		out_char(o, ',');
		out_u64(o, p->to - base);
		out_printf(o, ",%u,", p->kind);
		out_json_name(o, p->name);
		out_char(o, ']');
		any = true;
	}
	out_char(o, ']');
	return !q->is_over;
}
