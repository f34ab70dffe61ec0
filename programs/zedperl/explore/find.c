// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find: the next or the previous event that a search looks for.  Forwards the run ends at the first
 * one; backwards it goes through windows before the place, each longer than the one after it, and
 * the last one in a window is read again to be shown.
 */
#include "programs/zedperl/explore/chosen_events.h"
#include "programs/zedperl/explore/event_match.h"
#include "programs/zedperl/explore/event_row.h"
#include "programs/zedperl/explore/explore_priv.h"

#include "run/drain.h"

#define WINDOWS 3	 /* backwards: the first one is a 256th of the trace ... */
#define WINDOW_PARTS 256 /* ... */
#define WINDOW_GROWTH 4	 /* the next ones 16 times (a shift) as long; the last is the rest */

/* An event that matches: number NTH, from 0, of those at AT, ns after the trace's first event. */
struct found_place {
	bool any;
	uint64_t at, nth;
};

struct event_search {
	struct sink sink;
	struct event_match match;
	struct found_place now; /* the last one that matched */
	const struct request *q;
	struct cli cli; /* the run over a part of the trace */
	/* What is shown; O NULL: nothing, the last one's place is asked for. */
	struct outbuf *o;
	struct event_rows rows;
	struct found_place only; /* show this one; not any: the first */
	bool is_found;
	struct found_place found; /* the last one that may be found */
};

/* Not what the search began at, nor what is on the other side of that. */
static bool may_be_found(const struct event_search *s)
{
	const struct request *q = s->q;

	if (!q->has_row || s->now.at != q->at)
		return true;
	return q->dir < 0 ? s->now.nth < q->row : s->now.nth > q->row;
}

static enum verdict take(struct sink *sink, const struct event *ev, struct err *e)
{
	struct event_search *s = (struct event_search *)sink;
	uint64_t at = ev->ts - s->rows.base;

	event_rows_ask(&s->rows, &s->cli.run.pump);
	if (!event_match_is(&s->match, ev))
		return SINK_MORE;
	s->now.nth = s->now.any && s->now.at == at ? s->now.nth + 1 : 0;
	s->now.at = at;
	s->now.any = true;
	if (s->only.any ? at != s->only.at || s->now.nth != s->only.nth : !may_be_found(s))
		return SINK_MORE;
	s->is_found = true;
	s->found = s->now;
	if (!s->o)
		return SINK_MORE;
	event_row(&s->rows, s->o, ev, s->now.nth);
	return SINK_STOP;
}

/* A run over the events from FROM to TO.  -1 with E; *WRONG: it is about what is searched for. */
static int search_run(struct event_search *s, const struct explore *x, uint64_t from, uint64_t to,
		      bool *wrong, struct err *e)
{
	static const struct sink_ops OPS = { .event = take };
	struct cli *c = &s->cli;
	uint64_t base, length;
	int rc = -1;

	s->sink.ops = &OPS;
	s->now.any = s->is_found = false;
	explore_prepare(x, c, from, to);
	if (explore_open(x, c, e) == 0 && explore_times(c, &base, &length, e) == 0) {
		*wrong = event_match_init(&s->match, c, s->q->what, e) < 0;
		event_rows_init(&s->rows, base, true);
		if (!*wrong &&
		    run_into(&c->run.pump, &c->run.pump.stage, &s->sink, e) != RUN_FAILED)
			rc = 0;
		event_rows_fini(&s->rows);
		event_match_fini(&s->match);
	}
	cli_fini(c);
	return rc;
}

static int find_next(struct event_search *s, const struct explore *x, bool *wrong, struct err *e)
{
	return search_run(s, x, s->q->at, UINT64_MAX, wrong, e);
}

/* The place of the last one that may be found, in a trace of that LENGTH. */
static int find_place(struct event_search *s, const struct explore *x, uint64_t length, bool *wrong,
		      struct err *e)
{
	uint64_t to = s->q->at < length ? s->q->at : length, span = length / WINDOW_PARTS;

	for (unsigned i = 1; i <= WINDOWS; i++, span <<= WINDOW_GROWTH) {
		uint64_t from = i < WINDOWS && span < to ? to - span : 0;

		TRY(search_run(s, x, from, to, wrong, e));
		if (s->is_found || !from)
			break;
		to = from - 1;
	}
	return 0;
}

static int trace_length(const struct explore *x, uint64_t *length, struct err *e)
{
	uint64_t base;
	struct cli c;
	int rc;

	explore_prepare(x, &c, 0, UINT64_MAX);
	rc = explore_open(x, &c, e) < 0 ? -1 : explore_times(&c, &base, length, e);
	cli_fini(&c);
	return rc;
}

static int find_previous(struct event_search *s, const struct explore *x, bool *wrong,
			 struct err *e)
{
	struct outbuf *o = s->o;
	uint64_t length;

	s->o = NULL;
	TRY(trace_length(x, &length, e));
	TRY(find_place(s, x, length, wrong, e));
	if (!s->is_found)
		return 0;
	s->only = s->found;
	s->only.any = true;
	s->o = o;
	return search_run(s, x, s->only.at, s->only.at, wrong, e);
}

int view_find(struct explore *x, const struct request *q, struct outbuf *o, struct err *e)
{
	struct event_search s = { .q = q, .o = o };
	size_t from = o->len;
	bool wrong = false;
	struct err first = { 0 };

	out_str(o, "{\"row\":");
	if ((q->dir < 0 ? find_previous : find_next)(&s, x, &wrong, &first) == 0) {
		out_str(o, s.is_found ? ",\"error\":null}" : "null,\"error\":null}");
		return 0;
	}
	o->len = from;
	if (!wrong) {
		*e = first;
		return -1;
	}
	out_str(o, "{\"row\":null,\"error\":");
	chosen_error(o, &first);
	out_char(o, '}');
	return 0;
}
