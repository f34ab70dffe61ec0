/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_FACILITY_FACILITY_H
#define ZED_READER_LTT_FACILITY_FACILITY_H

#include "base/err.h"
#include "trace/event.h"

/*
 * The facility language of LTT (2003 to 2006): the events of a facility and their contents, in
 * eventdefs/NAME.xml.  It looks like XML but is not.  Sources: the document "The new LTT trace
 * format", and what LTTV 0.6.9 to 0.8.43 read; three generations have different words for types.
 */
enum ltt_gen {
	LTT_G1,	 /* 2003 to 2004: no trace header */
	LTT_0_4, /* traces 0.4 and 0.5 */
	LTT_0_6, /* traces 0.6 and 0.7 */
};

/*
 * Sizes and alignment of the traced machine's C compiler, from facility_load or the trace header.
 */
struct ltt_machine {
	enum ltt_gen gen;
	bool swap;	    /* its byte order is not ours */
	unsigned arch_size; /* bytes: 4 or 8 */
	unsigned int_size, long_size, pointer_size, size_t_size;
	unsigned align; /* maximum alignment of scalars, bytes; 0: packed */
};

/* The facilities that one file describes. */
struct ltt_facilities;

/*
 * Parse TEXT of LEN bytes.  NULL with E (ERR_FORMAT, "line L, column C: ..."): wrong syntax, an
 * unknown type, a typeref to an undefined type or to itself, types nested deeper than
 * LTT_MAX_DEPTH, or a limit below exceeded.
 */
#define LTT_MAX_TEXT (1u << 20) /* bytes; the longest in use had 20,000 */
#define LTT_MAX_FACILITIES 256
#define LTT_MAX_DEPTH 32	 /* nesting of types, including typerefs */
#define LTT_MAX_EVENTS 256	 /* per facility: the id is a byte */
#define LTT_MAX_EVENTS_G1 4096	 /* the same in generation 1, with larger ids */
#define LTT_MAX_FIELDS 4096	 /* per event, including nested ones, with typerefs followed */
#define LTT_MAX_ALL_FIELDS 65536 /* the same, for all events of the text */
#define LTT_MAX_LABELS 65536	 /* for all enums of the text */

struct ltt_facilities *ltt_facilities_parse(const char *text, size_t len, enum ltt_gen gen,
					    struct err *e);
void ltt_facilities_free(struct ltt_facilities *f);

unsigned ltt_facilities_count(const struct ltt_facilities *f);
const char *ltt_facilities_name(const struct ltt_facilities *f, unsigned fac);
uint32_t ltt_facilities_checksum(const struct ltt_facilities *f, unsigned fac);
unsigned ltt_facilities_nevents(const struct ltt_facilities *f, unsigned fac);
const char *ltt_facilities_event(const struct ltt_facilities *f, unsigned fac, unsigned event);

/*
 * One event on one machine: the fields that sinks see, and how a payload becomes such a record: a
 * fixed part (natural alignment, our byte order) and a tail for values of variable size.
 *
 * int, uint, pointer and the like: FIELD_INT, FIELD_UINT; float: FIELD_FLOAT; string: FIELD_STR in
 * a FIELD_SPAN, its NUL counted; enum: FIELD_ENUM; struct and union: FIELD_STRUCT; array and
 * sequence: FIELD_STR or FIELD_BYTES for one-byte items (char; others), FIELD_ARRAY for integers of
 * 2, 4 or 8 bytes, else FIELD_LIST.  A sequence is in a FIELD_SPAN, and so is an array in an item
 * of a list.  `type` is the word used in the checksum.
 */
struct ltt_layout;

/*
 * NULL with E: the event cannot be read on any machine (a union with members of variable size), or
 * the machine is impossible.  F must live as long as the layout, which borrows names and labels.
 */
struct ltt_layout *ltt_layout_new(const struct ltt_facilities *f, unsigned fac, unsigned event,
				  const struct ltt_machine *m, struct err *e);
void ltt_layout_free(struct ltt_layout *l);

/* Its fields; they live as long as the layout. */
const struct field *ltt_layout_fields(const struct ltt_layout *l, unsigned *n, uint32_t *fixed);

/*
 * A record under construction; it grows as needed.  The caller zero-initialises it and frees data,
 * which is not NULL once a payload has been opened.
 */
struct ltt_record {
	uint8_t *data;
	size_t cap;
	uint32_t size;
};

#define LTT_MAX_RECORD (16u << 20) /* bytes of a record: a hostile sequence of sequences */

/*
 * Open the payload at P, of at most LEN bytes.  *USED gets its length, including any padding
 * present after a final string or sequence.  -1 with E (ERR_FORMAT, off: bytes from P): it runs
 * past LEN, a string has no end, a record is too long.  Offsets in a payload, and so its padding,
 * count from P.
 */
int ltt_layout_open(const struct ltt_layout *l, const uint8_t *p, size_t len, struct ltt_record *r,
		    size_t *used, struct err *e);

#endif
