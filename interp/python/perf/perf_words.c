// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_words: the keys of perf's dicts, as strings that are made once.
 */
#include "interp/python/perf/perf_words.h"

static const char *const texts[PERF_NWORDS] = {
	[WORD_IP] = "ip",
	[WORD_SYM] = "sym",
	[WORD_START] = "start",
	[WORD_END] = "end",
	[WORD_BINDING] = "binding",
	[WORD_NAME] = "name",
	[WORD_SYM_OFF] = "sym_off",
	[WORD_SYM_SRCLINE] = "sym_srcline",
	[WORD_DSO] = "dso",
	[WORD_PID] = "pid",
	[WORD_TID] = "tid",
	[WORD_CPU] = "cpu",
	[WORD_TIME] = "time",
	[WORD_PERIOD] = "period",
	[WORD_PHYS_ADDR] = "phys_addr",
	[WORD_ADDR] = "addr",
	[WORD_TIME_ENABLED] = "time_enabled",
	[WORD_TIME_RUNNING] = "time_running",
	[WORD_VALUES] = "values",
	[WORD_WEIGHT] = "weight",
	[WORD_TRANSACTION] = "transaction",
	[WORD_DATASRC] = "datasrc",
	[WORD_DATASRC_DECODE] = "datasrc_decode",
	[WORD_CPUMODE] = "cpumode",
	[WORD_ADDR_CORRELATES_SYM] = "addr_correlates_sym",
	[WORD_ADDR_DSO] = "addr_dso",
	[WORD_ADDR_DSO_BID] = "addr_dso_bid",
	[WORD_ADDR_DSO_MAP_START] = "addr_dso_map_start",
	[WORD_ADDR_DSO_MAP_END] = "addr_dso_map_end",
	[WORD_ADDR_SYMBOL] = "addr_symbol",
	[WORD_ADDR_SYMOFF] = "addr_symoff",
	[WORD_COMMON_CPU] = "common_cpu",
	[WORD_COMMON_S] = "common_s",
	[WORD_COMMON_NS] = "common_ns",
	[WORD_COMMON_PID] = "common_pid",
	[WORD_COMMON_COMM] = "common_comm",
	[WORD_COMMON_CALLCHAIN] = "common_callchain",
};

static PyObject *words[PERF_NWORDS];

int perf_words_init(void)
{
	for (unsigned i = 0; i < PERF_NWORDS; i++) {
		if (!words[i])
			words[i] = PyUnicode_InternFromString(texts[i]);
		if (!words[i])
			return -1;
	}
	return 0;
}

int perf_put(PyObject *d, enum perf_word word, PyObject *v)
{
	int rc = v ? PyDict_SetItem(d, words[word], v) : -1;

	Py_XDECREF(v);
	return rc;
}
