/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_SYNTHETIC_PYTHON_H
#define ZED_INTERP_PYTHON_SYNTHETIC_PYTHON_H

#include "interp/python/pyrun.h"

/*
 * trace.synthetic(): an event made from two (run/synthetic); a zed.Synthetic, with how often it
 * came, and which starts still wait.
 */
PyObject *synthetic_python_new(PyObject *trace, PyObject *args, PyObject *kwargs);

/* Prepare the type, and add it to MODULE.  -1: an exception is set. */
int synthetic_python_init(PyObject *module);

#endif
