// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * groups: the counts of a group's counters between two samples of its leader.  Each becomes an
 * event, as in perf script.
 */
#include "reader/perf/groups.h"

#include "base/mem.h"
#include "trace/field.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOT_THERE UINT32_MAX

/* ---- previous readings ---- */

/* The previous reading of that counter; NULL: too many. */
static struct perf_reading *reading_of(struct perf_readings *s, uint64_t id, uint32_t tid)
{
	uint32_t hash, slot, i, n = s->index.n;

	index_begin(&s->index);
	hash = index_hash_two(&s->index, id, tid);
	slot = index_home(&s->index, hash);
	while (index_next(&s->index, hash, &slot, &i))
		if (s->v[i].id == id && s->v[i].tid == tid)
			return &s->v[i];
	if (n == PERF_MAX_COUNTS)
		return NULL;
	s->v = mem_grow(s->v, &s->cap, n + 1, sizeof(*s->v));
	s->v[n] = (struct perf_reading){ .id = id, .tid = tid };
	index_add(&s->index, hash, n);
	return &s->v[n];
}

/* ---- the current sample ---- */

static uint64_t word(const struct perf *f, const uint8_t *p, const struct sample *s, uint32_t i)
{
	return perf_u64(f, p + (size_t)s->value_step * i);
}

static void say_once(struct perf *f, bool *said, const char *what)
{
	if (!*said)
		note_say(f->notes, NOTE_WARN, "%s: offset 0x%" PRIx64 ": %s", f->base.in.path,
			 f->due.group.x->due.r.off, what);
	*said = true;
}

/* Value I of the sample is A's: the count since its previous reading. */
static bool count(struct perf *f, const struct perf_attr *a, uint32_t i)
{
	struct perf_group *g = &f->due.group;
	uint64_t id = word(f, g->s.ids, &g->s, i), value = word(f, g->s.values, &g->s, i);
	/* A counter inherited by children is read separately for each task (since Linux 6.12). */
	bool each = a->inherit && HAS(a, SAMPLE_TID) && g->leader->at.tid != NOWHERE;
	struct perf_reading *r = reading_of(&g->readings, id, each ? (uint32_t)g->x->tid : 0);

	if (!r) {
		say_once(f, &g->full_said,
			 "more counters and tasks than can be remembered: samples of the others "
			 "keep their periods, and give no events of a group's members");
		return false;
	}
	g->count = (struct event_count){ .id = id, .period = value - r->value };
	r->value = value;
	return true;
}

/* Which of its values is the sample's own? */
static uint32_t find_own(const struct perf *f)
{
	const struct perf_group *g = &f->due.group;
	const struct perf_attr *a = g->leader;
	uint64_t id = a->at.id == NOWHERE ? 0 : perf_u64(f, g->s.fixed + a->at.id);

	for (uint32_t i = 0; i < g->s.nvalues; i++) {
		uint64_t mine = word(f, g->s.ids, &g->s, i);

		if (id ? mine == id : attrs_having(&f->attrs, mine) == a)
			return i;
	}
	return NOT_THERE;
}

void perf_group_begin(struct perf *f, struct perf_given *x)
{
	struct perf_group *g = &f->due.group;

	g->x = NULL;
	g->leader = x->due.attr;
	if (!HAS(g->leader, SAMPLE_READ) || !(g->leader->read_format & READ_ID))
		return;
	g->x = x;
	g->s = x->parts;
	g->turn++;
	if (g->s.nvalues > PERF_MAX_GROUP) {
		say_once(f, &g->large_said,
			 "a group of more counters than are possible: only its first 256 are read");
		g->s.nvalues = PERF_MAX_GROUP;
	}
	g->own = find_own(f);
	g->next = 0;
	if (g->own == NOT_THERE || !count(f, g->leader, g->own))
		return;
	x->sample.count = &g->count;
	if (x->fields)
		field_store(x->fields + perf_count_period(g->leader), 8, false, g->count.period);
}

/* The record of a member: its own count, and the sample's time and place. */
static void make_record(struct perf *f, const struct perf_attr *a, uint32_t i)
{
	struct perf_group *g = &f->due.group;
	struct sample s = g->s;

	s.values += (size_t)s.value_step * i;
	s.nvalues = 1;
	s.count = &g->count;
	/* It is the leader's. */
	s.raw = NULL;
	s.nraw = 0;
	g->size = perf_count_size(g->leader, &s);
	g->record = mem_grow(g->record, &g->cap, g->size, 1);
	perf_count_record(g->leader, &s, f->form.swap, g->record);
	g->sample = g->x->sample;
	g->sample.attr = &a->member.at;
	g->sample.count = &g->count;
}

bool perf_group_next(struct perf *f)
{
	struct perf_group *g = &f->due.group;

	while (g->x && g->next < g->s.nvalues) {
		uint32_t i = g->next++;
		struct perf_attr *a;

		if (i == g->own)
			continue;
		a = attrs_having(&f->attrs, word(f, g->s.ids, &g->s, i));
		if (!a) {
			say_once(f, &g->id_said,
				 "the count of an event that the file does not declare: it and "
				 "others like it are left out");
			continue;
		}
		if (a->member.turn == g->turn) {
			say_once(f, &g->twice_said,
				 "two counts of one event in a sample: the second one and others "
				 "like it are left out");
			continue;
		}
		a->member.turn = g->turn;
		if (!count(f, a, i) || !g->count.period)
			continue;
		g->etype = perf_group_type(f, a, f->attrs.v[g->leader->number]);
		make_record(f, a, i);
		return true;
	}
	g->x = NULL;
	return false;
}

/* ---- types ---- */

const struct etype *perf_group_type(struct perf *f, struct perf_attr *a, struct perf_attr *leader)
{
	if (a->member.leader == leader)
		return a->member.etype;
	a->member.leader = leader;
	a->member.etype = perf_count_type(f, a, leader);
	a->member.at = leader->at;
	a->member.at.bytes = a->at.bytes;
	a->member.at.len = a->at.len;
	a->member.at.every = a->at.every;
	return a->member.etype;
}

/* u32 groups; for each its name, u32 number of its leader, u32 events with it. */
int perf_group_desc(struct perf *f, struct cursor *c, struct err *e)
{
	uint32_t n, len, leader, members;
	const uint8_t *name;

	TRY(cursor_u32(c, &n, e));
	for (uint32_t i = 0; i < n; i++) {
		TRY(cursor_u32(c, &len, e));
		TRY(cursor_bytes(c, len, &name, e));
		TRY(cursor_u32(c, &leader, e));
		TRY(cursor_u32(c, &members, e));
		if (leader >= f->attrs.n || members > f->attrs.n - leader)
			return err_set(e, ERR_FORMAT, c->base + c->pos - 8,
				       "a group of %u events from number %u on, of %u", members,
				       leader, f->attrs.n);
		for (uint32_t k = 0; k < members; k++)
			f->attrs.v[leader + k]->group = leader + 1;
	}
	return 0;
}

void perf_group_types(struct perf *f)
{
	for (unsigned i = 0; i < f->attrs.n; i++) {
		struct perf_attr *a = f->attrs.v[i], *leader;

		leader = a->group ? f->attrs.v[a->group - 1] : a;
		if (leader != a && HAS(leader, SAMPLE_READ) && leader->read_format & READ_GROUP &&
		    leader->read_format & READ_ID)
			perf_group_type(f, a, leader);
	}
}

void perf_group_fini(struct perf_group *g)
{
	index_fini(&g->readings.index);
	free(g->readings.v);
	free(g->record);
}
