// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_tally: counts events as they are read, without their order, which takes half of the time.
 */
#include "programs/zedperl/explore/event_tally.h"

#include "base/mono.h"
#include "run/drain.h"
#include "run/period.h"

#include <stdlib.h>
#include <string.h>

#define LOOK 65536 /* events between two looks at the clock */

struct tally_sink {
	struct sink sink;
	struct event_tally *tally;
};

static int by_origin(const void *a, const void *b)
{
	const struct stream_tally *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static int take_streams(struct event_tally *t, struct pump *p, struct err *e)
{
	size_t n = 0;

	for (unsigned i = 0; i < p->nsources; i++)
		t->nstreams += p->sources[i]->nstreams;
	t->streams = mem_zalloc((t->nstreams + 1) * sizeof(*t->streams));
	for (unsigned i = 0; i < p->nsources; i++) {
		const struct period *ends;

		TRY(period_streams(p, i, &ends, e));
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++)
			t->streams[n++] = (struct stream_tally){
				.from = p->sources[i]->streams[k]->from, .ends = ends[k]
			};
	}
	qsort(t->streams, t->nstreams, sizeof(*t->streams), by_origin);
	t->last = t->streams;
	return 0;
}

static void count(struct event_tally *t, const struct event *ev)
{
	struct stream_tally key = { .from = ev->from }, *s = t->last;

	if (s->from != ev->from)
		s = bsearch(&key, t->streams, t->nstreams, sizeof(key), by_origin);
	if (s) {
		s->n++;
		t->last = s;
	}
	if (ev->type->idx >= t->ntypes)
		t->types = mem_grow_zeroed(t->types, &t->ntypes, (size_t)ev->type->idx + 1,
					   sizeof(*t->types));
	t->types[ev->type->idx]++;
	t->stack |= ev->nchain > 0;
	if (++t->n % LOOK == 0 && mono_ns() > t->until)
		t->stop = 1;
}

static void count_early(void *arg, const struct event *ev)
{
	count(arg, ev);
}

static enum verdict count_event(struct sink *s, const struct event *ev, struct err *e)
{
	count(((struct tally_sink *)s)->tally, ev);
	return SINK_MORE;
}

static void want_early(const struct catalog *c, uint8_t *want)
{
	memset(want, WANT_EARLY, catalog_count(c));
}

/* Stacks that are events of their own. */
static bool has_stack_event(const struct event_tally *t, const struct catalog *c)
{
	for (unsigned i = 0; i < t->ntypes && i < catalog_count(c); i++)
		if (t->types[i] && catalog_at(c, i)->stack != STACK_NONE)
			return true;
	return false;
}

int event_tally_read(struct event_tally *t, struct cli *c, uint64_t ns, struct err *e)
{
	static const struct sink_ops OPS = { .event = count_event };
	struct tally_sink sink = { .sink.ops = &OPS, .tally = t };
	struct pump *p = &c->run.pump;
	uint8_t *want = mem_alloc(catalog_count(p->catalog) + 1);
	enum run_end end;

	*t = (struct event_tally){ .until = mono_ns() + ns };
	TRY(take_streams(t, p, e));
	want_early(p->catalog, want);
	catalog_want(p->catalog, want);
	free(want);
	pump_early(p, count_early, t);
	p->opts.stop = &t->stop;
	end = run_into(p, &p->stage, &sink.sink, e);
	if (end == RUN_FAILED)
		return -1;
	t->is_partly = end != RUN_DONE;
	t->stack |= has_stack_event(t, p->catalog);
	t->lost = pump_count(p)->losses;
	return 0;
}

/* ---- from an index ---- */

static void index_types(struct event_tally *t, const struct catalog *c, const struct trace_index *x)
{
	struct trace_index_type of;

	for (unsigned i = 0; trace_index_type(x, i, &of); i++) {
		const struct etype *type = catalog_find(c, of.system, of.name, 0);

		if (!type)
			continue;
		if (type->idx >= t->ntypes)
			t->types = mem_grow_zeroed(t->types, &t->ntypes, (size_t)type->idx + 1,
						   sizeof(*t->types));
		t->types[type->idx] = of.events;
	}
}

/* An index has the events of a CPU in all buffers together: they become those of its first one. */
static void index_cpus(struct event_tally *t, const struct trace_index *x)
{
	struct trace_index_cpu of;

	for (size_t k = 0; k < t->nstreams; k++)
		t->streams[k].n = 0;
	for (unsigned i = 0; trace_index_cpu(x, i, &of); i++) {
		for (size_t k = 0; k < t->nstreams; k++) {
			if (t->streams[k].from->cpu != of.cpu)
				continue;
			t->streams[k].n = of.events;
			break;
		}
	}
}

void event_tally_index(struct event_tally *t, const struct cli *c, const struct trace_index *x)
{
	const struct trace_index_head *h = trace_index_head(x);

	if (!t->is_partly)
		return;
	index_types(t, c->run.pump.catalog, x);
	index_cpus(t, x);
	t->n = h->events;
	t->lost = h->losses;
	t->stack |= has_stack_event(t, c->run.pump.catalog);
	t->is_partly = false;
}

void event_tally_fini(struct event_tally *t)
{
	free(t->streams);
	free(t->types);
}
