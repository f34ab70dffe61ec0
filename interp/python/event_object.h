/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_EVENT_OBJECT_H
#define ZED_INTERP_PYTHON_EVENT_OBJECT_H

#include "interp/python/pyrun.h"

/*
 * zed.Event: one event.  It reads the record where the reader has it as long as the event is the
 * current one; if somebody still holds it when the next one is asked for, it gets a copy.  Objects
 * without other references are reused, so iterating allocates nothing.
 */
extern PyTypeObject event_object_type;

/* The Event of R's current event (r->ev): a new reference.  NULL: an exception is set. */
PyObject *event_object(struct pyrun *r);

/* The own fields of EV, an event of R's, in format order: a new dict. */
PyObject *event_fields_of(struct pyrun *r, const struct event *ev);

/* For pyrun.c: R's event is about to go.  The second: and its objects are not used again. */
void event_object_pass(struct pyrun *r);
void event_object_forget(struct pyrun *r);

/* Prepare the type.  -1: an exception is set. */
int event_object_init(PyObject *module);

#endif
