/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sub_name: which subs of a name can be called.
 */
#include "interp/bind/bind.h"

#include "interp/perl/perl_priv.h"

#include <string.h>

bool bind_callable(pTHX_ const struct bind *b, GV *gv)
{
	CV *cv = isGV_with_GP(gv) ? GvCV(gv) : NULL;
	const char *package = GvSTASH(gv) ? HvNAME_get(GvSTASH(gv)) : NULL;

	if (!cv || !package || perl_calls(GvNAME(gv)))
		return false;
	if (priv_has_body(cv))
		return handlers_sub(aTHX_ & b->handlers, package, cv) == HANDLER_YES;
	return bind_autoloads(b, GvSTASH(gv));
}

bool bind_autoloads(const struct bind *b, HV *stash)
{
	unsigned i;

	for (i = 0; i < b->nsystems; i++)
		if (b->systems[i].stash == stash && b->systems[i].autoload)
			return true;
	return false;
}

GV *bind_main(pTHX_ const char *name)
{
	CV *cv = get_cv(name, 0);
	GV *gv;

	if (!priv_has_body(cv))
		return NULL;
	gv = gv_fetchpv(name, 0, SVt_PVCV);
	return gv && isGV_with_GP(gv) ? gv : NULL;
}
