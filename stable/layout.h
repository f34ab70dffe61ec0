/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_LAYOUT_H
#define ZED_STABLE_LAYOUT_H

#include "base/err.h"
#include "base/mem.h"
#include "trace/event.h"

/*
 * The description language for stable events (Rostedt's proposal of November 2010): one field a
 * line, in storage order, with alignment and size in bits and no offsets.
 *
 *	field:pid_t next_pid; align:32; size:32; signed:1;
 *	array:char next_comm; align:8; size:8; count:16; signed:1;
 *	dynamic:char name; align:8; size:8; signed:1;
 *	absent:int pdu;
 *
 * A field is one scalar of 1 to 64 bits, an array COUNT of them, a dynamic one as many as a record
 * has.  Attributes may be in any order; the default of signed is 0, that of align the size rounded
 * up to a power of two (at most 64).  # begins a comment, blank lines and tabs are free.  "absent"
 * is our addition: a promised field without a source in this trace; it takes no bits and reads as
 * undef.
 *
 * A record has two forms.  Packed: items follow each other at their alignments from the payload's
 * start; those of an array without gaps, so that only the first need be aligned.  Bits count from
 * the least significant one of each byte in little endian data, from the most significant one in
 * big endian data.  A dynamic item is a word of 32 bits at the next multiple of 32: its low half is
 * the byte offset of the data from the payload's start, its high half their length in bytes; the
 * data follow the fixed part, each at its item's alignment (at least a byte).  Without data the
 * word is (length 0, the fixed part's length).  The number of items is what fits the bytes, so
 * items below 8 bits may be followed by some of value 0.  Open, for sinks: items in 1, 2, 4 or 8
 * bytes in this machine's order, each aligned to its size; the data of dynamic ones at the end.
 */
enum desc_kind { DESC_FIELD, DESC_ARRAY, DESC_DYNAMIC, DESC_ABSENT };

struct desc_item {
	const char *name, *type; /* type: the words before the name, separated by one blank */
	uint8_t kind;		 /* enum desc_kind */
	bool is_signed;
	uint32_t align, size; /* bits; of one item */
	uint32_t count;	      /* array: items; else 0 */
	uint32_t bit;	      /* where it begins in the packed form (dynamic: its word) */
	unsigned line;	      /* in the text it was read from */
};

struct desc {
	struct desc_item *items;
	unsigned n;
	size_t cap;
	uint32_t bits; /* the packed fixed part, a multiple of 8 */
	/* The open form: one field for each item, in order; valid from desc_finish() on. */
	struct field *fields;
	uint32_t fixed; /* bytes of the open fixed part */
	struct arena arena;
};

#define DESC_TIME "time_ns" /* the type of a field in ns, printed as a time */
#define DESC_MAX_ITEMS 1024
#define DESC_MAX_BITS (65535u * 8) /* packed fixed part: the limit of a locator */

/*
 * Add the item that LINE (LEN bytes, no newline) describes.  LINE_NO counts from 1 and goes into
 * errors: "line 3, column 14: ...".  *USED (may be NULL) gets how many bytes of LINE were read: up
 * to and including the last attribute's ';'.  Without USED anything but a comment after it is an
 * error.  Returns 1, 0 for a blank line or a comment, -1 with E (ERR_FORMAT): no such kind, a
 * missing name or attribute, size 0 or above 64, an align that is not a power of two or above 64,
 * no count on an array or one on another kind, an unknown attribute or one given twice, [ ] in the
 * name, a name that is already taken, too many; a count of 0; any attribute of an absent item.
 */
int desc_add(struct desc *d, const char *line, size_t len, unsigned line_no, size_t *used,
	     struct err *e);

/*
 * Lay out both forms, and create the fields.  Scalars are FIELD_INT or FIELD_UINT, but a field of
 * exactly type "char" with 8 bits is FIELD_STR of one byte (a letter).  Arrays and dynamics of 8
 * bits are FIELD_STR if the type's last word is "char" and it is not unsigned or signed char, else
 * FIELD_BYTES; others are FIELD_ARRAY of 2, 4 or 8 byte items (2 below 8 bits).  Absent ones are
 * FIELD_NONE.  A dynamic one's word is FIELD_DATA_LOC.  -1 with E if the packed form is longer than
 * DESC_MAX_BITS, or the open one, if it has dynamic items, whose words could not hold their places.
 */
int desc_finish(struct desc *d, struct err *e);

/* D was zeroed before the first desc_add(). */
void desc_fini(struct desc *d);

/* The line of item I, as desc_add() reads it, into BUF; returns the length it needs (snprintf). */
size_t desc_text(const struct desc *d, unsigned i, char *buf, size_t size);

/* "line L, column C: TEXT", C counting from 1: the form of every error in these languages. */
int desc_complain(struct err *e, unsigned line, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
#define desc_complain(...) err_minus(desc_complain(__VA_ARGS__))

#endif
