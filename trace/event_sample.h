/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_EVENT_SAMPLE_H
#define ZED_TRACE_EVENT_SAMPLE_H

#include <stdint.h>

/*
 * What perf was asked to record (linux/perf_event.h): struct perf_event_attr in our byte order, as
 * long as the writer's and at least EVENT_ATTR_LEN bytes, and the offsets of parts of its samples,
 * from their headers; EVENT_NOWHERE: not present.
 */
#define EVENT_ATTR_LEN 128
#define EVENT_NOWHERE UINT16_MAX

struct event_attr {
	const uint8_t *bytes;
	uint32_t len;
	uint16_t ip, tid, time, addr, id, stream_id, cpu, period;
	uint64_t every; /* the period, if samples have none */
};

/* The count of a counter read with a sample, used instead of the record's. */
struct event_count {
	uint64_t id;	 /* of the counter */
	uint64_t period; /* counted since the last read */
};

/* The PERF_RECORD_SAMPLE of an event, as in the file, in the file's byte order. */
struct event_sample {
	const struct event_attr *attr;
	const struct event_count *count; /* NULL: use the record's id and period */
	const uint8_t *record;
	uint32_t size;	 /* bytes of it */
	uint32_t raw_at; /* the offset of its nraw raw bytes; 0: none */
	uint32_t nraw;
	/*
	 * The copied state of its program: the offset of u64 abi and of the registers in the mask
	 * regs (perf's numbers), and of stack_len bytes of its stack.  stack_len 0: none.
	 */
	uint64_t regs;
	uint32_t regs_at, stack_at, stack_len;
};

#endif
