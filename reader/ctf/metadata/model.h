/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_METADATA_MODEL_H
#define ZED_READER_CTF_METADATA_MODEL_H

#include "base/err.h"
#include "base/mem.h"

/*
 * What the metadata of a CTF trace say, in either of their languages: the text of CTF 1.8 (tsdl.h)
 * and the JSON of CTF 2 (ctf2.h).  ctf_layout.c compiles it.  One arena owns all of it.
 *
 * Source of the facts: the specifications of CTF 1.8.3 and 2.0, and what LTTng, perf and barectf
 * write.
 */
enum ctf_kind {
	CTF_INT,      /* 1 to 64 bits, or (leb) as many groups of 7 bits as it needs */
	CTF_FLOAT,    /* 16, 32 or 64 bits */
	CTF_STRING,   /* bytes up to a NUL */
	CTF_STRUCT,   /* members, one after another */
	CTF_ARRAY,    /* count items */
	CTF_SEQUENCE, /* as many items as the field at `path` says */
	CTF_VARIANT,  /* one of the members: the one that the field at `path` selects */
	CTF_OPTION,   /* elem, or nothing, as the field at `path` says */
};

enum ctf_order { ORDER_NATIVE, ORDER_LITTLE, ORDER_BIG }; /* native: the trace's */

/* What a reader needs a field for.  CTF 2 says so; in 1.8 it is known by its name and place. */
enum ctf_role {
	ROLE_NONE,
	ROLE_MAGIC,
	ROLE_STREAM_CLASS,  /* id of the packet's stream */
	ROLE_STREAM,	    /* number of the data stream */
	ROLE_PACKET_SIZE,   /* bits */
	ROLE_CONTENT_SIZE,  /* bits */
	ROLE_PACKET_BEGIN,  /* clock: also sets the clock */
	ROLE_PACKET_END,    /* clock */
	ROLE_DISCARDED,	    /* events that were lost before the packet's end, since the beginning */
	ROLE_PACKET_NUMBER, /* from 0 */
	ROLE_CPU,
	ROLE_EVENT_CLASS, /* id of the event */
	NROLES,
};

struct ctf_clock {
	struct ctf_clock *next;
	const char *id;		 /* by which the metadata refer to it */
	const char *name, *uuid; /* uuid: "" if none is given */
	uint64_t freq;		 /* cycles a second */
	int64_t offset_s;	 /* from its origin: seconds, */
	int64_t offset;		 /* and cycles */
	bool absolute;		 /* its origin is 1970 (UTC) */
	int64_t shift;		 /* the reader's: ns to be added to its times */
};

/* The values FIRST to LAST, as numbers of their class' sign. */
struct ctf_range {
	uint64_t first, last;
};

/* A name of the values of an enumeration. */
struct ctf_label {
	struct ctf_label *next;
	const char *name;
	struct ctf_range range;
};

struct ctf_class;

struct ctf_member {
	struct ctf_member *next;
	const char *name;
	uint8_t role; /* enum ctf_role */
	struct ctf_class *class;
	/* CTF 2, of a variant: what selects it.  In 1.8 the labels of its name do. */
	const struct ctf_range *ranges;
	unsigned nranges;
};

/* The parts of a packet and of an event, in their order. */
enum ctf_scope {
	SCOPE_PACKET_HEADER,
	SCOPE_PACKET_CONTEXT,
	SCOPE_EVENT_HEADER,
	SCOPE_COMMON_CONTEXT, /* of all events of a stream */
	SCOPE_CONTEXT,	      /* of an event */
	SCOPE_PAYLOAD,
	NSCOPES,
	SCOPE_INNERMOST, /* of a path: begins in one of the structures around it */
	SCOPE_EXACT,	 /* of a path: begins in the structure around it, or `out` further out */
};

/* Where another field is. */
struct ctf_path {
	uint8_t scope; /* enum ctf_scope */
	unsigned out, n;
	const char **names;
};

struct ctf_class {
	uint8_t kind;	/* enum ctf_kind */
	uint8_t bits;	/* CTF_INT, CTF_FLOAT */
	uint8_t order;	/* enum ctf_order */
	uint8_t unit;	/* text: bytes of a unit of UTF-16 or UTF-32, of that order; else 0 */
	uint32_t align; /* bits, a power of 2 */
	bool is_signed;
	bool reversed;		  /* CTF_INT, CTF_FLOAT: its last bit is read first */
	bool leb;		  /* CTF_INT: of variable length */
	bool text;		  /* CTF_INT of 8 bits: a character */
	bool is_enum, is_bool;	  /* CTF_INT */
	bool is_time;		  /* CTF_INT: it is the value of its stream's clock */
	uint16_t roles;		  /* CTF_INT, in headers: bit n: enum ctf_role n */
	struct ctf_clock *clock;  /* CTF_INT: it is this clock's value */
	bool is_flags;		  /* CTF_INT: labels are those of its bits, 0 the lowest */
	struct ctf_label *labels; /* CTF_INT: its values have names */
	struct ctf_member *members;
	unsigned nmembers;
	struct ctf_class *elem;
	uint64_t count;
	const struct ctf_path *path;
	const struct ctf_range *ranges; /* CTF_OPTION: what selects elem; none: any but 0 */
	unsigned nranges;
};

struct ctf_event_class {
	struct ctf_event_class *next;
	const char *name;
	uint64_t id, stream;
	struct ctf_class *context, *payload; /* structures, or NULL */
};

struct ctf_stream_class {
	struct ctf_stream_class *next;
	uint64_t id;
	struct ctf_class *packet_context, *event_header, *common_context; /* ... or NULL */
	struct ctf_clock *clock; /* CTF 2: its default clock, or NULL */
};

struct ctf_env {
	struct ctf_env *next;
	const char *name, *value;
};

struct ctf_meta {
	struct arena arena;
	uint64_t size; /* bytes of the file */
	uint64_t hash; /* of the text in it */
	bool is_tsdl;  /* names have a leading '_' */
	bool big;      /* the trace's byte order */
	bool has_uuid;
	uint8_t uuid[16];
	struct ctf_class *packet_header; /* or NULL: packets have none */
	struct ctf_clock *clocks;
	struct ctf_stream_class *streams;
	struct ctf_event_class *events;
	struct ctf_env *env;
	unsigned nstreams, nevents, nclasses, nclocks;
};

/* Bounds, each above what any tracer writes (LTTng's kernel: 460 KB, 1,300 events, depth 5). */
#define CTF_MAX_METADATA (64u << 20) /* bytes */
#define CTF_MAX_DEPTH 32	     /* of classes in each other */
#define CTF_MAX_CLASSES (1u << 20)
#define CTF_MAX_EVENTS 65536
#define CTF_MAX_STREAMS 1024 /* classes of streams; clocks; named types of one block */

/* The value of NAME in the trace's environment, or NULL. */
const char *ctf_env(const struct ctf_meta *m, const char *name);

/* The stream of ID, or NULL. */
struct ctf_stream_class *ctf_stream_class(const struct ctf_meta *m, uint64_t id);

/* The clock ID; made, of 1 GHz and that name, if there is none yet.  NULL with E: too many. */
struct ctf_clock *ctf_clock(struct ctf_meta *m, const char *id, size_t len, struct err *e);

/* Put the events, each of which was added before the others, into the order of the metadata. */
void ctf_reverse_events(struct ctf_meta *m);

/* A new class of KIND, aligned to 1 bit.  NULL with E: there are too many. */
struct ctf_class *ctf_class_new(struct ctf_meta *m, enum ctf_kind kind, struct err *e);

#endif
