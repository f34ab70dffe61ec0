/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interp: the perl inside this process.  A die or an exit in a call comes back as a value, and the
 * process ends as a Perl programmer expects: END blocks, flushed output, the right status.
 */
#include "interp/perl/interp.h"

#include "interp/perl/perl_priv.h"
#include "base/mem.h"
#include "interp/perl/origin.h"
#include "interp/perl/script_text.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * pthread_atfork, xsinit and op hooks have no argument of ours: the one interpreter of the
 * process.
 */
static struct interp *the_interp;

EXTERN_C void boot_DynaLoader(pTHX_ CV *cv);

/*
 * Ops that can give a name to a sub.  They set a flag, and the names are looked up again after the
 * handler: a handler may be defined at any time, at no cost for events.
 */
static const int naming_ops[] = { OP_ENTEREVAL, OP_REQUIRE, OP_DOFILE, OP_RV2GV };
static Perl_ppaddr_t naming_pp[sizeof(naming_ops) / sizeof(naming_ops[0])];

/*
 * Code that a module evaluates is not the script's, and its file name has to show that (origin.h).
 * A death while it is compiled skips the end of this function: the flag that stays set is cleared
 * at the next eval.
 */
static OP *pp_naming_entereval(pTHX)
{
	const char *file = CopFILE(PL_curcop);
	OP *next;

	the_interp->attention |= INTERP_SUBS;
	if (!origin_is_script(aTHX_ file) && !(PRIV_DEBUG & PRIV_DEBUG_NAMES_EVALS)) {
		PRIV_DEBUG |= PRIV_DEBUG_NAMES_EVALS;
		the_interp->names_evals = true;
	} else if (the_interp->names_evals && origin_is_script(aTHX_ file)) {
		PRIV_DEBUG &= ~PRIV_DEBUG_NAMES_EVALS;
		the_interp->names_evals = false;
	}
	next = naming_pp[0](aTHX);
	if (the_interp->names_evals) {
		PRIV_DEBUG &= ~PRIV_DEBUG_NAMES_EVALS;
		the_interp->names_evals = false;
	}
	return next;
}

static OP *pp_naming_require(pTHX)
{
	const char *name = the_interp->required ? priv_required(aTHX) : NULL;

	the_interp->attention |= INTERP_SUBS;
	if (name)
		the_interp->required(the_interp, name);
	return naming_pp[1](aTHX);
}

static OP *pp_naming_dofile(pTHX)
{
	the_interp->attention |= INTERP_SUBS;
	return naming_pp[2](aTHX);
}

static OP *pp_naming_rv2gv(pTHX)
{
	/* *x = ... modifies; print {$fh} ..., which is far more common, does not. */
	if (priv_op_modifies(aTHX))
		the_interp->attention |= INTERP_SUBS;
	return naming_pp[3](aTHX);
}

static void watch_names(void)
{
	static const Perl_ppaddr_t hooks[] = {
		pp_naming_entereval,
		pp_naming_require,
		pp_naming_dofile,
		pp_naming_rv2gv,
	};
	unsigned i;

	for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		naming_pp[i] = priv_hook(naming_ops[i], hooks[i]);
}

static void unwatch_names(void)
{
	unsigned i;

	for (i = 0; i < sizeof(naming_ops) / sizeof(naming_ops[0]); i++)
		priv_hook(naming_ops[i], naming_pp[i]);
}

static void forked(void)
{
	if (the_interp)
		the_interp->attention |= INTERP_FORKED;
}

XS_INTERNAL(interp_runner)
{
	dXSARGS;
	struct interp *in = XSANY.any_ptr;

	PERL_UNUSED_VAR(items);
	/*
	 * Not called by an op: without this a die in an eval{} of a sub that we call would unwind
	 * us.
	 */
	PRIV_CALLED_BY_C;
	in->fn(in->fn_arg);
	in->returned = true;
	XSRETURN_EMPTY;
}

