// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inputs: the inputs of a run: opens them, adds those that come during the run, enters their
 * streams into the merge, ends live ones, and adds up how far all have got.
 */
#include "run/pump_priv.h"

#include "base/mem.h"
#include "reader/open.h"
#include "run/jump.h"
#include "trace/comms/comms.h"

#include <stdlib.h>

void inputs_close(struct pump *p)
{
	for (unsigned i = 0; i < p->nsources; i++)
		source_close(p->sources[i]);
	for (unsigned i = 0; i < p->nunused; i++)
		source_close(p->unused[i]);
	free(p->unused);
	for (unsigned i = 0; i < p->ncontainers; i++)
		source_close(p->containers[i]);
	free(p->containers);
	free(p->sources);
}

static void enter_list(struct pump *p, struct source *s)
{
	comparable_instances(p, s);
	s->machine.given = p->opts.source.symbols;
	s->machine.finder = p->opts.source.finder;
	s->num = p->nsources;
	p->sources = mem_realloc(p->sources, (p->nsources + 1) * sizeof(*p->sources));
	p->sources[p->nsources++] = s;
	p->run.sources = p->sources;
	p->run.nsources = p->nsources;
}

/*
 * S came from a container.  False: it cannot be merged, which is reported; it is kept, as the
 * catalog has its types.
 */
static bool add_brought(struct pump *p, struct source *s)
{
	struct err e;

	if (comparable_clock(p, s, &e) == 0) {
		enter_list(p, s);
		return true;
	}
	note_err(p->opts.source.notes, NOTE_DAMAGE, &e);
	p->unused = mem_realloc(p->unused, (p->nunused + 1) * sizeof(*p->unused));
	p->unused[p->nunused++] = s;
	return false;
}

/* S is a container: add the sources that are there; wait for the first. */
static int add_bringer(struct pump *p, struct source *s, struct err *e)
{
	struct source *one;

	p->containers = mem_realloc(p->containers, (p->ncontainers + 1) * sizeof(*p->containers));
	p->containers[p->ncontainers++] = s;
	for (bool wait = true; (one = s->ops->more(s, wait)); wait = false)
		add_brought(p, one);
	if (p->nsources)
		return 0;
	err_set(e, ERR_FORMAT, ERR_NO_OFF, "contains no streams: no client has connected yet");
	return err_path(e, s->in.path);
}

int pump_add(struct pump *p, struct source *s, struct err *e)
{
	if (s->ops->more)
		return add_bringer(p, s, e);
	if (comparable_clock(p, s, e) < 0) {
		source_close(s);
		return -1;
	}
	enter_list(p, s);
	return 0;
}

int pump_open(struct pump *p, const char *path, struct err *e)
{
	struct source *s = source_open(path, p->nsources, p->catalog, &p->opts.source, e);

	return s ? pump_add(p, s, e) : -1;
}

/* Can events still come from S? */
static bool goes_on(const struct pump *p, const struct source *s)
{
	if (!p->started)
		return true;
	for (unsigned i = 0; i < s->nstreams; i++)
		if (merge_has(p->merge, s->streams[i]))
			return true;
	return false;
}

bool pump_is_live(const struct pump *p)
{
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->ops->stop)
			return true;
	return false;
}

bool pump_halt(struct pump *p)
{
	bool live = false;

	if (p->halted)
		return false;
	for (unsigned i = 0; i < p->nsources; i++) {
		if (!goes_on(p, p->sources[i]))
			continue;
		if (!p->sources[i]->ops->stop)
			return false;
		live = true;
	}
	if (!live)
		return false;
	p->halted = true;
	for (unsigned i = 0; i < p->ncontainers; i++)
		if (p->containers[i]->ops->stop)
			p->containers[i]->ops->stop(p->containers[i]);
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->ops->stop && goes_on(p, p->sources[i]))
			p->sources[i]->ops->stop(p->sources[i]);
	return true;
}

/* ---- into the merge ---- */

