/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_object: zed.Event, one event as a mapping of its fields.  It reads the record in place
 * while that is the current one, and a copy of its own afterwards, if somebody still holds it.
 */
#include "interp/python/event_object.h"

#include "interp/python/py_functions.h"
#include "interp/python/module.h"
#include "interp/python/py_type.h"
#include "base/mem.h"
#include "trace/event_sample.h"
#include "trace/machine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct event_object {
	PyObject_HEAD
	struct pyrun *run;	/* a reference */
	const struct event *ev; /* the run's current one, or own */
	struct event own;	/* the copy; what it points to is in mem, or lives as long as run */
	uint8_t *mem;
	size_t cap;
	const char *comm, *cgroup; /* of the copy: at its time; in mem; "": not asked for */
};

static inline struct event_object *object_of(PyObject *self)
{
	return (struct event_object *)self;
}

static inline bool is_copy(const struct event_object *o)
{
	return o->ev == &o->own;
}

/* ---- a copy ---- */

/* Copy LEN bytes of FROM, if any, to *TO, which is advanced.  Returns where they are. */
static void *put(uint8_t **to, const void *from, size_t len)
{
	uint8_t *at = *to;

	if (len)
		memcpy(at, from, len);
	*to += len;
	return at;
}

static void reserve(struct event_object *o, size_t len)
{
	if (len <= o->cap)
		return;
	free(o->mem);
	o->mem = mem_alloc(len);
	o->cap = len;
}

/* The event and what it points to: what needs alignment first, the names of its task last. */
static void keep(struct event_object *o)
{
	const struct event *ev = o->ev;
	const struct event_sample *s = ev->sample;
	struct machine *m = ev->type->machine;
	const char *comm = comms_name(m->comms, ev->pid);
	const char *cgroup = cgroups_are_read(m->cgroups) ? machine_cgroup(m, ev->ts, ev->pid) : "";
	size_t chain = ev->chain ? ev->nchain * sizeof(*ev->chain) : 0;
	size_t count = s && s->count ? sizeof(*s->count) : 0;
	size_t comm_len = strlen(comm) + 1, cgroup_len = strlen(cgroup) + 1;
	struct event_sample *sample;
	uint8_t *to;

	reserve(o,
		(s ? sizeof(*s) + count + s->size : 0) + chain + ev->size + comm_len + cgroup_len);
	to = o->mem;
	o->own = *ev;
	sample = put(&to, s, s ? sizeof(*s) : 0);
	if (count)
		sample->count = put(&to, s->count, count);
	o->own.chain = put(&to, ev->chain, chain);
	if (!chain) {
		o->own.chain = NULL;
		o->own.nchain = 0;
	}
	if (s)
		sample->record = put(&to, s->record, s->size);
	o->own.sample = s ? sample : NULL;
	o->own.data = put(&to, ev->data, ev->size);
	o->comm = put(&to, comm, comm_len);
	o->cgroup = put(&to, cgroup, cgroup_len);
	/* Those are of the current one. */
	o->own.trail = NULL;
	o->own.place = NULL;
	o->ev = &o->own;
}

/* ---- which object is the current event ---- */

/* An object that only R holds, or NULL. */
static struct event_object *take_spare(struct pyrun *r)
{
	for (unsigned i = 0; i < 2; i++) {
		PyObject *spare = r->spare[i];

		if (!spare || Py_REFCNT(spare) != 1)
			continue;
		r->spare[i] = NULL;
		return object_of(spare);
	}
	return NULL;
}

static struct event_object *new_object(struct pyrun *r)
{
	struct event_object *o = PyObject_New(struct event_object, &event_object_type);

	if (!o)
		return NULL;
	memset((char *)o + sizeof(o->ob_base), 0, sizeof(*o) - sizeof(o->ob_base));
	o->run = r;
	pyrun_hold(r);
	return o;
}

PyObject *event_object(struct pyrun *r)
{
	struct event_object *o;

	if (r->event)
		return Py_NewRef(r->event);
	o = take_spare(r);
	if (!o)
		o = new_object(r);
	if (!o)
		return NULL;
	o->ev = r->ev;
	r->event = (PyObject *)o;
	return Py_NewRef(r->event);
}

