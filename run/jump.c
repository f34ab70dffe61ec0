// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jump: a run of a part of the time begins and ends its streams where that part does.  The names
 * of tasks that it passes over come from what has read the source: those before the part when
 * its first event comes, those after it at the end.  Events around it that are read all the same
 * name none.
 */
#include "run/jump.h"

#include "base/mem.h"
#include "run/pump_priv.h"

#include <stdlib.h>

/* A source that is known. */
struct jump_source {
	const struct jumps *jumps;
	bool *jumped; /* by stream; NULL: none has */
};

void pump_jumps(struct pump *p, unsigned source, const struct jumps *j)
{
	if (source >= p->njumps)
		p->jumps = mem_grow_zeroed(p->jumps, &p->njumps, source + 1, sizeof(*p->jumps));
	p->jumps[source].jumps = j;
}

void jump_fini(struct pump *p)
{
	for (size_t i = 0; i < p->njumps; i++)
		free(p->jumps[i].jumped);
	free(p->jumps);
}

/* Is all that is passed over nothing to the consumer? */
static bool may_jump(const struct pump *p, const struct stream *s, const struct stream_place *last)
{
	return s->may_skip && s->ops->jump && !s->multiplexed && !p->relative &&
	       !catalog_wants_beyond(p->catalog) && !(p->follows_losses && last->lost_places);
}

/*
 * Would a run that reads only some streams miss names?  The log has no name of a task that repeats
 * its last one, though that was in another stream.
 */
static bool lacks_names(const struct pump *p, const struct source *src, const struct jumps *j)
{
	struct jump_name n;
	uint64_t at = 0;

	if (!j->name(j->arg, &at, &n))
		return false;
	for (unsigned k = 0; k < src->nstreams; k++) {
		const struct origin *from = src->streams[k]->from;

		if (!filter_takes_cpu(p->filter, from->cpu) ||
		    !filter_takes_instance(p->filter, from->instance))
			return true;
	}
	return false;
}

void jump_stream(struct pump *p, unsigned i, unsigned k)
{
	struct source *src = p->sources[i];
	struct stream *s = src->streams[k];
	struct jump_source *of = i < p->njumps ? &p->jumps[i] : NULL;
	const struct jumps *j = of ? of->jumps : NULL;
	struct stream_place from, last;

	if (!j || !j->last(j->arg, k, &last) || !may_jump(p, s, &last) || lacks_names(p, src, j))
		return;
	if (!s->ops->jump(s, j->before(j->arg, k, s->start, &from) ? &from : NULL, &last))
		return;
	if (!of->jumped)
		of->jumped = mem_zalloc(src->nstreams * sizeof(*of->jumped));
	of->jumped[k] = true;
	p->jumping = true;
}

bool jump_ends(const struct pump *p, unsigned i, struct period *v)
{
	const struct jumps *j = i < p->njumps ? p->jumps[i].jumps : NULL;

	for (unsigned k = 0; j && k < p->sources[i]->nstreams; k++)
		if (!j->ends(j->arg, k, &v[k]))
			return false;
	return j;
}

bool jump_has_names(const struct pump *p, const struct event *ev)
{
	unsigned i = ev->from->source;

	return i < p->njumps && p->jumps[i].jumped && !filter_has_time(p->filter, ev->ts);
}

/* The names from the AT-th on in events of source I before END. */
static void take_names(struct pump *p, unsigned i, uint64_t at, uint64_t end)
{
	const struct jump_source *of = &p->jumps[i];
	struct comms *comms = p->sources[i]->machine.comms;
	struct jump_name n;
	bool changed = false;

	while (of->jumps->name(of->jumps->arg, &at, &n) && n.ts < end) {
		if (n.stream >= p->sources[i]->nstreams || p->sources[i]->streams[n.stream]->unread)
			continue;
		changed |= comms_advance(comms, n.ts);
		if (comms_needs(comms, n.kind))
			changed |= comms_event(comms, n.kind, n.pid, n.name, n.len);
	}
	if (changed)
		catalog_see_names(p->catalog);
}

void jump_reach(struct pump *p, const struct event *ev)
{
	uint64_t start, end;

	if (!filter_has_time(p->filter, ev->ts))
		return;
	filter_window(p->filter, &start, &end);
	p->jumping = false;
	for (size_t i = 0; i < p->njumps; i++)
		if (p->jumps[i].jumped)
			take_names(p, i, 0, start);
}

void jump_finish(struct pump *p)
{
	uint64_t start, end;

	filter_window(p->filter, &start, &end);
	for (size_t i = 0; i < p->njumps; i++) {
		const struct jump_source *of = &p->jumps[i];

		if (!of->jumped)
			continue;
		if (p->jumping)
			take_names(p, i, 0, start);
		if (end != UINT64_MAX)
			take_names(p, i, of->jumps->name_at(of->jumps->arg, end + 1), UINT64_MAX);
	}
	p->jumping = false;
}
