// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_numbers: the numbers of a sample, as perf gives them to scripts.
 */
#include "interp/python/perf/sample_numbers.h"

#include "interp/common/perf_sample.h"
#include "interp/python/perf/sample_counts.h"
#include "interp/python/perf/perf_words.h"
#include "interp/python/perf/sample_code.h"
#include "interp/python/values.h"
#include "trace/event_sample.h"
#include "trace/machine.h"

#include <string.h>

/* linux/perf_event.h: bits 0 to 2 of a record's misc, the mode of the CPU. */
enum { MISC_AT = 4, MODE_MASK = 7, MODE_KERNEL = 1 };

/* struct perf_event_attr; events whose address is of what the code has touched. */
enum {
	ATTR_TYPE = 0,
	ATTR_CONFIG = 8,
	TYPE_SOFTWARE = 1,
	PAGE_FAULTS = 2,
	FAULTS_MIN = 5,
	FAULTS_MAJ = 6
};

static PyObject *number(uint64_t v)
{
	return PyLong_FromUnsignedLongLong(v);
}

static unsigned mode_of(const struct event *ev)
{
	if (!ev->sample)
		return MODE_KERNEL;
	return field_load(ev->sample->record + MISC_AT, 2, ev->type->machine->swap) & MODE_MASK;
}

bool sample_in_kernel(const struct event *ev)
{
	return mode_of(ev) == MODE_KERNEL;
}

/* What is known of the access to memory, in perf's words, where nothing is. */
static int put_access(PyObject *d, uint64_t access)
{
	static const struct {
		uint64_t access;
		const char *text;
	} unknown[] = {
		{ 0x05080021, "|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A" },
		/* Since Linux 4.14 the level has a number, which is not known either. */
		{ 0x1e05080021, "|OP N/A|LVL N/A or N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A" },
	};

	for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (access == unknown[i].access)
			return perf_put(d, WORD_DATASRC_DECODE,
					py_text(unknown[i].text, strlen(unknown[i].text)));
	return 0;
}

/* Of page faults, the address is that of data: what is known of it. */
static bool has_data(const struct event *ev)
{
	const uint8_t *attr = ev->sample ? ev->sample->attr->bytes : NULL;
	uint64_t config = attr ? field_load(attr + ATTR_CONFIG, 8, false) : 0;

	return attr && field_load(attr + ATTR_TYPE, 4, false) == TYPE_SOFTWARE &&
	       (config == PAGE_FAULTS || config == FAULTS_MIN || config == FAULTS_MAJ);
}

/* V, which is given away, if it is known. */
static int put_known(PyObject *d, enum perf_word word, PyObject *v)
{
	return v ? perf_put(d, word, v) : PyErr_Occurred() ? -1 : 0;
}

static int put_data(PyObject *d, const struct event *ev, uint64_t address)
{
	struct sample_code c;

	if (!has_data(ev))
		return 0;
	sample_code_find(ev, address, address >> 63, &c);
	if (perf_put(d, WORD_ADDR_CORRELATES_SYM, Py_NewRef(Py_True)) < 0 ||
	    put_known(d, WORD_ADDR_DSO, sample_code_file(&c)) < 0 ||
	    put_known(d, WORD_ADDR_DSO_BID, sample_code_build_id(&c)) < 0 ||
	    put_known(d, WORD_ADDR_DSO_MAP_START, sample_code_edge(&c, false)) < 0 ||
	    put_known(d, WORD_ADDR_DSO_MAP_END, sample_code_edge(&c, true)) < 0 ||
	    put_known(d, WORD_ADDR_SYMBOL, sample_code_symbol(&c)) < 0)
		return -1;
	return put_known(d, WORD_ADDR_SYMOFF, sample_code_offset(&c));
}

PyObject *sample_numbers_dict(const struct event *ev)
{
	struct perf_numbers n;
	PyObject *d = PyDict_New();

	perf_numbers_of(ev, &n);
	if (d && perf_put(d, WORD_PID, number(n.pid)) == 0 &&
	    perf_put(d, WORD_TID, number(n.tid)) == 0 &&
	    perf_put(d, WORD_CPU, number(n.cpu)) == 0 && perf_put(d, WORD_IP, number(n.ip)) == 0 &&
	    perf_put(d, WORD_TIME, number(n.time)) == 0 &&
	    perf_put(d, WORD_PERIOD, number(n.period)) == 0 &&
	    perf_put(d, WORD_PHYS_ADDR, number(n.phys_addr)) == 0 &&
	    perf_put(d, WORD_ADDR, number(n.addr)) == 0 && perf_put_counts(d, ev) == 0 &&
	    perf_put(d, WORD_WEIGHT, number(n.weight)) == 0 &&
	    perf_put(d, WORD_TRANSACTION, number(n.transaction)) == 0 &&
	    perf_put(d, WORD_DATASRC, number(n.data_src)) == 0 && put_access(d, n.data_src) == 0 &&
	    perf_put(d, WORD_CPUMODE, number(mode_of(ev))) == 0 && put_data(d, ev, n.addr) == 0)
		return d;
	Py_XDECREF(d);
	return NULL;
}
