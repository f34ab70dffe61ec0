/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bind: names of events and names of subs.  Turns the script's symbol table and the trace's
 * catalog into an array from type index to what is to be called.
 */
#include "bind.h"
#include "filter.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 512

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

static bool has_body(CV *cv)
{
	return cv && (CvROOT(cv) || CvXSUB(cv));
}

/* An AUTOLOAD of the package's own; an inherited one does not serve subs. */
static bool autoloads(pTHX_ HV *stash)
{
	SV **entry = hv_fetchs(stash, "AUTOLOAD", 0);
	GV *gv;

	if (!entry)
		return false;
	gv = gv_fetchmeth_pvn(stash, "AUTOLOAD", 8, -1, 0);
	return gv && GvSTASH(gv) == stash && has_body(GvCV(gv));
}

bool bind_callable(pTHX_ GV *gv)
{
	CV *cv = isGV_with_GP(gv) ? GvCV(gv) : NULL;

	return cv && (has_body(cv) || autoloads(aTHX_ GvSTASH(gv)));
}

GV *bind_main(pTHX_ const char *name)
{
	CV *cv = get_cv(name, 0);
	GV *gv;

	if (!has_body(cv))
		return NULL;
	gv = gv_fetchpv(name, 0, SVt_PVCV);
	return gv && isGV_with_GP(gv) ? gv : NULL;
}

/*
 * The GV of T's handler in its package, or NULL.  With AUTOLOAD in the package every name of it
 * is callable.
 */
static GV *find_handler(pTHX_ const struct etype *t, bool autoload)
{
	char name[NAME_SIZE];
	size_t len = bind_name(t, name, sizeof(name), NULL);
	GV *gv;

	if (len >= sizeof(name))
		return NULL;
	gv = gv_fetchpvn_flags(name, len, autoload ? GV_ADD : 0, SVt_PVCV);
	if (!gv || !isGV_with_GP(gv))
		return NULL;
	return autoload || bind_callable(aTHX_ gv) ? gv : NULL;
}

static struct binding *binding_new(pTHX_ GV *gv, const struct etype *t, bool with_name)
{
	struct binding *b = mem_zalloc(sizeof(*b));

	b->gv = (GV *)SvREFCNT_inc_simple_NN((SV *)gv);
	b->type = t;
	b->with_name = with_name;
	return b;
}

static void binding_free(pTHX_ struct binding *b)
{
	while (b) {
		struct binding *next = b->next;

		args_free(aTHX_ b->plan);
		SvREFCNT_dec((SV *)b->gv);
		free(b);
		b = next;
	}
}

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
	char name[NAME_SIZE];
	size_t n;

	if (s)
		return s;
	b->systems = mem_realloc(b->systems, (b->nsystems + 1) * sizeof(*b->systems));
	s = &b->systems[b->nsystems++];
	memset(s, 0, sizeof(*s));
	s->raw = raw;
	n = perl_word(raw, true, name, sizeof(name) - 1);
	name[n < sizeof(name) ? n : 0] = 0;
	s->name = mem_strdup(name);
	return s;
}

/* Make room for COUNT types. */
static void grow(struct bind *b, unsigned count)
{
	if (count <= b->nbound)
		return;
	b->bound = mem_realloc(b->bound, count * sizeof(*b->bound));
	memset(b->bound + b->nbound, 0, (count - b->nbound) * sizeof(*b->bound));
	b->want = mem_realloc(b->want, count);
	memset(b->want + b->nbound, 0, count - b->nbound);
	b->nbound = count;
}

void bind_init(struct bind *b, struct catalog *c, struct notes *n)
{
	const char *last = "";
	unsigned i;

	memset(b, 0, sizeof(*b));
	b->catalog = c;
	b->notes = n;
	grow(b, catalog_count(c));
	for (i = 0; i < b->nbound; i++) {
		const char *system = catalog_at(c, i)->system;

		/* They come system by system. */
		if (strcmp(system, last))
			system_add(b, system);
		last = system;
	}
}

