/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERL_PERL_PRIV_H
#define ZED_INTERP_PERL_PERL_PRIV_H

/*
 * All that interp/ uses of perl's internals: macros, struct fields and variables that perlapi(1),
 * perlembed(1) and perlxs(1) do not promise, with the perl header that defines them.  A new perl
 * may change each, so interp_load() refuses a libperl of another version than the headers.
 * t/00-layers.t checks that no other file names them.
 */
#include <stdbool.h>

#include "interp/perl/perl_inc.h"

/* ---- calls: op.h, opcode.h, perl.h ---- */

/* Make OP the op by which a Perl statement would call a sub in void context; nothing follows it. */
static inline void priv_call_init(pTHX_ UNOP *op)
{
	op->op_type = OP_ENTERSUB;
	op->op_ppaddr = PL_ppaddr[OP_ENTERSUB];
	op->op_flags = OPf_STACKED | OPf_WANT_VOID;
}

/* Call the sub on top of perl's stack with the arguments since the mark, by OP. */
static inline void priv_call(pTHX_ UNOP *op)
{
	OP *const was = PL_op;

	PL_op = (OP *)op;
	PL_op = PL_ppaddr[OP_ENTERSUB](aTHX);
	if (PL_op)
		CALLRUNOPS(aTHX);
	PL_op = was;
}

/*
 * Where CV continues after its first statement, if that is my (...) = @_ and perl runs it as two
 * ops: one for both lists, one that assigns.  NULL: it is not.
 */
static inline OP *priv_after_list(const CV *cv)
{
	const OP *o = CvSTART(cv);

	if (!o || o->op_type != OP_NEXTSTATE || o->op_next->op_type != OP_PADRANGE ||
	    !(o->op_next->op_flags & OPf_SPECIAL))
		return NULL;
	o = o->op_next->op_next;
	return o->op_type == OP_AASSIGN && (o->op_flags & OPf_WANT) == OPf_WANT_VOID ? o->op_next :
										       NULL;
}

/*
 * Between priv_enter() and priv_go_on(): set the lexical at AT of the sub, as `my` would, to FROM's
 * value (NULL: no value).  The scope's end clears it.
 */
static inline void priv_give(pTHX_ PADOFFSET at, SV *from)
{
	SV *to = PAD_SVl(at);

	SAVECLEARSV(PAD_SVl(at));
	if (!from)
		return;
	/* A plain integer, and a scalar that only has room for one. */
	if ((SvFLAGS(from) & ~(U32)SVf_IVisUV) == (SVt_IV | SVf_IOK | SVp_IOK) &&
	    (SvFLAGS(to) == SVt_IV || SvFLAGS(to) == SVt_PVIV)) {
		SvFLAGS(to) |= SvFLAGS(from) & (SVf_IOK | SVp_IOK | SVf_IVisUV);
		SvIV_set(to, SvIVX(from));
	} else {
		sv_setsv(to, from);
	}
}

/* Begin priv_call() of a sub that has priv_after_list(): its first statement is yet to come. */
static inline void priv_enter(pTHX_ UNOP *op)
{
	PL_op = (OP *)op;
	PL_op = PL_ppaddr[OP_ENTERSUB](aTHX);
	PL_op = PL_op->op_ppaddr(aTHX);
}

/* Run the rest of it, from AFTER on; WAS: what PL_op was before. */
static inline void priv_go_on(pTHX_ OP *after, OP *was)
{
	PL_op = after;
	CALLRUNOPS(aTHX);
	PL_op = was;
}

/* From now on ops of TYPE are run by FN; returns what ran them before. */
static inline Perl_ppaddr_t priv_hook(int type, Perl_ppaddr_t fn)
{
	Perl_ppaddr_t was = PL_ppaddr[type];

	PL_ppaddr[type] = fn;
	return was;
}

/* Does the current op modify what it returns (OPf_MOD)? */
static inline bool priv_op_modifies(pTHX)
{
	return PL_op->op_flags & OPf_MOD;
}

/* ---- jumps and scopes: cop.h, scope.h, intrpvar.h ---- */

/* A die or an exit between push and pop returns to the push, with RET not 0. */
#define PRIV_JUMP dJMPENV
#define PRIV_JUMP_PUSH(ret) JMPENV_PUSH(ret)
#define PRIV_JUMP_POP JMPENV_POP
/* Called from C: an eval{} in the called code makes a jump level of its own. */
#define PRIV_CALLED_BY_C CATCH_SET(TRUE)
/* How many scopes are open. */
#define PRIV_SCOPES PL_scopestack_ix
/* What the process will end with. */
#define PRIV_STATUS STATUS_EXIT
#define PRIV_STATUS_SET(status) STATUS_EXIT_SET(status)
/* True: do not run END blocks, as after perl -c. */
#define PRIV_ONLY_CHECKED PL_minus_c
/* Not 0: a Perl signal handler is pending; PRIV_SIGNALS runs it. */
#define PRIV_PENDING PL_sig_pending
#define PRIV_SIGNALS PERL_ASYNC_CHECK()
/* During constant folding at compile time: perl panics at an exit (op.c). */
#define PRIV_FOLDS (PL_warnhook == PERL_WARNHOOK_FATAL)

