// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * row_list: rows of the list of events, and how many there are.
 */
#include "programs/zedperl/explore/chosen_events.h"
#include "programs/zedperl/explore/event_row.h"
#include "programs/zedperl/explore/explore_priv.h"

#include "base/mono.h"
#include "run/choose/derive.h"
#include "run/drain.h"

#define ANSWER_MOST (4u << 20)	/* bytes; more rows are another request */
#define COUNTING_NS 50000000ull /* for what comes after the rows */
#define COUNTING_STEP 1024	/* events between two looks at the clock */

struct row_list {
	struct sink sink;
	const struct request *q;
	const struct pump *pump;
	struct outbuf *o;
	struct event_rows rows;
	size_t from;	   /* where the rows begin in O */
	uint64_t n;	   /* events so far */
	uint32_t given;	   /* rows */
	bool full;	   /* no more rows */
	uint64_t until;	   /* mono_ns(): count no longer; 0: not yet */
	bool is_abandoned; /* the time was over */
};

static bool is_too_late(struct row_list *l)
{
	if (!l->until)
		l->until = mono_ns() + COUNTING_NS;
	return l->n % COUNTING_STEP == 0 && mono_ns() > l->until;
}

static enum verdict take(struct sink *s, const struct event *ev, struct err *e)
{
	struct row_list *l = (struct row_list *)s;

	event_rows_ask(&l->rows, l->pump);
	if (l->n++ < l->q->first)
		return SINK_MORE;
	if (!l->full) {
		if (l->given++)
			out_char(l->o, ',');
		event_row(&l->rows, l->o, ev, l->n - 1);
		l->full = l->given == l->q->count || l->o->len - l->from > ANSWER_MOST;
		return SINK_MORE;
	}
	l->is_abandoned = is_too_late(l);
	return l->is_abandoned ? SINK_STOP : SINK_MORE;
}

/* All that C chooses, into L. */
static int run(struct cli *c, struct row_list *l, struct err *e)
{
	static const struct sink_ops OPS = { .event = take };
	struct stage *from = &c->run.pump.stage;
	struct derive *derive = NULL;
	enum run_end end;

	l->sink.ops = &OPS;
	if (c->choice.events && words_have_stable(c->choice.events)) {
		derive = derive_new(c->choice.events, c->run.pump.catalog, &c->run.notes, from);
		from = derive_stage(derive);
	}
	end = run_into(&c->run.pump, from, &l->sink, e);
	derive_free(derive);
	return end == RUN_FAILED ? -1 : 0;
}

/* The answer from C's trace, which is open. */
static int answer(struct cli *c, const struct request *q, struct outbuf *o, struct err *e)
{
	struct row_list l = { .q = q, .pump = &c->run.pump, .o = o };
	uint64_t base, length;
	struct err wrong;

	TRY(explore_times(c, &base, &length, e));
	if (chosen_take(c, q->filter, &wrong) < 0) {
		out_str(o, "{\"rows\":[],\"total\":0,\"error\":");
		chosen_error(o, &wrong);
		out_char(o, '}');
		return 0;
	}
	event_rows_init(&l.rows, base, q->fields);
	out_str(o, "{\"rows\":[");
	l.from = o->len;
	TRY(run(c, &l, e));
	event_rows_fini(&l.rows);
	out_str(o, "],\"total\":");
	if (l.is_abandoned)
		out_str(o, "null");
	else
		out_u64(o, l.n);
	out_str(o, ",\"error\":null}");
	return 0;
}

int view_events(struct explore *x, const struct request *q, struct outbuf *o, struct err *e)
{
	struct cli c;
	int rc;

	explore_prepare(x, &c, q->from, q->to);
	rc = explore_open(x, &c, e) < 0 ? -1 : answer(&c, q, o, e);
	cli_fini(&c);
	return rc;
}
