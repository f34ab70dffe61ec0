/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sub_name: the name that the sub of an event has in Perl, and which subs of a name can be called.
 */
#include "interp/bind/sub_name.h"

#include "interp/bind/bind.h"
#include "interp/perl/perl_priv.h"

#include <string.h>

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* S as part of a Perl name into BUF, as far as it fits; returns the length it needs. */
static size_t perl_word(const char *s, bool lead, char *buf, size_t size)
{
	size_t n = 0;

	if (lead && ((*s >= '0' && *s <= '9') || !*s)) {
		if (n < size)
			buf[n] = '_';
		n++;
	}
	for (; *s; s++, n++)
		if (n < size)
			buf[n] = is_word(*s) ? *s : '_';
	return n;
}

size_t perl_identifier(const char *s, char *buf, size_t size)
{
	size_t room = size - 1, n = perl_word(s, true, buf, room);

	buf[n < room ? n : room] = 0;
	return n;
}

size_t bind_name(const struct etype *t, char *buf, size_t size, size_t *system)
{
	size_t n, room = size ? size - 1 : 0;

	n = perl_word(t->system, true, buf, room);
	if (system)
		*system = n;
	if (n + 2 <= room)
		memcpy(buf + n, "::", 2);
	n += 2;
	n += perl_word(t->name, false, buf + (n < room ? n : room), n < room ? room - n : 0);
	if (size)
		buf[n < room ? n : room] = 0;
	return n;
}

bool bind_callable(pTHX_ const struct bind *b, GV *gv)
{
	CV *cv = isGV_with_GP(gv) ? GvCV(gv) : NULL;
	const char *package = GvSTASH(gv) ? HvNAME_get(GvSTASH(gv)) : NULL;

	if (!cv || !package || handlers_is_perls(GvNAME(gv)))
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
