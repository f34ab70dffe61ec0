// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_bindings: the list of what is called for one event type, in order, and the call of one of
 * them.
 */
#include "interp/python/handlers.h"

#include "interp/python/event_object.h"
#include "interp/python/py_convention.h"
#include "base/mem.h"

#include <stdlib.h>

void py_bindings_free(struct pyrun *r, struct py_binding *b)
{
	while (b) {
		struct py_binding *next = b->next;

		py_call_free(b->call);
		expr_test_free(b->where);
		/* Somebody may hold an Event of its type. */
		if (b->map)
			pyrun_retire(r, b->map);
		Py_DECREF(b->function);
		free(b);
		b = next;
	}
}

/* The list of T's bindings being made; the previous ones are used again if they still fit. */
struct type_slot {
	struct pyrun *r;
	struct py_handlers *h;
	const struct etype *t;
	struct py_binding *old, *list, **tail;
	bool changed;
};

/* Append the binding of that kind and function: the existing one, or a new one. */
static struct py_binding *slot_add(struct type_slot *s, enum py_kind kind, PyObject *function,
				   struct py_handler *handler)
{
	struct py_binding **at = &s->old, *it;

	while (*at &&
	       ((*at)->kind != kind || (*at)->function != function || (*at)->handler != handler))
		at = &(*at)->next;
	it = *at;
	if (it) {
		/* One that preceded it was removed, or follows it now. */
		s->changed |= at != &s->old;
		*at = it->next;
	} else {
		it = mem_zalloc(sizeof(*it));
		it->kind = kind;
		it->function = Py_NewRef(function);
		it->handler = handler;
		it->type = s->t;
		s->changed = true;
	}
	it->next = NULL;
	*s->tail = it;
	s->tail = &it->next;
	return it;
}

/* Let IT see stable event EV in place of the raw one.  False: EV cannot be made from this type. */
static bool slot_map(struct type_slot *s, struct py_binding *it, const struct stable_event *ev,
		     unsigned from)
{
	struct err e;

	if (it->map)
		return true;
	it->map = stable_map_new(ev, s->r->pump->catalog, from, s->t, s->r->notes, &e);
	if (!it->map)
		return false;
	it->stable = ev;
	it->type = stable_map_type(it->map);
	return true;
}

/* Remove the binding added last; AT pointed to it. */
static void slot_drop(struct type_slot *s, struct py_binding **at)
{
	py_bindings_free(s->r, *at);
	*at = NULL;
	s->tail = at;
}

/* A function that trace.on() has as well is not called twice. */
static bool is_handler(const struct py_handlers *h, const PyObject *function)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->on[i]->function == function && !h->on[i]->named->dead)
			return true;
	return false;
}

static void say_unsaid(struct type_slot *s)
{
	char name[PY_EVENT_NAME];

	if (s->h->said)
		return;
	s->h->said = true;
	py_event_name(s->t->system, s->t->name, name, sizeof(name));
	note_say(
		s->r->notes, NOTE_WARN,
		"def %s is not called: %s is not a system of Linux, so events of it call functions "
		"only if the script says so: @zed.on(\"%s:%s\"), or zed.handlers(\"%s\")",
		name, s->t->system, s->t->system, s->t->name, s->t->system);
}

static void slot_function(struct type_slot *s)
{
	bool unsaid;
	PyObject *f = script_function_of(&s->h->script, s->t, &unsaid);

	if (f && !is_handler(s->h, f))
		slot_add(s, PY_FUNCTION, f, NULL);
	else if (unsaid)
		say_unsaid(s);
}

static void slot_stable(struct type_slot *s)
{
	for (size_t i = 0; i < s->h->nstable; i++) {
		const struct stable_event *ev = s->h->stable[i].event;
		int from = stable_takes(ev, s->r->pump->catalog, s->t);
		struct py_binding **at = s->tail, *it;

		if (from < 0 || is_handler(s->h, s->h->stable[i].function))
			continue;
		it = slot_add(s, PY_STABLE, s->h->stable[i].function, NULL);
		if (!slot_map(s, it, ev, from))
			slot_drop(s, at);
	}
}

/* Handler H is for this type, but its filter, if it has one, may not bind. */
static void slot_named(struct type_slot *s, struct py_handler *handler)
{
	const struct named *h = handler->named;
	struct py_binding **at = s->tail, *it;
	enum named_match match;
	unsigned from = 0;
	struct err e;
	bool lacks;

	match = h->dead ? NAMED_NO : named_matches(h, s->r->pump->catalog, s->t, &from);
	if (match == NAMED_NO)
		return;
	it = slot_add(s, PY_NAMED, handler->function, handler);
	if (match == NAMED_STABLE && !slot_map(s, it, h->stable, from)) {
		slot_drop(s, at);
		return;
	}
	if (!h->where || it->where)
		return;
	/* A damaged format has no fields; that is reported when a record of the type is met. */
	if (match == NAMED_RAW)
		etype_resolve(s->r->pump->catalog, s->t, &e);
	it->where = expr_test_bind(h->expr, it->type, &s->h->names, &lacks, &e);
	if (!it->where)
		slot_drop(s, at);
}

/* In another convention some events call neither of these. */
static bool accepts(struct type_slot *s, enum py_kind kind)
{
	struct err e;

	if (!s->h->other)
		return true;
	etype_resolve(s->r->pump->catalog, s->t, &e);
	return s->h->convention->accepts(s->t, kind, s->list != NULL);
}

bool py_bind(struct pyrun *r, const struct etype *t)
{
	struct py_handlers *h = r->handlers;
	struct type_slot s = { .r = r, .h = h, .t = t, .old = h->bound[t->idx] };

	s.tail = &s.list;
	if (h->script.module)
		slot_function(&s);
	slot_stable(&s);
	for (size_t i = 0; i < h->n; i++)
		slot_named(&s, h->on[i]);
	if (!s.list && h->unhandled && accepts(&s, PY_UNHANDLED))
		slot_add(&s, PY_UNHANDLED, h->unhandled, NULL);
	if (h->process && accepts(&s, PY_PROCESS))
		slot_add(&s, PY_PROCESS, h->process, NULL);
	s.changed |= s.old != NULL;
	h->bound[t->idx] = s.list;
	/* Last: destructors of objects in closures may run. */
	py_bindings_free(r, s.old);
	return s.changed;
}

/* ---------------------------------------------------------------- a call */

static struct py_call *call_new(struct pyrun *r, const struct py_binding *b)
{
	if (b->kind == PY_NAMED)
		return py_call_named(r, b->type, b->function);
	if (r->handlers->other && b->kind != PY_STABLE)
		return r->handlers->convention->call_new(r, b->type, b->function, b->kind);
	if (b->kind == PY_UNHANDLED)
		return py_call_unhandled(r, b->type, b->function);
	return py_call_placed(r, b->type, b->function);
}

int py_binding_plan(struct pyrun *r, struct py_binding *b)
{
	b->call = call_new(r, b);
	return b->call ? 0 : -1;
}

/* A stable event is the current one while its function runs. */
PyObject *py_binding_call_stable(struct pyrun *r, struct py_binding *b, const struct event *ev)
{
	const struct event *raw = r->ev;
	PyObject *result;

	event_object_pass(r);
	r->ev = ev;
	result = b->call->make(b->call, r, ev);
	event_object_pass(r);
	r->ev = raw;
	return result;
}
