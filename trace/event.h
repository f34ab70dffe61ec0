/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_EVENT_H
#define ZED_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A trace as sinks see it.  The reader owns every byte; what a function returns is borrowed until
 * the same function is called again.
 */

enum field_kind {
	FIELD_UINT,    /* size 1, 2, 4 or 8; its bits may have names: more->labels */
	FIELD_INT,     /* the same, signed */
	FIELD_STR,     /* array of char: text up to its NUL, bounded by the field */
	FIELD_BYTES,   /* array of other one-byte items, or an opaque object: all its bytes */
	FIELD_ARRAY,   /* items of elem = 2, 4 or 8 bytes, is_signed each */
	FIELD_BITMASK, /* kernel longs of elem bytes; bit n is bit n % (8 * elem) of long n / (8 *
			  elem) */
	FIELD_FLOAT,   /* IEEE 754, size 4 or 8 */
	FIELD_ENUM,    /* an integer, signed or not, whose values have names: more->labels */
	FIELD_STRUCT,  /* more->members, each at its offset from this field's start */
	FIELD_LIST,    /* items of elem bytes, each described by more->members[0] */
	FIELD_NONE,    /* promised, but not in this trace: undef; no bytes */
};

enum field_loc {
	FIELD_AT,	/* size bytes at off */
	FIELD_DATA_LOC, /* u32 at off: low half offset from the record's start, high half length */
	FIELD_REL_LOC,	/* the same, the offset counted from off + size, the word's end */
	FIELD_LOC16,	/* u16 at off: offset from the record's start, to the record's end
			   (before 2.6.31) */
	FIELD_TAIL,	/* from off to the record's end */
	FIELD_SPAN,	/* two u32 at off, in our byte order: offset from the start of what holds
			   the field (the record, or the item of a list, or a structure), and
			   length, bytes */
};

/*
 * The name of a value of a FIELD_ENUM, or of those up to `last`.  Of a FIELD_UINT, that of such
 * bits, 0 the lowest; consecutive ones with the same pointer are one name.
 */
struct field_label {
	int64_t value, last;
	const char *name;
};

struct field;

/* For some kinds only. */
struct field_more {
	const struct field_label *labels; /* FIELD_ENUM: sorted (field_sort_labels()) */
	unsigned nlabels;
	const struct field *members; /* their offsets count from the structure's or item's start */
	unsigned nmembers;	     /* FIELD_LIST: 1 */
};

struct field {
	const char *name;
	const char *type;  /* the declaration's words before the name, as the kernel wrote them,
			     trimmed */
	uint32_t off;	   /* bytes from the record's start */
	uint32_t size;	   /* bytes the format states at off (4 for the _LOC words, 0 for a TAIL) */
	uint16_t elem;	   /* bytes of an item; for scalars size */
	uint8_t kind, loc; /* enum field_kind, enum field_loc */
	bool swap;	   /* the record's byte order is not ours */
	bool is_signed;
	bool is_time;		       /* a number of ns, printed as a time: of synthetic events */
	uint32_t count;		       /* items the declaration states in [], 0: none stated */
	const struct field_more *more; /* FIELD_ENUM, FIELD_STRUCT, FIELD_LIST; a FIELD_UINT of
					  flags; else NULL */
	const char *dim; /* the text between the last [ and ], "" for [], NULL without brackets */
};

struct machine;
struct demand;
struct comm_event_fields;
struct lttng_event;

/* In the order in which ftrace writes them. */
enum stack_kind { STACK_NONE, STACK_KERNEL, STACK_USER };

/*
 * A type of event.  system and name are set from the start; everything from `fields` to `fixed`
 * only once etype_resolve() (catalog.h) has parsed the format: the types of delivered events and
 * those that catalog functions document as resolved always are.
 */
struct etype {
	const char *system, *name;
	const struct field *fields; /* the ncommon common_* first, then the event's own */
	unsigned ncommon, nfields;  /* nfields counts all */
	uint32_t fixed;		    /* a record has at least this many bytes */
	unsigned idx;		    /* dense over all sources of a catalog */
	unsigned id;		    /* the number in common_type */
	bool known;		    /* false: the trace has no (readable) format for this id */
	bool resolved;
	bool stable;	    /* made by a stable description, not a kernel */
	bool synthetic;	    /* made of two events */
	uint8_t comm_event; /* enum comm_event: it names tasks */
	uint8_t stack;	    /* enum stack_kind: it is the stack of the event before it */
	const char *format; /* the whole format text, format_len bytes, may lack a NUL */
	size_t format_len;
	const char *print; /* what follows "print fmt: ", print_len bytes; len 0: none */
	size_t print_len;
	struct machine *machine;
	const struct demand *demand; /* what the run needs; never NULL in a catalog */
	const struct comm_event_fields *comm_fields; /* of a comm_event; NULL: none */
	const struct lttng_event *lttng; /* of LTTng's kernel tracer (lttng_event.h); else NULL */
};

struct origin {
	const char *path;     /* the input as the user named it */
	const char *instance; /* buffer name, "" for the top one */
	int cpu;
	bool ticks;	 /* this buffer's times are not ns, though its input's first buffer's are */
	unsigned source; /* number of the input, from 0 in order of opening */
	unsigned buffer; /* number of the buffer over all inputs, from 0 in order of opening */
};

#define LOST_UNKNOWN UINT32_MAX
#define TS_UNKNOWN UINT64_MAX

/*
 * Which task the records of one CPU belong to, unwanted records included: an unbroken run of
 * records of `pid` up to the current one, and the record before it, of another task.  A loss ends
 * the run.
 */
struct trail {
	int32_t pid, before_pid;
	uint64_t since;	 /* time of the first record of the run */
	uint64_t before; /* time of the record before it; TS_UNKNOWN: none, or lost */
};

struct ring_place;
struct event_sample;

struct event {
	uint64_t ts; /* ns of the merged clock (or ticks, if the clock does not count ns) */
	const struct etype *type;
	const uint8_t *data; /* the record: common fields first */
	uint32_t size;	     /* bytes of it */
	uint32_t lost;	     /* events lost just before it; LOST_UNKNOWN: some */
	uint64_t seq;	     /* number of the record in its buffer's CPU, from 1, losses counted */
	int32_t pid;	     /* common_pid */
	int cpu;
	bool bare;	    /* no record: only reports losses */
	bool lost_anywhere; /* some of the lost ones may be of any CPU of its source */
	bool at_page_start; /* the record is at data offset 0 of its sub-buffer */
	uint64_t off; /* offset of the record's event header in its file (compressed: of its chunk)
		       */
	const struct origin *from;
	const struct ring_place *place; /* ring_place.h: valid as long as data; or NULL */
	/*
	 * The call chain that came with it, or (stream_ops.stacks) after it: addresses in our byte
	 * order, the innermost first, with marks that say what follows (chain.h).  NULL: none.
	 */
	const uint64_t *chain;
	uint32_t nchain;
	int32_t process; /* which the chain's part of a program is of; 0: as sample says */
	/* If lost is not 0: the time of the record before it on its CPU, or TS_UNKNOWN. */
	uint64_t lost_since;
	const struct trail *trail;	   /* of its CPU, up to this record; NULL: not known */
	const struct event_sample *sample; /* event_sample.h: of a perf.data; else NULL */
};

#endif
