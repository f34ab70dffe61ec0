// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maker: reads an input once, and writes its index.  What it keeps meanwhile, and what it writes,
 * has a share of the input's size: where that is reached, things become coarser.
 */
#include "index/maker_priv.h"

#include "analysis/timeline/cells.h"
#include "base/mem.h"
#include "run/drain.h"
#include "stable/catalogue.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the input between two places, of a small input less; and how many there are, about. */
#define PLACE_LEAST (64u << 10)
#define PLACES_LEAST 256u
#define PLACES_MOST 32768u
/* Hundredths of an index, at most; the rest is for places and the list of tasks. */
enum { NAMES_PART = 30, CPUS_PART = 25, TASKS_PART = 20, CHECKS_PART = 5, LOSSES_PART = 5 };

#define STEP_FIRST 256	      /* events between two checkpoints, at first */
#define CELLS_MOST (1u << 21) /* of CPUs: 84 MB while it is made */

/* ---- places ---- */

static void note_place(void *arg, const struct stream *s, const struct stream_place *at)
{
	struct made_stream *m = arg;

	if (at->off < m->next)
		return;
	m->next = at->off + m->stride;
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n++] = index_place_of(at);
}

static int by_origin(const void *a, const void *b)
{
	const struct made_stream *const *x = a, *const *y = b;

	return ((*x)->from > (*y)->from) - ((*x)->from < (*y)->from);
}

/* The stream of EV. */
static struct made_stream *stream_of(struct index_maker *k, const struct event *ev)
{
	struct made_stream key = { .from = ev->from }, *at = &key, **found;

	if (k->recent->from == ev->from)
		return k->recent;
	found = bsearch(&at, k->by_origin, k->nstreams, sizeof(at), by_origin);
	if (found)
		k->recent = *found;
	return k->recent;
}

/* ---- checkpoints ---- */

static void note_state(void *arg, uint32_t task, int cpu, char state, uint64_t since)
{
	struct index_maker *k = arg;
	struct index_state s = { .since = since, .cpu = cpu, .state = (unsigned char)state };

	if (task == NO_TASK || task == TASK_OTHER || (cpu < 0 && state != 'w' && state != 'D'))
		return;
	s.task = task == TASK_IDLE ? TRACE_INDEX_NO_TASK : task - TASK_FIRST;
	k->states = mem_grow(k->states, &k->cap_states, k->nstates + 1, sizeof(*k->states));
	k->states[k->nstates++] = s;
}

/* Only every second checkpoint. */
static void thin_checks(struct index_maker *k)
{
	size_t n = 0, states = 0;

	for (size_t i = 0; i < k->nchecks; i += 2, n++) {
		struct index_check c = k->checks[i];

		memmove(&k->states[states], &k->states[c.first], c.n * sizeof(*k->states));
		c.first = states;
		states += c.n;
		k->checks[n] = c;
	}
	k->nchecks = n;
	k->nstates = states;
	k->step *= 2;
}

static void note_check(struct index_maker *k, uint64_t ts)
{
	size_t from = k->nstates;

	timeline_states(k->timeline, note_state, k);
	k->checks = mem_grow(k->checks, &k->cap_checks, k->nchecks + 1, sizeof(*k->checks));
	k->checks[k->nchecks++] =
		(struct index_check){ .ts = ts, .first = from, .n = (uint32_t)(k->nstates - from) };
	while (k->nchecks > 1 && k->nchecks * sizeof(*k->checks) + k->nstates * sizeof(*k->states) >
					 k->budget * CHECKS_PART / 100)
		thin_checks(k);
	k->until = k->step;
}

/* ---- events ---- */

static void note_loss(struct index_maker *k, const struct event *ev)
{
	if (k->nlosses >= k->budget * LOSSES_PART / 100 / sizeof(*k->losses))
		return;
	k->losses = mem_grow(k->losses, &k->cap_losses, k->nlosses + 1, sizeof(*k->losses));
	k->losses[k->nlosses++] = (struct index_loss){ .from = ev->lost_since,
						       .to = ev->ts,
						       .cpu = ev->cpu,
						       .lost = ev->lost,
						       .anywhere = ev->lost_anywhere };
}

static void count_cpu(struct index_maker *k, const struct event *ev)
{
	size_t i = ev->cpu < 0 ? 0 : (size_t)ev->cpu, was = k->ncpus;
	struct index_cpu *c;

	if (i >= was) {
		k->cpus = mem_grow_zeroed(k->cpus, &k->ncpus, i + 1, sizeof(*k->cpus));
		for (; was < k->ncpus; was++)
			k->cpus[was] = (struct index_cpu){ PERIOD_NONE, 0, (int64_t)was };
	}
	c = &k->cpus[i];
	c->events++;
	if (ev->ts < c->ends.first)
		c->ends.first = ev->ts;
	if (ev->ts > c->ends.last)
		c->ends.last = ev->ts;
}

/* A stretch of a task's time, for task_shares. */
static void note_share(void *arg, uint32_t number, unsigned part, uint64_t from, uint64_t to)
{
	struct index_maker *k = arg;

	if (number >= TASK_FIRST)
		task_shares_add(k->shares, number - TASK_FIRST, part, from, to);
}

static void begin_time(struct index_maker *k, uint64_t ts)
{
	k->shares = task_shares_new(ts,
				    k->budget * TASKS_PART / 100 / sizeof(struct index_task_cell));
}

static enum verdict note_event(struct sink *sink, const struct event *ev, struct err *e)
{
	struct index_maker *k = (struct index_maker *)sink;

