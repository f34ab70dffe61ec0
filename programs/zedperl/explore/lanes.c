// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanes: what CPUs and tasks did in a window: shares of its cells and, if few events are in it,
 * each of them.  The states at its beginning are made from all events before it.
 */
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/explore/lane_irqs.h"
#include "programs/zedperl/explore/lane_losses.h"
#include "programs/zedperl/explore/lanes_index.h"
#include "programs/zedperl/explore/timeline_json.h"

#include "run/period.h"

#include <inttypes.h>
#include <stdlib.h>

#define NEAR 20000		 /* events of a window that are shown one by one, at most */
#define CELLS_OF_CPUS (1u << 19) /* of all CPUs together, at most */
#define HALVINGS 16
#define HANDLER_NS 10000000 /* handlers of interrupts take no longer */

struct lanes {
	const struct request *q;
	struct cli *cli;
	uint64_t base, from, to;	 /* the window, ns of events, both inclusive */
	const struct trace_index *index; /* NULL: there is none */
	uint64_t checkpoint; /* of the index, where the run begins; 0: at the trace's beginning */
	struct timeline *timeline;
	struct lane_irqs *irqs;
	struct lane_losses losses;
	struct timeline_begun begun;
	bool has_begun; /* the first event in the window has come */
};

/* ---- the run ---- */

static bool keeps_task(const void *arg, uint32_t source, int32_t pid)
{
	const struct request *q = arg;

	for (unsigned i = 0; i < q->nlanes; i++)
		if (q->tasks[i].pid == pid && q->tasks[i].source == source)
			return true;
	return false;
}

/* Which types are needed before the window, as they change states. */
static void want(struct lanes *l)
{
	const struct catalog *c = l->cli->run.pump.catalog;
	unsigned n = catalog_count(c);
	uint8_t *want = mem_alloc((size_t)n + 1);
	struct err e;

	for (unsigned i = 0; i < n; i++) {
		const struct etype *t = catalog_at(c, i);

		want[i] = WANT_ORDER;
		if (t->known && etype_resolve(l->cli->run.pump.catalog, t, &e) == 0 &&
		    (timeline_follows(l->timeline, t) || lane_irqs_follow(l->irqs, t)))
			want[i] = WANT_BEYOND;
	}
	cli_want(l->cli, want);
	free(want);
}

/*
 * From where the run reads: from a checkpoint of the index before the window, and before handlers
 * that may still run in it; else from the trace's beginning what changes states.
 */
static void choose_start(struct lanes *l)
{
	uint64_t ts = l->from > HANDLER_NS ? l->from - HANDLER_NS : 0;

	if (l->index && ts > l->base)
		l->checkpoint = lanes_checkpoint(l->index, ts);
	if (l->checkpoint)
		filter_times(l->cli->run.pump.filter, l->checkpoint, l->to);
	else
		want(l);
}

/* The first event has come, or none will. */
static void assume(struct lanes *l)
{
	if (l->checkpoint)
		lanes_assume(l->index, l->checkpoint, l->timeline,
			     l->cli->run.pump.sources[0]->machine.comms);
	l->checkpoint = 0;
}

static void begin(struct lanes *l)
{
	if (!l->has_begun)
		timeline_begun_take(&l->begun, l->timeline);
	l->has_begun = true;
}

/* An event in the window (GOT is NEXT_EVENT), one before it, or only the losses before one. */
static void take(struct lanes *l, enum next got, const struct item *it)
{
	const struct event *ev = it->ev;
	bool alone = got == NEXT_LOST || (got == NEXT_BEYOND && !it->follow);

	if (ev->ts >= l->from)
		begin(l);
	lane_losses_see(&l->losses, ev);
	lane_irqs_see(l->irqs, ev, alone);
	if (got == NEXT_EVENT)
		timeline_event(l->timeline, ev);
	else if (!alone && timeline_follows(l->timeline, ev->type))
		timeline_beyond(l->timeline, ev);
	else if (ev->lost)
		timeline_lost(l->timeline, ev);
}

static int run(struct lanes *l, struct err *e)
{
	struct pump *p = &l->cli->run.pump;
	enum next got = NEXT_IDLE;
	struct item it;

	while (got != NEXT_END) {
		got = stage_next(&p->stage, &it, e);
		if (got == NEXT_FAILED)
			return -1;
		if (got != NEXT_EVENT && got != NEXT_LOST && got != NEXT_BEYOND)
			continue;
		if (it.ev->ts > l->to) {
			lane_losses_ahead(&l->losses, p->merge);
			break;
		}
		assume(l);
		take(l, got, &it);
	}
	assume(l);
	stage_leave(&p->stage);
	begin(l);
	lane_irqs_end(l->irqs);
	return 0;
}

