/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hints: warns about subs that no event calls, though their author may have meant them to be
 * called: handlers in packages that were not declared, a package or one of our four names misspelt
 * or left out, no handler at all.
 */
#include "base/mem.h"

#include "base/compare.h"
#include "interp/bind/bind.h"
#include "interp/bind/near.h"
#include "interp/bind/perl_name.h"
#include "interp/bind/subs.h"
#include "interp/perl/perl_priv.h"
#include "stable/systems.h"

#include <stdlib.h>
#include <string.h>

static const char *const OURS[] = {
	"trace_begin",	   "trace_end",	 "trace_state",	   "trace_merge",
	"trace_unhandled", "trace_lost", "trace_interval",
};

static const unsigned NOURS = sizeof(OURS) / sizeof(OURS[0]);

struct hints {
	struct bind *b;
	bool handler;	/* the script has some handler */
	bool of_events; /* a handler that an event could call */
	/* A handler whose event the trace has in another system, and that event. */
	char unmet[BIND_NAME], near[BIND_NAME];
};

bool bind_is_ours(const char *name)
{
	unsigned i;

	for (i = 0; i < NOURS; i++)
		if (!strcmp(name, OURS[i]))
			return true;
	return false;
}

/* ---------------------------------------------------------------- events of the trace */

/* Does the trace, or the catalogue, have events of that package? */
static const struct bind_system *system_of(const struct bind *b, const char *package)
{
	unsigned i;

	for (i = 0; i < b->nsystems; i++)
		if (!strcmp(b->systems[i].name, package))
			return &b->systems[i];
	return NULL;
}

/*
 * A type whose sub would be called NAME in SYSTEM's package, or NULL.  SYSTEM may be NULL: any
 * package that has handlers (HANDLES), or may have.
 */
static const struct etype *type_of(const struct bind *b, const char *system, const char *name,
				   bool handles)
{
	char buf[BIND_NAME];
	size_t len, at;
	unsigned i;

	for (i = 0; i < b->nbound; i++) {
		const struct etype *t = catalog_at(b->catalog, i);

		len = bind_name(t, buf, sizeof(buf), &at);
		if (len >= sizeof(buf) || !t->known || strcmp(buf + at + 2, name))
			continue;
		buf[at] = '\0';
		if (system  ? !strcmp(buf, system) :
		    handles ? system_of(b, buf)->handles :
			      !perl_reserves(buf))
			return t;
	}
	return NULL;
}

/* Does the trace have that event, or could it? */
static bool has_event(const struct bind *b, const char *package, const char *name)
{
	const char *event, *system;
	unsigned k;

	if (type_of(b, package, name, false))
		return true;
	for (k = 0; k < stable_count(b->stable); k++)
		if (!strcmp(stable_at(b->stable, k)->system, package) &&
		    !strcmp(stable_at(b->stable, k)->name, name))
			return true;
	for (k = 0; (event = catalog_other(b->catalog, k, &system)); k++)
		if (!strcmp(system, package) && !strcmp(event, name))
			return true;
	return false;
}

/* ---------------------------------------------------------------- not declared */

/* The declaration that PACKAGE has handlers, into BUF. */
static const char *declaration(pTHX_ const char *package, char *buf, size_t size)
{
	/* Quotes in the list would end those of the shell. */
	bool is_e = PRIV_SCRIPT && !strcmp(PRIV_SCRIPT, "-e");

	snprintf(buf, size, is_e ? "-MZed=handlers,%s" : "use Zed handlers => ['%s'];", package);
	return buf;
}

/* What to add to a hint about an event of PACKAGE: nothing if defining the sub is enough. */
static const char *also_declare(pTHX_ const struct hints *h, const char *package, char *buf,
				size_t size)
{
	char how[BIND_NAME + 40];

	*buf = '\0';
	if (!system_of(h->b, package)->handles)
		snprintf(buf, size, " %s is not a system of the Linux kernel, so also add: %s",
			 package, declaration(aTHX_ package, how, sizeof(how)));
	return buf;
}

/*
 * SUB of PACKAGE has the name of an event of the trace, but its file does not declare that it holds
 * handlers.  MORE: the number of other such subs in the package.  What to add depends on whether
 * the file is the script; if it may well be a module, the hint does not suggest a declaration.
 */
