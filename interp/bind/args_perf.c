/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * args_perf: the plan of perf's calling convention.  Arguments that a handler never reads are not
 * decoded; and a handler whose variable names show that it was written for other fields than the
 * event has gets its arguments by these names.
 */
#include "base/mem.h"
#include "interp/bind/args.h"
#include "interp/perl/sub_args.h"
#include "trace/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum lead {
	LEAD_EVENT_NAME,
	LEAD_CONTEXT,
	LEAD_CPU,
	LEAD_SECS,
	LEAD_NSECS,
	LEAD_PID,
	LEAD_COMM,
	LEAD_CHAIN,
};

/* Fields that kernels no longer have, with the value they always had (Linux 4.3 to 5.13). */
static const struct {
	const char *system, *event, *field;
	int value;
} gone[] = {
	{ "sched", "sched_wakeup", "success", 1 },
	{ "sched", "sched_wakeup_new", "success", 1 },
	{ "sched", "sched_waking", "success", 1 },
};

/* The possible arguments, in order: the leading ones, then the fields. */
struct offer {
	const struct etype *t;
	const struct arg_names *l;
	unsigned n;
};

/* T's field of that name, its own before the common ones; or NULL. */
static const struct field *named_field(const struct etype *t, const char *name)
{
	const struct field *f = field_find_in(t->fields + t->ncommon, t->nfields - t->ncommon,
					      name);

	return f ? f : field_find_in(t->fields, t->ncommon, name);
}

static const struct field *offer_field(const struct offer *o, unsigned i)
{
	i -= ARGS_PERF_LEAD;
	return o->l ? named_field(o->t, o->l->v[i]) : &o->t->fields[o->t->ncommon + i];
}

static const char *offer_name(const struct offer *o, unsigned i)
{
	if (i == LEAD_CHAIN)
		return "common_callchain";
	return o->l ? o->l->v[i - ARGS_PERF_LEAD] : offer_field(o, i)->name;
}

static bool is_named(const struct offer *o, unsigned i, const char *variable)
{
	return !strcmp(variable, offer_name(o, i)) ||
	       (i == LEAD_CHAIN && !strcmp(variable, "callchain"));
}

/* The index of NAME in the offer, from AT on, or -1. */
static int offered_at(const struct offer *o, unsigned at, const char *variable)
{
	for (unsigned i = at; *variable && i < o->n; i++)
		if (is_named(o, i, variable))
			return i;
	return -1;
}

/*
 * Unknown variables between two known ones are the arguments between these, if their number is the
 * same; after the last known one, those that follow it.  FROM and TO: the known ones, TO may be the
 * end.
 */
static void fill_between(const struct offer *o, int *at, unsigned from, unsigned to, unsigned end)
{
	unsigned width = (to < end ? (unsigned)at[to] : at[from] + to - from) - at[from];

	if (width != to - from)
		return;
	for (unsigned i = from + 1; i < to && at[from] + i - from < o->n; i++)
		at[i] = at[from] + i - from;
}

static void fill_gaps(const struct offer *o, int *at, unsigned n)
{
	unsigned last = LEAD_COMM;

	for (unsigned i = LEAD_CHAIN; i < n; i++) {
		if (at[i] < 0)
			continue;
		fill_between(o, at, last, i, n);
		last = i;
	}
	fill_between(o, at, last, n, n);
}

/*
 * Are the names of SUB's variables in the offer's order, but at other places?  Then a field was
 * added or removed since it was written.  Names in another order are the author's own.  AT[i]: the
 * argument for the I-th variable, or -1.
 */
static bool has_moved(const struct offer *o, const struct sub_args *sub, int *at)
{
	unsigned i, from = LEAD_CHAIN, nth = sub->n - sub->rest;
	bool moved = false;

	for (i = 0; i < nth; i++)
		at[i] = i;
	if (o->l || nth <= LEAD_CHAIN)
		return false;
	for (i = LEAD_CHAIN; i < nth; i++) {
		const char *name = sub->v[i].name;

		at[i] = offered_at(o, from, name);
		if (at[i] < 0) {
			if (offered_at(o, LEAD_CHAIN, name) >= 0)
				return false;
			/* "$cc", whatever comes after it. */
			if (i == LEAD_CHAIN)
				at[i] = i;
			continue;
		}
		from = at[i] + 1;
		moved |= at[i] != (int)i;
	}
	if (moved)
		fill_gaps(o, at, nth);
	return moved;
}

