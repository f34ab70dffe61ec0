/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_PERF_PERF_WORDS_H
#define ZED_INTERP_PYTHON_PERF_PERF_WORDS_H

#include "interp/python/base/python_inc.h"

/* The keys of perf's dicts: each is a string that is made once. */
enum perf_word {
	/* A frame of a call chain, and its symbol. */
	WORD_IP,
	WORD_SYM,
	WORD_START,
	WORD_END,
	WORD_BINDING,
	WORD_NAME,
	WORD_SYM_OFF,
	WORD_SYM_SRCLINE,
	WORD_DSO,
	/* The numbers of a sample. */
	WORD_PID,
	WORD_TID,
	WORD_CPU,
	WORD_TIME,
	WORD_PERIOD,
	WORD_PHYS_ADDR,
	WORD_ADDR,
	WORD_TIME_ENABLED,
	WORD_TIME_RUNNING,
	WORD_VALUES,
	WORD_WEIGHT,
	WORD_TRANSACTION,
	WORD_DATASRC,
	WORD_DATASRC_DECODE,
	WORD_CPUMODE,
	WORD_ADDR_CORRELATES_SYM,
	WORD_ADDR_DSO,
	WORD_ADDR_DSO_BID,
	WORD_ADDR_DSO_MAP_START,
	WORD_ADDR_DSO_MAP_END,
	WORD_ADDR_SYMBOL,
	WORD_ADDR_SYMOFF,
	/* What trace_unhandled gets. */
	WORD_COMMON_CPU,
	WORD_COMMON_S,
	WORD_COMMON_NS,
	WORD_COMMON_PID,
	WORD_COMMON_COMM,
	WORD_COMMON_CALLCHAIN,
	PERF_NWORDS,
};

/* -1: an exception is set. */
int perf_words_init(void);

/* D[WORD] = V, which is given away.  -1: an exception is set; also if V is NULL. */
int perf_put(PyObject *d, enum perf_word word, PyObject *v);

#endif