void event_object_pass(struct pyrun *r)
{
	PyObject *o = r->event, *old;
	unsigned i;

	if (!o)
		return;
	r->event = NULL;
	if (Py_REFCNT(o) > 1)
		keep(object_of(o));
	/*
	 * In a loop the last but one is free when the next is asked for, as the loop's variable
	 * still holds the last: two places are enough.
	 */
	i = r->spare[0] && (!r->spare[1] || Py_REFCNT(r->spare[0]) == 1);
	old = r->spare[i];
	r->spare[i] = o;
	Py_XDECREF(old);
}

void event_object_forget(struct pyrun *r)
{
	event_object_pass(r);
	Py_CLEAR(r->spare[0]);
	Py_CLEAR(r->spare[1]);
}

static void event_dealloc(PyObject *self)
{
	struct event_object *o = object_of(self);

	free(o->mem);
	pyrun_drop(o->run);
	PyObject_Free(self);
}

/* ---- at its time ---- */

/* What was replayed before: the run may deliver stored events itself (--tail). */
struct event_moment {
	const char *comm, *cgroup;
	int32_t comm_pid, cgroup_pid;
};

/*
 * Between these two, names of tasks and cgroups are those of O's time, also if the run has passed
 * it.  -1: another thread waits for events of the run; an exception is set.
 */
static int enter(const struct event_object *o, struct event_moment *was)
{
	const struct event *ev = o->ev;
	struct machine *m = ev->type->machine;

	if (o->run->apart) {
		zed_raise_text(NULL, "another thread waits for events of this trace");
		return -1;
	}
	if (!is_copy(o))
		return 0;
	was->comm = comms_replayed(m->comms, &was->comm_pid);
	was->cgroup = cgroups_replayed(m->cgroups, &was->cgroup_pid);
	comms_replay(m->comms, ev->pid, o->comm);
	cgroups_replay(m->cgroups, ev->pid, *o->cgroup ? o->cgroup : NULL);
	return 0;
}

static void leave(const struct event_object *o, const struct event_moment *was)
{
	struct machine *m = o->ev->type->machine;

	if (!is_copy(o))
		return;
	comms_replay(m->comms, was->comm_pid, was->comm);
	cgroups_replay(m->cgroups, was->cgroup_pid, was->cgroup);
}

/* ---- fields ---- */

static struct py_type *type_of(const struct event_object *o)
{
	return py_type_of(o->run, o->ev->type);
}

/* The name of O's own task or its cgroup, at its time; NULL: it has to be looked up. */
static const char *own_text(const struct event_object *o, const struct py_step *s)
{
	if (!is_copy(o) || s->field)
		return NULL;
	return s->op == PY_COMM ? o->comm : s->op == PY_CGROUP && *o->cgroup ? o->cgroup : NULL;
}

static PyObject *value_of(struct event_object *o, struct py_step *s)
{
	struct pyrun *r = o->run;
	const char *text = own_text(o, s);
	bool task = s->op == PY_COMM || s->op == PY_CGROUP;
	struct event_moment was = { 0 };
	PyObject *value;

	if (text)
		return py_text(text, strlen(text));
	if (task && enter(o, &was) < 0)
		return NULL;
	field_budget_begin(&r->values.budget, o->ev);
	value = py_step_value(&r->values, s, o->ev);
	if (task)
		leave(o, &was);
	return value;
}

static PyObject *event_subscript(PyObject *self, PyObject *key)
{
	struct event_object *o = object_of(self);
	struct py_type *t = type_of(o);
	struct py_step *s = t ? py_type_step(t, key, false) : NULL;

	return s ? value_of(o, s) : NULL;
}

static Py_ssize_t event_length(PyObject *self)
{
	const struct etype *t = object_of(self)->ev->type;

	return t->nfields - t->ncommon;
}

static int event_contains(PyObject *self, PyObject *key)
{
	struct py_type *t = type_of(object_of(self));
	struct py_step *s = t ? py_type_step(t, key, true) : NULL;

	return s ? 1 : PyErr_Occurred() ? -1 : 0;
}

static PyObject *event_get(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	struct event_object *o = object_of(self);
	struct py_type *t = type_of(o);
	struct py_step *s;

	if (n < 1 || n > 2) {
		PyErr_SetString(PyExc_TypeError, "get(name, default=None): 1 or 2 arguments");
		return NULL;
	}
	s = t ? py_type_step(t, args[0], true) : NULL;
	if (s)
		return value_of(o, s);
	if (PyErr_Occurred())
		return NULL;
	return Py_NewRef(n == 2 ? args[1] : Py_None);
}