static const int *value_gone(const struct etype *t, const char *name)
{
	unsigned i;

	for (i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		if (!strcmp(t->system, gone[i].system) && !strcmp(t->name, gone[i].event) &&
		    !strcmp(name, gone[i].field))
			return &gone[i].value;
	return NULL;
}

static void say_missing(struct perf_fit *fit, const char *name, const int *value)
{
	size_t n = strlen(fit->missing);

	if (n >= sizeof(fit->missing))
		return;
	if (value)
		snprintf(fit->missing + n, sizeof(fit->missing) - n, "%s%.64s is %d", n ? ", " : "",
			 name, *value);
	else
		snprintf(fit->missing + n, sizeof(fit->missing) - n, "%s%.64s is undef",
			 n ? ", " : "", name);
}

/* A step that leaves the argument as it is; adjacent ones are joined. */
static void skip(struct arg_plan *p)
{
	if (p->n && p->steps[p->n - 1].op == ARG_SKIP) {
		p->steps[p->n - 1].len++;
		p->nargs++;
	} else {
		plan_add(p, (struct arg_step){ .op = ARG_SKIP, .len = 1 });
	}
}

static struct arg_step offer_step(struct arg_plan *p, const struct offer *o, unsigned i)
{
	static const enum arg_op ops[] = {
		[LEAD_CPU] = ARG_CPU, [LEAD_SECS] = ARG_SECS,	   [LEAD_NSECS] = ARG_NSECS,
		[LEAD_PID] = ARG_PID, [LEAD_COMM] = ARG_PERF_COMM, [LEAD_CHAIN] = ARG_CHAIN,
	};
	const struct field *f;

	if (i == LEAD_EVENT_NAME)
		return plan_name(p, o->t);
	if (i == LEAD_CONTEXT)
		return (struct arg_step){ .op = ARG_CONTEXT };
	if (i < ARGS_PERF_LEAD)
		return (struct arg_step){ .op = ops[i] };
	f = offer_field(o, i);
	return f ? args_step(f) : (struct arg_step){ .op = ARG_UNDEF };
}

/* May the sub read its I-th argument? */
static bool is_read(const struct sub_args *sub, unsigned i)
{
	if (!sub->listed || !sub->only)
		return true;
	if (sub->rest && i >= sub->n - 1)
		return sub->v[sub->n - 1].read;
	return i < sub->n && sub->v[i].read;
}

/* The number of arguments: no more than are read. */
static unsigned needed(const struct sub_args *sub, unsigned n)
{
	if (!sub->listed || !sub->only || sub->counted)
		return n;
	while (n && !is_read(sub, n - 1))
		n--;
	return n;
}

struct arg_plan *args_process(pTHX)
{
	struct arg_plan *p = plan_new(1);

	plan_add(p, (struct arg_step){ .op = ARG_PROCESS });
	return plan_finish(aTHX_ p);
}

/* If only the list of SUB reads @_: set its variables directly. */
static void give(struct arg_plan *p, const struct sub_args *sub)
{
	if (!sub->listed || !sub->after)
		return;
	p->after = sub->after;
	p->given = mem_alloc((sub->n + 1) * sizeof(*p->given));
	for (unsigned i = 0; i < sub->n; i++)
		if (sub->v[i].read)
			p->given[p->ngiven++] = (struct arg_given){ sub->v[i].at, i };
}

struct arg_plan *args_perf(pTHX_ const struct etype *t, const struct arg_names *l,
			   const struct sub_args *sub, struct perf_fit *fit)
{
	struct offer o = { .t = t, .l = l };
	struct perf_fit none;
	int *at = mem_zalloc((SUB_ARGS_MAX + 1) * sizeof(*at));
	const int *value;
	struct arg_plan *p;
	unsigned i, n;

	if (!fit)
		fit = &none;
	memset(fit, 0, sizeof(*fit));
	o.n = ARGS_PERF_LEAD + (l ? l->n : t->nfields - t->ncommon);
	fit->by_name = fit != &none && sub->listed && sub->only && !sub->rest &&
		       has_moved(&o, sub, at);
	n = fit->by_name ? sub->n : o.n;
	fit->old = fit->by_name && at[LEAD_CHAIN] > LEAD_CHAIN;
	p = plan_new(n);
	n = needed(sub, n);
	for (i = 0; i < n; i++) {
		if (!is_read(sub, i))
			skip(p);
		else if (!fit->by_name || at[i] >= 0)
			plan_add(p, offer_step(p, &o, fit->by_name ? (unsigned)at[i] : i));
		else
			skip(p);
	}
	plan_finish(aTHX_ p);
	for (i = LEAD_CHAIN; fit->by_name && i < sub->n; i++) {
		if (at[i] >= 0)
			continue;
		value = value_gone(t, sub->v[i].name);
		say_missing(fit, sub->v[i].name, value);
		if (value && i < p->nargs)
			sv_setiv(p->pool[i], *value);
	}
	/* The sub cannot change these, so they are written once. */
	if (sub->listed && sub->only)
		plan_fix(aTHX_ p);
	give(p, sub);
	free(at);
	return p;
}
