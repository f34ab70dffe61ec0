/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bind: what is called for each event type, from the script's symbol table and the trace's catalog,
 * kept up to date while subs and handlers are added and removed.
 */
#include "interp/bind/bind.h"

#include "base/mem.h"
#include "interp/perl/perl_priv.h"
#include "trace/lttng_event.h"

#include <stdlib.h>
#include <string.h>

#define TOLD_MAX 1000

static struct bind_system *system_of(struct bind *b, const char *raw)
{
	unsigned i;

	for (i = 0; i < b->nsystems; i++)
		if (!strcmp(b->systems[i].raw, raw))
			return &b->systems[i];
	return NULL;
}

static struct bind_system *system_add(struct bind *b, const char *raw)
{
	struct bind_system *s = system_of(b, raw);
	char name[BIND_NAME];

	if (s)
		return s;
	b->systems = mem_realloc(b->systems, (b->nsystems + 1) * sizeof(*b->systems));
	s = &b->systems[b->nsystems++];
	memset(s, 0, sizeof(*s));
	s->raw = raw;
	if (perl_identifier(raw, name, sizeof(name)) >= sizeof(name))
		*name = 0;
	s->name = mem_strdup(name);
	s->handles = handlers_package(&b->handlers, s->name);
	return s;
}

/* The system of T, and that of its second name. */
static struct bind_system *systems_of(struct bind *b, const struct etype *t)
{
	if (t->lttng)
		system_add(b, LTTNG_SYSTEM)->of_second = true;
	return system_add(b, t->system);
}

/* Make room for COUNT types. */
static void grow(struct bind *b, unsigned count)
{
	if (count <= b->nbound)
		return;
	b->bound = mem_realloc(b->bound, count * sizeof(*b->bound));
	memset(b->bound + b->nbound, 0, (count - b->nbound) * sizeof(*b->bound));
	b->fed = mem_realloc(b->fed, count * sizeof(*b->fed));
	memset(b->fed + b->nbound, 0, (count - b->nbound) * sizeof(*b->fed));
	b->want = mem_realloc(b->want, count);
	memset(b->want + b->nbound, 0, count - b->nbound);
	b->nbound = count;
}

void bind_init(struct bind *b, struct catalog *c, const struct stable *s, const uint64_t *base,
	       struct notes *n)
{
	const char *last = NULL;
	unsigned i;

	memset(b, 0, sizeof(*b));
	b->catalog = c;
	b->stable = s;
	b->notes = n;
	b->names.base = base;
	handlers_init(&b->handlers, s);
	grow(b, catalog_count(c));
	for (i = 0; i < b->nbound; i++) {
		const struct etype *t = catalog_at(c, i);

		/* They are ordered by system. */
		if (t->lttng || !last || strcmp(t->system, last))
			systems_of(b, t);
		last = t->system;
	}
	for (i = 0; i < stable_count(s); i++)
		system_add(b, stable_at(s, i)->system)->of_stable = true;
}

/* Has the package changed since it was last checked?  ANEW: declarations may have changed, too. */
static bool package_changed(pTHX_ const struct bind *b, struct bind_system *s, bool anew)
{
	HV *stash;
	U32 gen;

	if (anew)
		s->handles = handlers_package(&b->handlers, s->name);
	stash = s->handles ? gv_stashpv(s->name, 0) : NULL;
	if (!stash)
		return false;
	gen = priv_generation(aTHX_ stash);
	if (stash == s->stash && gen == s->gen && !anew)
		return false;
	s->stash = stash;
	s->gen = gen;
	s->autoload = handlers_autoload(aTHX_ & b->handlers, stash);
	return true;
}

/* Collect the subs named like stable events.  True if the list has changed. */
static bool find_stable_subs(pTHX_ struct bind *b)
{
	size_t n = 0, was = b->nstable_subs;
	bool changed = false;
	char name[BIND_NAME];
	unsigned i;
	GV *gv;

	for (i = 0; i < stable_count(b->stable); i++) {
		const struct stable_event *ev = stable_at(b->stable, i);
		size_t len = snprintf(name, sizeof(name), "%s::%s", ev->system, ev->name);

		gv = len < sizeof(name) ? gv_fetchpvn_flags(name, len, 0, SVt_PVCV) : NULL;
		if (!gv || !bind_callable(aTHX_ b, gv))
			continue;
		b->stable_subs = mem_grow(b->stable_subs, &b->cap_stable_subs, n + 1,
					  sizeof(*b->stable_subs));
		changed |= n >= was || b->stable_subs[n].gv != gv;
		b->stable_subs[n].event = ev;
		b->stable_subs[n++].gv = gv;
	}
	b->nstable_subs = n;
	return changed || n != was;
}

