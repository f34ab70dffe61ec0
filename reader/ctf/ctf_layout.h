/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_CTF_LAYOUT_H
#define ZED_READER_CTF_CTF_LAYOUT_H

#include "reader/ctf/metadata/model.h"
#include "trace/event.h"

/*
 * How the bits of a packet become values: steps, compiled once from the classes of the metadata
 * (ctf_layout.c), and executed for each packet and event (ctf_unpack.c).  Of headers and of a
 * packet's context only what a reader needs is kept; an event's contexts and payload become a
 * record with fields: a fixed part, and a tail for what has no fixed size (FIELD_SPAN).
 */
#define CTF_MAX_RECORD (1u << 20) /* bytes */
#define CTF_MAX_STEPS (1u << 16)  /* of one event */
#define CTF_MAX_PARTS (1u << 17)  /* of all events: steps, and names of values; */
#define CTF_PART_BYTES 8	  /* ... and one more for so many bytes of metadata */
#define CTF_SLOTS 256		  /* values that a later field needs: */
#define CTF_HEAD_SLOTS 64	  /* those of headers and packet contexts come first */

enum ctf_op {
	CTF_COPY,   /* own bytes as they are: several integers at once */
	CTF_WHOLE,  /* an integer or float of 1, 2, 4 or 8 bytes at a byte's begin */
	CTF_BITS,   /* any integer or float */
	CTF_LEB,    /* an integer of variable length */
	CTF_TEXT,   /* a string with its NUL */
	CTF_WIDE,   /* a string of units of `size` bytes, which becomes UTF-8 with a NUL */
	CTF_PARTS,  /* nsub consecutive steps */
	CTF_ITEMS,  /* sub[0], as often as count or the number in slot `from` says */
	CTF_CHOICE, /* one of sub[nsub], or none, as the number in slot `from` says */
};

struct ctf_step {
	uint8_t op; /* enum ctf_op */
	uint8_t bits;
	uint8_t size;	/* of a number in the record, bytes; 0: it is not kept */
	uint16_t roles; /* bit n: enum ctf_role n */
	bool is_signed, big;
	bool reversed;	/* CTF_BITS: its last bit comes first */
	bool truth;	/* ... any number but 0 becomes 1 */
	bool half;	/* ... a float of 16 bits becomes one of 32 */
	bool swap;	/* of a number in the record: it is not in our byte order */
	bool clock;	/* it sets the stream's clock */
	bool ends;	/* it is a later time of this clock */
	bool span;	/* the record has two u32 there, and the value in the tail */
	bool counted;	/* CTF_ITEMS, CTF_WIDE: by a slot */
	bool bare;	/* its items or parts are not kept */
	int16_t slot;	/* where its number is kept for later; -1: nowhere */
	int16_t from;	/* CTF_CHOICE; others if counted */
	uint32_t align; /* bits, from the packet's begin; 1: none */
	uint32_t to;	/* offset in the record, from the start of its holder */
	uint32_t own;	/* bytes there, without the tail */
	uint64_t count; /* CTF_ITEMS; CTF_WIDE: bytes, UINT64_MAX: up to a NUL */
	struct ctf_step *sub;
	unsigned nsub;
	/* Of a step of a CTF_CHOICE: what selects it; none of them: any number but 0. */
	const struct ctf_range *ranges;
	unsigned nranges;
	const char *name;	       /* of the field, for messages */
	const struct ctf_class *class; /* from which it was made */
};

/* The steps of a part of a packet or an event. */
struct ctf_part {
	const struct ctf_class *class; /* NULL: there is none */
	struct ctf_step step;
};

/* What all events of a stream have. */
struct ctf_head {
	struct arena arena;
	struct ctf_part packet_header, packet_context, event_header;
	unsigned nslots;
};

#define CTF_CONTEXT "context_" /* prefix of the fields of contexts */

/* An event of a stream. */
struct ctf_layout {
	struct ctf_part common, context, payload;
	struct field *fields;
	unsigned nfields, ncontext; /* those of contexts come last */
	uint32_t fixed;		    /* bytes of the record's fixed part */
};

/*
 * Compile the headers of stream S, or of packets without one (NULL).  *LEFT: how many parts
 * may still be made, of all traces of an input, as a page of text can describe billions.  -1 with
 * E.
 */
int ctf_head_compile(struct ctf_head *h, const struct ctf_meta *m, const struct ctf_stream_class *s,
		     unsigned *left, struct err *e);
void ctf_head_fini(struct ctf_head *h);

/*
 * Compile event EV of stream S, whose headers are H (their steps may get a slot more), from A.
 * -1 with E, which names the field.
 */
int ctf_layout_compile(struct ctf_layout *l, struct arena *a, struct ctf_head *h,
		       const struct ctf_meta *m, const struct ctf_stream_class *s,
		       const struct ctf_event_class *ev, unsigned *left, struct err *e);

/* A record, made from a payload; data is the caller's, to be freed. */
struct ctf_record {
	uint8_t *data;
	size_t cap;
	uint32_t size;
};

/* A packet that is being read. */
struct ctf_in {
	const uint8_t *p;    /* some of its bytes, */
	uint64_t from, have; /* which begin there in the packet, and how many there are */
	uint64_t pos, end;   /* bits from the packet's begin: the next one, and after the last */
	uint64_t clock;	     /* cycles: the last time stamp, widened */
	uint32_t has;	     /* bit n: roles[n] was read */
	uint64_t roles[NROLES];
	uint64_t slots[CTF_SLOTS];
	uint32_t items; /* that one event may still have */
};

/*
 * Execute PART at in->pos.  What is kept goes into R, from BASE on.  0; 1: more bytes are needed
 * than `have` (IN and R are then to be restored, and it begins again); -1 with E (off: bytes from
 * the packet's begin).
 */
int ctf_unpack(struct ctf_in *in, const struct ctf_part *part, struct ctf_record *r, uint32_t base,
	       struct err *e);

/* Begin a record of FIXED bytes, all 0. */
void ctf_record_begin(struct ctf_record *r, uint32_t fixed);

/* ---- ctf_wide.c ---- */

/*
 * LEN bytes of text at P, of units of 2 (UTF-16) or 4 bytes (UTF-32), up to a NUL, as UTF-8 into
 * TO, which has room for twice as many.  What is no character becomes U+FFFD.  Returns the bytes
 * written.
 */
size_t ctf_wide_to_utf8(const uint8_t *p, size_t len, unsigned unit, bool big, uint8_t *to);

#endif