/*
 * The loaded libperl may be of another version than the headers, as after an upgrade if its file
 * name has no version: then the fields of perl_priv.h may have moved.  They have not been used yet;
 * ending the interpreter would use them.
 */
static void refuse_other_version(pTHX)
{
	int version = priv_version(aTHX);

	if (version == PERL_VERSION)
		return;
	fprintf(stderr,
		"zedperl: built for perl 5.%d, but the libperl that is loaded is 5.%d: build "
		"zedperl again (make clean; make), or let LD_LIBRARY_PATH name the folder of "
		"libperl 5.%d\n",
		PERL_VERSION, version, PERL_VERSION);
	_exit(2);
}

static void xs_init(pTHX)
{
	struct interp *in = the_interp;
	CV *cv;

	refuse_other_version(aTHX);
	PL_exit_flags |= PERL_EXIT_DESTRUCT_END;
	watch_names();
	scripttext_watch();
	newXS("DynaLoader::boot_DynaLoader", boot_DynaLoader, __FILE__);
	cv = newXS("Zed::_run", interp_runner, __FILE__);
	CvXSUBANY(cv).any_ptr = in;
	in->runner = SvREFCNT_inc_simple_NN((SV *)cv);
	in->boot(in, in->boot_arg);
}

struct interp *interp_new(int *argc, char ***argv, char ***env)
{
	struct interp *in = mem_zalloc(sizeof(*in));
	struct sigaction fpe;
	PerlInterpreter *my_perl;

	/* PERL_SYS_INIT3 ignores SIGFPE: a division by zero in C would continue with garbage. */
	sigaction(SIGFPE, NULL, &fpe);
	PERL_SYS_INIT3(argc, argv, env);
	sigaction(SIGFPE, &fpe, NULL);
	my_perl = perl_alloc();
	if (!my_perl) {
		free(in);
		return NULL;
	}
	in->perl = my_perl;
	the_interp = in;
	perl_construct(my_perl);
	/*
	 * perl adopts the user's locale; numbers are still written and read with a point.
	 */
	setlocale(LC_NUMERIC, "C");
	pthread_atfork(NULL, NULL, forked);
	return in;
}

/* How did perl_parse() or perl_run() end? */
static enum interp_how loaded(pTHX_ int ret)
{
	if (PL_exit_flags & PERL_EXIT_EXPECTED) {
		PRIV_STATUS_SET(ret & 0xff);
		return INTERP_EXITED;
	}
	/* perl_parse() returns 0x100 if it would exit with 0, as for -c. */
	if (ret == 0x100)
		return INTERP_EXITED;
	return ret ? INTERP_DIED : INTERP_OK;
}

enum interp_how interp_load(struct interp *in, int argc, char **argv,
			    void (*boot)(struct interp *in, void *arg), void *arg)
{
	PerlInterpreter *my_perl = in->perl;
	enum interp_how how;

	in->boot = boot;
	in->boot_arg = arg;
	how = loaded(aTHX_ perl_parse(my_perl, xs_init, argc, argv, NULL));
	if (how == INTERP_DIED)
		how = INTERP_UNCOMPILED;
	if (how == INTERP_OK)
		how = loaded(aTHX_ perl_run(my_perl));
	return how;
}

const char *interp_argument(struct interp *in, unsigned i)
{
	PerlInterpreter *my_perl = in->perl;
	AV *args = get_av("ARGV", 0);
	SV **word = args && !SvRMAGICAL((SV *)args) ? av_fetch(args, i, 0) : NULL;

	PERL_UNUSED_VAR(my_perl); /* unused on a perl without threads */
	return word && SvPOK(*word) ? SvPVX_const(*word) : NULL;
}

enum interp_how interp_guard(struct interp *in, void (*fn)(void *arg), void *arg)
{
	PerlInterpreter *my_perl = in->perl;
	volatile enum interp_how how = INTERP_OK;
	volatile I32 scope = PRIV_SCOPES;
	int ret;
	PRIV_JUMP;

