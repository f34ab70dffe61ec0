// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_dict: what perf tells a script of a whole sample: its numbers, its bytes, its task,
 * and the code that it is of.
 */
#include "interp/python/perf/lazy.h"

#include "interp/common/perf_names.h"
#include "interp/common/perf_sample.h"
#include "interp/python/perf/perf_words.h"
#include "interp/python/pyrun.h"
#include "trace/chain_frame.h"
#include "trace/event_sample.h"
#include "trace/machine.h"

#include <stdio.h>
#include <string.h>

/* linux/perf_event.h: bits 0 to 2 of a record's misc, the mode of the CPU. */
enum { MISC_AT = 4, MODE_MASK = 7, MODE_KERNEL = 1 };

static PyObject *text(const char *s)
{
	return py_text(s, strlen(s));
}

static PyObject *number(uint64_t v)
{
	return PyLong_FromUnsignedLongLong(v);
}

/* ---- the sample's numbers ---- */

static unsigned mode_of(const struct event *ev)
{
	if (!ev->sample)
		return MODE_KERNEL;
	return field_load(ev->sample->record + MISC_AT, 2, ev->type->machine->swap) & MODE_MASK;
}

/*
 * What a group has counted: (id, value, lost) of each counter.  Counts that came with a sample are
 * not given; perf has one of zeros for a sample that has none.
 */
static PyObject *counts_of(void)
{
	return Py_BuildValue("[(iii)]", 0, 0, 0);
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
			return perf_put(d, WORD_DATASRC_DECODE, text(unknown[i].text));
	return 0;
}

static PyObject *numbers_dict(const struct perf_from *from)
{
	struct perf_numbers n;
	PyObject *d = PyDict_New();

	perf_numbers_of(from->ev, &n);
	if (d && perf_put(d, WORD_PID, number(n.pid)) == 0 &&
	    perf_put(d, WORD_TID, number(n.tid)) == 0 &&
	    perf_put(d, WORD_CPU, number(n.cpu)) == 0 && perf_put(d, WORD_IP, number(n.ip)) == 0 &&
	    perf_put(d, WORD_TIME, number(n.time)) == 0 &&
	    perf_put(d, WORD_PERIOD, number(n.period)) == 0 &&
	    perf_put(d, WORD_PHYS_ADDR, number(n.phys_addr)) == 0 &&
	    perf_put(d, WORD_ADDR, number(n.addr)) == 0 &&
	    perf_put(d, WORD_VALUES, counts_of()) == 0 &&
	    perf_put(d, WORD_WEIGHT, number(n.weight)) == 0 &&
	    perf_put(d, WORD_TRANSACTION, number(n.transaction)) == 0 &&
	    perf_put(d, WORD_DATASRC, number(n.data_src)) == 0 && put_access(d, n.data_src) == 0 &&
	    perf_put(d, WORD_CPUMODE, number(mode_of(from->ev))) == 0)
		return d;
	Py_XDECREF(d);
	return NULL;
}

/* ---- its code ---- */

/* The code that a sample is of. */
struct sample_code {
	uint64_t ip;
	bool kernel, mapped;
	struct mapping map;
	struct chain_frame frame;
};

static bool code_of(const struct event *ev, struct sample_code *c)
{
	struct perf_numbers n;

	perf_numbers_of(ev, &n);
	c->ip = n.ip;
	c->kernel = mode_of(ev) == MODE_KERNEL;
	c->mapped = machine_mapped(ev->type->machine, ev, c->ip, c->kernel, &c->map);
	if (c->ip)
		chain_resolve(ev, c->ip, c->kernel, &c->frame);
	return c->ip != 0;
}

static PyObject *file_of(const struct event *ev)
{
	char buf[PERF_FILE_BUF];
	const char *name;
	struct sample_code c;

	name = code_of(ev, &c) ? perf_file_name(&c.frame, c.kernel, buf) : NULL;
	return name ? text(name) : NULL;
}

static PyObject *build_id_text(const uint8_t *id, size_t len)
{
	char hex[2 * 64 + 1] = "";

	for (size_t i = 0; i < len && i < 64; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return text(hex);
}

/* Of the kernel's image it is that of the kernel. */
static PyObject *build_id_of(const struct event *ev)
{
	const struct machine *m = ev->type->machine;
	struct kernel_identity id = { .host = NULL };
	struct sample_code c;

	if (!code_of(ev, &c) || !c.mapped)
		return NULL;
	if (!c.map.build_id_len && c.kernel && m->ops->identity && m->ops->identity(m->arg, &id))
		return build_id_text(id.build_id, id.build_id_len);
	return build_id_text(c.map.build_id, c.map.build_id_len);
}

static PyObject *map_edge(const struct event *ev, bool end)
{
	struct sample_code c;

	return code_of(ev, &c) && c.mapped ? number(end ? c.map.end : c.map.start) : NULL;
}

static PyObject *symbol_of(const struct event *ev)
{
	struct sample_code c;

	return code_of(ev, &c) && c.frame.name ? text(c.frame.name) : NULL;
}

static PyObject *offset_of(const struct event *ev)
{
	struct sample_code c;

	return code_of(ev, &c) && c.frame.name ? number(c.frame.off) : NULL;
}

/* ---- its bytes, its task ---- */

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

/* ---- all of it ---- */

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

PyObject *perf_sample_value(const struct perf_from *from, unsigned i)
{
	const struct event *ev = from->ev;

	switch ((enum sample_key)i) {
	case EV_NAME:
		return event_name(ev->type);
	case ATTR:
		return attr_of(ev);
	case SAMPLE:
		return numbers_dict(from);
	case RAW_BUF:
		return raw_of(ev);
	case COMM:
		return task_of(ev);
	case DSO:
		return file_of(ev);
	case DSO_BID:
		return build_id_of(ev);
	case DSO_MAP_START:
	case DSO_MAP_END:
		return map_edge(ev, i == DSO_MAP_END);
	case SYMBOL:
		return symbol_of(ev);
	case SYMOFF:
		return offset_of(ev);
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