	if (!k->shares)
		begin_time(k, ev->ts);
	if (!k->until--)
		note_check(k, ev->ts);
	if (ev->lost)
		note_loss(k, ev);
	if (ev->type->idx >= k->ntypes)
		k->types = mem_grow_zeroed(k->types, &k->ntypes, (size_t)ev->type->idx + 1,
					   sizeof(*k->types));
	k->types[ev->type->idx]++;
	count_cpu(k, ev);
	if (ev->type->comm_event)
		name_log_event(k->names, ev, stream_of(k, ev)->number);
	timeline_event(k->timeline, ev);
	while (k->nknown + TASK_FIRST < timeline_ntasks(k->timeline)) {
		k->known = mem_grow(k->known, &k->cap_known, k->nknown + 1, sizeof(*k->known));
		k->known[k->nknown++] = ev->ts;
	}
	return SINK_MORE;
}

static const struct sink_ops MAKER_OPS = { .event = note_event };

/* ---- the whole ---- */

static void count_note(void *arg, enum note_level level, const char *text)
{
	struct index_maker *k = arg;

	k->said += level != NOTE_INFO;
}

static void tell_progress(void *arg, const struct pump_stats *st)
{
	struct index_maker *k = arg;

	if (st->bytes_total)
		k->o->progress(k->o->progress_arg,
			       (double)st->bytes_done / (double)st->bytes_total);
}

static void begin(struct index_maker *k)
{
	struct timeline_detail d = { .task = note_share, .arg = k };
	uint64_t cells;

	k->size = k->source->in.size;
	k->budget = k->size / TRACE_INDEX_SHARE;
	if (k->budget < TRACE_INDEX_LEAST)
		k->budget = TRACE_INDEX_LEAST;
	k->stride = k->size / PLACES_LEAST < PLACE_LEAST ? k->size / PLACES_LEAST : PLACE_LEAST;
	if (k->size / PLACES_MOST > k->stride)
		k->stride = k->size / PLACES_MOST;
	/* All levels together are four thirds of the finest. */
	cells = k->budget * CPUS_PART / 100 * 3 / 4 / sizeof(struct index_cpu_cell);
	d.cpu_cells_most = cells < CELLS_MOST ? cells : CELLS_MOST;
	if (d.cpu_cells_most < (uint64_t)CELLS_LEAST * k->source->nstreams)
		d.cpu_cells_most = (uint64_t)CELLS_LEAST * k->source->nstreams;
	for (d.cpu_cells = CELLS_LEAST; d.cpu_cells <= d.cpu_cells_most / 2;)
		d.cpu_cells *= 2;
	k->stable = stable_new();
	k->timeline = timeline_new(k->pump.catalog, k->stable, NULL, NULL);
	timeline_detail(k->timeline, &d);
	k->names = name_log_new(k->budget * NAMES_PART / 100 / sizeof(struct index_name));
	k->step = k->until = STEP_FIRST;
	k->nstreams = k->source->nstreams;
	k->streams = mem_zalloc((k->nstreams + 1) * sizeof(*k->streams));
	k->by_origin = mem_zalloc((k->nstreams + 1) * sizeof(*k->by_origin));
	k->recent = k->streams;
	for (unsigned i = 0; i < k->nstreams; i++) {
		struct stream *s = k->source->streams[i];

		k->streams[i] =
			(struct made_stream){ .from = s->from, .number = i, .stride = k->stride };
		k->by_origin[i] = &k->streams[i];
		s->place = note_place;
		s->place_arg = &k->streams[i];
	}
	qsort(k->by_origin, k->nstreams, sizeof(*k->by_origin), by_origin);
}

static void end(struct index_maker *k)
{
	for (unsigned i = 0; i < k->nstreams; i++)
		free(k->streams[i].v);
	free(k->streams);
	free(k->by_origin);
	task_shares_free(k->shares);
	name_log_free(k->names);
	timeline_free(k->timeline);
	stable_free(k->stable);
	free(k->types);
	free(k->cpus);
	free(k->losses);
	free(k->known);
	free(k->checks);
	free(k->states);
}

/* Read the open input, and write its index to FD. */
static int make(struct index_maker *k, int fd, struct err *e)
{
	struct checked_file *t;
	struct index_head h;

	memset(&h, 0, sizeof(h)); /* with its padding: it is written as it is */
	h.told.all = PERIOD_NONE;
	k->source = k->pump.nsources == 1 ? k->pump.sources[0] : NULL;
	if (!k->source || !index_key_of(k->source, &h.key))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "only a file has an index: not a folder, and not what is read as it "
			       "comes");
	begin(k);
	switch (run_into(&k->pump, &k->pump.stage, &k->sink, e)) {
	case RUN_DONE:
		break;
	case RUN_FAILED:
		return -1;
	default:
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "stopped");
	}
	t = checked_create(fd);
	made_write(k, t, &h);
	return checked_finish(t, e);
}

int trace_index_write(const char *path, int fd, const struct trace_index_opts *o, struct err *e)
{
	struct index_maker *k = mem_zalloc(sizeof(*k));
	struct pump_opts p = { .source = o->source, .stop = o->stop };
	int rc = -1;

	k->sink.ops = &MAKER_OPS;
	k->o = o;
	k->notes = (struct notes){ .say = count_note, .arg = k };
	p.source.notes = &k->notes;
	if (o->progress) {
		p.progress = tell_progress;
		p.progress_arg = k;
	}
	pump_init(&k->pump, &p);
	if (pump_open(&k->pump, path, e) == 0) {
		/* What is said at the opening is said at every opening. */
		k->said = 0;
		rc = make(k, fd, e);
	}
	if (rc < 0)
		err_path(e, path);
	end(k);
	pump_fini(&k->pump);
	free(k);
	return rc;
}
