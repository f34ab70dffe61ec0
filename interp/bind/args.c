/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * args: fills in a handler's arguments: the fields of one record as Perl values.  In the steady
 * state a step is a load, a check of the flags of its pooled SV, and a store.
 */
#include "interp/bind/args.h"

#include "interp/bind/call_chain.h"
#include "interp/bind/process.h"
#include "interp/common/perf_names.h"
#include "interp/perl/perl_priv.h"
#include "trace/event_sample.h"
#include "trace/field.h"
#include "trace/machine.h"

#include <stdlib.h>
#include <string.h>

#define NSEC 1000000000u

/*
 * Is SV still a scalar of ours that may be assigned to?  A reference count of 1 is not enough:
 * pos(), tie, weaken, bless, Internals::SvREADONLY and utf8::upgrade all leave it at 1.
 */
static inline bool is_ours(SV *sv)
{
	return SvREFCNT(sv) == 1 && SvTYPE(sv) <= SVt_PVNV && !(SvFLAGS(sv) & PRIV_ODD);
}

/* Put a fresh SV into *SLOT; the old one is released last, as its destructor may run Perl. */
static SV *renew(pTHX_ SV **slot)
{
	SV *old = *slot, *sv = newSV(0);

	*slot = sv;
	SvREFCNT_dec(old);
	return sv;
}

static void set_int_slowly(pTHX_ SV **slot, UV v, bool is_signed)
{
	SV *sv = *slot;

	if (!is_ours(sv))
		sv = renew(aTHX_ slot);
	if (is_signed)
		sv_setiv(sv, (IV)v);
	else
		sv_setuv(sv, v);
}

/* The common case of an integer SV: it was not changed. */
static inline bool is_plain_int(const SV *sv)
{
	return SvREFCNT(sv) == 1 && (SvFLAGS(sv) & ~(U32)SVf_IVisUV) == PRIV_INT;
}

static inline void set_iv(pTHX_ SV **slot, IV v)
{
	SV *sv = *slot;

	if (LIKELY(is_plain_int(sv))) {
		SvFLAGS(sv) = PRIV_INT;
		SvIV_set(sv, v);
	} else {
		set_int_slowly(aTHX_ slot, (UV)v, true);
	}
}

static inline void set_uv(pTHX_ SV **slot, UV v)
{
	SV *sv = *slot;

	if (LIKELY(is_plain_int(sv) && v <= (UV)IV_MAX)) {
		SvFLAGS(sv) = PRIV_INT;
		SvIV_set(sv, (IV)v);
	} else {
		set_int_slowly(aTHX_ slot, v, false);
	}
}

static inline void set_str(pTHX_ SV **slot, const void *p, STRLEN len)
{
	SV *sv = *slot;
	char *to;

	/*
	 * my ($s) = @_ shares our buffer rather than copying it, and releases it when the handler
	 * returns: then no other reference exists (a share count of 0), and it may be written to.
	 * Copies that live longer keep the count up.
	 */
	if (LIKELY(SvREFCNT(sv) == 1 && (SvFLAGS(sv) & ~(U32)SVf_IsCOW) == PRIV_STR &&
		   SvLEN(sv) > len + 1 && (!SvIsCOW(sv) || CowREFCNT(sv) == 0))) {
		SvFLAGS(sv) = PRIV_STR;
		to = SvPVX(sv);
		memcpy(to, p, len);
		to[len] = 0;
		SvCUR_set(sv, len);
		return;
	}
	if (!is_ours(sv))
		sv = renew(aTHX_ slot);
	sv_setpvn(sv, (const char *)p, len);
}

/*
 * The array of *SLOT, a reference to it: the existing one, if only we hold it, or a new one.
 */
static AV *own_array(pTHX_ SV **slot)
{
	SV *sv = *slot;
	AV *av;

	if (SvREFCNT(sv) == 1 && SvFLAGS(sv) == PRIV_REF) {
		av = (AV *)SvRV(sv);
		if (SvREFCNT(av) == 1 && SvFLAGS(av) == PRIV_ARRAY)
			return av;
	}
	av = newAV();
	*slot = newRV_noinc((SV *)av);
	SvREFCNT_dec(sv);
	return av;
}

static void set_array(pTHX_ SV **slot, const struct field *f, const struct span *s)
{
	AV *av = own_array(aTHX_ slot);
	SSize_t i, n = s->len / f->elem;
	const uint8_t *p = s->p;
	uint64_t v;

	if (AvFILLp(av) != n - 1)
		av_fill(av, n - 1);
	for (i = 0; i < n; i++, p += f->elem) {
		SV **item = &AvARRAY(av)[i];

		/* Elements that the script deleted, or that are new. */
		if (UNLIKELY(!*item))
			*item = newSV(0);
		if (f->is_signed) {
			set_iv(aTHX_ item, field_load_signed(p, f->elem, f->swap));
		} else if (f->elem == 8 && !f->swap) {
			memcpy(&v, p, 8);
			set_uv(aTHX_ item, v);
		} else {
			set_uv(aTHX_ item, field_load(p, f->elem, f->swap));
		}
	}
}

