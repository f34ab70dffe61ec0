/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PERFETTO_PERFETTO_PRIV_H
#define ZED_SINK_PERFETTO_PERFETTO_PRIV_H

#include "base/hash_index.h"
#include "base/outbuf.h"
#include "trace/machine.h"
#include "trace/frame_cache.h"
#include "trace/sink.h"
#include "trace/stack_chain.h"

/* What the files of this folder share, but for proto.c. */

/* ---- known.c ---- */

/*
 * Events that have a message of their own in Perfetto: the number of FtraceEvent's field and those
 * of the message's fields (perfetto v20 to v58, protos/perfetto/trace/ftrace).  Numbers that v20
 * does not know are left out, as it would silently drop these events; every version shows them as
 * generic ones.
 */
struct known_event {
	const char *system, *name;
	unsigned number;
	/* "NAME=NUMBER NAME=NUMBER:s ...", :s: an address, given as an interned symbol. */
	const char *fields;
};

/* The event SYSTEM:NAME, or NULL. */
const struct known_event *known_find(const char *system, const char *name);

/* The number of the field NAME of K, 0: it has none.  *SYMBOL: it is a symbol. */
unsigned known_field(const struct known_event *k, const char *name, int *symbol);

/*
 * Does TEXT, LEN bytes of trace_marker, have the form that Perfetto reads as a slice or a counter?
 */
int known_is_atrace(const char *text, size_t len);

/* ---- interned.c ---- */

/*
 * Kernel addresses as Perfetto's interned symbols: each gets a number when it first occurs, and a
 * packet with its symbol.  Zero-initialise.
 */
struct symbol_ids {
	struct symbol_id *v;
	size_t cap;
	struct hash_index index; /* of V, by machine and address */
};

#define SYMBOL_IDS_MAX (1u << 18) /* addresses with a number; others are shown as addresses */

/*
 * The number of ADDRESS on machine M, 0: it has none (no symbol, or too many are known).  If it is
 * new, *NAME becomes its symbol, borrowed until the next look-up, else NULL.
 */
unsigned symbol_ids_get(struct symbol_ids *s, struct machine *m, uint64_t address,
			const char **name);
void symbol_ids_fini(struct symbol_ids *s);

/* ---- samples.c ---- */

/* Sequences of packets; Zed::Perfetto, whose files may be added, has those from 256 on. */
#define SEQUENCE_SAMPLES 3
#define SEQUENCES 256

/*
 * What stands for what in the packets of samples: function names, files, frames and stacks, by
 * numbers.  Its memory is bounded: when the tables are full, they begin anew.  Zero-initialise.
 */
struct samples {
	/* The keys that have numbers: a sequence, a table, and what is in it. */
	struct sample_key *v;
	size_t cap;
	struct hash_index index; /* of V */
	struct outbuf keys;
	uint64_t numbers; /* given so far */
	uint64_t round;	  /* from 1 on: how often the tables began */
	/* The sequence of each type, by its index; 0: none yet.  The last types share one. */
	uint8_t *sequences;
	size_t nsequences;
	unsigned used;
	uint64_t began[SEQUENCES]; /* the round in which it began last */
	/* Of one packet. */
	uint32_t sequence;
	struct outbuf key, interned;
	uint64_t *frames;
	size_t cap_frames;
	struct stack_chain chain;
	struct frame_cache cache;
};

/* Does EV have a stack, or a counter's sample an address? */
static inline bool samples_has(const struct event *ev)
{
	const struct etype *t = ev->type;

	return !t->stable && !t->synthetic &&
	       (stack_chain_any(ev) || (ev->sample && !t->format_len));
}

/*
 * Append EV, for which samples_has() is true, to O: a packet of its stack, at TS, after those that
 * it needs.  Nothing if its stack is empty.
 */
void samples_put(struct samples *s, const struct event *ev, uint64_t ts, struct outbuf *o);
void samples_fini(struct samples *s);

/* ---- render.c ---- */

/* How the events of one type become Perfetto's: made once, run for each record. */
struct render;

/* What a plan needs from the trace being written. */
struct render_env {
	struct symbol_ids *symbols;
	/* A symbol got the number ID: to be written before the event is. */
	void (*interned)(void *arg, unsigned id, const char *name);
	void *arg;
};

/*
 * The plan for type T, which is resolved.  OWN: in Perfetto's own message, if it has one; else as a
 * generic event.  Never NULL.
 */
struct render *render_new(const struct etype *t, bool own);
void render_free(struct render *p);

/* Append EV's message to O, after its time and task. */
void render_event(struct render *p, const struct event *ev, struct outbuf *o,
		  const struct render_env *env);

/* ---- perfetto_machine.c ---- */

/*
 * Packets about the traced machine, that of the first input, appended to O.  The engine chooses
 * task states and names of system calls by the kernel's release and the architecture.
 */

/* The machine, its tasks, and the time of day, if the trace has it; the first event is at TS. */
void perfetto_machine(struct outbuf *o, const struct run_info *run, uint64_t ts);

/* Its tasks, as they are known now. */
void perfetto_tasks(struct outbuf *o, const struct run_info *run);

#endif
