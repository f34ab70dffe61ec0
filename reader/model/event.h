/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_MODEL_EVENT_H
#define ZED_READER_MODEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a sink sees of a trace.  The reader owns every byte; what a function hands you is borrowed
 * until you call the same function again.
 */

enum field_kind {
	FIELD_UINT,    /* size 1, 2, 4 or 8 */
	FIELD_INT,     /* the same, signed */
	FIELD_STR,     /* array of char: text up to its NUL, bounded by the field */
	FIELD_BYTES,   /* array of other one-byte items, or an opaque object: all its bytes */
	FIELD_ARRAY,   /* items of elem = 2, 4 or 8 bytes, is_signed each */
	FIELD_BITMASK, /* kernel longs of elem bytes; bit n is bit n % (8 * elem) of long n / (8 *
			  elem) */
	FIELD_FLOAT,   /* IEEE 754, size 4 or 8 */
	FIELD_ENUM,    /* an integer, signed or not, whose values have names: more->labels */
	FIELD_STRUCT,  /* more->members, each at its offset from this field's start */
	FIELD_LIST,    /* items of elem bytes, each as the one of more->members says */
	FIELD_NONE,    /* promised, but this trace has nothing for it: undef; no bytes */
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

/* The name of one value of a FIELD_ENUM. */
struct field_label {
	int64_t value;
	const char *name;
};

struct field;

/* What only some kinds have. */
struct field_more {
	const struct field_label *labels; /* sorted by value; of equal ones the first holds */
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
	bool is_time;	/* a number of ns, which those who print it say: of synthetic events */
	uint32_t count; /* items the declaration states in [], 0: none stated */
	const struct field_more *more; /* FIELD_ENUM, FIELD_STRUCT, FIELD_LIST; else NULL */
	const char *dim; /* what stood between the last [ and ], "" for [], NULL without brackets */
};

struct machine;

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
	uint32_t fixed;		    /* a record has at least so many bytes */
	unsigned idx;		    /* dense over all sources of a catalog */
	unsigned id;		    /* the number in common_type */
	bool known;		    /* false: the trace has no (readable) format for this id */
	bool resolved;
	bool unused;	    /* no sink has use for it ... */
	bool unwanted;	    /* ... nor anybody else: streams count it and go on */
	bool any_order;	    /* the consumer takes it in any order ... */
	bool early;	    /* ... and nobody else needs it in the right one: stream.early */
	bool follows;	    /* it is wanted outside of what is asked for ... */
	bool beyond;	    /* ... for that, or for the names it tells */
	bool stable;	    /* made by a stable description, not a kernel */
	bool synthetic;	    /* made of two events */
	uint8_t naming;	    /* enum naming_kind: it tells names of tasks */
	uint8_t stack;	    /* enum stack_kind: it is that of the event before it */
	const char *format; /* the whole format text, format_len bytes, no NUL promised */
	size_t format_len;
	const char *print; /* what follows "print fmt: ", print_len bytes; len 0: none */
	size_t print_len;
	struct machine *machine;
};

struct origin {
	const char *path;     /* the input as the user named it */
	const char *instance; /* buffer name, "" for the top one */
	int cpu;
	bool ticks;	 /* this buffer's times count no ns, though its input's first do */
	unsigned source; /* number of the input, from 0 in order of opening */
	unsigned buffer; /* number of the buffer over all inputs, from 0 in order of opening */
};

#define LOST_UNKNOWN UINT32_MAX
#define TS_UNKNOWN UINT64_MAX

/*
 * Whose the records of one CPU are, those that no sink wants included: an unbroken row of records
 * of `pid` up to the current one, and the record before it, of another task.  A loss breaks it.
 */
struct trail {
	int32_t pid, before_pid;
	uint64_t since;	 /* time of the first record of the row */
	uint64_t before; /* time of the one before it; TS_UNKNOWN: there is none, or it is lost */
};

/*
 * What perf was asked to record (linux/perf_event.h): struct perf_event_attr in our byte order, as
 * long as the writer's and at least EVENT_ATTR_LEN bytes, and where in its samples, counted from
 * their heads, something is: EVENT_NOWHERE, if it is not.
 */
#define EVENT_ATTR_LEN 128
#define EVENT_NOWHERE UINT16_MAX

struct event_attr {
	const uint8_t *bytes;
	uint32_t len;
	uint16_t ip, tid, time, addr, id, stream_id, cpu, period;
	uint64_t every; /* the period, where samples have none */
};

