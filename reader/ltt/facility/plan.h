/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_FACILITY_PLAN_H
#define ZED_READER_LTT_FACILITY_PLAN_H

#include "base/mem.h"
#include "reader/ltt/facility/facility.h"

/*
 * What event_layout.c works out once for an event on a machine and unpack.c follows for each
 * payload: a tree of steps, one for each value.  "Payload" is what the traced machine wrote,
 * "record" what is made of it.
 */
enum step_op {
	STEP_SCALAR,
	STEP_STRING,
	STEP_STRUCT, /* nsub steps, one after the other */
	STEP_UNION,  /* nsub steps that begin at the same byte of the payload */
	STEP_ITEMS,  /* sub[0], count times or as often as the number before the items says */
};

struct step {
	uint8_t op;	     /* enum step_op */
	uint8_t align;	     /* in the payload: a power of 2 */
	uint8_t size;	     /* STEP_SCALAR: bytes */
	uint8_t length_size; /* STEP_ITEMS of a sequence: bytes of its number; of an array: 0 */
	uint8_t length_align;
	bool fixed; /* it has `wire` bytes in each payload */
	bool span;  /* the record has two u32 there, and the value in its tail */
	bool flat;  /* STEP_ITEMS: of scalars, packed in payload and record alike */
	uint32_t wire;
	uint32_t at;  /* part of a fixed value: bytes from its beginning in the payload */
	uint32_t to;  /* offset in the record, from the beginning of what holds it */
	uint32_t own; /* bytes there, not counting the tail */
	uint32_t count;
	const struct step *sub;
	unsigned nsub;
	const char *name; /* of the field, for messages */
};

struct ltt_layout {
	struct arena arena;
	struct step top; /* STEP_STRUCT */
	struct field *fields;
	unsigned nfields;
	uint32_t fixed;
	bool swap;
	uint8_t realign; /* after strings and sequences the payload goes on at a multiple */
};

static inline uint64_t step_align(uint64_t pos, uint32_t align)
{
	return (pos + align - 1) & ~(uint64_t)(align - 1);
}

#endif
