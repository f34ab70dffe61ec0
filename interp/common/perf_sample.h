/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_PERF_SAMPLE_H
#define ZED_INTERP_COMMON_PERF_SAMPLE_H

#include "trace/event.h"
#include "trace/field.h"

/*
 * An event as perf passes it to process_event, in this machine's byte order (linux/perf_event.h;
 * struct perf_sample as in perf 6.1).  An event that is not a perf sample is as perf record would
 * have made it, with IP 0.
 */

/* The parts of struct perf_sample; what the sample does not have is as perf has it. */
struct perf_numbers {
	uint64_t ip, time, addr, id, stream_id, period, weight, transaction, data_src, phys_addr,
		data_page_size, code_page_size, cgroup;
	uint32_t pid, tid, cpu, raw_size;
};

void perf_numbers_of(const struct event *ev, struct perf_numbers *out);

/* They as struct perf_sample up to its cgroup: what follows there are pointers of perf's own. */
#define PERF_NUMBERS_LEN 144
void perf_numbers_put(const struct perf_numbers *n, uint8_t to[PERF_NUMBERS_LEN]);

/*
 * The PERF_RECORD_SAMPLE: its length, and the bytes, as many.  In a file of the other byte order
 * perf swaps each 8 bytes, and leaves the data of the tracepoint as it is; so does this.
 */
size_t perf_record_len(const struct event *ev);
void perf_record_put(const struct event *ev, uint8_t *to);

/* struct perf_event_attr. */
size_t perf_attr_len(const struct event *ev);
void perf_attr_put(const struct event *ev, uint8_t *to);

/* The data of the tracepoint, borrowed from EV; false: there is none. */
bool perf_raw_of(const struct event *ev, struct span *out);

#endif
