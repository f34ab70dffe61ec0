/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_SAMPLE_CODE_H
#define ZED_INTERP_PYTHON_PERF_SAMPLE_CODE_H

#include "interp/python/base/python_inc.h"
#include "trace/chain_frame.h"

/*
 * What is known of an address of a sample: the file that is mapped there, and the symbol.  Each of
 * these is a new reference; NULL: it is not known, or an exception is set.
 */
struct sample_code {
	const struct event *ev;
	bool kernel, mapped;
	struct mapping map;	  /* if mapped */
	struct chain_frame frame; /* all NULL, if it is not known */
};

/* ADDRESS of EV's task, or of the KERNEL, into C. */
void sample_code_find(const struct event *ev, uint64_t address, bool kernel, struct sample_code *c);

PyObject *sample_code_file(const struct sample_code *c);
PyObject *sample_code_build_id(const struct sample_code *c);
PyObject *sample_code_edge(const struct sample_code *c, bool end); /* of what is mapped */
PyObject *sample_code_symbol(const struct sample_code *c);
PyObject *sample_code_offset(const struct sample_code *c);

#endif
