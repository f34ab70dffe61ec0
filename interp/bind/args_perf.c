/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * args_perf: the plan of perf's calling convention.  Arguments that a handler never reads are not
 * decoded; and a handler whose variable names show that it was written for other fields than the
 * event has gets its arguments by these names.
 */
#include "base/mem.h"
#include "interp/bind/args.h"
#include "interp/common/perf_names.h"
#include "interp/perl/sub_args.h"
#include "trace/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	i -= PERF_LEAD;
	return o->l ? named_field(o->t, o->l->v[i]) : &o->t->fields[o->t->ncommon + i];
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

/* Are SUB's variables named after arguments at other places?  AT as perf_args_moved() has it. */
static bool has_moved(const struct offer *o, const struct sub_args *sub, int *at)
{
	const char *names[SUB_ARGS_MAX];
	unsigned n = sub->n - sub->rest;

	for (unsigned i = 0; i < n; i++) {
		names[i] = sub->v[i].name;
		at[i] = i;
	}
	return !o->l && n > PERF_CHAIN && perf_args_moved(o->t, NULL, names, n, at);
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
		[PERF_CPU] = ARG_CPU, [PERF_SECS] = ARG_SECS,	   [PERF_NSECS] = ARG_NSECS,
		[PERF_PID] = ARG_PID, [PERF_COMM] = ARG_PERF_COMM, [PERF_CHAIN] = ARG_CHAIN,
	};
	const struct field *f;

	if (i == PERF_EVENT_NAME)
		return plan_name(p, o->t);
	if (i == PERF_CONTEXT)
		return (struct arg_step){ .op = ARG_CONTEXT };
	if (i < PERF_LEAD)
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
	o.n = PERF_LEAD + (l ? l->n : t->nfields - t->ncommon);
	fit->by_name = fit != &none && sub->listed && sub->only && !sub->rest &&
		       has_moved(&o, sub, at);
	n = fit->by_name ? sub->n : o.n;
	fit->old = fit->by_name && at[PERF_CHAIN] > PERF_CHAIN;
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
	for (i = PERF_CHAIN; fit->by_name && i < sub->n; i++) {
		if (at[i] >= 0)
			continue;
		value = perf_value_gone(t, sub->v[i].name);
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
