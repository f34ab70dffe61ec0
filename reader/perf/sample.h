/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_SAMPLE_H
#define ZED_READER_PERF_SAMPLE_H

#include "reader/perf/order.h"

struct perf;

/*
 * The requested parts of a SAMPLE; pointers are into its record, in the file's byte order.  Of a
 * tracepoint's without counts and call chain, only fixed, raw, nraw and an empty chain and stack
 * are set.
 */
struct sample {
	const uint8_t *fixed;  /* the record: parts with an offset in perf_attr */
	const uint8_t *chain;  /* nchain addresses */
	const uint8_t *values; /* nvalues counts, value_step bytes apart */
	const uint8_t *ids;    /* of their counters, with the same step; NULL: not stated */
	const uint8_t *raw;    /* nraw bytes */
	const uint8_t *regs;   /* u64 abi, and the registers of user mode; NULL: none */
	const uint8_t *stack;  /* of user mode, nstack bytes; NULL: none, or no registers */
	uint32_t nchain, nvalues, value_step, nraw, nstack;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page, code_page;
	const struct event_count *count; /* instead of the record's period; NULL: use that */
};

/*
 * A sample whose time has come, as its event needs it.  Its bytes are where they wait, unless they
 * are not aligned there.
 */
struct perf_given {
	struct due due;
	const struct etype *type;
	uint32_t cpu;
	int32_t pid, tid;    /* pid: common_pid, or tid; -1: not known */
	struct sample parts; /* of the record in due */
	struct event_sample sample;
	const uint64_t *chain; /* parts.nchain addresses in our byte order; or NULL */
	const uint8_t *record; /* size bytes of the event */
	uint32_t size;
	uint8_t *fields; /* of a sample without a format: its record; else NULL */
	uint8_t *made;	 /* owned: what the file does not have like this */
	size_t cap;
};

/* Find the parts of the SAMPLE R, of A.  False: they exceed it. */
bool perf_sample_parse(const struct perf *f, const struct perf_attr *a, const struct record *r,
		       struct sample *s);

#endif
