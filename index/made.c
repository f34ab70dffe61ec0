// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made: writes what was collected of an input as its index.
 */
#include "index/maker_priv.h"

#include "analysis/timeline/cells.h"
#include "base/mem.h"
#include "base/outbuf.h"

#include <stdlib.h>
#include <string.h>

/* Would a stream that begins or ends within the input lose records? */
static bool is_disordered(const struct index_maker *k)
{
	for (unsigned i = 0; i < k->nstreams; i++)
		if (k->source->streams[i]->disordered)
			return true;
	return false;
}

static void write_streams(struct index_maker *k, struct checked_file *t)
{
	struct period *ends = mem_alloc((k->nstreams + 1) * sizeof(*ends));
	uint64_t first = 0;

	for (unsigned i = 0; i < k->nstreams; i++)
		ends[i] = PERIOD_NONE;
	if (k->source->ops->ends)
		k->source->ops->ends(k->source, ends);
	checked_begin(t, INDEX_STREAMS, sizeof(struct index_stream));
	for (unsigned i = 0; i < k->nstreams; i++) {
		const struct stream *s = k->source->streams[i];
		struct stream_place last = { .seen = s->seen,
					     .lost = s->lost,
					     .lost_places = s->lost_places,
					     .lost_unknown = s->lost_unknown,
					     .timeless = s->timeless };
		struct index_stream out = { .last = index_place_of(&last),
					    .ends = ends[i],
					    .first = first,
					    .n = (uint32_t)k->streams[i].n,
					    .cpu = s->from->cpu };

		checked_put(t, &out, 1);
		first += out.n;
	}
	free(ends);
	checked_begin(t, INDEX_PLACES, sizeof(struct index_place));
	for (unsigned i = 0; i < k->nstreams; i++)
		checked_put(t, k->streams[i].v, k->streams[i].n);
}

static unsigned write_types(struct index_maker *k, struct checked_file *t)
{
	struct index_type *v = mem_zalloc((k->ntypes + 1) * sizeof(*v));
	struct outbuf texts = { .p = NULL };
	unsigned n = 0;

	for (size_t i = 0; i < k->ntypes; i++) {
		const struct etype *type;

		if (!k->types[i])
			continue;
		type = catalog_at(k->pump.catalog, (unsigned)i);
		v[n].events = k->types[i];
		v[n].system = (uint32_t)texts.len;
		out_bytes(&texts, type->system, strlen(type->system) + 1);
		v[n].name = (uint32_t)texts.len;
		out_bytes(&texts, type->name, strlen(type->name) + 1);
		n++;
	}
	checked_begin(t, INDEX_TYPES, sizeof(*v));
	checked_put(t, v, n);
	checked_begin(t, INDEX_TEXTS, 1);
	checked_put(t, texts.p, texts.len);
	outbuf_fini(&texts);
	free(v);
	return n;
}

static unsigned write_cpus(struct index_maker *k, struct checked_file *t)
{
	unsigned n = 0;

	checked_begin(t, INDEX_CPUS, sizeof(*k->cpus));
	for (size_t i = 0; i < k->ncpus; i++)
		if (k->cpus[i].events) {
			checked_put(t, &k->cpus[i], 1);
			n++;
		}
	return n;
}

static unsigned write_tasks(struct index_maker *k, struct checked_file *t)
{
	struct index_task *v = mem_zalloc((k->nknown + 1) * sizeof(*v));
	uint64_t first = 0;

	checked_begin(t, INDEX_TASK_CELLS, sizeof(struct index_task_cell));
	for (size_t i = 0; i < k->nknown; i++) {
		const struct tl_task *task = timeline_task(k->timeline, (uint32_t)(i + TASK_FIRST));
		uint64_t sum[3];
		const struct index_task_cell *cells = task_shares_of(k->shares, (uint32_t)i,
								     &v[i].n, sum);

		checked_put(t, cells, v[i].n);
		v[i].first = first;
		first += v[i].n;
		v[i].run = sum[0];
		v[i].ready = sum[1];
		v[i].blocked = sum[2];
		v[i].known = k->known[i];
		v[i].pid = task->pid;
		memcpy(v[i].comm, task->comm, sizeof(v[i].comm));
	}
	checked_begin(t, INDEX_TASKS, sizeof(*v));
	checked_put(t, v, k->nknown);
	free(v);
	return (unsigned)k->nknown;
}

static uint8_t of_255(float x)
{
	/* Rounded: half a step is added in halves. */
	return x >= 1 ? 255 : x > 0 && x < 1.0F / 255 ? 1 : (uint8_t)(((int)(x * 510) + 1) / 2);
}

static struct index_cpu_cell packed(const struct cell *c)
{
	return (struct index_cpu_cell){ .n = c->n,
					.who = c->who == NO_TASK || c->who < TASK_FIRST ?
						       TRACE_INDEX_NO_TASK :
						       c->who - TASK_FIRST,
					.busy = of_255(c->part[CPU_BUSY]),
					.unknown = of_255(c->part[CPU_UNKNOWN]),
					.top = of_255(c->top),
					.flags = c->flags };
}

/* Four cells, or the last ones of a lane, as one. */
static struct index_cpu_cell joined(const struct index_cpu_cell *v, uint64_t n)
{
	struct index_cpu_cell out = { .who = TRACE_INDEX_NO_TASK };
	unsigned busy = 0, unknown = 0, tops[4], top = 0;