static void say_undeclared(pTHX_ struct hints *h, const char *package, const struct sub *sub,
			   unsigned more)
{
	bool script = handlers_of_script(aTHX_ sub->cv);
	char others[60] = "", how[BIND_NAME + 40];

	if (more)
		snprintf(others, sizeof(others), " (and %u more in that package)", more);
	h->b->said = true;
	if (script)
		note_say(h->b->notes, NOTE_WARN,
			 "sub %s::%s%s is not called for events: %s is not a system of the Linux "
			 "kernel, and a trace may not choose what runs; if it is a handler, add: "
			 "%s",
			 package, sub->name, others, package,
			 declaration(aTHX_ package, how, sizeof(how)));
	else
		note_say(h->b->notes, NOTE_WARN,
			 "sub %s::%s%s is not called for events: it is from %s, which declares no "
			 "handlers; if it has some, add there: use Zed handlers => ['%s'];",
			 package, sub->name, others, PRIV_FILE(sub->cv), package);
}

/* The trace has events for this package, but none named like its subs: look for one misspelt. */
static void hint_misspelt(pTHX_ struct hints *h, const char *package, const struct subs *s)
{
	char near[BIND_NAME], also[2 * BIND_NAME + 100];
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct sub *sub = &s->v[i];

		if (!sub->own || sub->used || !handlers_of_script(aTHX_ sub->cv) ||
		    !near_event(h->b, system_of(h->b, package)->raw, sub->name, near,
				sizeof(near)) ||
		    !near_is_slip(sub->name, near))
			continue;
		h->b->said = true;
		note_say(h->b->notes, NOTE_WARN,
			 "sub %s::%s matches no event in this trace: did you mean %s::%s?%s",
			 package, sub->name, package, near,
			 also_declare(aTHX_ h, package, also, sizeof(also)));
		return;
	}
}

/* Is it the package of a module?  Then none of these hints are useful. */
static bool is_module(pTHX_ HV *stash, const struct subs *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].own && CvSTASH(s->v[i].cv) == stash &&
		    !handlers_of_script(aTHX_ s->v[i].cv))
			return true;
	return false;
}

static void hint_undeclared(pTHX_ struct hints *h, const char *package, HV *stash,
			    const struct subs *s)
{
	const struct sub *first = NULL;
	unsigned more = 0;
	size_t i;

	if (is_module(aTHX_ stash, s))
		return;
	for (i = 0; i < s->n; i++) {
		const struct sub *sub = &s->v[i];

		if (handlers_sub(aTHX_ & h->b->handlers, package, sub->cv) != HANDLER_UNSAID ||
		    !has_event(h->b, package, sub->name))
			continue;
		/* Not subs imported from a module. */
		if (!sub->own && !handlers_of_script(aTHX_ sub->cv))
			continue;
		if (first)
			more++;
		else
			first = sub;
	}
	if (first)
		say_undeclared(aTHX_ h, package, first, more);
	else if (!handlers_package(&h->b->handlers, package))
		hint_misspelt(aTHX_ h, package, s);
}

/* ---------------------------------------------------------------- misspelt, or left out */

static void hint_package(pTHX_ struct hints *h, const char *package, const struct subs *s)
{
	const char *near = near_system(h->b, package);
	size_t i, len;

	for (i = 0; i < s->n; i++) {
		const struct sub *sub = &s->v[i];
		char name[BIND_NAME], also[2 * BIND_NAME + 100];
		const char *system = near;
		const struct etype *t;

		if (!handlers_of_script(aTHX_ sub->cv))
			continue;
		if (!near || !has_event(h->b, near, sub->name)) {
			/* "sub scheduler::sched_switch": only the name of the event is known. */
			t = strchr(sub->name, '_') ? type_of(h->b, NULL, sub->name, true) : NULL;
			if (!t || sub->used || bind_name(t, name, sizeof(name), &len) >= BIND_NAME)
				continue;
			name[len] = '\0';
			system = name;
		}
		h->b->said = true;
		note_say(h->b->notes, NOTE_WARN,
			 "sub %s::%s matches no event in this trace: did you mean %s::%s?%s",
			 package, sub->name, system, sub->name,
			 also_declare(aTHX_ h, system, also, sizeof(also)));
	}
}

