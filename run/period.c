// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * period: when the first and the last records of the inputs happened, without reading everything
 * between them, if their kind allows that.
 */
#include "run/period.h"

#include "base/mem.h"
#include "run/drain.h"
#include "run/jump.h"
#include "trace/loss.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- by reading it all ---- */

struct period_losses {
	struct period_loss *v;
	size_t n, cap;
};

/* The place of a stream in the second reading. */
struct period_place {
	const struct origin *from;
	struct period *v;
	struct period_losses *losses;
};

struct period_reading {
	struct sink sink;
	struct period_place *places, *last; /* sorted by address of `from` */
	unsigned n;
};

static int compare_places(const void *a, const void *b)
{
	const struct period_place *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* A loss before EV.  There are not more than records. */
static void see_loss(struct period_losses *l, const struct event *ev)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct period_loss){ ev->lost, ev->lost_since, ev->ts };
}

static enum verdict see(struct sink *s, const struct event *ev, struct err *e)
{
	struct period_reading *r = (struct period_reading *)s;
	struct period_place key = { .from = ev->from };

	if (r->last->from != ev->from)
		r->last = bsearch(&key, r->places, r->n, sizeof(key), compare_places);
	if (ev->ts < r->last->v->first)
		r->last->v->first = ev->ts;
	if (ev->ts > r->last->v->last)
		r->last->v->last = ev->ts;
	if (ev->lost)
		see_loss(r->last->losses, ev);
	return SINK_MORE;
}

static const struct sink_ops SEE_OPS = { .event = see };

/* Open what S reads a second time.  False: it cannot be read twice. */
static bool open_again(struct pump *again, const struct source *s, struct err *e)
{
	const char *dir = s->in.is_dir ? s->in.path : s->dir;
	char path[64];
	struct stat st;

	if (dir)
		return pump_open(again, dir, e) == 0;
	/* By its descriptor: the file may have no name, as that of a pipe that was copied. */
	if (s->in.piped || fstat(s->in.fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->in.fd);
	return pump_open(again, path, e) == 0;
}

static int read_all(struct pump *p, struct source *s, struct period *v,
		    struct period_losses *losses, struct err *e)
{
	struct pump_opts o = { .source = p->opts.source, .stop = p->opts.stop };
	struct period_reading r = { .sink.ops = &SEE_OPS };
	struct pump again;
	struct source *twin;
	int rc = -1;

	o.source.notes = NULL;
	pump_init(&again, &o);
	if (!open_again(&again, s, e) || again.sources[0]->nstreams != s->nstreams) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"is read as it comes: when its records begin and end is not known yet; "
			"save it to a file first");
		err_path(e, s->in.path);
		goto out;
	}
	twin = again.sources[0];
	r.n = twin->nstreams;
	r.places = mem_zalloc((r.n + 1) * sizeof(*r.places));
	for (unsigned i = 0; i < r.n; i++)
		r.places[i] = (struct period_place){ twin->streams[i]->from, &v[i], &losses[i] };
	qsort(r.places, r.n, sizeof(*r.places), compare_places);
	r.last = r.places;
	if (run_into(&again, &again.stage, &r.sink, e) == RUN_SIGNALLED)
		err_set(e, ERR_USAGE, ERR_NO_OFF, "stopped while the ends of %s were looked for",
			s->in.path);
	else
		rc = 0;
	free(r.places);
out:
	pump_fini(&again);
	return rc;
}

/* ---- losses at unknown times ---- */

struct untimed {
	const struct pump *p;
	const struct source *s; /* as the run reads it */
	uint64_t n;
};

/* Does the run read CPU? */
static bool is_read(const struct untimed *u, int cpu)
{
	bool any = false;

	for (unsigned i = 0; i < u->s->nstreams; i++)
		if (u->s->streams[i]->from->cpu == cpu) {
			if (u->s->streams[i]->unread)
				return false;
			any = true;
		}
	return any || filter_takes_cpu(u->p->filter, cpu);
}

static void add_untimed(void *arg, const struct losses_rest *r)
{
	struct untimed *u = arg;

	if (is_read(u, r->cpu))
		u->n += r->events;
}

static enum verdict pass(struct sink *s, const struct event *ev, struct err *e)
{
	(void)s;
	(void)ev;
	(void)e;
	return SINK_MORE;
}

static const struct sink_ops PASS_OPS = { .event = pass };

/* The same as read_all(), for the losses that the streams of S meet. */
static int read_losses(struct pump *p, struct source *s, struct untimed *u, struct err *e)
{
	struct pump_opts o = { .source = p->opts.source, .stop = p->opts.stop };
	struct sink to = { .ops = &PASS_OPS };
	struct pump again;
	int rc = -1;

	o.source.notes = NULL;
	pump_init(&again, &o);
	if (!open_again(&again, s, e))
		err_set(e, ERR_USAGE, ERR_NO_OFF, "is read as it comes");
	else if (run_into(&again, &again.stage, &to, e) == RUN_DONE)
		rc = 0;
	for (unsigned i = 0; !rc && i < again.nsources; i++)
		losses_each_rest(again.sources[i], add_untimed, u);
	pump_fini(&again);
	return rc;
}

int period_untimed(struct pump *p, uint64_t *n, struct err *e)
{
	struct untimed u = { .p = p };

	*n = 0;
	for (unsigned i = 0; i < p->nsources; i++) {
		u.s = p->sources[i];
		u.n = 0;
		/* Its statistics are read once, at the end. */
		if (u.s->ops->stop && !p->finished)
			return err_set(e, ERR_USAGE, ERR_NO_OFF, "is read as it comes");
		/* What was met until now is enough if nothing is left. */
		losses_each_rest(p->sources[i], add_untimed, &u);
		if (!u.n)
			continue;
		u.n = 0;
		TRY(read_losses(p, p->sources[i], &u, e));
		*n += u.n;
	}
	return 0;
}

