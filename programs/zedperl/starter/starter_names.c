/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter_names: the names in a starter script: of the handler of an event, and of the variables
 * for its fields, whatever names an untrusted trace has.
 */
#include "programs/zedperl/starter/starter_names.h"

#include "base/mem.h"
#include "interp/bind/perl_name.h"
#include "stable/systems.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Packages that a script, or perl for it, may load: in capitals, and perl's own in lower case. */
static bool is_modules(const char *package)
{
	static const char *const names[] = {
		"attributes", "autodie",     "autouse",	 "base",	 "bigfloat",  "bigint",
		"bignum",     "bigrat",	     "blib",	 "bytes",	 "charnames", "constant",
		"deprecate",  "diagnostics", "encoding", "experimental", "feature",   "fields",
		"filetest",   "if",	     "integer",	 "less",	 "locale",    "ok",
		"open",	      "ops",	     "overload", "overloading",	 "parent",    "sigtrap",
		"sort",	      "stable",	     "subs",	 "threads",	 "vars",      "vmsish",
	};
	unsigned i;

	if (*package >= 'A' && *package <= 'Z')
		return true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(package, names[i]))
			return true;
	return perl_reserves(package);
}

void starter_called(const struct etype *t, struct called *c)
{
	char name[NAME_SIZE];
	bool known;

	perl_identifier(t->system, c->package, sizeof(c->package));
	perl_identifier(t->name, name, sizeof(name));
	/* The part after "::" may begin with a digit. */
	snprintf(c->sub, sizeof(c->sub), "%s::%s", c->package,
		 name + (*t->name >= '0' && *t->name <= '9'));
	known = systems_has(c->package);
	c->on = perl_calls(name) || (!known && is_modules(c->package));
	c->declared = !c->on && !known;
}

/*
 * A set of names, a balanced tree: a hostile file may have a thousand types with a thousand fields
 * each.
 */
struct used {
	const char *name;
	unsigned next; /* the number to try for the next field of that name */
};

static int compare_used(const void *a, const void *b)
{
	return strcmp(((const struct used *)a)->name, ((const struct used *)b)->name);
}

/* Returns U, which stays the caller's, or the existing one of that name. */
static struct used *put_used(void **set, struct used *u)
{
	u->next = 2;
	return *(struct used **)mem_check(tsearch(u, set, compare_used));
}

static bool is_taken(void *const *set, const char *name)
{
	struct used u = { .name = name };

	return tfind(&u, set, compare_used) != NULL;
}

static void keep_item(void *item)
{
}

unsigned starter_variables(const struct etype *t, const char *const *lead, unsigned nlead,
			   char (*names)[NAME_SIZE])
{
	/* $_ cannot be lexical, and $a and $b would get in the way of sort. */
	static const char *const reserved[] = { "_", "a", "b" };
	const unsigned nhead = nlead + sizeof(reserved) / sizeof(reserved[0]);
	struct used *used = mem_zalloc((nhead + t->nfields) * sizeof(*used));
	void *set = NULL;
	unsigned i, n;

	for (n = 0; n < nhead; n++) {
		used[n].name = n < nlead ? lead[n] : reserved[n - nlead];
		if (n < nlead)
			snprintf(names[n], NAME_SIZE, "%s", lead[n]);
		put_used(&set, &used[n]);
	}
	for (i = t->ncommon, n = nlead; i < t->nfields; i++, n++) {
		struct used *u = &used[nhead + n - nlead], *first;
		char base[NAME_SIZE - 32];

		perl_identifier(t->fields[i].name, base, sizeof(base));
		snprintf(names[n], NAME_SIZE, "%s", base);
		u->name = names[n];
		first = put_used(&set, u);
		if (first == u)
			continue;
		snprintf(names[n], NAME_SIZE, "field_%s", base);
		while (is_taken(&set, names[n]))
			snprintf(names[n], NAME_SIZE, "field_%s_%u", base, first->next++);
		put_used(&set, u);
	}
	tdestroy(set, keep_item);
	free(used);
	return n;
}

bool starter_has_twins(const struct etype *t)
{
	struct used *used = mem_zalloc((t->nfields + 1) * sizeof(*used));
	bool twins = false;
	void *set = NULL;
	unsigned i;

	for (i = t->ncommon; i < t->nfields && !twins; i++) {
		used[i].name = t->fields[i].name;
		twins = put_used(&set, &used[i]) != &used[i];
	}
	tdestroy(set, keep_item);
	free(used);
	return twins;
}