/* ---- sources of code: intrpvar.h, perl.h, parser.h, sv.h ---- */

/* The script's name as passed to perl, "-e" for a text; or NULL. */
#define PRIV_SCRIPT PL_origfilename
/* AV * of texts compiled before the script's first line, such as those of -M; or NULL. */
#define PRIV_PREAMBLE PL_preambleav
/* The debugger's bits, and the one that makes evals say which file they are in. */
#define PRIV_DEBUG PL_perldb
#define PRIV_DEBUG_NAMES_EVALS PERLDBf_NAMEEVAL
/* The file that is being compiled (PerlIO *), and its filters (AV *); NULL: none. */
#define PRIV_SOURCE (PL_parser ? PL_parser->rsfp : NULL)
#define PRIV_SOURCE_FILTERS (PL_parser ? PL_parser->rsfp_filters : NULL)
/* The C function of a filter in that list. */
#define PRIV_FILTER_FN(sv) IoANY(sv)

/* ---- subs and packages: cv.h, hv.h, mro_core.c ---- */

/* Is CV compiled Perl? */
static inline bool priv_is_perl(const CV *cv)
{
	return cv && !CvISXSUB(cv) && CvROOT(cv);
}

/* Does CV have something to run? */
static inline bool priv_has_body(const CV *cv)
{
	return cv && (CvROOT(cv) || CvXSUB(cv));
}

/* An imported sub keeps its original package; one without a name belongs to STASH. */
static inline bool priv_is_own(pTHX_ CV *cv, HV *stash)
{
	GV *gv = CvNAMED(cv) ? NULL : CvGV(cv);

	return !gv || GvSTASH(gv) == stash || CvANON(cv);
}

/* The file that CV was compiled from, by perl's name; or NULL. */
#define PRIV_FILE(cv) CvFILE(cv)

/* Changes whenever a sub of the package changes. */
static inline U32 priv_generation(pTHX_ HV *stash)
{
	return SvOOK(stash) ? HvMROMETA(stash)->pkg_gen : 0;
}

/* ---- the ops of a sub: op.h, opcode.h, pad.h, cv.h ---- */

/* The root of what CV runs; NULL: it is not compiled Perl.  A different one: it was redefined. */
static inline const OP *priv_root(const CV *cv)
{
	return CvISXSUB(cv) ? NULL : CvROOT(cv);
}

static inline unsigned priv_op_type(const OP *o)
{
	return o->op_type;
}

/* The first op below O, and the next one beside it; or NULL. */
static inline const OP *priv_op_kid(const OP *o)
{
	return o->op_flags & OPf_KIDS ? cUNOPx(o)->op_first : NULL;
}

static inline const OP *priv_op_next(const OP *o)
{
	return OpSIBLING(o);
}

/* The place in the pad of O's sub: of a lexical, or of O's target.  0: none. */
static inline PADOFFSET priv_op_target(const OP *o)
{
	/* The former type of an op that was optimized away. */
	return o->op_type == OP_NULL ? 0 : o->op_targ;
}

/* How many lexicals from priv_op_target() on an OP_PADRANGE stands for. */
static inline unsigned priv_op_range(const OP *o)
{
	return o->op_private & OPpPADRANGE_COUNTMASK;
}

/* Does O declare a lexical (my)? */
static inline bool priv_op_declares(const OP *o)
{
	return (o->op_private & OPpLVAL_INTRO) && !(o->op_private & OPpPAD_STATE);
}

/* Is the value that O leaves unused? */
static inline bool priv_op_is_void(const OP *o)
{
	return (o->op_flags & OPf_WANT) == OPf_WANT_VOID;
}

/* &foo; hands on @_ as it is. */
static inline bool priv_op_shares_args(const OP *o)
{
	return o->op_type == OP_ENTERSUB && !(o->op_flags & OPf_STACKED);
}

/* The entry at AT in the pad of CV, which must not be running; or NULL. */
static inline SV *priv_pad_sv(const CV *cv, PADOFFSET at)
{
	PADLIST *list = CvPADLIST(cv);
	PAD *pad = list && PadlistMAX(list) >= 1 ? PadlistARRAY(list)[1] : NULL;

	return pad && (SSize_t)at <= PadMAX(pad) ? PadARRAY(pad)[at] : NULL;
}

/* The lexical at AT in the pad of CV, "$pid"; or NULL. */
static inline const char *priv_pad_name(const CV *cv, PADOFFSET at)
{
	PADLIST *list = CvPADLIST(cv);
	PADNAMELIST *names = list ? PadlistNAMES(list) : NULL;
	PADNAME *name;

	if (!names || (SSize_t)at > PadnamelistMAX(names))
		return NULL;
	name = PadnamelistARRAY(names)[at];
	return name ? PadnamePV(name) : NULL;
}

