/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_STEP_H
#define ZED_STABLE_STEP_H

#include "stable/catalogue.h"
#include "stable/expr.h"
#include "stable/map.h"
#include "stable/state_letters.h"
#include "trace/names/syscalls.h"

/*
 * Shared by map.c, resolve.c and step.c: a stable event on one raw type is a list of steps, each of
 * which writes one field of the open record.
 */
enum num_op { NUM_RAW, NUM_CONST, NUM_PID, NUM_CPU, NUM_MARK, NUM_RW };

/* A number of a record. */
struct num {
	uint8_t op;   /* enum num_op */
	uint8_t size; /* NUM_RAW, NUM_MARK: bytes at off */
	bool swap, is_signed;
	uint32_t off;
	uint64_t value; /* NUM_CONST; NUM_MARK: the bits */
	uint64_t times, plus;
	const struct field *field; /* NUM_RW: the string */
};

/* STEP_COPY: the bytes as they are; STEP_CHARS: an array of them, up to its NUL. */
enum stable_op {
	STEP_COPY,
	STEP_CHARS,
	STEP_NUM,
	STEP_LETTER,
	STEP_BYTE,
	STEP_BE64,
	STEP_STR,
	STEP_ARRAY
};
enum str_op { STR_FIELD, STR_COMM, STR_SYMBOL, STR_SYSCALL, STR_RWBS, STR_CONST };

struct stable_step {
	uint8_t op, str; /* enum stable_op; of a STEP_STR, enum str_op */
	uint8_t size;	 /* bytes of an item in the open record */
	uint8_t bits;	 /* of an item, as promised */
	bool is_signed;	 /* the promise */
	bool dynamic;
	bool constant; /* constant in all records: written once, when the map is created */
	bool said_cut, said_bad;
	uint32_t off, count;	/* in the open record; array: items */
	uint32_t at, len;	/* source: offset in the raw record, bytes; len also of text */
	const struct num *nums; /* the first that is not 0 */
	unsigned nnums;
	const struct field *field; /* of the raw record */
	const struct letters *letters;
	const struct value_name *names;
	unsigned nnames;
	const char *text; /* STR_CONST: len bytes */
	unsigned item;	  /* of the description */
};

struct stable_map {
	const struct stable_event *ev;
	const struct etype *raw;
	struct etype type;
	struct desc desc; /* EV's, with fields that have no source here made absent */
	struct event out;
	struct expr_test *where; /* or NULL */
	struct notes *notes;
	struct stable_step *steps;
	unsigned nsteps;
	const char **sources; /* desc.n of them */
	struct sysnames sysnames;
	uint8_t *buf;	    /* the open record; with items of varying length STEP_TAIL bytes more */
	uint32_t tail;	    /* end of the data written to it */
	uint32_t constants; /* end of the constant dynamic data */
	char digits[24];
	struct arena arena;
};

#define STEP_TAIL 65536u /* the limit of a locator */

/* Fill M->steps and M->sources from M->ev, M->raw.  -1 with E, which says why it is impossible. */
int stablebind(struct stable_map *m, struct err *e);

/* Write the field of S for the record EV. */
void step_run(struct stable_map *m, struct stable_step *s, const struct event *ev);

#endif