/* CPUs of S whose last records are not in the trace: what they did then is unknown. */
static int cut_source(struct lanes *l, struct source *s, struct err *e)
{
	struct pump *p = &l->cli->run.pump;
	const struct period *ends;
	uint64_t *lacks;
	bool is_later = false;

	if (s->tasks == RECORDED_CHOSEN)
		timeline_chosen(l->timeline, s->num);
	TRY(period_streams(p, s->num, &ends, e));
	for (unsigned i = 0; i < s->nstreams; i++)
		is_later |= period_any(&ends[i]) && ends[i].last < l->to;
	/* To know what is lacking, the data of a file are read again. */
	if (!is_later)
		return 0;
	lacks = mem_zalloc((s->nstreams + 1) * sizeof(*lacks));
	if (period_lacks(p, s->num, lacks, e) == 0)
		for (unsigned i = 0; i < s->nstreams; i++)
			if (lacks[i])
				timeline_cut(l->timeline, s->num, s->streams[i]->from->cpu,
					     ends[i].last);
	free(lacks);
	return 0;
}

/* ---- the answer ---- */

/* Ask for no more cells than are wanted, or than an answer may have. */
static bool ask(struct lanes *l, struct timeline_answer *a)
{
	unsigned halvings = 0;

	if (!timeline_ask(l->timeline, NEAR, 0, a))
		return false;
	while (halvings < HALVINGS &&
	       (a->cpu_cells >> halvings > l->q->cells ||
		(uint64_t)(a->cpu_cells >> halvings) * a->ncpus > CELLS_OF_CPUS))
		halvings++;
	if (!halvings)
		return true;
	timeline_answer_fini(a);
	return timeline_ask(l->timeline, NEAR, halvings, a);
}

/* Are all events of the window among A's marks?  Then they are so for all of its time. */
static bool make_exact(const struct lanes *l, struct timeline_answer *a)
{
	bool exact = a->marks.n == timeline_marks(l->timeline);

	if (exact) {
		a->marks.ranges[0] =
			(struct marks_range){ .from = a->start, .to = a->end, .n = a->marks.n };
		a->marks.nranges = 1;
	}
	return exact;
}

static void put_answer(struct lanes *l, struct outbuf *o)
{
	struct timeline_answer a;
	struct timeline_out out = { .timeline = l->timeline,
				    .catalog = l->cli->run.pump.catalog,
				    .a = &a,
				    .begun = &l->begun,
				    .base = l->base };
	bool exact;
	size_t irqs;

	out_printf(o, "{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",", l->from - l->base,
		   l->to - l->base);
	if (!ask(l, &a)) {
		out_str(o,
			"\"exact\":true,\"timeline\":null,\"cells-cpu\":\"\",\"cells-task\":\"\","
			"\"marks\":\"\",\"irqs\":[],\"losses\":[],\"losses_left\":0}");
		return;
	}
	exact = make_exact(l, &a);
	timeline_keep_tasks(&out, l->q);
	out_printf(o, "\"exact\":%s,", exact ? "true" : "false");
	timeline_put(&out, o);
	out_str(o, ",\"irqs\":");
	irqs = o->len;
	if (!exact || !lane_irqs_put(l->irqs, o, &a, l->base)) {
		o->len = irqs;
		out_str(o, "[]");
	}
	out_str(o, ",\"losses\":");
	lane_losses_put(&l->losses, o, &a, l->base, exact ? 0 : a.cpu_width);
	out_printf(o, ",\"losses_left\":%" PRIu64 "}", l->losses.left);
	timeline_answer_fini(&a);
}

/* From C's trace, which is open. */
static int answer(struct lanes *l, const struct explore *x, struct outbuf *o, struct err *e)
{
	struct cli *c = l->cli;
	struct pump *p = &c->run.pump;
	struct timeline_part part = { .to_end = true, .arg = l->q };
	uint64_t length;

	l->index = explore_index(x, c);
	if (l->index && lanes_from_index(l->index, l->q, o))
		return 0;
	TRY(explore_times(c, &l->base, &length, e));
	l->from = part.from = l->losses.from = l->base +
					       (l->q->from < length ? l->q->from : length);
	l->to = part.to = l->losses.to = l->base + (l->q->to < length ? l->q->to : length);
	if (l->q->nlanes)
		part.keeps_task = keeps_task;
	l->timeline = timeline_new(p->catalog, c->choice.stable, &c->run.notes, &part);
	l->irqs = lane_irqs_new(p->catalog, c->choice.stable, &c->run.notes, l->from, l->to, NEAR);
	choose_start(l);
	TRY(run(l, e));
	for (unsigned i = 0; i < p->nsources; i++)
		TRY(cut_source(l, p->sources[i], e));
	put_answer(l, o);
	return 0;
}

int view_lanes(struct explore *x, const struct request *q, struct outbuf *o, struct err *e)
{
	struct cli c;
	struct lanes l = { .q = q, .cli = &c };
	int rc;

	explore_prepare(x, &c, q->from, q->to);
	rc = explore_open(x, &c, e) < 0 ? -1 : answer(&l, x, o, e);
	timeline_free(l.timeline);
	if (l.irqs)
		lane_irqs_free(l.irqs);
	lane_losses_fini(&l.losses);
	timeline_begun_fini(&l.begun);
	cli_fini(&c);
	return rc;
}
