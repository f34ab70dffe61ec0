/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BATCHES_H
#define ZED_INTERP_PYTHON_BATCHES_H

#include "interp/python/base/python_inc.h"

/*
 * trace.batches(NAMES, events=None, rows=65536): an iterator of dicts, name -> column: a Column,
 * which has the buffer protocol (int64, uint64, int32, uint32, ..., float64, as wide and signed as
 * the field), or, for what is not a number, a list.
 */
int batches_init(PyObject *module);

#endif
