/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_ARGS_H
#define ZED_INTERP_BIND_ARGS_H

#include "interp/perl/perl_inc.h"
#include "interp/common/arg_names.h"
#include "interp/common/field_budget.h"
#include "base/err.h"
#include "trace/event.h"

/*
 * The arguments of a handler.  A plan is a list of steps, made once for an event type and a
 * calling convention; each step writes into a pooled SV of its own, which is reused for the next
 * event unless the script has kept or changed it.
 */
enum arg_op {
	ARG_UNDEF,
	ARG_NAME,  /* "system::name" of the event type, constant */
	ARG_FRAME, /* four arguments: cpu, secs, nsecs, sequence */
	ARG_CPU,
	ARG_SECS,
	ARG_NSECS,
	ARG_SEQ,
	ARG_TS,
	ARG_PID,
	ARG_COMM,     /* the name of the task; with a field: of the task whose pid that is */
	ARG_CGROUP,   /* the same of its cgroup */
	ARG_INSTANCE, /* of the buffer */
	ARG_SOURCE,   /* the number of the input */
	ARG_U8,
	ARG_U16,
	ARG_U32,
	ARG_U64, /* a field's integer, our byte order */
	ARG_S8,
	ARG_S16,
	ARG_S32,
	ARG_S64,
	ARG_INT, /* any integer field, swapped */
	ARG_STR,
	ARG_BYTES,
	ARG_ARRAY,
	ARG_BITS,
	ARG_FLOAT,
	ARG_ENUM, /* number and name in one scalar */
	ARG_NEST, /* a structure or a list: references, new for each event */
	/* For perf's convention only. */
	ARG_SKIP,      /* len arguments that stay as they are */
	ARG_CONTEXT,   /* ARGS_CONTEXT */
	ARG_PERF_COMM, /* ARG_COMM, with perf's names for the idle task and for unknown ones */
	ARG_CHAIN,     /* the call chain (call_chain.h), new for each event that has one */
	ARG_PROCESS,   /* four arguments, new for each event: those of process_event (process.h) */
};

struct arg_step {
	enum arg_op op;
	uint32_t off;
	uint32_t len;
	const struct field *field; /* NULL for what is not a field */
	const char *text;	   /* ARG_NAME: len bytes, owned by the plan */
};

/*
 * A variable of the sub's list, and the index of the argument that is its value; nargs or more:
 * none.
 */
struct arg_given {
	PADOFFSET at;
	unsigned arg;
};

struct arg_plan {
	unsigned n;	/* steps */
	unsigned nargs; /* arguments */
	SV **pool;	/* nargs of them */
	struct arg_step *steps;
	char *name;
	/*
	 * If not NULL, only the list reads @_: its variables get their values directly, and the sub
	 * continues here, after the list (sub_args.h).
	 */
	OP *after;
	struct arg_given *given;
	unsigned ngiven;
};

/* Shared by all plans. */
struct arg_state {
	uint64_t base; /* ns subtracted from every time (--relative) */
	struct field_budget budget;
};

/*
 * The plan of the zed convention for T (resolved), with the name before the rest for
 * trace_unhandled.
 */
struct arg_plan *args_zed(pTHX_ const struct etype *t, bool with_name);
void args_free(pTHX_ struct arg_plan *p);

#define ARGS_CONTEXT 1 /* value of $context: functions that get it use the current event */

/* How args_perf() matched a sub's names of its arguments. */
struct perf_fit {
	bool by_name; /* fields have moved: each is given to the variable of its name */
	bool old;     /* written before perf had call chains: seven arguments before the fields */
	/* by_name: variables without a field, joined by ", ", and what they get. */
	char missing[200];
};

struct sub_args;

/*
 * The plan of perf's convention for T (resolved): event_name, context, cpu, secs, nsecs, pid, comm,
 * callchain, then the fields, or those of L if not NULL.  SUB: how the sub uses them (sub_args.h):
 * arguments that it cannot read are left undef.  *FIT gets the result of matching its names; NULL:
 * the names do not refer to this event.
 */
struct arg_plan *args_perf(pTHX_ const struct etype *t, const struct arg_names *l,
			   const struct sub_args *sub, struct perf_fit *fit);

/* The plan of perf's process_event. */
struct arg_plan *args_process(pTHX);

/*
 * The plan of arguments by name: L's, each a field of T (resolved), or else a pseudo field
 * (pseudo.h); undef for others, those that args_has() does not find.  FRAME: cpu, secs, nsecs and
 * sequence come first, and the only pseudo fields are those called common_*.
 */
struct arg_plan *args_named(pTHX_ const struct etype *t, const struct arg_names *l, bool frame);

/* The step that reads field F. */
struct arg_step args_step(const struct field *f);

/* For args_plan.c and args_perf.c: make a plan with room for N steps, add a step, make its pool. */
struct arg_plan *plan_new(unsigned n);
void plan_add(struct arg_plan *p, struct arg_step step);
struct arg_plan *plan_finish(pTHX_ struct arg_plan *p);
/* Write the constant arguments once, if no sub can change them. */
void plan_fix(pTHX_ struct arg_plan *p);
/* "system::name" of T, kept by P. */
struct arg_step plan_name(struct arg_plan *p, const struct etype *t);

/*
 * Write the arguments of EV into the pool.  May run Perl code (DESTROY of an object that the script
 * left in a pooled SV), which may die or exit: under the guard only.
 */
void args_fill(pTHX_ struct arg_plan *p, const struct event *ev, struct arg_state *st);

/* Begin with EV: sets how much args_value() may make for this event. */
static inline void args_begin(struct arg_state *st, const struct event *ev)
{
	field_budget_begin(&st->budget, ev);
}

/* The value of one field as a new SV (a reference count of 1, the caller's). */
SV *args_value(pTHX_ const struct field *f, const struct event *ev, struct arg_state *st);

void args_state_fini(struct arg_state *st);

#endif
