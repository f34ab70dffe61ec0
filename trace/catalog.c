// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * catalog: event types with a dense index, from format texts.  A format is parsed only when its
 * type is first needed.
 */
#include "trace/catalog.h"

#include "base/glob.h"
#include "base/mem.h"
#include "trace/comm_event.h"
#include "trace/field.h"
#include "trace/format.h"
#include "trace/lttng_event.h"
#include "trace/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ALL_FIELDS (1u << 19) /* parsed, of one source; 5,000 events have 75,000 */

struct other {
	const char *system, *name;
};

struct catalog {
	struct etype **types;
	struct other *others;
	size_t cap_others;
	unsigned nothers;
	size_t cap;
	unsigned n;
	struct arena arena;
};

struct catalog *catalog_new(void)
{
	return mem_zalloc(sizeof(struct catalog));
}

void catalog_free(struct catalog *c)
{
	if (!c)
		return;
	arena_fini(&c->arena);
	free(c->types);
	free(c->others);
	free(c);
}

void catalog_add_other(struct catalog *c, const char *system, const char *name)
{
	const struct other *last;

	c->others = mem_grow(c->others, &c->cap_others, c->nothers + 1, sizeof(*c->others));
	last = c->nothers ? &c->others[c->nothers - 1] : NULL;
	c->others[c->nothers++] = (struct other){
		.system = last && !strcmp(last->system, system) ?
				  last->system :
				  arena_strndup(&c->arena, system, strlen(system)),
		.name = arena_strndup(&c->arena, name, strlen(name)),
	};
}

const char *catalog_other(const struct catalog *c, unsigned i, const char **system)
{
	if (i >= c->nothers)
		return NULL;
	*system = c->others[i].system;
	return c->others[i].name;
}

/* A type and its demand, which changes; other files see both as const. */
struct catalog_entry {
	struct etype type; /* must be first */
	struct demand demand;
};

static struct demand *demand_of(const struct catalog *c, unsigned idx)
{
	return &((struct catalog_entry *)c->types[idx])->demand;
}

static struct etype *add_type(struct catalog *c, struct machine *s, const char *system,
			      const char *name, size_t name_len, unsigned id)
{
	struct catalog_entry *x = arena_alloc(&c->arena, sizeof(*x));
	struct etype *t = &x->type;

	/* Consecutive types mostly have the same system, and there are thousands of types. */
	if (c->n && !strcmp(c->types[c->n - 1]->system, system))
		t->system = c->types[c->n - 1]->system;
	else
		t->system = arena_strndup(&c->arena, system, strlen(system));
	t->name = arena_strndup(&c->arena, name, name_len);
	t->id = id;
	t->idx = c->n;
	t->machine = s;
	x->demand.asked = WANT_ORDER;
	t->demand = &x->demand;
	t->print = "";
	c->types = mem_grow(c->types, &c->cap, c->n + 1, sizeof(*c->types));
	c->types[c->n++] = t;
	return t;
}

struct etype *catalog_add(struct catalog *c, struct machine *s, const char *system,
			  const char *text, size_t len, struct err *e)
{
	const char *name;
	struct etype *t;
	size_t name_len;
	unsigned id;

	if (format_head(text, len, &name, &name_len, &id, e) < 0)
		return NULL;
	t = add_type(c, s, system, name, name_len, id);
	t->known = true;
	t->format = text;
	t->format_len = len;
	t->comm_event = comm_event_of(t->system, t->name);
	if (!strcmp(t->system, "ftrace"))
		t->stack = !strcmp(t->name, "kernel_stack") ? STACK_KERNEL :
			   !strcmp(t->name, "user_stack")   ? STACK_USER :
							      STACK_NONE;
	if (t->comm_event)
		comms_expect_events(s->comms);
	return t;
}

struct etype *catalog_add_fields(struct catalog *c, struct machine *s, const char *system,
				 const char *name, unsigned id, const struct field *fields,
				 unsigned n, uint32_t fixed)
{
	struct etype *t = add_type(c, s, system, name, strlen(name), id);

	t->fields = fields;
	t->nfields = n;
	t->fixed = fixed;
	t->format = "";
	t->known = true;
	t->resolved = true;
	return t;
}

void catalog_set_lttng(struct catalog *c, struct etype *t, const struct lttng_event *l,
		       unsigned ncommon, const char *print)
{
	t->lttng = l;
	t->ncommon = ncommon;
	t->print = print;
	t->print_len = strlen(print);
	t->comm_event = comm_event_of(t->system, t->name);
	if (!t->comm_event)
		return;
	comms_expect_events(t->machine->comms);
	t->comm_fields = comm_event_fields(t, &c->arena);
}

struct etype *catalog_add_unknown(struct catalog *c, struct machine *s, unsigned id)
{
	char name[24];
	struct etype *t;

	snprintf(name, sizeof(name), "id_%u", id);
	t = add_type(c, s, "unknown", name, strlen(name), id);
	t->resolved = true;
	return t;
}

unsigned catalog_count(const struct catalog *c)
{
	return c->n;
}

const struct etype *catalog_at(const struct catalog *c, unsigned idx)
{
	return c->types[idx];
}

void catalog_want(struct catalog *c, const uint8_t *want)
{
	for (unsigned i = 0; i < c->n; i++)
		demand_of(c, i)->asked = want ? want[i] : WANT_ORDER;
	catalog_see_names(c);
}

