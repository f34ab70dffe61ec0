// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter: decides for each event whether it passes what the user asked for: CPUs, tasks, times,
 * instances, expressions.  Expressions are bound to each type once, before the run or when a type
 * is first met.
 */
#include "reader/filter/filter.h"

#include "base/mem.h"
#include "reader/expr/expr.h"
#include "reader/expr/test.h"
#include "reader/filter/comm_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One -F. */
struct term {
	struct term *next;
	char *text;	      /* as given */
	char *system, *event; /* globs; event NULL: all of the system */
	struct expr *expr;
};

/* A type's own copies of the terms that name it. */
struct bound {
	struct bound *next;
	struct expr_test *where;
};

struct slot {
	struct bound *bound;
	bool met;
	bool refused; /* by filter_types() */
};

enum answer { ASK, YES, NO };

struct filter {
	uint64_t start, end;
	uint64_t *cpus; /* EXPR_CPUS bits, or NULL: all */
	int32_t *pids;	/* sorted */
	size_t npids, cap_pids;
	bool *met_pids;		 /* by index in pids: an event of that task was seen */
	struct comm_list *comms; /* NULL: all */
	uint64_t first, last;	 /* times of the events that were asked about */
	char **instances;
	size_t ninstances, cap_instances;
	uint8_t *buffers; /* enum answer by number of the buffer */
	size_t cap_buffers;
	struct term *terms, **tail;
	bool (*takes)(void *arg, const struct etype *t); /* NULL: all types */
	void *takes_arg;
	bool (*other)(void *arg, const char *system, const char *event); /* or NULL */
	void *other_arg;
	struct expr_names names;
	struct slot *slots; /* by etype idx */
	size_t cap_slots;
	struct catalog *catalog;
	struct notes *notes;
};

struct filter *filter_new(void)
{
	struct filter *f = mem_zalloc(sizeof(*f));

	f->end = f->first = UINT64_MAX;
	f->tail = &f->terms;
	return f;
}

static void free_slots(struct filter *f)
{
	struct bound *b;

	for (size_t i = 0; i < f->cap_slots; i++) {
		while ((b = f->slots[i].bound)) {
			f->slots[i].bound = b->next;
			expr_test_free(b->where);
			free(b);
		}
	}
	free(f->slots);
	f->slots = NULL;
	f->cap_slots = 0;
}

static void free_term(struct term *t)
{
	expr_free(t->expr);
	free(t->text);
	free(t->system);
	free(t->event);
	free(t);
}

void filter_free(struct filter *f)
{
	struct term *t;

	if (!f)
		return;
	free_slots(f);
	while ((t = f->terms)) {
		f->terms = t->next;
		free_term(t);
	}
	for (size_t i = 0; i < f->ninstances; i++)
		free(f->instances[i]);
	free(f->instances);
	free(f->buffers);
	free(f->cpus);
	free(f->pids);
	free(f->met_pids);
	comm_list_free(f->comms);
	free(f);
}

/* ---- the user's terms ---- */