/* Bind T to what there is for it now; true if that is new. */
static bool bind_type(pTHX_ struct bind *b, const struct etype *t, bool has_package, bool autoload)
{
	struct binding **at = &b->bound[t->idx];
	GV *gv = has_package ? find_handler(aTHX_ t, autoload) : NULL;
	bool with_name = false;

	if (!gv) {
		gv = b->unhandled;
		with_name = true;
	}
	if (!gv || (*at && (*at)->gv == gv))
		return false;
	/* The binding of trace_unhandled gives way to a handler, never the other way round. */
	if (*at && with_name)
		return false;
	binding_free(aTHX_ *at);
	*at = binding_new(aTHX_ gv, t, with_name);
	b->want[t->idx] = 1;
	return true;
}

/* Has the package changed since it was last looked at? */
static bool package_changed(pTHX_ struct bind_system *s)
{
	HV *stash = gv_stashpv(s->name, 0);
	U32 gen;

	if (!stash)
		return false;
	gen = SvOOK(stash) ? HvMROMETA(stash)->pkg_gen : 0;
	if (stash == s->stash && gen == s->gen)
		return false;
	s->stash = stash;
	s->gen = gen;
	return true;
}

bool bind_update(pTHX_ struct bind *b)
{
	GV *unhandled = bind_main(aTHX_ "main::trace_unhandled");
	bool all = unhandled != b->unhandled, changed = false;
	const char *last = NULL;
	bool look = false, package = false, autoload = false;
	uint8_t *dirty = mem_zalloc(b->nsystems + 1);
	unsigned i, any = all;

	b->unhandled = unhandled;
	b->lost = bind_main(aTHX_ "main::trace_lost");
	for (i = 0; i < b->nsystems; i++) {
		dirty[i] = package_changed(aTHX_ &b->systems[i]);
		any |= dirty[i];
	}
	for (i = 0; any && i < b->nbound; i++) {
		const struct etype *t = catalog_at(b->catalog, i);

		if (!last || strcmp(t->system, last)) {
			struct bind_system *s = system_of(b, t->system);

			last = t->system;
			package = s && s->stash;
			look = all || (s && dirty[s - b->systems]);
			autoload = package && look && autoloads(aTHX_ s->stash);
		}
		if (look)
			changed |= bind_type(aTHX_ b, t, package, autoload);
	}
	free(dirty);
	return changed;
}

void bind_grow(pTHX_ struct bind *b, const struct etype *t)
{
	struct bind_system *s;
	unsigned i, from = b->nbound;

	grow(b, catalog_count(b->catalog));
	for (i = from; i < b->nbound; i++) {
		t = catalog_at(b->catalog, i);
		s = system_add(b, t->system);
		package_changed(aTHX_ s);
		bind_type(aTHX_ b, t, s->stash, s->stash && autoloads(aTHX_ s->stash));
	}
}

/* Candidates for "did you mean": the names of a system's events. */
struct candidates {
	struct catalog *catalog;
	const char *system;
	unsigned i;
	struct arena names;	/* the nearest one is kept until all were looked at */
};

static const char *next_candidate(void *arg)
{
	struct candidates *c = arg;
	char name[NAME_SIZE];
	size_t system, len;

	while (c->i < catalog_count(c->catalog)) {
		const struct etype *t = catalog_at(c->catalog, c->i++);

		if (strcmp(t->system, c->system))
			continue;
		len = bind_name(t, name, sizeof(name), &system);
		if (len < sizeof(name))
			return arena_strndup(&c->names, name + system + 2, len - system - 2);
	}
	return NULL;
}