/* The name of own field number I. */
static PyObject *name_at(const struct py_type *t, unsigned i)
{
	const char *name = py_type_field_name(t, i);

	return py_text(name, strlen(name));
}

PyObject *event_fields_of(struct pyrun *r, const struct event *ev)
{
	struct py_type *t = py_type_of(r, ev->type);
	PyObject *dict = t ? PyDict_New() : NULL;

	field_budget_begin(&r->values.budget, ev);
	for (unsigned i = 0; dict && i < t->nfields; i++) {
		PyObject *name = name_at(t, i);
		PyObject *value = name ? py_step_value(&r->values, &t->steps[i], ev) : NULL;

		if (!value || !PyDict_SetDefault(dict, name, value))
			Py_CLEAR(dict);
		Py_XDECREF(name);
		Py_XDECREF(value);
	}
	return dict;
}

static PyObject *event_keys(PyObject *self, PyObject *unused)
{
	struct py_type *t = type_of(object_of(self));
	PyObject *list = t ? PyList_New(t->nfields) : NULL;

	for (unsigned i = 0; list && i < t->nfields; i++) {
		PyObject *name = name_at(t, i);

		if (name)
			PyList_SET_ITEM(list, i, name);
		else
			Py_CLEAR(list);
	}
	return list;
}

/* All own fields, with one budget. */
static PyObject *event_fields(PyObject *self, PyObject *unused)
{
	struct event_object *o = object_of(self);

	return event_fields_of(o->run, o->ev);
}

static PyObject *event_values(PyObject *self, PyObject *unused)
{
	PyObject *fields = event_fields(self, NULL);
	PyObject *values = fields ? PyDict_Values(fields) : NULL;

	Py_XDECREF(fields);
	return values;
}

static PyObject *event_items(PyObject *self, PyObject *unused)
{
	PyObject *fields = event_fields(self, NULL);
	PyObject *items = fields ? PyDict_Items(fields) : NULL;

	Py_XDECREF(fields);
	return items;
}

static PyObject *event_iter(PyObject *self)
{
	PyObject *keys = event_keys(self, NULL);
	PyObject *iter = keys ? PyObject_GetIter(keys) : NULL;

	Py_XDECREF(keys);
	return iter;
}

static PyObject *event_repr(PyObject *self)
{
	struct event_object *o = object_of(self);
	struct py_type *t = type_of(o);

	if (!t)
		return NULL;
	return PyUnicode_FromFormat("<zed.Event %U ts=%llu cpu=%d pid=%d>", t->name,
				    (unsigned long long)pyrun_ts(o->run, o->ev), o->ev->cpu,
				    (int)o->ev->pid);
}

/* ---- what is known of every event ---- */

static PyObject *get_ts(PyObject *self, void *unused)
{
	struct event_object *o = object_of(self);

	return PyLong_FromUnsignedLongLong(pyrun_ts(o->run, o->ev));
}

static PyObject *get_cpu(PyObject *self, void *unused)
{
	return PyLong_FromLong(object_of(self)->ev->cpu);
}

static PyObject *get_pid(PyObject *self, void *unused)
{
	return PyLong_FromLong(object_of(self)->ev->pid);
}

static PyObject *get_sequence(PyObject *self, void *unused)
{
	return PyLong_FromUnsignedLongLong(object_of(self)->ev->seq);
}

static PyObject *get_name(PyObject *self, void *unused)
{
	struct py_type *t = type_of(object_of(self));

	return t ? Py_NewRef(t->name) : NULL;
}

static PyObject *get_system(PyObject *self, void *unused)
{
	const char *system = object_of(self)->ev->type->system;

	return py_text(system, strlen(system));
}

static PyObject *get_event(PyObject *self, void *unused)
{
	const char *name = object_of(self)->ev->type->name;

	return py_text(name, strlen(name));
}

static PyObject *get_source(PyObject *self, void *unused)
{
	return PyLong_FromUnsignedLong(object_of(self)->ev->from->source);
}

static PyObject *get_instance(PyObject *self, void *unused)
{
	const char *instance = object_of(self)->ev->from->instance;

	return py_text(instance, strlen(instance));
}

static PyObject *get_lost(PyObject *self, void *unused)
{
	const struct event_object *o = object_of(self);
	uint32_t lost = o->ev->lost;

	o->run->lost_seen = true;
	return lost == LOST_UNKNOWN ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(lost);
}

