// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_dict: what perf tells a script of a whole sample: its numbers, its bytes, its task,
 * and the code that it is of.
 */
#include "interp/python/perf/lazy.h"

#include "interp/common/perf_names.h"
#include "interp/common/perf_sample.h"
#include "interp/python/perf/sample_code.h"
#include "interp/python/perf/sample_numbers.h"
#include "interp/python/pyrun.h"

#include <string.h>

static PyObject *text(const char *s)
{
	return py_text(s, strlen(s));
}

/* The code that the sample is of. */
static void code_of(const struct event *ev, struct sample_code *c)
{
	struct perf_numbers n;

	perf_numbers_of(ev, &n);
	sample_code_find(ev, n.ip, sample_in_kernel(ev), c);
}

/* perf's name of an event: a tracepoint's is system:name, a counter's its own. */
static PyObject *event_name(const struct etype *t)
{
	return t->format_len ? PyUnicode_FromFormat("%s:%s", t->system, t->name) : text(t->name);
}

static PyObject *attr_of(const struct event *ev)
{
	PyObject *b = PyBytes_FromStringAndSize(NULL, perf_attr_len(ev));

	if (b)
		perf_attr_put(ev, (uint8_t *)PyBytes_AS_STRING(b));
	return b;
}

static PyObject *raw_of(const struct event *ev)
{
	struct span raw;

	perf_raw_of(ev, &raw);
	return PyBytes_FromStringAndSize((const char *)raw.p, raw.len);
}

static PyObject *task_of(const struct event *ev)
{
	char buf[PERF_TASK_BUF];

	return text(perf_task_name(ev, buf));
}

/* The same list as the argument common_callchain. */
static PyObject *chain_of(const struct perf_from *from)
{
	return perf_list_fill(from->chain) < 0 ? NULL : Py_NewRef(from->chain);
}

enum sample_key {
	EV_NAME,
	ATTR,
	SAMPLE,
	RAW_BUF,
	COMM,
	DSO,
	DSO_BID,
	DSO_MAP_START,
	DSO_MAP_END,
	SYMBOL,
	SYMOFF,
	CALLCHAIN,
	BRSTACK,
	BRSTACKSYM,
	IREGS,
	UREGS,
	NKEYS,
};

const char *const perf_sample_keys[NKEYS] = {
	[EV_NAME] = "ev_name",
	[ATTR] = "attr",
	[SAMPLE] = "sample",
	[RAW_BUF] = "raw_buf",
	[COMM] = "comm",
	[DSO] = "dso",
	[DSO_BID] = "dso_bid",
	[DSO_MAP_START] = "dso_map_start",
	[DSO_MAP_END] = "dso_map_end",
	[SYMBOL] = "symbol",
	[SYMOFF] = "symoff",
	[CALLCHAIN] = "callchain",
	[BRSTACK] = "brstack",
	[BRSTACKSYM] = "brstacksym",
	[IREGS] = "iregs",
	[UREGS] = "uregs",
};
const unsigned perf_sample_nkeys = NKEYS;

/* What is known of its code. */
static PyObject *code_value(const struct event *ev, enum sample_key key)
{
	struct sample_code c;

	code_of(ev, &c);
	switch (key) {
	case DSO:
		return sample_code_file(&c);
	case DSO_BID:
		return sample_code_build_id(&c);
	case DSO_MAP_START:
	case DSO_MAP_END:
		return sample_code_edge(&c, key == DSO_MAP_END);
	case SYMBOL:
		return sample_code_symbol(&c);
	default:
		return sample_code_offset(&c);
	}
}

PyObject *perf_sample_value(const struct perf_from *from, unsigned i)
{
	const struct event *ev = from->ev;

	switch ((enum sample_key)i) {
	case EV_NAME:
		return event_name(ev->type);
	case ATTR:
		return attr_of(ev);
	case SAMPLE:
		return sample_numbers_dict(ev);
	case RAW_BUF:
		return raw_of(ev);
	case COMM:
		return task_of(ev);
	case DSO:
	case DSO_BID:
	case DSO_MAP_START:
	case DSO_MAP_END:
	case SYMBOL:
	case SYMOFF:
		return code_value(ev, i);
	case CALLCHAIN:
		return chain_of(from);
	case BRSTACK:
	case BRSTACKSYM:
		return PyList_New(0);
	case IREGS:
	case UREGS:
		return text("");
	case NKEYS:
		break;
	}
	return NULL;
}
