// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reads: what a function reads of its parameters, by the code of reads.py.
 */
#include "interp/python/perf/reads.h"

#include "interp/python/perf/modules.h"

/* The function reads of reads.py, borrowed from what is kept of it; NULL: an exception is set. */
static PyObject *looker(void)
{
	static PyObject *space;

	if (!space)
		space = perf_run_text("perf/reads.py", NULL);
	return space ? PyDict_GetItemString(space, "reads") : NULL;
}

int perf_reads_init(void)
{
	return looker() ? 0 : -1;
}

/* Put what FOUND, a set of numbers, has into READ. */
static int take(PyObject *found, unsigned n, bool *read)
{
	for (unsigned i = 0; i < n; i++) {
		PyObject *number = PyLong_FromUnsignedLong(i);
		int has = number ? PySet_Contains(found, number) : -1;

		Py_XDECREF(number);
		if (has < 0)
			return -1;
		read[i] = has;
	}
	return 0;
}

int perf_reads(PyObject *function, unsigned n, bool *read)
{
	PyObject *reads, *found;
	int rc = 0;

	for (unsigned i = 0; i < n; i++)
		read[i] = true;
	if (!PyFunction_Check(function))
		return 0;
	reads = looker();
	found = reads ? PyObject_CallOneArg(reads, PyFunction_GetCode(function)) : NULL;
	if (!found)
		return -1;
	if (found != Py_None)
		rc = take(found, n, read);
	Py_DECREF(found);
	return rc;
}
