/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_FACILITY_PLAN_H
#define ZED_READER_LTT_FACILITY_PLAN_H

#include "base/mem.h"
#include "reader/ltt/facility/facility.h"

/*
 * A tree of steps, one for each value, which event_layout.c computes once for an event on a machine
 * and unpack.c executes for each payload.  The traced machine wrote the "payload"; the "record" is
 * made from it.
 */
enum unpack_op {
	STEP_SCALAR,
	STEP_STRING,
	STEP_STRUCT, /* nsub consecutive steps */
	STEP_UNION,  /* nsub steps that begin at the same byte of the payload */
	STEP_ITEMS,  /* sub[0], count times, or as many times as the number before the items */
};

struct unpack_step {
	uint8_t op;	     /* enum unpack_op */
	uint8_t align;	     /* in the payload: a power of 2 */
	uint8_t size;	     /* STEP_SCALAR: bytes */
	uint8_t length_size; /* STEP_ITEMS of a sequence: bytes of its item count; of an array: 0 */
	uint8_t length_align;
	bool fixed; /* it has `wire` bytes in each payload */
	bool span;  /* the record has two u32 there, and the value in the tail */
	bool flat;  /* STEP_ITEMS: of scalars, packed in payload and record alike */
	uint32_t wire;
	uint32_t at;  /* part of a fixed value: offset from its start in the payload */
	uint32_t to;  /* offset in the record, from the start of its holder */
	uint32_t own; /* bytes there, without the tail */
	uint32_t count;
	const struct unpack_step *sub;
	unsigned nsub;
	const char *name; /* of the field, for messages */
};

struct ltt_layout {
	struct arena arena;
	struct unpack_step top; /* STEP_STRUCT */
	struct field *fields;
	unsigned nfields;
	uint32_t fixed;
	bool swap;
	uint8_t realign; /* alignment of the payload after strings and sequences */
};

static inline uint64_t step_align(uint64_t pos, uint32_t align)
{
	return (pos + align - 1) & ~(uint64_t)(align - 1);
}

#endif
