// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map: a stable event on one raw type of a trace: whether the type is its source, where its fields
 * come from, and the event for each record.
 */
#include "stable/map.h"

#include "expr/test.h"
#include "trace/lttng_event.h"
#include "trace/machine.h"
#include "stable/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The raw type SYSTEM:NAME of machine S, or NULL. */
static const struct etype *type_of(const struct catalog *c, const struct machine *s,
				   const char *system, const char *name, bool stable)
{
	const struct etype *t = catalog_find(c, system, name, 0);

	while (t && (t->machine != s || !t->known || t->stable != stable))
		t = catalog_find(c, system, name, t->idx + 1);
	return t;
}

bool stable_is_shadowed(const struct stable_event *ev, const struct catalog *c,
			const struct machine *s)
{
	return type_of(c, s, ev->system, ev->name, false);
}

/*
 * Is T the raw event R?  LTTng has an event for each system call, where the kernel has one for all.
 * By name: a reloaded module has a new number for its event.
 */
static bool is_raw(const struct etype *t, const struct stable_raw *r)
{
	static const char *const CALLS[] = {
		[LTTNG_ENTER] = "sys_enter", [LTTNG_EXIT] = "sys_exit"
	};

	if (!strcmp(r->name, t->name) && !strcmp(r->system, t->system))
		return true;
	return t->lttng && t->lttng->call != LTTNG_NO_CALL && !strcmp(r->system, "raw_syscalls") &&
	       !strcmp(r->name, CALLS[t->lttng->call]);
}

/* One of the types of machine S that are R, or NULL. */
static const struct etype *type_for(const struct catalog *c, const struct machine *s,
				    const struct stable_raw *r)
{
	const struct etype *t = type_of(c, s, r->system, r->name, false);

	if (strcmp(r->system, "raw_syscalls") != 0)
		return t;
	for (unsigned i = 0; i < catalog_count(c) && !t; i++) {
		const struct etype *other = catalog_at(c, i);

		if (other->machine == s && other->known && !other->stable && is_raw(other, r))
			t = other;
	}
	return t;
}

/* The first alternative of F that the source of S describes, or NULL. */
static const struct etype *taken_by(const struct stable_from *f, const struct catalog *c,
				    const struct machine *s)
{
	const struct etype *t = NULL;

	for (unsigned i = 0; i < f->n && !t; i++)
		t = type_for(c, s, &f->alts[i]);
	return t;
}

static bool names(const struct stable_from *f, const struct etype *t)
{
	for (unsigned i = 0; i < f->n; i++)
		if (is_raw(t, &f->alts[i]))
			return true;
	return false;
}

/* Is T, which F names, its first alternative that T's source describes? */
static bool is_first(const struct stable_from *f, const struct catalog *c, const struct etype *t)
{
	for (unsigned i = 0; i < f->n; i++) {
		if (is_raw(t, &f->alts[i]))
			return true;
		if (type_for(c, t->machine, &f->alts[i]))
			return false;
	}
	return false;
}

int stable_takes(const struct stable_event *ev, const struct catalog *c, const struct etype *t)
{
	if (t->stable || !t->known)
		return -1;
	for (unsigned i = 0; i < ev->nfrom; i++)
		if (names(&ev->from[i], t) && is_first(&ev->from[i], c, t))
			return stable_is_shadowed(ev, c, t->machine) ? -1 : (int)i;
	return -1;
}

/* The description for this trace: the event's, with fields that have no source made absent. */
static int describe(struct stable_map *m, struct err *e)
{
	const struct desc *full = &m->ev->desc;
	const struct stable_step *s = m->steps, *end = s + m->nsteps;
	int rc = 0;

	for (unsigned i = 0; i < full->n && rc >= 0; i++) {
		size_t size = desc_text(full, i, NULL, 0) + sizeof("absent: ;");
		char *line = mem_alloc(size);

		/* Steps are in the order of the items. */
		if (s < end && s->item == i) {
			desc_text(full, i, line, size);
			s++;
		} else {
			snprintf(line, size, "absent:%s %s;", full->items[i].type,
				 full->items[i].name);
		}
		rc = desc_add(&m->desc, line, strlen(line), i + 1, NULL, e);
		free(line);
	}
	return rc < 0 ? -1 : desc_finish(&m->desc, e);
}