/* What a counter that was read with a sample has counted: this holds instead of the record's. */
struct event_count {
	uint64_t id;	 /* of the counter */
	uint64_t period; /* counted since it was read before */
};

/* The PERF_RECORD_SAMPLE that an event is, as the file has it, in the file's byte order. */
struct event_sample {
	const struct event_attr *attr;
	const struct event_count *count; /* NULL: the record's id and period hold */
	const uint8_t *record;
	uint32_t size;	 /* bytes of it */
	uint32_t raw_at; /* the place of nraw bytes of its own in it; 0: it has none */
	uint32_t nraw;
};

struct page_layout;

/*
 * Where a record lies in a ring buffer's sub-buffer: for those who copy records as they are.  Its
 * header begins at page + (event.off - page_off).
 */
struct ring_place {
	uint64_t stamp;	     /* the record's time as the ring buffer has it, without what the
				trace says about its clock */
	const uint8_t *page; /* the sub-buffer from its header on; NULL: it is no longer there */
	const uint8_t *end;  /* of its data */
	uint32_t len;	     /* bytes of it that are there: less than its size at a file's end */
	uint64_t page_off;   /* offset in the file (compressed: of its chunk) */
	uint64_t number;     /* of the sub-buffer in its stream */
	const struct page_layout *layout; /* reader/pages/header_page.h */
	bool older_loss; /* before its first record stand losses that an earlier one told of */
};

struct event {
	uint64_t ts; /* ns of the merged clock (or ticks, where the clock has no ns) */
	const struct etype *type;
	const uint8_t *data; /* the record: common fields first */
	uint32_t size;	     /* bytes of it */
	uint32_t lost;	     /* events lost just before it; LOST_UNKNOWN: some */
	uint64_t seq;	     /* number of the record in its buffer's CPU, from 1, losses counted */
	int32_t pid;	     /* common_pid */
	int cpu;
	bool bare;	    /* no record: only its losses count */
	bool lost_anywhere; /* some of the lost ones may be of any CPU of its source */
	bool at_page_start; /* the record stands at data offset 0 of its sub-buffer */
	uint64_t off; /* offset of the record's event header in its file (compressed: of its chunk)
		       */
	const struct origin *from;
	const struct ring_place *place; /* valid as long as data; NULL: it is of no ring buffer */
	/*
	 * The call chain that came with it, or (stream_ops.stacks) behind it: addresses in our
	 * byte order, the innermost first, with the marks between them that say what follows
	 * (enum chain_mark). NULL: none came.
	 */
	const uint64_t *chain;
	uint32_t nchain;
	/* Where lost is not 0: the time of the last record before, on its CPU; or TS_UNKNOWN. */
	uint64_t lost_since;
	const struct trail *trail;	   /* of its CPU, as it is now; NULL: not known */
	const struct event_sample *sample; /* of a perf.data; else NULL */
};

/*
 * Marks in a call chain (linux/perf_event.h, enum perf_callchain_context): they are no addresses,
 * but say in which mode those behind them were.
 */
enum chain_mark {
	CHAIN_HYPERVISOR = -32,
	CHAIN_KERNEL = -128,
	CHAIN_USER = -512,
	CHAIN_USER_DEFERRED = -640, /* followed by a cookie, not an address */
	CHAIN_GUEST = -2048,
	CHAIN_GUEST_KERNEL = -2176,
	CHAIN_GUEST_USER = -2560,
};

/*
 * The last page of the address space is kept for marks: nothing can be called there.  A value that
 * is none of those above is what unwinding took for an address (UINT64_MAX, for one).
 */
#define CHAIN_FIRST_MARK ((uint64_t)-4095)

static inline bool chain_is_mark(uint64_t value)
{
	return value >= CHAIN_FIRST_MARK;
}

/* Is what follows the mark MARK neither an address nor a mark? */
static inline bool chain_has_cookie(uint64_t mark)
{
	return mark == (uint64_t)CHAIN_USER_DEFERRED;
}

/* Does MARK say where the addresses after it are? */
static inline bool chain_is_known(uint64_t mark)
{
	switch ((int64_t)mark) {
	case CHAIN_HYPERVISOR:
	case CHAIN_KERNEL:
	case CHAIN_USER:
	case CHAIN_USER_DEFERRED:
	case CHAIN_GUEST:
	case CHAIN_GUEST_KERNEL:
	case CHAIN_GUEST_USER:
		return true;
	}
	return false;
}

#endif
