/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_ATTRS_ATTRS_H
#define ZED_READER_PERF_ATTRS_ATTRS_H

#include "base/bytes.h"
#include "trace/event.h"
#include "trace/event_sample.h"
#include "reader/perf/attrs/attr_names.h"

/*
 * The events of a recording: one struct perf_attr for each event that was passed to perf, and the
 * ids by which records refer to them (linux/perf_event.h; format.md 12.2).
 */

#define PERF_MAX_ATTRS 65536	/* a recording of all tracepoints has a few thousand */
#define PERF_MAX_IDS (1u << 21) /* one for each event and CPU */
#define PERF_MAX_NAME 127	/* bytes kept of an event's name */

enum perf_type { PERF_HARDWARE, PERF_SOFTWARE, PERF_TRACEPOINT };

/* Bits of sample_type, by their numbers in the kernel's header. */
enum sample_bit {
	SAMPLE_IP,
	SAMPLE_TID,
	SAMPLE_TIME,
	SAMPLE_ADDR,
	SAMPLE_READ,
	SAMPLE_CALLCHAIN,
	SAMPLE_ID,
	SAMPLE_CPU,
	SAMPLE_PERIOD,
	SAMPLE_STREAM_ID,
	SAMPLE_RAW,
	SAMPLE_BRANCH_STACK,
	SAMPLE_REGS_USER,
	SAMPLE_STACK_USER,
	SAMPLE_WEIGHT,
	SAMPLE_DATA_SRC,
	SAMPLE_IDENTIFIER,
	SAMPLE_TRANSACTION,
	SAMPLE_REGS_INTR,
	SAMPLE_PHYS_ADDR,
	SAMPLE_AUX,
	SAMPLE_CGROUP,
	SAMPLE_DATA_PAGE_SIZE,
	SAMPLE_CODE_PAGE_SIZE,
	SAMPLE_WEIGHT_STRUCT,
};

#define HAS(a, bit) ((a)->sample_type >> (bit)&1)

/* Bits of read_format. */
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

/* Offsets in a sample, or from the end of another record, bytes. */
#define NOWHERE EVENT_NOWHERE

/*
 * perf_event_attr (linux/perf_event.h) as recorded, and the offsets in records that follow from it:
 * as many members as the kernel's struct has bits that matter here.
 */
struct perf_attr {
	uint32_t type;
	unsigned number; /* among all, from 0 */
	unsigned group;	 /* number of its group's leader, from 1; 0: not in a group */
	uint64_t config; /* of a tracepoint: the ID of its format */
	uint64_t period; /* or the frequency, if by_freq */
	uint64_t sample_type, read_format, branch_sample_type, regs_user, regs_intr;
	bool by_freq, sample_id_all, use_clockid, inherit;
	int32_t clockid;
	char *name; /* as shown by perf; NULL: not stated */
	/* Derived from sample_type: offsets in a SAMPLE of the fixed parts ... */
	struct event_attr at;
	uint16_t fixed; /* ... their total size, including the header ... */
	/* ... and distances from the end of the other records. */
	uint16_t end_tid, end_time, end_cpu;
	const struct etype *etype; /* NULL: no sample yet */
	/* As a member of LEADER's group, whose samples contain its value. */
	struct {
		const struct perf_attr *leader; /* NULL: not yet */
		const struct etype *etype;
		struct event_attr at; /* the leader's offsets, this one's bytes */
		uint64_t turn;	      /* of the group's sample in which it was last read */
	} member;
	const struct field *fields; /* counts.h: those of a sample without a format */
	unsigned nfields;
	uint8_t bytes[144]; /* at.bytes */
};

/* An id, and the number of its attr. */
struct attr_id {
	uint64_t id;
	unsigned attr;
};

struct perf_attrs {
	struct perf_attr **v; /* each has a stable address */
	size_t cap;
	unsigned n;
	struct attr_id *ids;
	size_t cap_ids;
	struct hash_index by_id;
	unsigned most_ids; /* for one attr: one for each CPU, in most recordings */
	/* How records refer to their attr; set as attrs are added. */
	uint16_t id_at;	 /* in a sample; NOWHERE: all belong to the first */
	uint16_t id_end; /* in other records, from their end */
	bool mixed;	 /* the attrs disagree on where ids are */
	/* Attrs other than tracepoints, by name without modifiers: the first name, or a mark if
	   there are others. */
	struct perf_names plain;
	/* By displayed name and sample_type: the type of that kind. */
	struct perf_names types;
};

/*
 * Add the attr of C, the writer's version of struct perf_event_attr.  NULL with E if it is invalid,
 * or there are too many.
 */
struct perf_attr *attrs_add(struct perf_attrs *s, struct cursor c, struct err *e);

/* ID belongs to the attr of number I.  Returns -1 with E if there are too many. */
int attrs_add_id(struct perf_attrs *s, uint64_t id, unsigned i, struct err *e);

/* The attr of ID; of the first one for 0, as perf's own records have none. */
struct perf_attr *attrs_find(const struct perf_attrs *s, uint64_t id);

/* The attr that has ID; NULL: none. */
struct perf_attr *attrs_having(const struct perf_attrs *s, uint64_t id);

/* Store the LEN bytes at NAME as the name of A, which is in S, unless it has one. */
void attrs_set_name(struct perf_attrs *s, struct perf_attr *a, const char *name, size_t len);

/*
 * The length of A's name without modifiers ("cycles:u"); all of it, if they distinguish it from
 * another.
 */
size_t attrs_plain_name(struct perf_attrs *s, const struct perf_attr *a);

void attrs_fini(struct perf_attrs *s);

#endif
