// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwound: joins the recorded part of a call chain and the one that a finder unwinds, and keeps the
 * last one.
 */
#include "trace/unwound.h"

#include "base/mem.h"
#include "trace/chain.h"
#include "trace/event_sample.h"
#include "trace/machine.h"

#include <stdlib.h>
#include <string.h>

struct unwound {
	/* The sample: no two have all of these in common. */
	const uint8_t *record;
	uint64_t off, ts, pc, sp;
	uint64_t *v;
	size_t cap;
	uint32_t n;
};

/* What the program of an event has mapped. */
struct of_event {
	const struct machine *m;
	const struct event *ev;
};

static bool mapped_at(void *arg, uint64_t address, struct mapping *out)
{
	const struct of_event *of = arg;

	return of->m->ops->mapped(of->m->arg, of->ev, address, false, out);
}

static bool can_unwind(const struct machine *m)
{
	return m->finder && m->finder->unwind && m->ops && m->ops->user_state && m->ops->mapped;
}

static bool is_of(const struct unwound *u, const struct event *ev, const struct user_state *s)
{
	return u->record == ev->sample->record && u->off == ev->off && u->ts == ev->ts &&
	       u->pc == s->pc && u->sp == s->sp;
}

/* EV's chain into U, with the callers that S leads to. */
static void unwind(struct machine *m, struct unwound *u, const struct event *ev,
		   const struct user_state *s)
{
	struct of_event of = { m, ev };
	const struct address_space space = { mapped_at, &of, m, s->pid };
	uint32_t at = ev->nchain, n;

	u->record = ev->sample->record;
	u->off = ev->off;
	u->ts = ev->ts;
	u->pc = s->pc;
	u->sp = s->sp;
	u->v = mem_grow(u->v, &u->cap, (size_t)at + 1 + UNWOUND_MOST, sizeof(*u->v));
	if (at)
		memcpy(u->v, ev->chain, at * sizeof(*u->v));
	u->v[at] = (uint64_t)CHAIN_USER;
	n = m->finder->unwind(m->finder->arg, s, &space, u->v + at + 1, UNWOUND_MOST);
	u->n = n ? at + 1 + n : at;
}

struct chain chain_whole(const struct event *ev)
{
	const struct chain recorded = { .v = ev->chain, .n = ev->nchain };
	struct machine *m = ev->type->machine;
	struct user_state s;

	if (!ev->sample || !ev->sample->stack_len || !can_unwind(m) ||
	    !m->ops->user_state(m->arg, ev->sample, &s))
		return recorded;
	if (!m->unwound)
		m->unwound = mem_zalloc(sizeof(*m->unwound));
	if (!is_of(m->unwound, ev, &s))
		unwind(m, m->unwound, ev, &s);
	return (struct chain){ m->unwound->v, m->unwound->n, m->unwound->n - ev->nchain };
}

void unwound_free(struct unwound *u)
{
	if (u)
		free(u->v);
	free(u);
}