static PyObject *get_comm(PyObject *self, void *unused)
{
	struct event_object *o = object_of(self);
	const char *comm = is_copy(o) ? o->comm :
					comms_name(o->ev->type->machine->comms, o->ev->pid);

	return py_text(comm, strlen(comm));
}

static PyObject *get_cgroup(PyObject *self, void *unused)
{
	struct py_step s = { .op = PY_CGROUP };
	PyObject *value = value_of(object_of(self), &s);

	py_step_fini(&s);
	return value;
}

/* What functions.c makes of the event, at its time. */
static PyObject *made_of(PyObject *self, PyObject *(*make)(struct pyrun *r, const struct event *ev))
{
	struct event_object *o = object_of(self);
	struct event_moment was = { 0 };
	PyObject *made;

	if (enter(o, &was) < 0)
		return NULL;
	made = make(o->run, o->ev);
	leave(o, &was);
	return made;
}

static PyObject *stack_of(struct pyrun *r, const struct event *ev)
{
	return functions_stack(ev, NULL);
}

static PyObject *get_stack(PyObject *self, void *unused)
{
	return made_of(self, stack_of);
}

static PyObject *get_text(PyObject *self, void *unused)
{
	return made_of(self, functions_text);
}

static PyGetSetDef GETSET[] = {
	{ "ts", get_ts, NULL, "time in ns, of the trace's clock (int)", NULL },
	{ "cpu", get_cpu, NULL, "CPU on which it was recorded (int)", NULL },
	{ "pid", get_pid, NULL, "task that was running (int)", NULL },
	{ "comm", get_comm, NULL, "name of that task at that time (str)", NULL },
	{ "cgroup", get_cgroup, NULL, "cgroup of that task at that time, \"?\": unknown (str)",
	  NULL },
	{ "name", get_name, NULL, "\"sched:sched_switch\" (str)", NULL },
	{ "system", get_system, NULL, "\"sched\" (str)", NULL },
	{ "event", get_event, NULL, "\"sched_switch\" (str)", NULL },
	{ "sequence", get_sequence, NULL,
	  "number of the record in its buffer's CPU, from 1, losses counted (int)", NULL },
	{ "source", get_source, NULL, "number of its input, from 0 (int)", NULL },
	{ "instance", get_instance, NULL, "buffer, \"\": the top one (str)", NULL },
	{ "lost", get_lost, NULL,
	  "events lost just before it on its CPU; None: some, their number is unknown", NULL },
	{ "stack", get_stack, NULL, "call chain that came with it (list)", NULL },
	{ "text", get_text, NULL, "its fields as trace-cmd prints them (str)", NULL },
	{ .name = NULL },
};

static PyMethodDef METHODS[] = {
	{ "fields", event_fields, METH_NOARGS,
	  "fields() -> dict: its own fields, in format order" },
	{ "keys", event_keys, METH_NOARGS, "keys() -> list: the names of its own fields" },
	{ "values", event_values, METH_NOARGS, "values() -> list: those of its own fields" },
	{ "items", event_items, METH_NOARGS, "items() -> list of (name, value)" },
	{ "get", (PyCFunction)(void (*)(void))event_get, METH_FASTCALL,
	  "get(name, default=None): the field, or default if the event has none of that name" },
	{ .ml_name = NULL },
};

static PyMappingMethods MAPPING = {
	.mp_length = event_length,
	.mp_subscript = event_subscript,
};

static PySequenceMethods SEQUENCE = {
	.sq_contains = event_contains,
};

PyDoc_STRVAR(DOC,
	     "An event: a mapping of its fields, and what is known of every event.\n\n"
	     "event[\"next_pid\"] is a field, a common_ field, or a pseudo field (ts, cpu, pid,\n"
	     "comm, secs, nsecs, sequence, event, source, instance, cgroup). It may be kept.");

PyTypeObject event_object_type = {
	.ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zed.Event",
	.tp_doc = DOC,
	.tp_basicsize = sizeof(struct event_object),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_MAPPING,
	.tp_dealloc = event_dealloc,
	.tp_repr = event_repr,
	.tp_as_mapping = &MAPPING,
	.tp_as_sequence = &SEQUENCE,
	.tp_iter = event_iter,
	.tp_methods = METHODS,
	.tp_getset = GETSET,
};

int event_object_init(PyObject *module)
{
	return PyModule_AddType(module, &event_object_type) < 0 ?
		       -1 :
		       zed_register(&event_object_type, "Mapping");
}
