/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_STABLEFILE_FILE_HEAD_H
#define ZED_READER_STABLEFILE_FILE_HEAD_H

#include "base/window.h"
#include "trace/machine.h"
#include "stable/layout.h"

/*
 * The text at the beginning of a file of stable events (docs/zed-stable.pod): its descriptions of
 * records, and its streams, machines and tasks.  For stablefile.c.
 */
enum stable_record { RECORD_NONE, RECORD_EVENT, RECORD_LOST, RECORD_TASK, RECORD_END };

/* The fields of a record's header. */
enum { RF_EVENT, RF_STREAM, RF_SIZE, RF_PID, RF_SEQUENCE, RF_TIME, NRECORD_FIELDS };

struct stable_entry {
	uint8_t kind; /* enum stable_record; NONE: an unknown mark */
	uint16_t number;
	char *system, *name; /* a mark has no system */
	struct desc desc;
	struct stable_machine *machine; /* of an event */
	const struct etype *type;	/* stablefile.c's */
};

struct stable_machine {
	char *uname;
	struct machine *machine; /* the first one is the source's own */
	struct machine own;
};

struct stable_cpu {
	int cpu;
	unsigned buffer; /* index in buffers */
};

/* A buffer's name and its trace. */
struct stable_buffer {
	unsigned trace;
	char *name;
};

struct stable_head {
	bool big_endian; /* of the records */
	bool ns;	 /* times are ns, not ticks */
	char *clock;
	unsigned cpus; /* of the traced machine; 0: not stated */
	struct desc record;
	struct {
		uint32_t bit, size;
		bool is_signed;
	} at[NRECORD_FIELDS];
	uint32_t record_len; /* bytes before the payload */
	struct stable_entry **entries;
	unsigned nentries;
	size_t entries_cap;
	struct stable_entry *by_number[65536];
	struct stable_machine **machines;
	unsigned nmachines;
	size_t machines_cap;
	struct stable_buffer *buffers;
	unsigned nbuffers;
	size_t buffers_cap;
	struct stable_cpu *streams;
	unsigned nstreams;
	size_t streams_cap;
	unsigned ntasks;
	uint64_t data; /* offset of the first record */
};

/*
 * Read the head of the file W.  FIRST is used for the first machine of the file, and is initialised
 * here with NOTES; each machine has the names of its own tasks.  -1 with E ("line L, column C:
 * ..."); H then has what was read so far, for stable_head_fini().
 */
int stable_head_read(struct stable_head *h, struct window *w, struct machine *first,
		     struct notes *notes, struct err *e);

/* FIRST is not freed. */
void stable_head_fini(struct stable_head *h);

/* Item NAME of D if it is a number; NULL: no such item. */
const struct desc_item *stable_number(const struct desc *d, const char *name);

#endif
