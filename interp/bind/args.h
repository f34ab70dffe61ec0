/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_ARGS_H
#define ZED_INTERP_BIND_ARGS_H

#include "interp/perl/perl_inc.h"
#include "base/err.h"
#include "trace/event.h"

/*
 * The arguments of a handler.  A plan is a list of steps, made once for an event type and a
 * calling convention; each step writes into a pooled SV of its own, which is used again for the
 * next event unless the script has kept it or turned it into something else.
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
	/* Of perf's convention only. */
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

/* A variable of the sub's list, and which argument is its value; nargs and more: none. */
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
	 * Where this is not NULL nothing but the list sees @_: the given ones of its variables get
	 * their values, and the sub goes on here, after the list (sub_args.h).
	 */
	OP *after;
	struct arg_given *given;
	unsigned ngiven;
};

/*
 * What the strings, arrays, masks and lists of one event may come to, in bytes of the record:
 * ARGS_FREE and ARGS_RATIO for each byte that it has.  Those of a kernel's event come to no more
 * than the record; a hostile format may lay a thousand fields over the same bytes.
 */
#define ARGS_FREE (64u << 10)
#define ARGS_RATIO 4

/* What all plans share. */
struct arg_state {
	uint64_t base; /* ns taken off every time (--relative) */
	struct notes *notes;
	uint64_t left; /* bytes that the event may still come to; args_begin() */
	uint64_t bad;  /* fields taken as empty */
	uint8_t *said; /* by type idx: why that was, which is reported once (enum why_empty) */
	size_t nsaid;
};

/*
 * The plan of the zed convention for T (resolved), with the name before the rest for
 * trace_unhandled.
 */
struct arg_plan *args_zed(pTHX_ const struct etype *t, bool with_name);
void args_free(pTHX_ struct arg_plan *p);

/* The convention of perf's scripts: so many arguments before the fields. */
#define ARGS_PERF_LEAD 8
#define ARGS_CONTEXT 1 /* what $context is: what is asked of it is asked of the current event */

/* How args_perf() understood the names that a sub has for its arguments. */
struct perf_fit {
	bool by_name; /* fields have moved: each is given to the variable of its name */
	bool old;     /* the sub was written before perf had call chains: it takes seven first */
	/* by_name: variables without a field, names joined by ", ", and what they are given. */
	char missing[200];
};

struct sub_args;
struct arg_names;

/*
 * The plan of perf's convention for T (resolved): event_name, context, cpu, secs, nsecs, pid, comm,
 * callchain, then the fields, or those of L where that is not NULL.  SUB: what the sub makes of
 * them (sub_args.h): what it cannot look at is left undef.  *FIT says what was found in its
 * names; NULL: they say nothing of this event.
 */
struct arg_plan *args_perf(pTHX_ const struct etype *t, const struct arg_names *l,
			   const struct sub_args *sub, struct perf_fit *fit);

/* The plan of perf's process_event. */
struct arg_plan *args_process(pTHX);

/* A list of names, owned. */
struct arg_names {
	char **v;
	unsigned n;
	size_t cap;
};

void arg_names_add(struct arg_names *l, const char *name);
void arg_names_fini(struct arg_names *l);

/*
 * The plan of arguments by name: L's, each a field of T (resolved), or else a pseudo field
 * (pseudo.h); undef for what is neither.  FRAME: cpu, secs, nsecs and sequence stand before them,
 * and of the pseudo fields there are only those called common_*.
 */
struct arg_plan *args_named(pTHX_ const struct etype *t, const struct arg_names *l, bool frame);

/* Would args_named() find NAME? */
bool args_has(const struct etype *t, const char *name, bool frame);

/* The step that reads field F. */
struct arg_step args_step(const struct field *f);

/* For args_plan.c and args_perf.c: a plan with room for N steps, a step more, its pool. */
struct arg_plan *plan_new(unsigned n);
void plan_add(struct arg_plan *p, struct arg_step step);
struct arg_plan *plan_finish(pTHX_ struct arg_plan *p);
/* Write what is the same for each event now, where no sub can change it. */
void plan_fix(pTHX_ struct arg_plan *p);
/* "system::name" of T, kept by P. */
struct arg_step plan_name(struct arg_plan *p, const struct etype *t);

/*
 * Write the arguments of EV into the pool.  May run Perl code (DESTROY of what the script left in
 * a pooled SV), which may die or exit: under the guard only.
 */
void args_fill(pTHX_ struct arg_plan *p, const struct event *ev, struct arg_state *st);

/* Begin with EV: args_value() may make what one event may come to. */
static inline void args_begin(struct arg_state *st, const struct event *ev)
{
	st->left = ARGS_FREE + (uint64_t)ARGS_RATIO * ev->size;
}

/* The value of one field as a new SV (a reference count of 1, the caller's). */
SV *args_value(pTHX_ const struct field *f, const struct event *ev, struct arg_state *st);

void args_state_fini(struct arg_state *st);

#endif