/* Handlers were added or removed: rebind only their types.  True if any changed. */
static bool update_named(pTHX_ struct bind *b, uint8_t *look)
{
	bool any = false;
	unsigned i, from;
	size_t k;

	for (k = 0; k < b->nnamed; k++) {
		struct named *h = b->named[k];

		if (!h->dead && h->bound)
			continue;
		h->bound = any = true;
		if (!h->dead && h->late)
			named_check_late(h, b->catalog, b->stable, b->notes);
		h->gone = h->dead;
		for (i = 0; i < b->nbound; i++)
			look[i] |= named_matches(h, b->catalog, catalog_at(b->catalog, i), &from) !=
				   NAMED_NO;
	}
	b->named_changed = false;
	return any;
}

struct takes *bind_takes_of(const struct bind *b, const char *sub)
{
	size_t i = b->ntakes;

	/* The last one counts. */
	while (i--)
		if (!strcmp(b->takes[i]->sub, sub))
			return b->takes[i];
	return NULL;
}

static void takes_free(struct takes *t)
{
	arg_names_fini(&t->fields);
	free(t->sub);
	free(t);
}

/*
 * Lists replaced by newer ones.  They are marked before types are bound again and freed afterwards:
 * a destructor may add more in between.
 */
static void mark_takes(struct bind *b)
{
	size_t i;

	for (i = 0; i < b->ntakes; i++)
		b->takes[i]->old = bind_takes_of(b, b->takes[i]->sub) != b->takes[i];
}

static void free_takes(struct bind *b)
{
	size_t i = 0;

	while (i < b->ntakes) {
		struct takes *t = b->takes[i];

		if (!t->old) {
			i++;
			continue;
		}
		memmove(b->takes + i, b->takes + i + 1, (--b->ntakes - i) * sizeof(*b->takes));
		takes_free(t);
	}
}

void bind_drop(pTHX_ struct named *h)
{
	SV *code = h->code;

	named_free(h);
	SvREFCNT_dec(code);
}

/* No type is bound to these any more.  Destructors of objects in closures may call Zed::on. */
static void free_dead(pTHX_ struct bind *b)
{
	size_t k = 0;

	while (k < b->nnamed) {
		struct named *h = b->named[k];

		if (!h->gone) {
			k++;
			continue;
		}
		memmove(b->named + k, b->named + k + 1, (--b->nnamed - k) * sizeof(*b->named));
		bind_drop(aTHX_ h);
	}
}

bool bind_update(pTHX_ struct bind *b)
{
	GV *unhandled = bind_main(aTHX_ "main::trace_unhandled");
	GV *process = b->convention == CONVENTION_PERF ? bind_main(aTHX_ "main::process_event") :
							 NULL;
	bool new_takes = b->takes_changed, changed = false;
	bool all = unhandled != b->unhandled || process != b->process || new_takes ||
		   b->handlers_changed;
	bool any = all;
	bool of_stable = false, of_second = false;
	uint8_t *dirty = mem_zalloc(b->nsystems + 1), *look = NULL;
	const char *last = NULL;
	struct bind_system *s = NULL;
	unsigned i;

	b->unhandled = unhandled;
	b->process = process;
	b->lost = bind_main(aTHX_ "main::trace_lost");
	b->subs++;
	b->takes_changed = false;
	if (new_takes)
		mark_takes(b);
	for (i = 0; i < b->nsystems; i++) {
		dirty[i] = package_changed(aTHX_ b, &b->systems[i], b->handlers_changed);
		any |= dirty[i];
		of_stable |= dirty[i] && b->systems[i].of_stable;
		of_second |= dirty[i] && b->systems[i].of_second;
	}
	b->handlers_changed = false;
	if (of_stable)
		all |= find_stable_subs(aTHX_ b);
	all |= of_second;
	if (b->named_changed) {
		look = mem_zalloc(b->nbound + 1);
		any |= update_named(aTHX_ b, look);
	}
	for (i = 0; any && i < b->nbound; i++) {
		const struct etype *t = catalog_at(b->catalog, i);

		if (!last || strcmp(t->system, last)) {
			last = t->system;
			s = system_of(b, t->system);
		}
		if (all || dirty[s - b->systems] || (look && look[i]))
			changed |= bind_type(aTHX_ b, t, s);
	}
	free(dirty);
	free(look);
	if (new_takes)
		free_takes(b);
	free_dead(aTHX_ b);
	return changed;
}

