// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maker: reads an input once, and writes its index.  What it keeps meanwhile, and what it writes,
 * has a share of the input's size: where that is reached, things become coarser.
 */
#include "index/index_priv.h"

#include "analysis/timeline/cells.h"
#include "analysis/timeline/timeline.h"
#include "base/mem.h"
#include "base/outbuf.h"
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
#define TASK_FIRST (TASK_OTHER + 1)

struct made_stream {
	const struct origin *from;
	struct index_place *v;
	size_t n, cap;
	uint64_t next, stride; /* where the next place may be, bytes of the input; and so on */
	unsigned number;
};

struct index_maker {
	struct sink sink; /* must be first */
	struct pump pump;
	struct notes notes; /* of what was read: counted */
	uint64_t said;
	const struct trace_index_opts *o;
	struct source *source;
	uint64_t size, budget, stride; /* bytes */
	struct stable *stable;
	struct timeline *timeline;
	struct task_shares *shares;
	struct name_log *names;
	struct made_stream *streams, **by_origin, *recent;
	unsigned nstreams;
	uint64_t *types; /* events by etype.idx */
	size_t ntypes;
	struct index_cpu *cpus; /* by the number of a CPU */
	size_t ncpus;
	struct index_loss *losses;
	size_t nlosses, cap_losses;
	uint64_t *known; /* by number of the task: when it was met */
	size_t nknown, cap_known;
	struct index_check *checks;
	size_t nchecks, cap_checks;
	struct index_state *states;
	size_t nstates, cap_states;
	uint64_t step, until; /* events between two checkpoints, and up to the next */
};

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

/* ---- writing ---- */

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
	return x >= 1 ? 255 : x > 0 && x < 1.0F / 255 ? 1 : (uint8_t)(x * 255 + 0.5F);
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

static void write_all(struct index_maker *k, struct checked_file *t, struct index_head *h)
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
	h->jumps = names && !st->damaged && !st->late && !k->said;
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
	struct index_head h = { .told.all = PERIOD_NONE };
	struct checked_file *t;

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
	write_all(k, t, &h);
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
