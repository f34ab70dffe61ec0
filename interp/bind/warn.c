/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warn: warns about names that cannot be bound as the author may have meant them: subs that are not
 * events, names that collide, stable events that are not available.
 */
#include "base/ascii.h"
#include "base/mem.h"
#include "interp/bind/bind.h"
#include "interp/bind/near.h"
#include "interp/bind/subs.h"
#include "interp/perl/perl_priv.h"

#include <stdlib.h>
#include <string.h>

/* Names that modules put into a package. */
static bool is_special(const char *name)
{
	static const char *const special[] = {
		"can", "isa", "DOES", "VERSION", "__ANON__", "BUILD",
	};
	unsigned i;

	if (!ascii_alnum(*name) && *name != '_') /* overloaded operators */
		return true;
	for (i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (!strcmp(name, special[i]))
			return true;
	return false;
}

/* Does the trace have events of that system? */
static bool is_traced(const struct bind *b, const char *system)
{
	unsigned i;

	for (i = 0; i < b->nbound; i++)
		if (!strcmp(catalog_at(b->catalog, i)->system, system))
			return true;
	return false;
}

static void warn_sub(struct bind *b, const struct bind_system *s, const char *sub)
{
	char near[BIND_NAME];
	bool found;

	if (near_is_event(b, s->raw, sub))
		return;
	found = near_event(b, s->raw, sub, near, sizeof(near));
	/* A package of the script's own may well be called net or page. */
	if (!found && !is_traced(b, s->raw))
		return;
	b->said = true;
	if (found)
		note_say(b->notes, NOTE_WARN,
			 "sub %s::%s matches no event in this trace: did you mean %s::%s?", s->name,
			 sub, s->name, near);
	else
		note_say(b->notes, NOTE_WARN,
			 "sub %s::%s matches no event in this trace (-t lists its events)", s->name,
			 sub);
}

/* Subs in C are not misspelt handlers: perl has a package builtin, and LTT such a facility. */
static void warn_package(pTHX_ struct bind *b, const struct bind_system *s)
{
	struct subs subs;
	size_t i;

	subs_find(aTHX_ s->stash, &subs);
	for (i = 0; i < subs.n; i++) {
		const struct sub *sub = &subs.v[i];

		if (sub->own && !is_special(sub->name) && !bind_is_ours(sub->name) &&
		    handlers_sub(aTHX_ & b->handlers, s->name, sub->cv) == HANDLER_YES)
			warn_sub(b, s, sub->name);
	}
	subs_free(&subs);
}

/* Does T's Perl name differ from its own? */
static bool is_changed(const struct etype *t, char *name, size_t size)
{
	size_t system;

	bind_name(t, name, size, &system);
	return system + 2 >= size || strlen(t->system) != system ||
	       strncmp(name, t->system, system) || strcmp(name + system + 2, t->name);
}

/* A sub named after the event is first in the list. */
static bool is_sub(const struct binding *b)
{
	return b && b->kind == BIND_SUB;
}

/* Append "system:name" of T to BUF. */
static size_t add_name(char *buf, size_t size, size_t n, const char *between, const struct etype *t)
{
	if (n < size)
		n += snprintf(buf + n, size - n, "%s%s:%s", between, t->system, t->name);
	return n;
}

/*
 * Events of one source with the same Perl name; at least one of them had to be changed: one line
 * for each sub.  SAID has a byte for each type.
 */
static void warn_collision(struct bind *b, unsigned i, uint8_t *said)
{
	const struct etype *t = catalog_at(b->catalog, i), *last = NULL;
	char list[700], name[BIND_NAME];
	size_t n = 0;
	unsigned k;

	for (k = 0; k < b->nbound; k++) {
		const struct etype *u = catalog_at(b->catalog, k);

		if (!is_sub(b->bound[k]) || b->bound[k]->gv != b->bound[i]->gv)
			continue;
		said[k] = 1;
		/* Another input's event of exactly the same name is not a collision. */
		if (u->machine != t->machine)
			continue;
		if (last)
			n = add_name(list, sizeof(list), n, n ? ", " : "", last);
		last = u;
	}
	if (!n)
		return;
	add_name(list, sizeof(list), n, " and ", last);
	bind_name(t, name, sizeof(name), NULL);
	note_say(b->notes, NOTE_WARN, "sub %s gets %s", name, list);
}

static void warn_collisions(struct bind *b)
{
	uint8_t *said = mem_zalloc(b->nbound + 1);
	char name[BIND_NAME];
	unsigned i;

	for (i = 0; i < b->nbound; i++)
		if (is_sub(b->bound[i]) && !said[i] &&
		    is_changed(catalog_at(b->catalog, i), name, sizeof(name)))
			warn_collision(b, i, said);
	free(said);
}

/* The I-th source of the trace's types, in their order, or NULL. */
static const struct machine *source_at(const struct bind *b, unsigned n)
{
	const struct machine *last = NULL;
	unsigned i;

	for (i = 0; i < b->nbound; i++) {
		const struct machine *s = catalog_at(b->catalog, i)->machine;

		/* Types are ordered by source, except for those met later. */
		if (s == last)
			continue;
		last = s;
		if (!n--)
			return s;
	}
	return NULL;
}

/* Report what a sub named like a stable event will not get. */
static void warn_stable(struct bind *b, const struct stable_event *ev)
{
	const struct machine *s;
	bool shadowed = false, available = false;
	char why[600] = "";
	unsigned i;

	for (i = 0; (s = source_at(b, i)); i++) {
		if (stable_is_shadowed(ev, b->catalog, s))
			shadowed = true;
		else if (stable_available(ev, b->catalog, s, why, sizeof(why)))
			available = true;
	}
	if (shadowed)
		note_say(b->notes, NOTE_WARN,
			 "sub %s::%s gets the event %s:%s of the trace itself, not the stable "
			 "event of that name",
			 ev->system, ev->name, ev->system, ev->name);
	else if (*why && !available)
		note_say(b->notes, NOTE_WARN, "sub %s::%s: this stable event is not available: %s",
			 ev->system, ev->name, why);
	b->said |= *why && !available;
	if (!shadowed && *why && available)
		note_say(b->notes, NOTE_INFO,
			 "sub %s::%s: one of the inputs does not provide this stable event: %s",
			 ev->system, ev->name, why);
}

/*
 * Fields for a sub that does not exist: a slip, or a script for several kernels.  A sub that exists
 * is handled by warn_sub().
 */
static void warn_takes(pTHX_ struct bind *b, const struct takes *t)
{
	char near[BIND_NAME];

	if (t->old || priv_has_body(get_cv(t->sub, 0)) ||
	    !near_event(b, NULL, t->sub, near, sizeof(near)) || !near_is_slip(t->sub, near))
		return;
	note_say(b->notes, NOTE_WARN,
		 "Zed::takes: no sub and no event is named %s: did you mean %s?", t->sub, near);
}

void bind_warn(pTHX_ struct bind *b)
{
	unsigned i;
	size_t k;

	if (b->warned)
		return;
	b->warned = true;
	for (i = 0; i < b->nsystems; i++)
		if (b->systems[i].stash)
			warn_package(aTHX_ b, &b->systems[i]);
	warn_collisions(b);
	for (k = 0; k < b->nstable_subs; k++)
		warn_stable(b, b->stable_subs[k].event);
	for (k = 0; k < b->ntakes; k++)
		warn_takes(aTHX_ b, b->takes[k]);
	bind_hints(aTHX_ b);
}
