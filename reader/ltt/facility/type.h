/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_FACILITY_TYPE_H
#define ZED_READER_LTT_FACILITY_TYPE_H

#include "base/mem.h"
#include "reader/ltt/facility/facility.h"

/*
 * The tree of types that facility_parse.c makes from a facility's text.  facility.c resolves the
 * typerefs, event_layout.c lays the tree out for a machine.  The arena of struct ltt_facilities
 * owns all of it.
 */
enum ltt_kind {
	LTT_SCALAR, /* integers, pointers, floats */
	LTT_ENUM,
	LTT_STRING,
	LTT_ARRAY,    /* count items of elem */
	LTT_SEQUENCE, /* a count of type length, then that many of elem */
	LTT_STRUCT,
	LTT_UNION, /* its members overlap */
	LTT_REF,   /* a typeref: elem once it is resolved */
};

/* The width of a scalar; most depend on the traced machine. */
enum ltt_width {
	LTT_W1 = 1,
	LTT_W2 = 2,
	LTT_W4 = 4,
	LTT_W8 = 8,
	LTT_W_INT = 16,
	LTT_W_LONG,
	LTT_W_POINTER,
	LTT_W_SIZE_T,
};

struct ltt_label {
	struct ltt_label *next;
	const char *name;
	const char *text; /* in the checksum of generation 1 and 0.4: NAME or NAME=N */
	int64_t value;
};

struct ltt_type;

struct ltt_member {
	struct ltt_member *next;
	const char *name;
	struct ltt_type *type;
};

struct ltt_type {
	uint8_t kind, width; /* enum ltt_kind, enum ltt_width */
	bool is_signed, is_float, is_char;
	uint8_t state;	       /* facility.c: not seen, in progress, measured */
	unsigned line, column; /* its position in the text */
	const char *word;      /* its contribution to the checksum, and its name in C */
	const char *format;    /* or NULL */
	uint32_t count;	       /* LTT_ARRAY */
	struct ltt_type *length, *elem;
	struct ltt_member *members; /* LTT_STRUCT, LTT_UNION */
	struct ltt_label *labels;   /* LTT_ENUM, in the order of the text */
	const struct field_label *sorted;
	unsigned nlabels;
	const char *ref;	   /* LTT_REF: the name of its type */
	struct ltt_type *next_ref; /* LTT_REF: of the same facility */
	/* With typerefs followed: */
	unsigned depth;
	uint64_t nfields, weight; /* weight: bytes in the checksum */
};

struct ltt_named {
	struct ltt_named *next;
	const char *name;
	struct ltt_type *type;
};

struct ltt_event {
	struct ltt_event *next;
	const char *name;
	struct ltt_type *body; /* NULL: no data */
	unsigned line, column;
};

struct ltt_facility {
	struct ltt_facility *next;
	const char *name;
	struct ltt_event *first, **events;
	unsigned nevents;
	struct ltt_named *named;
	struct ltt_type *refs;
	uint32_t checksum;
};

struct ltt_facilities {
	struct arena arena;
	enum ltt_gen gen;
	struct ltt_facility *first, **facs;
	unsigned n;
	uint64_t nfields, weight; /* totals of all events, bounded */
};

/* facility_parse.c: fill F from TEXT; typerefs are not yet resolved. */
int ltt_parse(struct ltt_facilities *f, const char *text, size_t len, struct err *e);

/* T with typerefs followed.  Only after ltt_facilities_parse(). */
static inline const struct ltt_type *ltt_type_of(const struct ltt_type *t)
{
	while (t->kind == LTT_REF)
		t = t->elem;
	return t;
}

#endif
