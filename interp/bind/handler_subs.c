/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handler_subs: may an event call this sub?  Decided by the package in which it has a name and by
 * the file that it was compiled from.
 */
#include "interp/bind/handler_subs.h"

#include "base/mem.h"
#include "interp/bind/perl_name.h"
#include "interp/perl/origin.h"
#include "interp/perl/perl_priv.h"
#include "stable/systems.h"

#include <stdlib.h>
#include <string.h>

void handlers_init(struct handlers *h, const struct stable *s)
{
	memset(h, 0, sizeof(*h));
	h->stable = s;
}

void handlers_fini(struct handlers *h)
{
	while (h->n) {
		struct declared *d = &h->declared[--h->n];

		free(d->package);
		free(d->file);
	}
	free(h->declared);
	memset(h, 0, sizeof(*h));
}

/* One word, as the name of every system is as a package. */
static bool is_word(const char *s)
{
	const char *p = s;

	while (*p && (isWORDCHAR_A(*p)))
		p++;
	return p > s && !*p && !isDIGIT_A(*s);
}

static bool is_same_file(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* FILE as stored: a copy; NULL for the script, and for code that the script evaluates. */
static char *kept_file(pTHX_ const char *file)
{
	size_t len;
	const char *from = origin_of(file, &len);

	return origin_is_script(aTHX_ file) ? NULL : mem_strndup(from, len);
}

bool handlers_declare(pTHX_ struct handlers *h, const char *package, const char *file, bool *new)
{
	char *kept;
	size_t i;

	*new = false;
	if (!is_word(package) || perl_reserves(package))
		return false;
	kept = kept_file(aTHX_ file);
	for (i = 0; i < h->n; i++)
		if (!strcmp(h->declared[i].package, package) &&
		    is_same_file(h->declared[i].file, kept)) {
			free(kept);
			return true;
		}
	h->declared = mem_grow(h->declared, &h->cap, h->n + 1, sizeof(*h->declared));
	h->declared[h->n].package = mem_strdup(package);
	h->declared[h->n++].file = kept;
	*new = true;
	return true;
}

static bool is_stable(const struct handlers *h, const char *package)
{
	unsigned i;

	for (i = 0; i < stable_count(h->stable); i++)
		if (!strcmp(stable_at(h->stable, i)->system, package))
			return true;
	return false;
}

/* Are the script's subs in PACKAGE handlers without being declared? */
static bool is_known(const struct handlers *h, const char *package)
{
	return !perl_reserves(package) && (systems_has(package) || is_stable(h, package));
}

bool handlers_package(const struct handlers *h, const char *package)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		if (!strcmp(h->declared[i].package, package))
			return true;
	return is_known(h, package);
}

bool handlers_of_script(pTHX_ const CV *cv)
{
	return priv_is_perl(cv) && origin_is_script(aTHX_ PRIV_FILE(cv));
}

enum handler handlers_sub(pTHX_ const struct handlers *h, const char *package, const CV *cv)
{
	const char *from;
	bool script;
	size_t i, len;

	if (!priv_is_perl(cv) || !PRIV_FILE(cv) || perl_reserves(package))
		return HANDLER_NEVER;
	script = origin_is_script(aTHX_ PRIV_FILE(cv));
	if (script && is_known(h, package))
		return HANDLER_YES;
	from = origin_of(PRIV_FILE(cv), &len);
	for (i = 0; i < h->n; i++) {
		const char *file = h->declared[i].file;

		if (!strcmp(h->declared[i].package, package) &&
		    (file ? !script && strlen(file) == len && !memcmp(file, from, len) : script))
			return HANDLER_YES;
	}
	return HANDLER_UNSAID;
}

bool handlers_autoload(pTHX_ const struct handlers *h, HV *stash)
{
	SV **entry = hv_fetchs(stash, "AUTOLOAD", 0);
	const char *package = HvNAME_get(stash);
	GV *gv;

	if (!entry || !package)
		return false;
	gv = gv_fetchmeth_pvn(stash, "AUTOLOAD", 8, -1, 0);
	return gv && GvSTASH(gv) == stash &&
	       handlers_sub(aTHX_ h, package, GvCV(gv)) == HANDLER_YES;
}