/* Nearly all fields are numbers in this machine's byte order or arrays of char. */
static void shorten(struct stable_step *s)
{
	const struct num *n = s->nums;
	const struct field *f = s->field;

	if (s->op == STEP_NUM && s->nnums == 1 && n->op == NUM_RAW && n->times == 1 && !n->plus &&
	    !n->swap && n->size == s->size && s->bits == 8 * s->size) {
		s->op = STEP_COPY;
		s->at = n->off;
	} else if (s->op == STEP_STR && s->str == STR_FIELD && !s->dynamic && f->loc == FIELD_AT &&
		   f->size <= s->count) {
		s->op = STEP_CHARS;
		s->at = f->off;
		s->len = f->size;
	}
}

/* Where each step writes, and into how many bits. */
static void lay_out(struct stable_map *m)
{
	bool varies = false;
	size_t tail = 0; /* of texts that are the same in each record */

	for (struct stable_step *s = m->steps; s < m->steps + m->nsteps; s++) {
		const struct desc_item *it = &m->desc.items[s->item];
		const struct field *f = &m->desc.fields[s->item];

		s->off = f->off;
		s->size = f->elem;
		s->bits = it->size;
		s->count = it->count;
		s->is_signed = it->is_signed;
		s->dynamic = it->kind == DESC_DYNAMIC;
		if (s->dynamic && s->op == STEP_STR && s->str == STR_CONST)
			tail += s->len + 1;
		else
			varies |= s->dynamic;
		shorten(s);
	}
	m->buf = mem_zalloc(m->desc.fixed + (varies ? STEP_TAIL : tail));
}

/* Kernels drop fields: if one of several alternatives lacks one, its records are not filtered. */
static int bind_where(struct stable_map *m, const struct stable_from *from, struct err *e)
{
	static const struct expr_names names = { .scope = PSEUDO_COMMON };
	const char *expr = from->where;
	bool lacks;

	if (!expr)
		return 0;
	m->where = expr_test_new(expr, m->raw, &names, &lacks, e);
	if (m->where || (lacks && from->n > 1))
		return 0;
	/* The expression and its caret are on further lines. */
	e->msg[strcspn(e->msg, "\n")] = '\0';
	return err_within(e, "its where '%s'", expr);
}

/* Fields that are the same in each record. */
static void write_constants(struct stable_map *m)
{
	static const struct event none;

	m->tail = m->desc.fixed;
	for (unsigned i = 0; i < m->nsteps; i++)
		if (m->steps[i].constant)
			step_run(m, &m->steps[i], &none);
	m->constants = m->tail;
}

static void drop_constants(struct stable_map *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->nsteps; i++)
		if (!m->steps[i].constant)
			m->steps[n++] = m->steps[i];
	m->nsteps = n;
}

static void make_type(struct stable_map *m)
{
	m->type = (struct etype){
		.system = m->ev->system,
		.name = m->ev->name,
		.fields = m->desc.fields,
		.nfields = m->desc.n,
		.fixed = m->desc.fixed,
		.idx = m->raw->idx,
		.id = m->raw->id,
		.machine = m->raw->machine,
		.known = true,
		.resolved = true,
		.stable = true,
		.lttng = m->raw->lttng,
		.format = "",
		.print = "",
	};
	m->out.type = &m->type;
}

/*
 * Find the sources of M's event in its raw type, by "from" line FROM.  -1 with E: one is missing.
 */
static int resolve(struct stable_map *m, struct catalog *c, unsigned from, struct err *e)
{
	if (etype_resolve(c, m->raw, e) < 0 || !m->raw->known)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "the format of %s:%s is damaged",
			       m->raw->system, m->raw->name);
	TRY(stablebind(m, e));
	return bind_where(m, &m->ev->from[from], e);
}

static void fini(struct stable_map *m)
{
	expr_test_free(m->where);
	desc_fini(&m->desc);
	arena_fini(&m->arena);
	free(m->buf);
}