	PERL_UNUSED_VAR(my_perl); /* unused on a perl without threads */
	in->fn = fn;
	in->fn_arg = arg;
	in->returned = false;
	PL_exit_flags &= ~PERL_EXIT_EXPECTED;
	PRIV_JUMP_PUSH(ret);
	switch (ret) {
	case 0: {
		dSP;

		ENTER;
		SAVETMPS;
		PUSHMARK(SP);
		call_sv(in->runner, G_EVAL | G_VOID | G_DISCARD | G_NOARGS);
		/*
		 * Not by $@: it may be an object whose truth is Perl code, or is false.
		 */
		if (!in->returned)
			how = INTERP_DIED;
		FREETMPS;
		LEAVE;
		break;
	}
	default:
		/* my_exit() has unwound the stacks; scopes down to here have to be left by us. */
		while (PRIV_SCOPES > scope)
			LEAVE;
		FREETMPS;
		PL_curstash = PL_defstash;
		how = INTERP_EXITED;
		break;
	}
	PRIV_JUMP_POP;
	return how;
}

static void write_death(void *arg)
{
	struct interp *in = arg;
	dTHXa(in->perl);
	STRLEN len;
	const char *p = SvPV((SV *)in->death, len);

	PerlIO_write(PerlIO_stderr(), p, len);
	PerlIO_flush(PerlIO_stderr());
}

void interp_say_death(struct interp *in)
{
	dTHXa(in->perl);

	/* Under the guard, as an object's "" operator is Perl too and may die in its turn. */
	in->death = newSVsv(ERRSV);
	if (interp_guard(in, write_death, in) == INTERP_DIED && !SvROK(ERRSV)) {
		sv_setsv((SV *)in->death, ERRSV);
		interp_guard(in, write_death, in);
	}
	SvREFCNT_dec((SV *)in->death);
	in->death = NULL;
}

const char *interp_death(struct interp *in)
{
	dTHXa(in->perl);
	/* If perl dies for lack of memory while it is created, there is no $@ yet. */
	const SV *sv = PL_errgv ? ERRSV : NULL;

	return sv && SvPOK(sv) && !SvROK(sv) ? SvPVX_const(sv) : "";
}

int interp_status(struct interp *in)
{
	dTHXa(in->perl);

	return PRIV_STATUS & 0xff;
}

volatile const int *interp_pending(struct interp *in)
{
	dTHXa(in->perl);

	return &PRIV_PENDING;
}

void interp_signals(struct interp *in)
{
	dTHXa(in->perl);

	PRIV_SIGNALS;
}

int interp_flush(struct interp *in)
{
	dTHXa(in->perl);
	int bad = 0, saved = 0;

	if (PerlIO_flush(PerlIO_stdout()) || PerlIO_error(PerlIO_stdout())) {
		saved = errno;
		bad = -1;
	}
	PerlIO_flush(PerlIO_stderr());
	errno = saved;
	return bad;
}

int interp_end(struct interp *in, int status)
{
	PerlInterpreter *my_perl = in->perl;
	const char *level = getenv("PERL_DESTRUCT_LEVEL");

	/*
	 * Objects are destroyed; freeing the rest piece by piece takes long, and the process ends
	 * anyway.
	 */
	PL_perl_destruct_level = level ? atoi(level) : 0;
	PRIV_STATUS_SET(status);
	SvREFCNT_dec((SV *)in->runner);
	in->runner = NULL;
	status = perl_destruct(my_perl) & 0xff;
	perl_free(my_perl);
	if (naming_pp[0]) {
		unwatch_names();
		scripttext_unwatch();
	}
	the_interp = NULL;
	PERL_SYS_TERM();
	free(in);
	return status;
}

const char *interp_version(char *buf, unsigned size)
{
	snprintf(buf, size, "libperl v%d.%d.%d", PERL_REVISION, PERL_VERSION, PERL_SUBVERSION);
	return buf;
}
