// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handlers: the registry: what trace.on() and the script have, which types that concerns, and which
 * types are needed.
 */
#include "interp/python/handlers.h"

#include "interp/python/py_answers.h"
#include "interp/python/py_convention.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const struct named_words PY_WORDS = { "zed.on", "None", "zed.events()" };

struct py_handlers *handlers_of(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	if (h)
		return h;
	r->handlers = h = mem_zalloc(sizeof(*h));
	h->names.base = &r->values.base;
	deliver_init(&h->d);
	return h;
}

static void handler_free(struct py_handler *it)
{
	PyObject *function = it->function;

	named_free(it->named);
	free(it);
	/* A destructor of an object in the closure may run. */
	Py_XDECREF(function);
}

static void drop_functions(struct py_handlers *h)
{
	while (h->nstable)
		Py_DECREF(h->stable[--h->nstable].function);
	Py_CLEAR(h->unhandled);
	Py_CLEAR(h->lost);
	Py_CLEAR(h->interval);
	Py_CLEAR(h->process);
}

void handlers_end(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;
	struct py_binding **bound = h->bound;
	unsigned n = h->nbound;

	h->bound = NULL;
	h->nbound = 0;
	h->d.calling = NULL;
	for (unsigned i = 0; i < n; i++)
		py_bindings_free(r, bound[i]);
	free(bound);
	drop_functions(h);
}

void handlers_free(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	if (!h)
		return;
	handlers_end(r);
	r->handlers = NULL;
	while (h->n)
		handler_free(h->on[--h->n]);
	script_functions_fini(&h->script);
	deliver_fini(&h->d);
	free(h->stable);
	free(h->want);
	free(h->on);
	free(h->told);
	free(h);
}

int handlers_traverse(struct pyrun *r, visitproc visit, void *arg)
{
	struct py_handlers *h = r->handlers;

	if (!h)
		return 0;
	for (size_t i = 0; i < h->n; i++)
		Py_VISIT(h->on[i]->function);
	Py_VISIT(h->script.module);
	return deliver_traverse(&h->d, visit, arg);
}

/* ---------------------------------------------------------------- bindings */

/* Make room for COUNT types. */
static void grow(struct py_handlers *h, unsigned count)
{
	if (count <= h->nbound)
		return;
	h->bound = mem_realloc(h->bound, count * sizeof(*h->bound));
	memset(h->bound + h->nbound, 0, (count - h->nbound) * sizeof(*h->bound));
	h->want = mem_realloc(h->want, count);
	memset(h->want + h->nbound, 0, count - h->nbound);
	h->nbound = count;
}

static PyObject *own(const struct py_handlers *h, const char *name)
{
	return Py_XNewRef(script_function(&h->script, name));
}

static void find_stable(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	for (unsigned i = 0; r->stable && i < stable_count(r->stable); i++) {
		const struct stable_event *ev = stable_at(r->stable, i);
		PyObject *f = script_function_of_stable(&h->script, ev);

		if (!f)
			continue;
		h->stable = mem_grow(h->stable, &h->cap_stable, h->nstable + 1, sizeof(*h->stable));
		h->stable[h->nstable++] = (struct py_stable_function){ ev, Py_NewRef(f) };
	}
}

static void find_functions(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	drop_functions(h);
	if (!h->script.module)
		return;
	h->other = h->convention && h->convention->is_chosen(r);
	h->unhandled = own(h, "trace_unhandled");
	h->lost = own(h, "trace_lost");
	h->interval = own(h, "trace_interval");
	if (h->other)
		h->process = own(h, "process_event");
	find_stable(r);
}

/* No type is bound to these any more. */
static void free_dead(struct py_handlers *h)
{
	size_t i = 0;

	while (i < h->n) {
		struct py_handler *it = h->on[i];

		if (!it->named->gone) {
			i++;
			continue;
		}
		memmove(h->on + i, h->on + i + 1, (--h->n - i) * sizeof(*h->on));
		handler_free(it);
	}
}

/* Handlers were added or removed: mark their types in LOOK (NULL: all are bound anyway). */
static void look_at(struct pyrun *r, uint8_t *look)
{
	struct py_handlers *h = r->handlers;
	struct catalog *c = r->pump->catalog;
	unsigned from;

	for (size_t k = 0; k < h->n; k++) {
		struct named *n = h->on[k]->named;

		if (!n->dead && n->bound)
			continue;
		n->bound = true;
		if (!n->dead && n->late)
			named_check_late(n, c, r->stable, r->notes);
		n->gone = n->dead;
		for (unsigned i = 0; look && i < h->nbound; i++)
			look[i] |= named_matches(n, c, catalog_at(c, i), &from) != NAMED_NO;
	}
}

/* From the next event on they come with their stacks. */
static void want_stacks(struct pyrun *r)
{
	if (r->handlers->stacks || !handlers_ask_stack(r))
		return;
	r->handlers->stacks = true;
	pyrun_stacks(r);
}

int handlers_start(struct pyrun *r)
{
	struct py_handlers *h = handlers_of(r);
	struct catalog *c = r->pump->catalog;

	find_functions(r);
	want_stacks(r);
	grow(h, catalog_count(c));
	look_at(r, NULL);
	for (unsigned i = 0; i < h->nbound; i++)
		py_bind(r, catalog_at(c, i));
	free_dead(h);
	return PyErr_Occurred() ? -1 : 0;
}

int handlers_update(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;
	struct catalog *c = r->pump->catalog;
	uint8_t *look = mem_zalloc(h->nbound + 1);
	bool changed = false;

	want_stacks(r);
	look_at(r, look);
	for (unsigned i = 0; i < h->nbound; i++)
		if (look[i])
			changed |= py_bind(r, catalog_at(c, i));
	free(look);
	free_dead(h);
	if (changed)
		handlers_want(r);
	return PyErr_Occurred() ? -1 : 0;
}

int handlers_grow(struct pyrun *r, const struct etype *t)
{
	struct py_handlers *h = r->handlers;
	struct catalog *c = r->pump->catalog;
	unsigned from = h->nbound;

	(void)t;
	grow(h, catalog_count(c));
	for (unsigned i = from; i < h->nbound; i++)
		py_bind(r, catalog_at(c, i));
	handlers_want(r);
	return PyErr_Occurred() ? -1 : 0;
}

/* ---------------------------------------------------------------- what is needed */

bool handlers_call(struct pyrun *r)
{
	const struct py_handlers *h = r->handlers;

	if (h->unhandled || h->lost || h->process || h->d.interval.every || h->d.timers.n)
		return true;
	for (unsigned i = 0; i < h->nbound; i++)
		if (h->bound[i])
			return true;
	return false;
}

/* Is one of these for events that were not chosen, too? */
static enum wanted want_of(const struct py_binding *b)
{
	for (; b; b = b->next)
		if (b->handler && b->handler->named->follows)
			return WANT_BEYOND;
	return WANT_ORDER;
}

void handlers_want(struct pyrun *r)
{
	struct py_handlers *h = r->handlers;

	h->follows = false;
	for (unsigned i = 0; i < h->nbound; i++) {
		h->want[i] = h->bound[i] ? want_of(h->bound[i]) : WANT_NO;
		h->follows |= h->want[i] == WANT_BEYOND;
	}
	answers_want(r, h->want, h->nbound, !handlers_call(r));
	pyrun_want(r, h->want);
}