int filter_cpus(struct filter *f, const char *list, struct err *e)
{
	size_t bad;

	if (!f->cpus)
		f->cpus = mem_zalloc(EXPR_CPUS / 8);
	if (cpulist_parse(list, strlen(list), f->cpus, &bad) < 0)
		return expr_complain(e, list, bad,
				     "a list of CPUs reads 0,2-5, with numbers below %d",
				     EXPR_CPUS);
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

int filter_pids(struct filter *f, const char *list, struct err *e)
{
	const char *s = list;

	for (;;) {
		const char *at = s;
		int64_t v = 0;

		while (isdigit((unsigned char)*s) && v <= INT32_MAX)
			v = v * 10 + (*s++ - '0');
		if (s == at || v > INT32_MAX)
			return expr_complain(e, list, at - list,
					     "a list of pids reads 12,34 (--comm takes names)");
		f->pids = mem_grow(f->pids, &f->cap_pids, f->npids + 1, sizeof(*f->pids));
		f->pids[f->npids++] = v;
		if (!*s)
			break;
		if (*s != ',')
			return expr_complain(e, list, s - list, "a list of pids reads 12,34");
		s++;
	}
	qsort(f->pids, f->npids, sizeof(*f->pids), compare_pids);
	for (size_t i = 0, n = f->npids; i < n; i++) {
		if (!i)
			f->npids = 0;
		if (!i || f->pids[i] != f->pids[f->npids - 1])
			f->pids[f->npids++] = f->pids[i];
	}
	free(f->met_pids);
	f->met_pids = mem_zalloc(f->npids);
	return 0;
}

int filter_comms(struct filter *f, const char *list, struct err *e)
{
	if (!f->comms)
		f->comms = comm_list_new();
	return comm_list_add(f->comms, list, e);
}

int filter_instance(struct filter *f, const char *name, struct err *e)
{
	f->instances = mem_grow(f->instances, &f->cap_instances, f->ninstances + 1,
				sizeof(*f->instances));
	f->instances[f->ninstances++] = mem_strdup(name);
	return 0;
}

void filter_times(struct filter *f, uint64_t start, uint64_t end)
{
	f->start = start;
	f->end = end;
}

void filter_base(struct filter *f, const uint64_t *base)
{
	f->names.base = base;
}

void filter_other_names(struct filter *f,
			bool (*other)(void *arg, const char *system, const char *event), void *arg)
{
	f->other = other;
	f->other_arg = arg;
}

void filter_types(struct filter *f, bool (*takes)(void *arg, const struct etype *t), void *arg)
{
	f->takes = takes;
	f->takes_arg = arg;
}

/* Length of a name or glob at S: up to a blank, a colon or the end. */
static size_t name_len(const char *s)
{
	return strcspn(s, ": \t\r\n\v\f");
}

int filter_expr(struct filter *f, const char *text, struct err *e)
{
	size_t at = 0, len, event_at = 0, event_len = 0, gap;
	struct term *t;
	struct expr *x;

	while (isspace((unsigned char)text[at]))
		at++;
	len = name_len(text + at);
	gap = at + len + strspn(text + at + len, " \t");
	if (!len || text[gap] != ':')
		return expr_complain(e, text, gap,
				     "a filter reads 'SYSTEM: EXPRESSION' or "
				     "'SYSTEM:EVENT: EXPRESSION'");
	gap++;
	/* "sched:sched_switch: x" names an event, "sched:x == 1" does not. */
	event_len = name_len(text + gap);
	if (event_len && text[gap + event_len + strspn(text + gap + event_len, " \t")] == ':') {
		event_at = gap;
		gap += event_len + strspn(text + gap + event_len, " \t") + 1;
	}
	x = expr_parse(text, gap, NULL, e);
	if (!x)
		return -1;
	t = mem_zalloc(sizeof(*t));
	t->text = mem_strdup(text);
	t->system = mem_strndup(text + at, len);
	if (event_at)
		t->event = mem_strndup(text + event_at, event_len);
	t->expr = x;
	*f->tail = t;
	f->tail = &t->next;
	return 0;
}

bool filter_empty(const struct filter *f)
{
	return filter_only_times(f) && !f->start && f->end == UINT64_MAX;
}

bool filter_only_times(const struct filter *f)
{
	return !f->terms && !f->takes && !f->cpus && !f->npids && !f->comms && !f->ninstances;
}

/* ---- binding to types ---- */

static bool term_names(const struct term *t, const struct etype *type)
{
	return glob_match(t->system, type->system) &&
	       (!t->event || glob_match(t->event, type->name));
}

static struct slot *slot_of(struct filter *f, unsigned idx)
{
	if (idx >= f->cap_slots)
		f->slots = mem_grow_zeroed(f->slots, &f->cap_slots, (size_t)idx + 1,
					   sizeof(*f->slots));
	return &f->slots[idx];
}

/* Bind T to TYPE (resolved).  -1 with E if that fails; *LACKS as in expr_test_bind(). */
static int bind_term(struct filter *f, const struct term *t, const struct etype *type, bool *lacks,
		     struct err *e)
{
	struct slot *s = slot_of(f, type->idx);
	struct expr_test *w = expr_test_bind(t->expr, type, &f->names, lacks, e);
	struct bound *b;

	if (!w)
		return -1;
	b = mem_zalloc(sizeof(*b));
	b->where = w;
	b->next = s->bound;
	s->bound = b;
	return 0;
}

enum candidate { CAND_SYSTEM, CAND_EVENT, CAND_EVENT_OF_SYSTEM };

struct candidates {
	const struct filter *f;
	const struct term *t;
	enum candidate what;
	unsigned i;
};

static const char *next_candidate(void *arg)
{
	struct candidates *c = arg;
	const struct etype *type;

	while (c->i < catalog_count(c->f->catalog)) {
		type = catalog_at(c->f->catalog, c->i++);
		if (!type->known)
			continue;
		if (c->what == CAND_SYSTEM)
			return type->system;
		if (c->what == CAND_EVENT || glob_match(c->t->system, type->system))
			return type->name;
	}
	return NULL;
}

static const char *nearest(const struct filter *f, const struct term *t, const char *name,
			   enum candidate what)
{
	struct candidates c = { .f = f, .t = t, .what = what };

	return nearest_name(name, next_candidate, &c);
}

/* T names no type of the inputs. */
static int nothing_named(const struct filter *f, const struct term *t, struct err *e)
{
	bool system = false;
	const char *near;
	size_t at = strspn(t->text, " \t\r\n\v\f");

	for (unsigned i = 0; i < catalog_count(f->catalog); i++) {
		const struct etype *type = catalog_at(f->catalog, i);

		if (!type->known)
			continue;
		system |= glob_match(t->system, type->system);
		/* In trace-cmd's filters the event's name alone stands in front. */
		if (!t->event && !strcmp(type->name, t->system))
			return expr_complain(e, t->text, at,
					     "no input has a system '%s', but %s has an event of "
					     "that name: write '%s:%s:'",
					     t->system, type->system, type->system, type->name);
	}
	if (t->event && f->other && f->other(f->other_arg, t->system, t->event)) {
		near = nearest(f, t, t->event, CAND_EVENT_OF_SYSTEM);
		return expr_complain(e, t->text, at,
				     "%s:%s is a stable event, and -F looks at the fields of the "
				     "trace's own%s%s%s%s (--stable-check shows what it is made "
				     "of)",
				     t->system, t->event, near ? ": perhaps " : "",
				     near ? t->system : "", near ? ":" : "", near ? near : "");
	}
	if (!system) {
		near = nearest(f, t, t->system, CAND_SYSTEM);
		return expr_complain(e, t->text, at, "no input has a system '%s'%s%s%s", t->system,
				     near ? "; did you mean '" : "", near ? near : "",
				     near ? "'?" : "");
	}
	near = nearest(f, t, t->event, CAND_EVENT_OF_SYSTEM);
	at += strcspn(t->text + at, ":") + 1;
	return expr_complain(e, t->text, at, "no input has an event '%s' in '%s'%s%s%s", t->event,
			     t->system, near ? "; did you mean '" : "", near ? near : "",
			     near ? "'?" : "");
}

#define NAMED 4 /* events that a notice names */

static int compile_term(struct filter *f, const struct term *t, struct err *e)
{
	unsigned took = 0, failed = 0, named = 0, looked = 0, lacking = 0;
	char list[400] = "";
	struct err first, now;
	size_t n = 0;

	for (unsigned i = 0; i < catalog_count(f->catalog); i++) {
		const struct etype *type = catalog_at(f->catalog, i);
		bool lacks = false;

		if (!type->known || !term_names(t, type))
			continue;
		/* A damaged format is reported when the first event of its type is met. */
		if (etype_resolve(f->catalog, type, &now) < 0 || !type->known)
			continue;
		named++;
		/* What is left out anyway may lack a field. */
		if (!filter_takes_type(f, type))
			continue;
		looked++;
		if (bind_term(f, t, type, &lacks, &now) == 0) {
			took++;
			continue;
		}
		/* A wrong kind of field tells more than a missing one. */
		if (!failed || (lacking == failed && !lacks))
			first = now;
		lacking += lacks;
		if (failed++ < NAMED && n < sizeof(list))
			n += snprintf(list + n, sizeof(list) - n, "%s%.64s:%.64s", n ? ", " : "",
				      type->system, type->name);
	}
	if (!named)
		return nothing_named(f, t, e);
	if (!took && failed) {
		*e = first;
		return -1;
	}
	if (failed)
		note_say(f->notes, NOTE_WARN,
			 "filter '%.200s': %u of %u events %s no such field and %s unfiltered: "
			 "%s%s",
			 t->text, failed, looked, failed == 1 ? "has" : "have",
			 failed == 1 ? "passes" : "pass", list, failed > NAMED ? " ..." : "");
	return 0;
}

int filter_compile(struct filter *f, struct catalog *c, struct notes *n, struct err *e)
{
	f->catalog = c;
	f->notes = n;
	free_slots(f);
	for (const struct term *t = f->terms; t; t = t->next)
		TRY(compile_term(f, t, e));
	for (unsigned i = 0; (f->terms || f->takes) && i < catalog_count(c); i++) {
		struct slot *s = slot_of(f, i);

		s->met = true;
		s->refused = !filter_takes_type(f, catalog_at(c, i));
	}
	return 0;
}

/* A type that appeared after filter_compile(). */
static struct slot *meet(struct filter *f, const struct etype *type)
{
	struct slot *s = slot_of(f, type->idx);
	struct err e;
	bool lacks;

	if (s->met)
		return s;
	s->met = true;
	s->refused = !filter_takes_type(f, type);
	for (const struct term *t = f->terms; t; t = t->next)
		if (type->known && term_names(t, type) && bind_term(f, t, type, &lacks, &e) < 0)
			note_say(f->notes, NOTE_WARN,
				 "filter '%.200s': %s:%s has no such field and passes unfiltered",
				 t->text, type->system, type->name);
	return s;
}

/* ---- the answer ---- */

bool filter_takes_type(const struct filter *f, const struct etype *t)
{
	return !f->takes || f->takes(f->takes_arg, t);
}

bool filter_has_cpus(const struct filter *f)
{
	return f->cpus;
}

bool filter_takes_cpu(const struct filter *f, int cpu)
{
	if (!f->cpus)
		return true;
	return cpu >= 0 && cpu < EXPR_CPUS && f->cpus[cpu / 64] >> cpu % 64 & 1;
}

bool filter_takes_instance(const struct filter *f, const char *name)
{
	for (size_t i = 0; i < f->ninstances; i++)
		if (!strcmp(f->instances[i], name))
			return true;
	return !f->ninstances;
}

static bool takes_buffer(struct filter *f, const struct origin *from)
{
	size_t was = f->cap_buffers;

	if (from->buffer >= was) {
		f->buffers = mem_grow(f->buffers, &f->cap_buffers, (size_t)from->buffer + 1, 1);
		memset(f->buffers + was, ASK, f->cap_buffers - was);
	}
	if (f->buffers[from->buffer] == ASK)
		f->buffers[from->buffer] = filter_takes_instance(f, from->instance) ? YES : NO;
	return f->buffers[from->buffer] == YES;
}

/* Pids and names are looked at both: each has been met, or not, by itself. */
static bool takes_task(struct filter *f, const struct event *ev)
{
	bool named = !f->comms || comm_list_takes_task(f->comms, ev->type->machine, ev->pid);
	const int32_t *pid;

	if (!f->npids)
		return named;
	pid = bsearch(&ev->pid, f->pids, f->npids, sizeof(*f->pids), compare_pids);
	if (!pid)
		return false;
	f->met_pids[pid - f->pids] = true;
	return named;
}

/* Does EV lie in the times, CPUs and tasks that are asked for? */
static inline bool is_asked(struct filter *f, const struct event *ev)
{
	if (ev->ts < f->first)
		f->first = ev->ts;
	if (ev->ts > f->last)
		f->last = ev->ts;
	if (ev->ts < f->start || ev->ts > f->end || !filter_takes_cpu(f, ev->cpu))
		return false;
	return (!f->npids && !f->comms) || takes_task(f, ev);
}

bool filter_pass_kind(struct filter *f, const struct event *ev)
{
	const struct slot *s;

	if (f->ninstances && !takes_buffer(f, ev->from))
		return false;
	if (!f->terms && !f->takes)
		return true;
	if (ev->type->idx < f->cap_slots && f->slots[ev->type->idx].met)
		s = &f->slots[ev->type->idx];
	else
		s = meet(f, ev->type);
	if (s->refused)
		return false;
	for (const struct bound *b = s->bound; b; b = b->next)
		if (!expr_test_pass(b->where, ev))
			return false;
	return true;
}

bool filter_pass(struct filter *f, const struct event *ev)
{
	return is_asked(f, ev) && filter_pass_kind(f, ev);
}

bool filter_pid(const struct filter *f, size_t i, int32_t *pid)
{
	if (i >= f->npids)
		return false;
	*pid = f->pids[i];
	return true;
}

bool filter_has_comms(const struct filter *f)
{
	return f->comms;
}

const char *filter_comm(const struct filter *f, size_t i)
{
	return f->comms ? comm_list_at(f->comms, i) : NULL;
}

bool filter_takes_comm(const struct filter *f, const char *name)
{
	return !f->comms || comm_list_takes(f->comms, name);
}

bool filter_met(const struct filter *f, uint64_t *first, uint64_t *last)
{
	*first = f->first;
	*last = f->last;
	return f->first <= f->last;
}

bool filter_unmet_pid(const struct filter *f, size_t *i, int32_t *pid)
{
	while (*i < f->npids) {
		size_t at = (*i)++;

		if (f->met_pids[at])
			continue;
		*pid = f->pids[at];
		return true;
	}
	return false;
}

const char *filter_unmet_comm(const struct filter *f, size_t *i)
{
	return f->comms ? comm_list_unmet(f->comms, i) : NULL;
}

bool filter_has_expr(const struct filter *f)
{
	return f->terms;
}