bool bind_follows(const struct bind *b)
{
	for (size_t i = 0; i < b->nnamed; i++)
		if (b->named[i]->follows && !b->named[i]->dead)
			return true;
	return false;
}

bool bind_calls(const struct bind *b)
{
	bool calls = b->unhandled || b->lost;

	for (unsigned i = 0; i < b->nbound && !calls; i++)
		calls = b->bound[i] != NULL;
	return calls;
}

void bind_grow(pTHX_ struct bind *b, const struct etype *t)
{
	struct bind_system *s;
	unsigned i, from = b->nbound;

	grow(b, catalog_count(b->catalog));
	for (i = from; i < b->nbound; i++) {
		t = catalog_at(b->catalog, i);
		s = systems_of(b, t);
		package_changed(aTHX_ b, s, false);
		bind_type(aTHX_ b, t, s);
	}
}

/* ---------------------------------------------------------------- Zed::on, off, takes, count */

const struct named_words BIND_WORDS = {
	.on = "Zed::on",
	.none = "undef",
	.events = "zedperl -t -v",
};


void bind_add(struct bind *b, struct named *h)
{
	b->named = mem_grow(b->named, &b->cap_named, b->nnamed + 1, sizeof(*b->named));
	b->named[b->nnamed++] = h;
	h->id = ++b->last_id;
	b->named_changed = true;
}

bool bind_is_new(struct bind *b, const struct named *h)
{
	uint64_t key = named_key(h);
	size_t i;

	for (i = 0; i < b->ntold; i++)
		if (b->told[i] == key)
			return false;
	if (b->ntold == TOLD_MAX)
		return false;
	b->told = mem_grow(b->told, &b->cap_told, b->ntold + 1, sizeof(*b->told));
	b->told[b->ntold++] = key;
	return true;
}

bool bind_remove(struct bind *b, unsigned id)
{
	size_t i;

	for (i = 0; i < b->nnamed; i++)
		if (b->named[i]->id == id && !b->named[i]->dead) {
			b->named[i]->dead = b->named_changed = true;
			return true;
		}
	return false;
}

bool bind_declare(pTHX_ struct bind *b, const char *package, const char *file)
{
	bool new;

	if (!handlers_declare(aTHX_ & b->handlers, package, file, &new))
		return false;
	b->handlers_changed |= new;
	return true;
}

void bind_takes(struct bind *b, const char *sub, struct arg_names *fields)
{
	struct takes *t = mem_zalloc(sizeof(*t));

	t->sub = mem_strdup(sub);
	t->fields = *fields;
	memset(fields, 0, sizeof(*fields));
	b->takes = mem_grow(b->takes, &b->cap_takes, b->ntakes + 1, sizeof(*b->takes));
	b->takes[b->ntakes++] = t;
	b->takes_changed = true;
}

void bind_fini(pTHX_ struct bind *b)
{
	unsigned i;

	for (i = 0; i < b->nbound; i++)
		binding_free(aTHX_ b->bound[i]);
	for (i = 0; i < b->nbound; i++)
		binding_free(aTHX_ b->fed[i]);
	for (i = 0; i < b->nsystems; i++)
		free(b->systems[i].name);
	for (i = 0; i < b->ntakes; i++)
		takes_free(b->takes[i]);
	/* Last: destructors of objects in closures run Perl code. */
	while (b->nnamed)
		bind_drop(aTHX_ b->named[--b->nnamed]);
	handlers_fini(&b->handlers);
	free(b->systems);
	free(b->stable_subs);
	free(b->named);
	free(b->takes);
	free(b->told);
	free(b->bound);
	free(b->fed);
	free(b->want);
	memset(b, 0, sizeof(*b));
}