/* Names that perl itself calls or that modules put into a package. */
static bool is_special(const char *name)
{
	static const char *const special[] = {
		"BEGIN", "UNITCHECK", "CHECK", "INIT", "END", "AUTOLOAD", "DESTROY", "CLONE",
		"CLONE_SKIP",
		"import", "unimport", "can", "isa", "DOES", "VERSION", "__ANON__", "BUILD",
	};
	unsigned i;

	if (*name == '(' || !(is_word(*name)))	/* overloaded operators */
		return true;
	for (i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (!strcmp(name, special[i]))
			return true;
	return false;
}

/* The CV of a symbol-table entry, if it was defined in that very package. */
static CV *own_sub(pTHX_ HV *stash, SV *entry)
{
	CV *cv = NULL;
	GV *gv;

	if (SvROK(entry) && SvTYPE(SvRV(entry)) == SVt_PVCV)
		return (CV *)SvRV(entry);
	if (isGV_with_GP(entry))
		cv = GvCV((GV *)entry);
	if (!has_body(cv))
		return NULL;
	/* An imported sub knows where it comes from. */
	if (CvNAMED(cv))
		return cv;
	gv = CvGV(cv);
	return gv && GvSTASH(gv) != stash && !CvANON(cv) ? NULL : cv;
}

/* NEAR is borrowed from the candidates, so they are freed last. */
static void warn_sub(struct bind *b, const struct bind_system *s, const char *sub)
{
	struct candidates c = { .catalog = b->catalog, .system = s->raw };
	const char *name, *near;

	while ((name = next_candidate(&c)))
		if (!strcmp(name, sub))
			goto out;
	c.i = 0;
	near = nearest_name(sub, next_candidate, &c);
	if (near)
		note_say(b->notes, NOTE_WARN,
			 "sub %s::%s is no event of this trace: did you mean %s::%s?",
			 s->name, sub, s->name, near);
	else
		note_say(b->notes, NOTE_WARN,
			 "sub %s::%s is no event of this trace (-t lists those that are)",
			 s->name, sub);
out:
	arena_fini(&c.names);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void warn_package(pTHX_ struct bind *b, const struct bind_system *s)
{
	char **subs = NULL;
	size_t n = 0, cap = 0, i;
	SV *entry;
	char *key;
	I32 len;

	hv_iterinit(s->stash);
	while ((entry = hv_iternextsv(s->stash, &key, &len))) {
		if (is_special(key) || !own_sub(aTHX_ s->stash, entry))
			continue;
		subs = mem_grow(subs, &cap, n + 1, sizeof(*subs));
		subs[n++] = mem_strdup(key);
	}
	if (n)
		qsort(subs, n, sizeof(*subs), by_name);
	for (i = 0; i < n; i++) {
		warn_sub(b, s, subs[i]);
		free(subs[i]);
	}
	free(subs);
}

/* Is T's Perl name another than its own? */
static bool is_changed(const struct etype *t, char *name, size_t size)
{
	size_t system;

	bind_name(t, name, size, &system);
	return system + 2 >= size || strlen(t->system) != system ||
	       strncmp(name, t->system, system) || strcmp(name + system + 2, t->name);
}

/* "system:name" of T behind what is in BUF. */
static size_t add_name(char *buf, size_t size, size_t n, const char *between, const struct etype *t)
{
	if (n < size)
		n += snprintf(buf + n, size - n, "%s%s:%s", between, t->system, t->name);
	return n;
}

/*
 * Events of one source whose Perl names are the same, which takes one whose name had to be
 * changed: one line for each sub.  SAID has a byte for each type.
 */
static void warn_collision(struct bind *b, unsigned i, uint8_t *said)
{
	const struct etype *t = catalog_at(b->catalog, i), *last = NULL;
	char list[700], name[NAME_SIZE];
	size_t n = 0;
	unsigned k;

	for (k = 0; k < b->nbound; k++) {
		const struct etype *u = catalog_at(b->catalog, k);

		if (!b->bound[k] || b->bound[k]->gv != b->bound[i]->gv)
			continue;
		said[k] = 1;
		/* Another input's event of the very same name is no collision. */
		if (u->schema != t->schema)
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
	char name[NAME_SIZE];
	unsigned i;

	for (i = 0; i < b->nbound; i++)
		if (b->bound[i] && !b->bound[i]->with_name && !said[i] &&
		    is_changed(catalog_at(b->catalog, i), name, sizeof(name)))
			warn_collision(b, i, said);
	free(said);
}

void bind_warn(pTHX_ struct bind *b)
{
	unsigned i;

	if (b->warned)
		return;
	b->warned = true;
	for (i = 0; i < b->nsystems; i++)
		if (b->systems[i].stash)
			warn_package(aTHX_ b, &b->systems[i]);
	warn_collisions(b);
}

void bind_fini(pTHX_ struct bind *b)
{
	unsigned i;

	for (i = 0; i < b->nbound; i++)
		binding_free(aTHX_ b->bound[i]);
	for (i = 0; i < b->nsystems; i++)
		free(b->systems[i].name);
	free(b->systems);
	free(b->bound);
	free(b->want);
	memset(b, 0, sizeof(*b));
}