static bool is_defined(pTHX_ const char *name)
{
	char full[40];

	snprintf(full, sizeof(full), "main::%s", name);
	return bind_main(aTHX_ full) != NULL;
}

/* Names of other tools for our subs. */
static bool is_synonym(const char *name, const char *ours)
{
	static const char *const words[][2] = {
		{ "trace_start", "trace_begin" }, { "trace_init", "trace_begin" },
		{ "trace_stop", "trace_end" },	  { "trace_finish", "trace_end" },
		{ "trace_exit", "trace_end" },	  { "trace_fini", "trace_end" },
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i][0]))
			return !strcmp(ours, words[i][1]);
	return near_is_slip(name, ours);
}

/* "sub trace_ends": nearly one of our four names, which the script does not define. */
static bool hint_ours(pTHX_ struct hints *h, const struct sub *sub)
{
	unsigned i;

	for (i = 0; i < NOURS; i++) {
		if (!is_synonym(sub->name, OURS[i]) || is_defined(aTHX_ OURS[i]))
			continue;
		h->b->said = true;
		note_say(h->b->notes, NOTE_WARN, "sub %s is never called: did you mean %s?",
			 sub->name, OURS[i]);
		return true;
	}
	return false;
}

/* "sub sched_switch" and "sub sched__sched_switch" in main: the package is missing. */
static void hint_main_sub(pTHX_ struct hints *h, const struct sub *sub)
{
	const char *two = strstr(sub->name, "__"), *name = sub->name;
	char system[BIND_NAME], full[BIND_NAME], also[2 * BIND_NAME + 100];
	const struct etype *t;
	size_t len;

	*system = '\0';
	if (two && two > sub->name && two[2] && (size_t)(two - sub->name) < sizeof(system)) {
		memcpy(system, sub->name, two - sub->name);
		system[two - sub->name] = '\0';
		name = two + 2;
	}
	t = type_of(h->b, *system ? system : NULL, name, true);
	if (!t && !*system)
		t = type_of(h->b, NULL, name, false);
	if (!t || h->b->want[t->idx] || bind_name(t, full, sizeof(full), &len) >= sizeof(full))
		return;
	memcpy(system, full, len);
	system[len] = '\0';
	if (perl_reserves(system))
		return;
	h->b->said = true;
	note_say(h->b->notes, NOTE_WARN,
		 "sub %s is not in a package, so it is never called for an event: did you mean sub "
		 "%s?%s",
		 sub->name, full, also_declare(aTHX_ h, system, also, sizeof(also)));
}

/* process_event is perf's: is it called, or is there a hint that it is not? */
static bool hint_process(struct hints *h, const struct sub *sub)
{
	if (strcmp(sub->name, "process_event") != 0)
		return false;
	if (!h->b->process) {
		h->b->said = true;
		note_say(h->b->notes, NOTE_WARN,
			 "sub process_event is only called in scripts for perf: use --perf, or "
			 "load Perf::Trace::Core");
	}
	return true;
}

static void hint_main(pTHX_ struct hints *h)
{
	struct subs s;
	unsigned k;
	size_t i;

	for (k = 0; k < NOURS; k++)
		h->handler |= is_defined(aTHX_ OURS[k]);
	h->handler |= h->b->process != NULL;
	subs_find(aTHX_ PL_defstash, &s);
	for (i = 0; i < s.n; i++) {
		const struct sub *sub = &s.v[i];

		if (!sub->own || sub->used || !handlers_of_script(aTHX_ sub->cv))
			continue;
		if (hint_process(h, sub))
			continue;
		if (!bind_is_ours(sub->name) && !hint_ours(aTHX_ h, sub))
			hint_main_sub(aTHX_ h, sub);
	}
	subs_free(&s);
}

/* ---------------------------------------------------------------- the packages */