	n = n < 4 ? n : 4;
	for (unsigned i = 0; i < n; i++) {
		busy += v[i].busy;
		unknown += v[i].unknown;
		out.flags |= v[i].flags;
		out.n = out.n > UINT32_MAX - v[i].n ? UINT32_MAX : out.n + v[i].n;
		tops[i] = 0;
		for (unsigned j = 0; j <= i; j++)
			if (v[j].who == v[i].who) {
				tops[j] += v[i].top;
				break;
			}
	}
	for (unsigned i = 0; i < n; i++)
		if (tops[i] > top && v[i].who != TRACE_INDEX_NO_TASK) {
			top = tops[i];
			out.who = v[i].who;
		}
	out.busy = (uint8_t)(busy / 4 + (busy && busy < 4));
	out.unknown = (uint8_t)((unknown + 2) / 4);
	out.top = (uint8_t)(top / 4 + (top && top < 4));
	return out;
}

/* Of a CPU, the lane of the time line; -1: it has none. */
static int lane_of(const struct index_maker *k, int cpu)
{
	uint32_t source;
	int has;

	for (unsigned i = 0; timeline_cpu(k->timeline, i, &source, &has); i++)
		if (has == cpu)
			return (int)i;
	return -1;
}

/* The cells of all CPUs of the finest level, those of a CPU after each other. */
static struct index_cpu_cell *finest(struct index_maker *k, unsigned ncpus, uint64_t n)
{
	const struct cells *c = timeline_cpu_cells(k->timeline);
	struct index_cpu_cell *v = mem_zalloc((n * ncpus + 1) * sizeof(*v)), *to = v;

	for (size_t i = 0; i < k->ncpus; i++) {
		int lane = lane_of(k, (int)i);

		if (!k->cpus[i].events)
			continue;
		for (uint64_t at = 0; at < n; at++)
			to[at] = lane < 0 ? (struct index_cpu_cell){ .who = TRACE_INDEX_NO_TASK,
								     .unknown = 255 } :
					    packed(&c->lanes[lane].v[at]);
		to += n;
	}
	return v;
}

static void write_cells(struct index_maker *k, struct checked_file *t, struct index_head *h)
{
	const struct cells *c = timeline_cpu_cells(k->timeline);
	unsigned ncpus = h->told.ncpus;
	struct index_cpu_cell *v;
	uint64_t n;

	h->base = c->base;
	h->shift = c->shift;
	n = ((h->told.all.last - c->base) >> c->shift) + 1;
	h->ncells = (uint32_t)(n < c->cap ? n : c->cap);
	n = h->ncells;
	v = finest(k, ncpus, n);
	checked_begin(t, INDEX_CPU_CELLS, sizeof(*v));
	for (unsigned level = 0; level < INDEX_LEVELS && n; level++) {
		uint64_t next = (n + 3) / 4;

		checked_put(t, v, n * ncpus);
		if (n <= INDEX_FEW)
			break;
		for (unsigned cpu = 0; cpu < ncpus; cpu++)
			for (uint64_t i = 0; i < next; i++)
				v[next * cpu + i] = joined(&v[n * cpu + 4 * i], n - 4 * i);
		n = next;
	}
	free(v);
}

static void write_rest(struct index_maker *k, struct checked_file *t)
{
	checked_begin(t, INDEX_LOSSES, sizeof(*k->losses));
	checked_put(t, k->losses, k->nlosses);
	checked_begin(t, INDEX_CHECKS, sizeof(*k->checks));
	checked_put(t, k->checks, k->nchecks);
	checked_begin(t, INDEX_STATES, sizeof(*k->states));
	checked_put(t, k->states, k->nstates);
}

void made_write(struct index_maker *k, struct checked_file *t, struct index_head *h)
{
	const struct pump_stats *st = pump_count(&k->pump);
	const struct index_name *names = name_log_all(k->names, &h->nnames);

	h->told.all = k->shares ? (struct period){ st->first_ts, st->last_ts } : PERIOD_NONE;
	for (size_t i = 0; i < k->ncpus; i++) {
		if (!k->cpus[i].events)
			continue;
		if (k->cpus[i].ends.first < h->told.all.first)
			h->told.all.first = k->cpus[i].ends.first;
		if (k->cpus[i].ends.last > h->told.all.last)
			h->told.all.last = k->cpus[i].ends.last;
	}
	h->told.events = st->records;
	h->told.size = k->size;
	h->told.damaged = st->damaged;
	h->told.late = st->late;
	h->told.losses = st->losses;
	h->told.nstreams = k->nstreams;
	h->told.has_switches = timeline_has_switches(k->timeline);
	h->jumps = names && !st->damaged && !st->late && !k->said && !is_disordered(k);
	h->nnames = names ? h->nnames : 0;
	write_streams(k, t);
	checked_begin(t, INDEX_NAMES, sizeof(*names));
	checked_put(t, names, h->nnames);
	h->told.ntypes = write_types(k, t);
	h->told.ncpus = write_cpus(k, t);
	write_rest(k, t);
	if (k->shares) {
		timeline_settle(k->timeline);
		h->told.ntasks = write_tasks(k, t);
		h->task_shift = task_shares_shift(k->shares);
		write_cells(k, t, h);
	}
	checked_begin(t, INDEX_HEAD, sizeof(*h));
	checked_put(t, h, 1);
}
