/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * death: what is said of a sub that died: perl's own message, then which sub it was, and at which
 * event.
 */
#include "interp/death.h"

#include "interp/perl/perl_priv.h"

#include <stdio.h>

#define NSEC 1000000000ull

/* Where it happened, after perl's own message. */
static void say_where(pTHX_ struct perlsink *ps)
{
	char text[1400];
	const struct event *ev = ps->ev;
	uint64_t ts;

	if (!ev) {
		if (!ps->sub)
			return;
		snprintf(text, sizeof(text), "while in %s", ps->sub);
	} else {
		ts = ev->ts - ps->args.base;
		snprintf(text, sizeof(text), "while in %s, cpu %d, %llu.%09llu, %s offset 0x%llx",
			 ps->sub ? ps->sub : ps->sub_name, ev->cpu, (unsigned long long)(ts / NSEC),
			 (unsigned long long)(ts % NSEC), ev->from->path,
			 (unsigned long long)ev->off);
	}
	ps->o.say(ps->o.arg, text);
}

/* The handler in which the current event died. */
static void name_sub(pTHX_ struct perlsink *ps)
{
	const struct binding *b = ps->calling;
	const struct etype *t = ps->ev ? ps->ev->type : NULL;
	char *name = ps->sub_name;
	size_t size = sizeof(ps->sub_name);

	*name = 0;
	if (!t)
		return;
	if (!b || b->kind == BIND_SUB)
		bind_name(t, name, size, NULL);
	else if (b->kind == BIND_UNHANDLED)
		snprintf(name, size, "trace_unhandled (%s::%s)", t->system, t->name);
	else if (b->kind == BIND_PROCESS)
		snprintf(name, size, "process_event (%s::%s)", t->system, t->name);
	else if (b->kind == BIND_NAMED)
		snprintf(name, size, "Zed::on '%s' of %s (%s::%s)", b->named->text, b->named->at,
			 t->system, t->name);
	else
		snprintf(name, size, "%s::%s (%s::%s)", b->stable->system, b->stable->name,
			 t->system, t->name);
}

void death_say(pTHX_ struct perlsink *ps)
{
	const char *sub = ps->sub;

	name_sub(aTHX_ ps);
	ps->o.clear(ps->o.arg);
	interp_say_death(ps->in);
	ps->sub = sub;
	say_where(aTHX_ ps);
	ps->sub = NULL;
}
