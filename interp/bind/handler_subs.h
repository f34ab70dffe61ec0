/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_HANDLER_SUBS_H
#define ZED_INTERP_BIND_HANDLER_SUBS_H

#include "interp/perl/perl_inc.h"
#include "stable/catalogue.h"

/*
 * Which subs may be handlers.  Names of events come from a file, from the network, from any user
 * who may load a module or write to tracefs; so a name alone never makes a sub run.  The script
 * declares which of its packages hold handlers: by the package's name, if that is a system of
 * events that kernels have (systems.h) or that the catalogue of stable events has, or by `use Zed
 * handlers => [...]`, which applies to the file that it is in.  And a handler has a body of Perl
 * that was compiled from such a file: it is not imported, not a constant, not an XSUB.
 */
struct handlers {
	const struct stable *stable; /* borrowed */
	struct declared *declared;
	size_t n, cap;
};

/* PACKAGE has handlers in FILE, which declares that. */
struct declared {
	char *package;
	char *file; /* NULL: the script's own */
};

enum handler {
	HANDLER_NEVER, /* not Perl, or in a package that cannot have handlers */
	HANDLER_YES,
	HANDLER_UNSAID, /* its file does not declare that it holds handlers */
};

void handlers_init(struct handlers *h, const struct stable *s);
void handlers_fini(struct handlers *h);

/*
 * FILE (perl's name of it) declares that PACKAGE has handlers.  False: not a name of a package, or
 * one of perl's or ours.  *NEW: it was not declared before.
 */
bool handlers_declare(pTHX_ struct handlers *h, const char *package, const char *file, bool *new);

/* May PACKAGE have handlers in the script, or in any file that declares it? */
bool handlers_package(const struct handlers *h, const char *package);

/* Is CV (may be NULL), with a name in PACKAGE, a handler? */
enum handler handlers_sub(pTHX_ const struct handlers *h, const char *package, const CV *cv);

/*
 * Does the package's STASH define an AUTOLOAD of its own that is a handler?  (Perl does not use an
 * inherited one for subs.)
 */
bool handlers_autoload(pTHX_ const struct handlers *h, HV *stash);

/*
 * Was CV compiled from the script's own text, or from a string that the script evaluated?  Not from
 * a module, or a file that was required or run by do.
 */
bool handlers_of_script(pTHX_ const CV *cv);

#endif