/* The next lexical after *AT that CV itself declares with my, "$pid"; NULL: none. */
static inline const char *priv_next_my(const CV *cv, PADOFFSET *at)
{
	PADLIST *list = CvPADLIST(cv);
	PADNAMELIST *names = list ? PadlistNAMES(list) : NULL;

	while (names && (SSize_t)++ * at <= PadnamelistMAX(names)) {
		const PADNAME *name = PadnamelistARRAY(names)[*at];

		if (name && PadnamePV(name) && PadnameLEN(name) > 1 && !PadnameOUTER(name) &&
		    !PadnameIsOUR(name) && PadnamePV(name)[0] != '&')
			return PadnamePV(name);
	}
	return NULL;
}

/* The glob that O, an OP_GV, OP_GVSV or OP_AELEMFAST of CV, names. */
static inline SV *priv_op_gv(const CV *cv, const OP *o)
{
#ifdef USE_ITHREADS
	return priv_pad_sv(cv, cPADOPx(o)->op_padix);
#else
	PERL_UNUSED_VAR(cv);
	return cSVOPx(o)->op_sv;
#endif
}

/* For a match or substitution: does it have code blocks; its replacement, or NULL. */
static inline bool priv_op_has_code(const OP *o)
{
	return cPMOPx(o)->op_code_list != NULL;
}

static inline const OP *priv_op_replacement(const OP *o)
{
	return o->op_type == OP_SUBST ? cPMOPx(o)->op_pmreplrootu.op_pmreplroot : NULL;
}

/* Call PAD for each lexical and GLOB for each glob that O, an OP_MULTIDEREF of CV, uses. */
static inline void priv_op_multideref(const CV *cv, const OP *o,
				      void (*pad)(void *arg, PADOFFSET at),
				      void (*glob)(void *arg, const SV *gv), void *arg)
{
	const UNOP_AUX_item *item = cUNOP_AUXx(o)->op_aux;
	UV actions = item->uv;
	bool last = false;

#ifdef USE_ITHREADS
#define PRIV_ITEM_GV(item) priv_pad_sv(cv, (item)->pad_offset)
#else
#define PRIV_ITEM_GV(item) ((item)->sv)
	PERL_UNUSED_VAR(cv);
#endif
	while (!last) {
		switch (actions & MDEREF_ACTION_MASK) {
		case MDEREF_reload:
			actions = (++item)->uv;
			continue;
		case MDEREF_HV_padhv_helem:
		case MDEREF_HV_padsv_vivify_rv2hv_helem:
		case MDEREF_AV_padav_aelem:
		case MDEREF_AV_padsv_vivify_rv2av_aelem:
			pad(arg, (++item)->pad_offset);
			break;
		case MDEREF_HV_gvhv_helem:
		case MDEREF_HV_gvsv_vivify_rv2hv_helem:
		case MDEREF_AV_gvav_aelem:
		case MDEREF_AV_gvsv_vivify_rv2av_aelem:
			item++;
			glob(arg, PRIV_ITEM_GV(item));
			break;
		}
		switch (actions & MDEREF_INDEX_MASK) {
		case MDEREF_INDEX_none:
			last = true;
			break;
		case MDEREF_INDEX_const:
			item++;
			break;
		case MDEREF_INDEX_padsv:
			pad(arg, (++item)->pad_offset);
			break;
		case MDEREF_INDEX_gvsv:
			item++;
			glob(arg, PRIV_ITEM_GV(item));
			break;
		}
		last |= (actions & MDEREF_FLAG_last) != 0;
		actions >>= MDEREF_SHIFT;
	}
#undef PRIV_ITEM_GV
}

/* The name of the file that the op OP_REQUIRE is about to load; NULL: it is a version. */
static inline const char *priv_required(pTHX)
{
	SV *sv = *PL_stack_sp;

	return SvPOK(sv) && !SvNIOK(sv) && !SvVOK(sv) ? SvPVX(sv) : NULL;
}

/* ---- scalars: sv.h, av.h ---- */

/* All the flags of a scalar that is only an integer, a string, a reference, an array. */
#define PRIV_INT (SVt_IV | SVf_IOK | SVp_IOK)
#define PRIV_STR (SVt_PV | SVf_POK | SVp_POK)
#define PRIV_REF (SVt_IV | SVf_ROK)
#define PRIV_ARRAY (SVt_PVAV | SVpav_REAL)
/* With one of these, a script has done more to a scalar than assign to it. */
#define PRIV_ODD \
	(SVf_ROK | SVs_GMG | SVs_SMG | SVs_RMG | SVs_OBJECT | SVf_READONLY | SVf_PROTECT | \
	 SVf_FAKE | SVf_UTF8)

/* ---- versions ---- */

/*
 * The version of the libperl that is loaded, as 36 of 5.36, by functions of perlapi only;
 * PERL_VERSION is that of the headers.  From xs_init on: before that there are no variables.
 */
static inline int priv_version(pTHX)
{
	return (int)(SvNV(get_sv("]", GV_ADD)) * 1000 + 0.5) - 1000 * PERL_REVISION;
}

#endif
