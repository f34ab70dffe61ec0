/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coverage: how a script's handlers match a trace, found without reading events: which events call
 * which, which have none, and subs whose variables are named after fields at other places.
 */
#include "base/mem.h"

#include "base/compare.h"
#include "interp/bind/bind.h"
#include "interp/bind/subs.h"
#include "interp/perl/perl_priv.h"
#include "interp/perl/sub_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAD 4 /* $cpu, $secs, $nsecs, $sequence */

struct coverage_check {
	struct bind *b;
	void (*line)(void *arg, const char *text);
	void *arg;
	struct sub_args *sub;
	unsigned doubts;
	char **unmet; /* lines about handlers without an event in the trace */
	size_t nunmet, cap_unmet;
};

static void doubt(struct coverage_check *k, const char *text)
{
	k->doubts++;
	k->line(k->arg, text);
}

static void unmet(struct coverage_check *k, const char *text)
{
	k->unmet = mem_grow(k->unmet, &k->cap_unmet, k->nunmet + 1, sizeof(*k->unmet));
	k->unmet[k->nunmet++] = mem_strdup(text);
}

/* Sorted, as perl's symbol tables are unordered. */
static void say_unmet(struct coverage_check *k)
{
	if (k->nunmet)
		qsort(k->unmet, k->nunmet, sizeof(*k->unmet), compare_text);
	for (size_t i = 0; i < k->nunmet; i++) {
		k->line(k->arg, k->unmet[i]);
		free(k->unmet[i]);
	}
	free(k->unmet);
}

/* The index of T's own field of that name, or -1. */
static int field_at(const struct etype *t, const char *name)
{
	for (unsigned i = t->ncommon; *name && i < t->nfields; i++)
		if (!strcmp(t->fields[i].name, name))
			return i - t->ncommon;
	return -1;
}

/* Are the variables of the sub's list named like T's fields, but at other places? */
static void check_names(struct coverage_check *k, const struct binding *it, const char *sub)
{
	const struct etype *t = it->type;
	unsigned own, n = k->sub->n - k->sub->rest;
	char text[900];
	struct err e;

	if (etype_resolve(k->b->catalog, t, &e) < 0)
		return;
	own = t->nfields - t->ncommon;
	for (unsigned i = LEAD; i < n; i++) {
		const char *name = k->sub->v[i].name;
		int at = field_at(t, name);

		if (i - LEAD >= own)
			snprintf(text, sizeof(text),
				 "%s: argument %u, $%s, is always undef: %s:%s has only %u fields",
				 sub, i + 1, name, t->system, t->name, own);
		else if (at >= 0 && at != (int)(i - LEAD))
			snprintf(text, sizeof(text),
				 "%s: argument %u is named $%s, but the field at this position is "
				 "%s (to take fields by name: Zed::on, Zed::takes)",
				 sub, i + 1, name, t->fields[t->ncommon + i - LEAD].name);
		else
			continue;
		doubt(k, text);
		return;
	}
}

static void check_binding(pTHX_ struct coverage_check *k, const struct etype *t,
			  const struct binding *it)
{
	char text[700], sub[400];

	if (it->kind == BIND_MEASURE || (it->named && !it->gv)) {
		snprintf(text, sizeof(text), "%s:%s: %s at %.300s", t->system, t->name,
			 it->named->fn, it->named->at ? it->named->at : "?");
		k->line(k->arg, text);
		return;
	}
	snprintf(sub, sizeof(sub), "sub %.150s::%.150s", HvNAME_get(GvSTASH(it->gv)),
		 GvNAME(it->gv));
	snprintf(text, sizeof(text), "%s:%s: %s", t->system, t->name, sub);
	k->line(k->arg, text);
	if ((it->kind != BIND_SUB && it->kind != BIND_STABLE) || it->takes ||
	    k->b->convention == CONVENTION_PERF)
		return;
	subargs_look(aTHX_ GvCV(it->gv), k->sub);
	if (k->sub->listed)
		check_names(k, it, sub);
}

static bool is_bound(const struct bind *b, const struct named *h)
{
	for (unsigned i = 0; i < b->nbound; i++) {
		for (const struct binding *it = b->bound[i]; it; it = it->next)
			if (it->named == h)
				return true;
		for (const struct binding *it = b->fed[i]; it; it = it->next)
			if (it->named == h)
				return true;
	}
	return false;
}

/* Handlers of Zed::on that no type of the trace calls. */
static void check_named(struct coverage_check *k)
{
	char text[700];

	for (size_t i = 0; i < k->b->nnamed; i++) {
		const struct named *h = k->b->named[i];

		if (h->dead || is_bound(k->b, h))
			continue;
		snprintf(text, sizeof(text), "%.200s: not in this trace: %s at %.300s", h->text,
			 h->fn, h->at ? h->at : "?");
		doubt(k, text);
	}
}

/* Subs of systems of the trace, or of Linux, without an event in this trace. */
static void check_unmet(pTHX_ struct coverage_check *k, const char *package, HV *stash)
{
	char text[700];
	struct subs s;

	subs_find(aTHX_ stash, &s);
	for (size_t i = 0; i < s.n; i++) {
		bool met = false;

		if (!s.v[i].own ||
		    handlers_sub(aTHX_ & k->b->handlers, package, s.v[i].cv) != HANDLER_YES)
			continue;
		for (unsigned n = 0; n < k->b->nbound && !met; n++)
			for (const struct binding *it = k->b->bound[n]; it && !met; it = it->next)
				met = it->gv && GvCV(it->gv) == s.v[i].cv;
		if (met)
			continue;
		snprintf(text, sizeof(text), "%.150s:%.150s: not in this trace: sub %.150s::%.150s",
			 package, s.v[i].name, package, s.v[i].name);
		unmet(k, text);
	}
	subs_free(&s);
}

static void check_packages(pTHX_ struct coverage_check *k)
{
	SV *entry;
	char *key;
	I32 len;

	hv_iterinit(PL_defstash);
	while ((entry = hv_iternextsv(PL_defstash, &key, &len))) {
		char package[BIND_NAME];

		if (len < 3 || len - 2 >= (I32)sizeof(package) || memcmp(key + len - 2, "::", 2) ||
		    !isGV_with_GP(entry) || !GvHV((GV *)entry))
			continue;
		memcpy(package, key, len - 2);
		package[len - 2] = '\0';
		if (handlers_package(&k->b->handlers, package))
			check_unmet(aTHX_ k, package, GvHV((GV *)entry));
	}
}

unsigned bind_check(pTHX_ struct bind *b, void (*line)(void *arg, const char *text), void *arg)
{
	struct coverage_check k = {
		.b = b, .line = line, .arg = arg, .sub = mem_alloc(sizeof(*k.sub))
	};

	for (unsigned i = 0; i < b->nbound; i++) {
		const struct etype *t = catalog_at(b->catalog, i);

		for (const struct binding *it = b->bound[i]; it; it = it->next)
			if (it->kind != BIND_UNHANDLED)
				check_binding(aTHX_ & k, t, it);
		for (const struct binding *it = b->fed[i]; it; it = it->next)
			check_binding(aTHX_ & k, t, it);
	}
	check_named(&k);
	check_packages(aTHX_ & k);
	say_unmet(&k);
	free(k.sub);
	return k.doubts;
}
