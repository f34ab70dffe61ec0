/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_EVENT_SAMPLE_H
#define ZED_TRACE_EVENT_SAMPLE_H

#include <stdint.h>

/*
 * What perf was asked to record (linux/perf_event.h): struct perf_event_attr in our byte order, as
 * long as the writer's and at least EVENT_ATTR_LEN bytes, and where in its samples, counted from
 * their heads, something is: EVENT_NOWHERE, if it is not.
 */
#define EVENT_ATTR_LEN 128
#define EVENT_NOWHERE UINT16_MAX

struct event_attr {
	const uint8_t *bytes;
	uint32_t len;
	uint16_t ip, tid, time, addr, id, stream_id, cpu, period;
	uint64_t every; /* the period, where samples have none */
};

/* What a counter that was read with a sample has counted: this holds instead of the record's. */
struct event_count {
	uint64_t id;	 /* of the counter */
	uint64_t period; /* counted since it was read before */
};

/* The PERF_RECORD_SAMPLE that an event is, as the file has it, in the file's byte order. */
struct event_sample {
	const struct event_attr *attr;
	const struct event_count *count; /* NULL: the record's id and period hold */
	const uint8_t *record;
	uint32_t size;	 /* bytes of it */
	uint32_t raw_at; /* the place of nraw bytes of its own in it; 0: it has none */
	uint32_t nraw;
};

#endif