struct stable_map *stable_map_new(const struct stable_event *ev, struct catalog *c, unsigned from,
				  const struct etype *t, struct notes *n, struct err *e)
{
	struct stable_map *m = mem_zalloc(sizeof(*m));

	m->ev = ev;
	m->raw = t;
	m->notes = n;
	if (resolve(m, c, from, e) < 0 || describe(m, e) < 0) {
		e->kind = ERR_USAGE;
		stable_map_free(m);
		return NULL;
	}
	lay_out(m);
	write_constants(m);
	drop_constants(m);
	make_type(m);
	return m;
}

void stable_map_free(struct stable_map *m)
{
	if (!m)
		return;
	fini(m);
	free(m);
}

const struct etype *stable_map_type(const struct stable_map *m)
{
	return &m->type;
}

const struct event *stable_map_event(struct stable_map *m, const struct event *raw)
{
	struct event *out = &m->out;

	if (m->where && !expr_test_pass(m->where, raw))
		return NULL;
	m->tail = m->constants;
	for (struct stable_step *s = m->steps, *end = s + m->nsteps; s < end; s++)
		step_run(m, s, raw);
	*out = *raw;
	out->type = &m->type;
	out->data = m->buf;
	out->size = m->tail;
	return out;
}

bool stable_map_has_names(const struct stable_map *m)
{
	for (unsigned i = 0; i < m->nsteps; i++)
		if (m->steps[i].op == STEP_STR && m->steps[i].str == STR_COMM)
			return true;
	return m->where && m->where->has_names;
}

const char *stable_map_source(const struct stable_map *m, unsigned i)
{
	return m->sources[i];
}

static bool named_before(const struct stable_event *ev, unsigned line, const struct stable_raw *r)
{
	for (unsigned i = 0; i < line; i++)
		for (unsigned j = 0; j < ev->from[i].n; j++)
			if (!strcmp(ev->from[i].alts[j].name, r->name) &&
			    !strcmp(ev->from[i].alts[j].system, r->system))
				return true;
	return false;
}

/* "the trace has no event a:b, c:d (record it: zedtrace a:b)" */
static void say_none(const struct stable_event *ev, char *buf, size_t size)
{
	const struct stable_raw *first = &ev->from[0].alts[0];
	size_t n = snprintf(buf, size, "the trace has no event");
	const char *before = " ";

	for (unsigned i = 0; i < ev->nfrom; i++)
		for (unsigned j = 0; j < ev->from[i].n && n < size; j++) {
			const struct stable_raw *r = &ev->from[i].alts[j];

			if (named_before(ev, i, r))
				continue;
			n += snprintf(buf + n, size - n, "%s%s:%s", before, r->system, r->name);
			before = " or ";
		}
	if (n < size && ev->gone)
		snprintf(buf + n, size - n, ": %s", ev->gone);
	else if (n < size)
		snprintf(buf + n, size - n, " (record it: zedtrace %s:%s)", first->system,
			 first->name);
}

bool stable_available(const struct stable_event *ev, struct catalog *c, const struct machine *s,
		      char *buf, size_t size)
{
	bool said = false;
	struct err e;

	if (size)
		buf[0] = '\0';
	if (stable_is_shadowed(ev, c, s)) {
		snprintf(buf, size, "the trace has a raw event %s:%s of its own, which wins",
			 ev->system, ev->name);
		return false;
	}
	if (type_of(c, s, ev->system, ev->name, true))
		return true;
	for (unsigned i = 0; i < ev->nfrom; i++) {
		const struct etype *t = taken_by(&ev->from[i], c, s);
		struct stable_map m = { .ev = ev, .raw = t };
		int rc;

		if (!t)
			continue;
		/* Resolving is enough: nothing is laid out or written. */
		rc = resolve(&m, c, i, &e);
		fini(&m);
		if (rc == 0) {
			if (size)
				buf[0] = '\0';
			return true;
		}
		if (!said)
			snprintf(buf, size, "%s", e.msg);
		said = true;
	}
	if (!said)
		say_none(ev, buf, size);
	return false;
}
