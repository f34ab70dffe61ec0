// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stall: live sources that have fallen silent while events of others wait for theirs.  They are
 * named after a while, and if the user's patience is limited, the others then continue without
 * them, until they send again.
 */
#include "run/pump_priv.h"

#include "base/mem.h"
#include "base/mono.h"

#include <limits.h>

#define SECOND 1000000000ull
#define SAY_NS (3 * SECOND) /* a client of ours sends several times a second */

static void set_aside(struct pump *p, unsigned i, bool aside)
{
	struct source *s = p->sources[i];

	p->stalls[i].aside = aside;
	for (unsigned k = 0; k < s->nstreams; k++)
		merge_set_aside(p->merge, s->streams[k], aside);
	if (s->watermark_stream)
		merge_set_aside(p->merge, s->watermark_stream, aside);
}

/* Source I has been silent for SILENT ns.  True: the others continue without it. */
static bool be_patient(struct pump *p, unsigned i, uint64_t silent)
{
	struct stall *st = &p->stalls[i];
	struct notes *notes = p->opts.source.notes;
	const char *path = p->sources[i]->in.path;

	if (p->opts.patience && silent >= p->opts.patience) {
		set_aside(p, i, true);
		note_say(notes, NOTE_WARN,
			 "%s: nothing has come from it for %.1f s (--wait): the others continue "
			 "without it, and what it still sends of that time is late",
			 path, (double)silent / 1e9);
		return true;
	}
	if (!st->said && silent >= SAY_NS)
		note_say(notes, NOTE_WARN,
			 "%s: nothing has come from it for %u s: the events of the others wait for "
			 "its own",
			 path, (unsigned)(SAY_NS / SECOND));
	st->said |= silent >= SAY_NS;
	return false;
}

/* Source I was set aside, and has sent something since. */
static void come_back(struct pump *p, unsigned i, uint64_t now)
{
	struct stall *st = &p->stalls[i];

	note_say(p->opts.source.notes, NOTE_WARN,
		 "%s: it sends again, after %.1f s: the others wait for it as before",
		 p->sources[i]->in.path, (double)(now - st->since) / 1e9);
	set_aside(p, i, false);
	*st = (struct stall){ .since = 0 };
}

/* True: the others continue without source I. */
static bool look_at(struct pump *p, unsigned i, uint64_t now)
{
	struct stall *st = &p->stalls[i];
	uint64_t heard = p->sources[i]->heard;

	if (st->aside && heard != st->heard)
		come_back(p, i, now);
	else if (st->aside)
		return false;
	else if (st->low == UINT64_MAX)
		st->since = 0;
	else if (st->since && st->low == st->watermark && st->heard == heard)
		return be_patient(p, i, now - st->since);
	else
		*st = (struct stall){ .heard = heard, .watermark = st->low, .since = now };
	return false;
}

static void waits_for(void *arg, const struct stream *s, uint64_t watermark)
{
	struct stall *st = &((struct pump *)arg)->stalls[s->from->source];

	if (watermark < st->low)
		st->low = watermark;
}

bool stall_look(struct pump *p)
{
	uint64_t now = mono_ns();
	bool moved = false;

	p->stalls = mem_grow_zeroed(p->stalls, &p->cap_stalls, p->nsources, sizeof(*p->stalls));
	for (unsigned i = 0; i < p->nsources; i++)
		p->stalls[i].low = UINT64_MAX;
	merge_waits_for(p->merge, waits_for, p);
	for (unsigned i = 0; i < p->nsources; i++)
		moved |= look_at(p, i, now);
	return moved;
}

int stall_left_ms(const struct pump *p)
{
	uint64_t now = mono_ns(), least = UINT64_MAX;

	if (!p->opts.patience)
		return -1;
	for (unsigned i = 0; i < p->nsources && i < p->cap_stalls; i++) {
		const struct stall *st = &p->stalls[i];
		uint64_t due = st->since + p->opts.patience;

		if (st->since && !st->aside && due < least)
			least = due;
	}
	if (least == UINT64_MAX)
		return -1;
	least = least > now ? (least - now) / 1000000 + 1 : 0;
	return least < INT_MAX ? (int)least : INT_MAX;
}