/* Enter the streams of source I: those of its top buffer, or those of its instances. */
static void enter(struct pump *p, unsigned i, bool tops, unsigned buffers)
{
	struct source *src = p->sources[i];
	bool beyond = catalog_wants_beyond(p->catalog);

	/* A name recorded before the first event that may pass is known then. */
	if (filter_has_comms(p->filter))
		comms_want(src->machine.comms);
	for (unsigned k = 0; k < src->nstreams; k++) {
		struct stream *s = src->streams[k];
		struct origin *from = (struct origin *)s->from;

		if (!*from->instance != tops)
			continue;
		s->seq = p->nseq++;
		from->source = i;
		from->buffer += buffers;
		/* If no event can pass, not even the pages are read. */
		s->unread = (!beyond && !filter_takes_cpu(p->filter, from->cpu)) ||
			    !filter_takes_instance(p->filter, from->instance);
		if (s->unread && !s->multiplexed)
			continue;
		p->filtered |= s->multiplexed;
		/* Of a part all records are counted, and all damage is reported. */
		s->may_skip = filter_window(p->filter, &s->start, &s->end) && !p->parted;
		if (p->from && !p->parted && s->start < p->from) {
			s->may_skip = true;
			s->start = p->from;
		}
		s->windowed = p->parted;
		if (p->parted) {
			s->start = p->part.start;
			s->end = p->part.end;
		}
		jump_stream(p, i, k);
		p->in_order |= s->multiplexed || (p->parted && !s->ops->windows);
		p->stats.bytes_total += s->bytes_total;
		merge_add(p->merge, s);
	}
}

static void enter_watermark(struct pump *p, struct source *s)
{
	if (!s->watermark_stream)
		return;
	((struct origin *)s->watermark_stream->from)->source = s->num;
	merge_add(p->merge, s->watermark_stream);
}

static void enter_all(struct pump *p, bool tops)
{
	p->nbuffers = 0;
	for (unsigned i = 0; i < p->nsources; i++) {
		enter(p, i, tops, p->nbuffers);
		p->nbuffers += p->sources[i]->nbuffers;
	}
}

/*
 * Of events of the same time those of top buffers go first, in order of opening, then those of
 * instances: as in trace-cmd.
 */
void inputs_start(struct pump *p)
{
	comparable_machines(p);
	p->merge = merge_new();
	enter_all(p, true);
	enter_all(p, false);
	for (unsigned i = 0; i < p->nsources; i++)
		enter_watermark(p, p->sources[i]);
	for (unsigned i = 0; i < p->ncontainers; i++)
		merge_add(p->merge, p->containers[i]->watermark_stream);
}

/*
 * Events that are taken in any order come from the streams themselves, without the merge; unless
 * events have to pass a filter, or the first one decides what is subtracted from all times.
 */
void inputs_offer_early(struct pump *p)
{
	bool may = !p->in_order && !p->relative;

	for (unsigned i = 0; p->early && i < p->nsources; i++)
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++) {
			p->sources[i]->streams[k]->early = may ? p->early : NULL;
			p->sources[i]->streams[k]->early_arg = p->early_arg;
		}
}

void pump_early(struct pump *p, void (*fn)(void *arg, const struct event *ev), void *arg)
{
	p->early = fn;
	p->early_arg = arg;
}

/* ---- sources that come during the run ---- */

bool inputs_see(struct pump *p)
{
	struct source *s;

	for (unsigned i = 0; i < p->ncontainers; i++)
		while ((s = p->containers[i]->ops->more(p->containers[i], false))) {
			if (!add_brought(p, s))
				continue;
			if (p->periods) {
				p->periods = mem_realloc(p->periods,
							 p->nsources * sizeof(*p->periods));
				p->periods[s->num] = NULL;
				p->losses = mem_realloc(p->losses,
							p->nsources * sizeof(*p->losses));
				p->losses[s->num] = NULL;
			}
			p->came = s;
			p->before = true;
			return true;
		}
	return false;
}

void pump_refuse(struct pump *p)
{
	struct source *s = p->came;

	p->came = NULL;
	note_say(p->opts.source.notes, NOTE_DAMAGE,
		 "%s: it has come when the output had begun, which takes no more sources: nothing "
		 "of it is there",
		 s->in.path);
	for (unsigned k = 0; k < s->nstreams; k++)
		s->streams[k]->unread = true;
}

void inputs_enter_late(struct pump *p)
{
	struct source *s = p->came;

	if (!s)
		return;
	p->came = NULL;
	enter(p, s->num, true, p->nbuffers);
	enter(p, s->num, false, p->nbuffers);
	p->nbuffers += s->nbuffers;
	enter_watermark(p, s);
	inputs_offer_early(p);
}

/* ---- how far they have got ---- */

const struct pump_stats *pump_count(struct pump *p)
{
	struct pump_stats *st = &p->stats;

	st->early = st->records = st->skipped = st->bytes_done = 0;
	st->losses = p->rest;
	for (unsigned i = 0; i < p->nsources; i++) {
		losses_met(&st->losses, p->sources[i]);
		if (!p->finished)
			losses_ahead(&st->losses, p->sources[i]);
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++) {
			const struct stream *s = p->sources[i]->streams[k];

			st->records += s->seen;
			st->skipped += s->skipped;
			st->early += s->taken;
			st->bytes_done += s->bytes_done;
		}
	}
	st->late = p->merge ? merge_late(p->merge) : 0;
	return st;
}