/* Handlers of the package that an event of some trace could call. */
static void find_handlers(pTHX_ struct hints *h, const char *package, HV *stash,
			  const struct subs *s)
{
	bool any = handlers_autoload(aTHX_ & h->b->handlers, stash);
	const struct etype *t;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (handlers_sub(aTHX_ & h->b->handlers, package, s->v[i].cv) != HANDLER_YES ||
		    bind_is_ours(s->v[i].name))
			continue;
		any = true;
		t = *h->near ? NULL : type_of(h->b, NULL, s->v[i].name, true);
		if (t && bind_name(t, h->near, sizeof(h->near), NULL) < sizeof(h->near))
			snprintf(h->unmet, sizeof(h->unmet), "%s::%s", package, s->v[i].name);
	}
	h->of_events |= any;
	h->handler |= any;
}

/* "sub My::trace_end": it is called in main only. */
static void hint_place(pTHX_ struct hints *h, const char *package, bool handles,
		       const struct subs *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct sub *sub = &s->v[i];

		if (!bind_is_ours(sub->name) || !sub->own || sub->used ||
		    !handlers_of_script(aTHX_ sub->cv) || has_event(h->b, package, sub->name))
			continue;
		/* If main has one too, this may be a method that it calls. */
		if (!handles && is_defined(aTHX_ sub->name))
			continue;
		h->b->said = true;
		note_say(h->b->notes, NOTE_WARN,
			 "sub %s::%s is never called: %s is only called in package main: write sub "
			 "main::%s",
			 package, sub->name, sub->name, sub->name);
	}
}

static void hint_one(pTHX_ struct hints *h, const char *package, HV *stash)
{
	bool handles = handlers_package(&h->b->handlers, package);
	struct subs s;

	subs_find(aTHX_ stash, &s);
	hint_place(aTHX_ h, package, handles, &s);
	if (handles)
		find_handlers(aTHX_ h, package, stash, &s);
	if (system_of(h->b, package))
		hint_undeclared(aTHX_ h, package, stash, &s);
	/*
	 * A system of other kernels is not misspelt; a package known only from the script may be.
	 */
	else if (!systems_has(package) && !is_module(aTHX_ stash, &s))
		hint_package(aTHX_ h, package, &s);
	subs_free(&s);
}

struct packages {
	char **v;
	size_t n, cap;
};

/* The packages that events can name: those of one word.  Subs of main are checked separately. */
static void find_packages(pTHX_ struct packages *p)
{
	SV *entry;
	char *key;
	I32 len;

	hv_iterinit(PL_defstash);
	while ((entry = hv_iternextsv(PL_defstash, &key, &len))) {
		if (len < 3 || memcmp(key + len - 2, "::", 2) || !strcmp(key, "main::") ||
		    !isGV_with_GP(entry) || !GvHV((GV *)entry))
			continue;
		p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
		p->v[p->n++] = mem_strndup(key, len - 2);
	}
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), compare_text);
}

/* The trace has events, but none of them calls anything.  Zed::on has its own messages. */
static void hint_nothing(const struct hints *h)
{
	const struct bind *b = h->b;
	unsigned i;

	for (i = 0; i < b->nbound; i++)
		if (b->want[i])
			return;
	if (b->said || b->asked || b->nnamed || !h->of_events || !b->nbound)
		return;
	note_say(b->notes, NOTE_WARN,
		 "no event in this trace matches a handler of the script (zedperl -t TRACE lists "
		 "its events)%s%s%s%s%s",
		 *h->unmet ? ": for " : "", h->unmet, *h->unmet ? " did you mean " : "",
		 *h->unmet ? h->near : "", *h->unmet ? "?" : "");
}

void bind_hints(pTHX_ struct bind *b)
{
	struct hints h = { .b = b, .handler = b->nnamed > 0 };
	struct packages p = { .v = NULL };
	size_t i;

	hint_main(aTHX_ & h);
	find_packages(aTHX_ & p);
	for (i = 0; i < p.n; i++) {
		HV *stash = gv_stashpv(p.v[i], 0);

		if (stash)
			hint_one(aTHX_ & h, p.v[i], stash);
		free(p.v[i]);
	}
	free(p.v);
	hint_nothing(&h);
	if (!h.handler && !b->said && !b->asked)
		note_say(b->notes, NOTE_WARN,
			 "the script has no handlers, so nothing is done with "
			 "the events: write sub SYSTEM::EVENT { ... } (zedperl -t TRACE lists "
			 "them), or begin with zedperl -g TRACE");
}
