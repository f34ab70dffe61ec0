// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_counts: the counters that were read with a sample (PERF_SAMPLE_READ).
 */
#include "interp/python/perf/sample_counts.h"

#include "interp/python/perf/perf_words.h"
#include "trace/event_sample.h"
#include "trace/field.h"
#include "trace/machine.h"

/* struct perf_event_attr. */
enum { ATTR_SAMPLE_TYPE = 24, ATTR_READ_FORMAT = 32 };

/* linux/perf_event.h: what of a sample comes before what was read; and that itself. */
#define SAMPLE_BEFORE 0x103cf /* IP TID TIME ADDR ID CPU PERIOD STREAM_ID IDENTIFIER */
#define SAMPLE_READ 0x10
#define HEAD_LEN 8

/* Which numbers were read. */
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

/* The numbers of 8 bytes that were read, one after the other. */
struct count_reader {
	const uint8_t *p, *end;
	bool swap;
};

/* The next one; 0 after the end. */
static uint64_t next(struct count_reader *r)
{
	uint64_t v;

	if (r->end - r->p < 8)
		return 0;
	v = field_load(r->p, 8, r->swap);
	r->p += 8;
	return v;
}

/* The times for which the counters were on, if they were recorded. */
static int put_times(PyObject *d, struct count_reader *r, uint64_t format)
{
	if (format & READ_ENABLED &&
	    perf_put(d, WORD_TIME_ENABLED, PyLong_FromUnsignedLongLong(next(r))) < 0)
		return -1;
	if (format & READ_RUNNING &&
	    perf_put(d, WORD_TIME_RUNNING, PyLong_FromUnsignedLongLong(next(r))) < 0)
		return -1;
	return 0;
}

/* A counter whose COUNT was read: what follows that is its number, and what it lost. */
static int add_counter(PyObject *list, uint64_t count, struct count_reader *r, uint64_t format)
{
	unsigned long long id = format & READ_ID ? next(r) : 0;
	unsigned long long lost = format & READ_LOST ? next(r) : 0;
	PyObject *one = Py_BuildValue("(KKK)", id, (unsigned long long)count, lost);
	int rc = one ? PyList_Append(list, one) : -1;

	Py_XDECREF(one);
	return rc;
}

/* The counts of a group: how many, the times, then each. */
static int add_group(PyObject *d, PyObject *list, struct count_reader *r, uint64_t format)
{
	uint64_t n = next(r), most = (r->end - r->p) / 8;
	int rc = put_times(d, r, format);

	/* No more than there are. */
	for (uint64_t i = 0; rc == 0 && i < n && i < most; i++) {
		uint64_t count = next(r);

		rc = add_counter(list, count, r, format);
	}
	return rc;
}

static int add_single(PyObject *d, PyObject *list, struct count_reader *r, uint64_t format)
{
	uint64_t count = next(r);

	return put_times(d, r, format) < 0 ? -1 : add_counter(list, count, r, format);
}

/* What was read with S, into R; of a sample without nothing, so that all of it is 0. */
static uint64_t find(const struct event_sample *s, bool swap, struct count_reader *r)
{
	uint64_t type = field_load(s->attr->bytes + ATTR_SAMPLE_TYPE, 8, false);
	size_t at = HEAD_LEN + 8 * (size_t)__builtin_popcountll(type & SAMPLE_BEFORE);

	if (!(type & SAMPLE_READ) || at > s->size)
		return 0;
	*r = (struct count_reader){ s->record + at, s->record + s->size, swap };
	return field_load(s->attr->bytes + ATTR_READ_FORMAT, 8, false);
}

int perf_put_counts(PyObject *d, const struct event *ev)
{
	PyObject *list = PyList_New(0);
	struct count_reader r = { 0 };
	uint64_t format = ev->sample ? find(ev->sample, ev->type->machine->swap, &r) : 0;
	int rc = list ? 0 : -1;

	if (rc == 0)
		rc = format & READ_GROUP ? add_group(d, list, &r, format) :
					   add_single(d, list, &r, format);
	if (rc < 0) {
		Py_XDECREF(list);
		return -1;
	}
	return perf_put(d, WORD_VALUES, list);
}