bool catalog_wants_beyond(const struct catalog *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (demand_of(c, i)->asked == WANT_BEYOND)
			return true;
	return false;
}

void catalog_see_names(struct catalog *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct demand *d = demand_of(c, i);
		const struct etype *t = c->types[i];
		/* Task names are read in order, also before a time window. */
		bool names = t->comm_event && comms_needs(t->machine->comms, t->comm_event);

		d->skip = d->asked == WANT_NO && !names;
		d->early = d->asked == WANT_EARLY && !names;
		d->beyond = d->asked == WANT_BEYOND || names;
	}
}

static bool is_matched(const char *system, const char *name, const char *system_glob,
		       const char *name_glob)
{
	return glob_match(system_glob, system) && glob_match(name_glob, name);
}

bool etype_matches(const struct etype *t, const char *system, const char *name)
{
	return is_matched(t->system, t->name, system, name) ||
	       (t->lttng && is_matched(LTTNG_SYSTEM, t->lttng->name, system, name));
}

bool etype_matches_perl(const struct etype *t, const char *system, const char *name)
{
	return (glob_match_perl(system, t->system, true) &&
		glob_match_perl(name, t->name, false)) ||
	       (t->lttng && is_matched(LTTNG_SYSTEM, t->lttng->name, system, name));
}

int etype_compare(const struct etype *a, const struct etype *b)
{
	int c = strcmp(a->system, b->system);

	return c ? c : strcmp(a->name, b->name);
}

int etype_order(const void *a, const void *b)
{
	return etype_compare(*(const struct etype *const *)a, *(const struct etype *const *)b);
}

int etype_resolve(struct catalog *c, const struct etype *t, struct err *e)
{
	struct etype *mine = c->types[t->idx];
	int rc;

	if (mine->resolved)
		return 0;
	if (mine->machine->nfields > MAX_ALL_FIELDS)
		rc = err_set(e, ERR_FORMAT, ERR_NO_OFF,
			     "the formats of one trace have over %u "
			     "fields: that of %s:%s is left out",
			     MAX_ALL_FIELDS, mine->system, mine->name);
	else
		rc = format_parse(mine, &c->arena, mine->machine->swap, mine->machine->long_size,
				  e);
	mine->machine->nfields += mine->nfields;
	mine->resolved = true;
	if (rc < 0)
		mine->known = false;
	else if (mine->comm_event)
		mine->comm_fields = comm_event_fields(mine, &c->arena);
	return rc;
}

const struct etype *catalog_find(const struct catalog *c, const char *system, const char *name,
				 unsigned from)
{
	for (unsigned i = from; i < c->n; i++)
		if (!strcmp(c->types[i]->name, name) && !strcmp(c->types[i]->system, system))
			return c->types[i];
	return NULL;
}

/* ---- a source's ids ---- */

#define IDS 65536 /* of 16 bits; a kernel uses the lowest few thousand */

void idmap_init(struct idmap *m, struct catalog *c, struct machine *s, struct notes *n)
{
	m->catalog = c;
	m->machine = s;
	m->notes = n;
	m->types = mem_map(IDS * sizeof(*m->types));
	m->type_off = 0;
	m->pid_off = 4;
}

void idmap_fini(struct idmap *m)
{
	mem_unmap(m->types, IDS * sizeof(*m->types));
	m->types = NULL;
}

void idmap_add(struct idmap *m, const struct etype *t)
{
	/* A type used before its format arrived (live) is known from now on. */
	if (t->id < IDS && (!m->types[t->id] || (!m->types[t->id]->known && t->known)))
		m->types[t->id] = t;
}

/* A bad format costs only its own events. */
static void note_format(struct idmap *m, struct err *e)
{
	if (m->machine->path)
		err_path(e, m->machine->path);
	note_err(m->notes, NOTE_DAMAGE, e);
}

void idmap_common(struct idmap *m)
{
	struct err e;

	for (unsigned id = 0; id < IDS; id++) {
		const struct etype *t = m->types[id];
		const struct field *f;

		if (!t)
			continue;
		if (etype_resolve(m->catalog, t, &e) < 0) {
			note_format(m, &e);
			continue;
		}
		f = field_find(t, "common_type");
		if (!f || f->loc != FIELD_AT || f->size != 2)
			continue;
		m->type_off = f->off;
		f = field_find(t, "common_pid");
		m->pid_off = f && f->loc == FIELD_AT && f->size == 4 ? f->off : UINT32_MAX;
		return;
	}
}

bool idmap_knows(const struct idmap *m, unsigned id)
{
	return m->types[id] && m->types[id]->known;
}

const struct etype *idmap_meet(struct idmap *m, unsigned id)
{
	const struct etype *t = m->types[id];
	struct err e;

	if (!t) {
		t = catalog_add_unknown(m->catalog, m->machine, id);
		m->types[id] = t;
		/* If the formats of a whole system are missing, one line is enough. */
		note_say(m->notes, m->missing ? NOTE_INFO : NOTE_WARN,
			 "%s: has records of event id %u but no format of it%s",
			 m->machine->path ? m->machine->path : "the trace", id,
			 m->missing ? "" : " (others: see -v)");
		m->missing++;
	} else if (etype_resolve(m->catalog, t, &e) < 0) {
		note_format(m, &e);
	}
	return t;
}