/* The list of a mask may be longer than the mask. */
static void set_bits(pTHX_ SV **slot, const struct field *f, const struct span *s,
		     const struct event *ev, struct arg_state *st)
{
	char buf[256];
	size_t need = field_bits(s, f->elem, f->swap, buf, sizeof(buf));
	SV *sv;

	if (UNLIKELY(!field_budget_take(&st->budget, f, ev, need)))
		need = 0;
	if (need < sizeof(buf)) {
		set_str(aTHX_ slot, buf, need);
		return;
	}
	sv = renew(aTHX_ slot);
	SvUPGRADE(sv, SVt_PV);
	SvGROW(sv, need + 2);
	field_bits(s, f->elem, f->swap, SvPVX(sv), need + 1);
	SvCUR_set(sv, need);
	SvPOK_only(sv);
}

static void set_span(pTHX_ SV **slot, const struct arg_step *a, const struct event *ev,
		     struct arg_state *st)
{
	const struct field *f = a->field;
	const uint8_t *nul;
	struct span s;

	field_budget_span(&st->budget, f, ev, &s);
	switch (a->op) {
	case ARG_STR:
		nul = memchr(s.p, 0, s.len);
		set_str(aTHX_ slot, s.p, nul ? (STRLEN)(nul - s.p) : s.len);
		break;
	case ARG_BYTES:
		set_str(aTHX_ slot, s.p, s.len);
		break;
	case ARG_ARRAY:
		set_array(aTHX_ slot, f, &s);
		break;
	default:
		set_bits(aTHX_ slot, f, &s, ev, st);
		break;
	}
}

static void set_float(pTHX_ SV **slot, double d)
{
	SV *sv = *slot;

	if (!is_ours(sv))
		sv = renew(aTHX_ slot);
	sv_setnv(sv, d);
}

/*
 * Number and name in one, as from Scalar::Util::dualvar; a value without a name is a plain number.
 */
static void set_enum(pTHX_ SV **slot, const struct field *f, int64_t v)
{
	const char *name = field_label(f, v);
	SV *sv = *slot;

	if (!name) {
		set_int_slowly(aTHX_ slot, (UV)v, f->is_signed);
		return;
	}
	if (!is_ours(sv))
		sv = renew(aTHX_ slot);
	sv_setpv(sv, name);
	SvUPGRADE(sv, SVt_PVIV);
	SvIV_set(sv, v);
	if (!f->is_signed && v < 0)
		SvIsUV_on(sv);
	SvIOK_on(sv);
}

/* A structure is a reference to a hash of its members, a list one to an array. */
static SV *nest_ref(pTHX_ const struct field *f, const struct event *ev, struct arg_state *st)
{
	struct event in;
	struct span s;
	uint32_t at;
	unsigned i;
	HV *hv;
	AV *av;

	if (f->kind == FIELD_STRUCT) {
		hv = newHV();
		in = field_inside(ev, ev->data + f->off);
		for (i = 0; i < f->more->nmembers; i++) {
			const struct field *m = &f->more->members[i];

			hv_store(hv, m->name, strlen(m->name), args_value(aTHX_ m, &in, st), 0);
		}
		return newRV_noinc((SV *)hv);
	}
	av = newAV();
	field_budget_span(&st->budget, f, ev, &s);
	for (at = 0; f->elem && at + f->elem <= s.len; at += f->elem) {
		in = field_inside(ev, s.p + at);
		av_push(av, args_value(aTHX_ & f->more->members[0], &in, st));
	}
	return newRV_noinc((SV *)av);
}

static void set_nest(pTHX_ SV **slot, const struct field *f, const struct event *ev,
		     struct arg_state *st)
{
	SV *old = *slot;

	*slot = nest_ref(aTHX_ f, ev, st);
	SvREFCNT_dec(old);
}

/* By perf's names for tasks. */
static void set_perf_comm(pTHX_ SV **slot, const struct event *ev)
{
	char buf[PERF_TASK_BUF];
	const char *text = perf_task_name(ev, buf);

	set_str(aTHX_ slot, text, strlen(text));
}

static void set_chain(pTHX_ SV **slot, const struct event *ev)
{
	SV *old = *slot;

	if (!ev->nchain && !(ev->sample && ev->sample->stack_len)) {
		AV *av = own_array(aTHX_ slot);

		if (AvFILLp(av) >= 0)
			av_clear(av);
		return;
	}
	*slot = chain_ref(aTHX_ ev);
	SvREFCNT_dec(old);
}

/* The task that step A is about. */
static inline int32_t task_of(const struct arg_step *a, const struct event *ev)
{
	return UNLIKELY(a->field != NULL) ? (int32_t)field_scalar(a->field, ev) : ev->pid;
}