/* ---- queries ---- */

static void losses_free(struct period_losses *l, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		free(l[k].v);
	free(l);
}

int period_streams(struct pump *p, unsigned i, const struct period **v, struct err *e)
{
	struct source *s = p->sources[i];
	struct period_losses *losses = NULL;
	struct period *found;
	bool known;

	if (!p->periods) {
		p->periods = mem_zalloc(p->nsources * sizeof(*p->periods));
		p->losses = mem_zalloc(p->nsources * sizeof(*p->losses));
	}
	*v = p->periods[i];
	if (*v)
		return 0;
	found = mem_alloc((s->nstreams + 1) * sizeof(*found));
	for (unsigned k = 0; k < s->nstreams; k++)
		found[k] = PERIOD_NONE;
	known = jump_ends(p, i, found);
	if (!known && s->ops->ends) {
		s->ops->ends(s, found);
	} else if (!known && s->nstreams) {
		losses = mem_zalloc(s->nstreams * sizeof(*losses));
		if (read_all(p, s, found, losses, e) < 0) {
			losses_free(losses, s->nstreams);
			free(found);
			return -1;
		}
	}
	*v = p->periods[i] = found;
	p->losses[i] = losses;
	return 0;
}

/*
 * Of a source that has one stream for all CPUs the merge has the next event of only one of them.
 * If its ends were found without reading it, but losses lie between these, they are read now.
 */
static struct period_losses *losses_of(struct pump *p, unsigned i)
{
	struct source *s = p->sources[i];
	struct period *again;
	struct err e;

	if (!p->losses)
		return NULL;
	if (p->losses[i] || !p->periods[i] || !s->ops->ends || s->lossless ||
	    !s->streams[0]->multiplexed)
		return p->losses[i];
	p->losses[i] = mem_zalloc(s->nstreams * sizeof(*p->losses[i]));
	again = mem_alloc(s->nstreams * sizeof(*again));
	for (unsigned k = 0; k < s->nstreams; k++)
		again[k] = PERIOD_NONE;
	/* If that is stopped by a signal, so is the run. */
	read_all(p, s, again, p->losses[i], &e);
	free(again);
	return p->losses[i];
}

const struct period_loss *period_next_loss(struct pump *p, unsigned i, unsigned k, uint64_t ts)
{
	const struct period_losses *l = losses_of(p, i);
	size_t from = 0, to;

	if (!l)
		return NULL;
	l += k;
	for (to = l->n; from < to;) {
		size_t mid = from + (to - from) / 2;

		if (l->v[mid].to > ts)
			to = mid;
		else
			from = mid + 1;
	}
	return from < l->n ? &l->v[from] : NULL;
}

void period_fini(struct pump *p)
{
	for (unsigned i = 0; p->periods && i < p->nsources; i++) {
		if (p->losses[i])
			losses_free(p->losses[i], p->sources[i]->nstreams);
		free(p->periods[i]);
	}
	free(p->losses);
	free(p->periods);
}

static void widen(struct period *all, const struct period *by)
{
	if (!period_any(by))
		return;
	if (by->first < all->first)
		all->first = by->first;
	if (by->last > all->last)
		all->last = by->last;
}

int period_source(struct pump *p, unsigned i, struct period *out, struct err *e)
{
	const struct period *v;

	*out = PERIOD_NONE;
	TRY(period_streams(p, i, &v, e));
	for (unsigned k = 0; k < p->sources[i]->nstreams; k++)
		widen(out, &v[k]);
	return 0;
}

int period_lacks(struct pump *p, unsigned i, uint64_t *v, struct err *e)
{
	struct source *s = p->sources[i];
	const struct period *ends;
	struct period all;

	memset(v, 0, s->nstreams * sizeof(*v));
	if (!s->ops->lacks)
		return 0;
	TRY(period_source(p, i, &all, e));
	TRY(period_streams(p, i, &ends, e));
	for (unsigned k = 0; k < s->nstreams; k++)
		v[k] = period_any(&ends[k]) &&
		       (ends[k].first > all.first || ends[k].last < all.last);
	s->ops->lacks(s, v);
	return 0;
}

int period_all(struct pump *p, struct period *out, struct err *e)
{
	struct period one;

	*out = PERIOD_NONE;
	for (unsigned i = 0; i < p->nsources; i++) {
		TRY(period_source(p, i, &one, e));
		widen(out, &one);
	}
	return 0;
}

int period_common(struct pump *p, struct period *out, struct period_end *ends, struct err *e)
{
	struct period_end found[2] = { { .ts = 0 }, { .ts = UINT64_MAX } };
	const struct period *v;

	for (unsigned i = 0; i < p->nsources; i++) {
		TRY(period_streams(p, i, &v, e));
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++) {
			const struct origin *from = p->sources[i]->streams[k]->from;

			if (!period_any(&v[k]) || !filter_takes_cpu(p->filter, from->cpu) ||
			    !filter_takes_instance(p->filter, from->instance))
				continue;
			if (!found[0].from || v[k].first > found[0].ts)
				found[0] = (struct period_end){ from, v[k].first };
			if (!found[1].from || v[k].last < found[1].ts)
				found[1] = (struct period_end){ from, v[k].last };
		}
	}
	*out = (struct period){ found[0].ts, found[1].ts };
	if (!found[0].from || !period_any(out))
		*out = PERIOD_NONE;
	if (ends)
		memcpy(ends, found, sizeof(found));
	return 0;
}
