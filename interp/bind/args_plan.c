/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * args_plan: the steps that fill a handler's arguments, for an event type and a calling convention:
 * all fields in their order, or a list of names.  (args_perf: those of perf's scripts.)
 */
#include "base/mem.h"
#include "interp/bind/args.h"
#include "interp/bind/process.h"
#include "trace/field.h"
#include "trace/pseudo.h"

#include <stdlib.h>
#include <string.h>

struct arg_step args_step(const struct field *f)
{
	struct arg_step a = { .op = ARG_INT, .off = f->off, .field = f };

	switch (f->kind) {
	case FIELD_UINT:
	case FIELD_INT:
		if (f->swap)
			break;
		switch (f->size) {
		case 1:
			a.op = f->is_signed ? ARG_S8 : ARG_U8;
			break;
		case 2:
			a.op = f->is_signed ? ARG_S16 : ARG_U16;
			break;
		case 4:
			a.op = f->is_signed ? ARG_S32 : ARG_U32;
			break;
		case 8:
			a.op = f->is_signed ? ARG_S64 : ARG_U64;
			break;
		}
		break;
	case FIELD_STR:
		a.op = ARG_STR;
		break;
	case FIELD_BYTES:
		a.op = ARG_BYTES;
		break;
	case FIELD_ARRAY:
		a.op = ARG_ARRAY;
		break;
	case FIELD_BITMASK:
		a.op = ARG_BITS;
		break;
	case FIELD_FLOAT:
		a.op = ARG_FLOAT;
		break;
	case FIELD_ENUM:
		a.op = ARG_ENUM;
		break;
	case FIELD_STRUCT:
	case FIELD_LIST:
		a.op = ARG_NEST;
		break;
	case FIELD_NONE:
		a.op = ARG_UNDEF;
		break;
	}
	return a;
}

struct arg_plan *plan_new(unsigned n)
{
	struct arg_plan *p = mem_zalloc(sizeof(*p));

	p->steps = mem_zalloc((n + 1) * sizeof(*p->steps));
	return p;
}

/* The number of arguments of STEP. */
static unsigned width(const struct arg_step *step)
{
	switch (step->op) {
	case ARG_FRAME:
		return 4;
	case ARG_PROCESS:
		return PROCESS_ARGS;
	case ARG_SKIP:
		return step->len;
	default:
		return 1;
	}
}

void plan_add(struct arg_plan *p, struct arg_step step)
{
	p->steps[p->n++] = step;
	p->nargs += width(&step);
}

struct arg_plan *plan_finish(pTHX_ struct arg_plan *p)
{
	unsigned i;

	p->pool = mem_zalloc((p->nargs + 1) * sizeof(*p->pool));
	for (i = 0; i < p->nargs; i++)
		p->pool[i] = newSV(0);
	return p;
}

void plan_fix(pTHX_ struct arg_plan *p)
{
	SV **slot = p->pool;

	for (struct arg_step *step = p->steps; step < p->steps + p->n; step++) {
		bool fixed = true;

		if (step->op == ARG_NAME)
			sv_setpvn(*slot, step->text, step->len);
		else if (step->op == ARG_CONTEXT)
			sv_setiv(*slot, ARGS_CONTEXT);
		else
			fixed = false;
		slot += width(step);
		if (fixed)
			*step = (struct arg_step){ .op = ARG_SKIP, .len = 1 };
	}
}

struct arg_step plan_name(struct arg_plan *p, const struct etype *t)
{
	size_t system = strlen(t->system), name = strlen(t->name);

	if (!p->name) {
		p->name = mem_alloc(system + name + 3);
		memcpy(p->name, t->system, system);
		memcpy(p->name + system, "::", 2);
		memcpy(p->name + system + 2, t->name, name + 1);
	}
	return (struct arg_step){ .op = ARG_NAME, .text = p->name, .len = system + 2 + name };
}

struct arg_plan *args_zed(pTHX_ const struct etype *t, bool with_name)
{
	struct arg_plan *p = plan_new(2 + t->nfields);
	unsigned i;

	if (with_name)
		plan_add(p, plan_name(p, t));
	plan_add(p, (struct arg_step){ .op = ARG_FRAME });
	for (i = t->ncommon; i < t->nfields; i++)
		plan_add(p, args_step(&t->fields[i]));
	return plan_finish(aTHX_ p);
}

static const enum arg_op OPS[] = {
	[PSEUDO_NONE] = ARG_UNDEF,    [PSEUDO_TS] = ARG_TS,
	[PSEUDO_SECS] = ARG_SECS,     [PSEUDO_NSECS] = ARG_NSECS,
	[PSEUDO_CPU] = ARG_CPU,	      [PSEUDO_PID] = ARG_PID,
	[PSEUDO_COMM] = ARG_COMM,     [PSEUDO_SEQUENCE] = ARG_SEQ,
	[PSEUDO_EVENT] = ARG_NAME,    [PSEUDO_INSTANCE] = ARG_INSTANCE,
	[PSEUDO_SOURCE] = ARG_SOURCE, [PSEUDO_CGROUP] = ARG_CGROUP,
};

/* A sub is written for the event's fields: "pid" as a field of another kernel is not the task's. */
static struct meaning meaning_of(const struct etype *t, const char *name, bool frame)
{
	return pseudo_meaning(t, name, frame ? PSEUDO_COMMON : PSEUDO_ALL);
}

static struct arg_step named_step(struct arg_plan *p, const struct etype *t, struct meaning m)
{
	if (m.what == PSEUDO_EVENT)
		return plan_name(p, t);
	if (m.what == PSEUDO_NONE && m.field)
		return args_step(m.field);
	return (struct arg_step){ .op = OPS[m.what], .field = m.field };
}

/* Do the names from FROM on read cpu, secs, nsecs, sequence, none of them a field of T? */
static bool is_frame(const struct etype *t, const struct arg_names *l, unsigned from)
{
	static const char *const frame[] = { "cpu", "secs", "nsecs", "sequence" };
	unsigned i;

	for (i = 0; i < 4; i++)
		if (from + i >= l->n || strcmp(l->v[from + i], frame[i]) ||
		    pseudo_meaning(t, frame[i], PSEUDO_ALL).what == PSEUDO_NONE)
			return false;
	return true;
}

struct arg_plan *args_named(pTHX_ const struct etype *t, const struct arg_names *l, bool frame)
{
	struct arg_plan *p = plan_new(1 + l->n);
	unsigned i;

	if (frame)
		plan_add(p, (struct arg_step){ .op = ARG_FRAME });
	for (i = 0; i < l->n; i++) {
		/* Cheaper together, as for a positional sub. */
		if (!frame && is_frame(t, l, i)) {
			plan_add(p, (struct arg_step){ .op = ARG_FRAME });
			i += 3;
			continue;
		}
		plan_add(p, named_step(p, t, meaning_of(t, l->v[i], frame)));
	}
	return plan_finish(aTHX_ p);
}

void args_free(pTHX_ struct arg_plan *p)
{
	unsigned i;

	if (!p)
		return;
	for (i = 0; i < p->nargs; i++)
		SvREFCNT_dec(p->pool[i]);
	free(p->name);
	free(p->pool);
	free(p->steps);
	free(p->given);
	free(p);
}