static inline __attribute__((always_inline)) void
run_step(pTHX_ SV **slot, const struct arg_step *a, const struct event *ev, struct arg_state *st)
{
	const uint8_t *p = ev->data + a->off;
	const char *text;
	uint64_t v;

	switch (a->op) {
	case ARG_CPU:
		set_iv(aTHX_ slot, ev->cpu);
		break;
	case ARG_SECS:
		set_iv(aTHX_ slot, (ev->ts - st->base) / NSEC);
		break;
	case ARG_NSECS:
		set_iv(aTHX_ slot, (ev->ts - st->base) % NSEC);
		break;
	case ARG_SEQ:
		set_iv(aTHX_ slot, ev->seq);
		break;
	case ARG_COMM:
		text = comms_name(ev->type->machine->comms, task_of(a, ev));
		set_str(aTHX_ slot, text, strlen(text));
		break;
	case ARG_CGROUP:
		text = machine_cgroup(ev->type->machine, ev->ts, task_of(a, ev));
		set_str(aTHX_ slot, text, strlen(text));
		break;
	case ARG_INSTANCE:
		text = ev->from->instance;
		set_str(aTHX_ slot, text, strlen(text));
		break;
	case ARG_SOURCE:
		set_iv(aTHX_ slot, ev->from->source);
		break;
	case ARG_TS:
		set_uv(aTHX_ slot, ev->ts - st->base);
		break;
	case ARG_PID:
		set_iv(aTHX_ slot, ev->pid);
		break;
	case ARG_U8:
		set_iv(aTHX_ slot, *p);
		break;
	case ARG_U16:
		set_iv(aTHX_ slot, field_load(p, 2, false));
		break;
	case ARG_U32:
		set_iv(aTHX_ slot, field_load(p, 4, false));
		break;
	case ARG_U64:
		set_uv(aTHX_ slot, field_load(p, 8, false));
		break;
	case ARG_S8:
		set_iv(aTHX_ slot, field_load_signed(p, 1, false));
		break;
	case ARG_S16:
		set_iv(aTHX_ slot, field_load_signed(p, 2, false));
		break;
	case ARG_S32:
		set_iv(aTHX_ slot, field_load_signed(p, 4, false));
		break;
	case ARG_S64:
		set_iv(aTHX_ slot, field_load_signed(p, 8, false));
		break;
	case ARG_INT:
		v = field_scalar(a->field, ev);
		if (a->field->is_signed)
			set_iv(aTHX_ slot, (IV)v);
		else
			set_uv(aTHX_ slot, v);
		break;
	case ARG_STR:
	case ARG_BYTES:
	case ARG_ARRAY:
	case ARG_BITS:
		set_span(aTHX_ slot, a, ev, st);
		break;
	case ARG_FLOAT:
		set_float(aTHX_ slot, field_float(a->field, ev));
		break;
	case ARG_ENUM:
		set_enum(aTHX_ slot, a->field, (int64_t)field_scalar(a->field, ev));
		break;
	case ARG_NEST:
		set_nest(aTHX_ slot, a->field, ev, st);
		break;
	case ARG_NAME:
		set_str(aTHX_ slot, a->text, a->len);
		break;
	case ARG_PERF_COMM:
		set_perf_comm(aTHX_ slot, ev);
		break;
	case ARG_CONTEXT:
		set_iv(aTHX_ slot, ARGS_CONTEXT);
		break;
	case ARG_CHAIN:
		set_chain(aTHX_ slot, ev);
		break;
	case ARG_FRAME: /* args_fill() does these, having all their slots */
	case ARG_PROCESS:
	case ARG_SKIP:
		break;
	case ARG_UNDEF:
		if (SvREFCNT(*slot) != 1 || SvFLAGS(*slot) != SVt_NULL)
			renew(aTHX_ slot);
		break;
	}
}

void args_fill(pTHX_ struct arg_plan *p, const struct event *ev, struct arg_state *st)
{
	const struct arg_step *step = p->steps, *end = step + p->n;
	SV **slot = p->pool;

	args_begin(st, ev);
	while (step < end) {
		if (step->op == ARG_FRAME) {
			uint64_t ts = ev->ts - st->base, secs = ts / NSEC;

			/* Four slots at once: they come together in each convention. */
			set_iv(aTHX_ slot, ev->cpu);
			set_iv(aTHX_ slot + 1, secs);
			set_iv(aTHX_ slot + 2, ts - secs * NSEC);
			set_iv(aTHX_ slot + 3, ev->seq);
			slot += 4;
		} else if (step->op == ARG_PROCESS) {
			process_fill(aTHX_ slot, ev);
			slot += PROCESS_ARGS;
		} else if (step->op == ARG_SKIP) {
			slot += step->len;
		} else {
			run_step(aTHX_ slot, step, ev, st);
			slot++;
		}
		step++;
	}
}

SV *args_value(pTHX_ const struct field *f, const struct event *ev, struct arg_state *st)
{
	struct arg_step a = args_step(f);
	SV *sv = newSV(0);

	run_step(aTHX_ & sv, &a, ev, st);
	return sv;
}

void args_state_fini(struct arg_state *st)
{
	field_budget_fini(&st->budget);
}
