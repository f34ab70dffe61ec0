/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_SYNTHETIC_SYNTHETIC_PRIV_H
#define ZED_RUN_SYNTHETIC_SYNTHETIC_PRIV_H

#include "stable/map.h"
#include "run/synthetic/definition.h"
#include "run/synthetic/pending.h"
#include "run/synthetic/synthetic.h"

/* Shared by the files of this folder, except pending.c. */

/* In the order in which one event takes them: a switch ends a task's run and starts another's. */
enum role { ROLE_END, ROLE_ABORT, ROLE_START };

struct formulas {
	struct expr_value **v;
	unsigned n;
};

/* A definition's role for one type of event. */
struct part {
	struct part *next; /* of the same type: by definition, then by role */
	struct site *site;
	enum role role;
	unsigned idx;		  /* of the type, in the catalogue */
	struct stable_map *map;	  /* what it sees of the type's events, or NULL: these */
	const struct etype *seen; /* the type of that */
	struct formulas keys, alone, both;
	struct formulas values; /* ROLE_START: values to keep; ROLE_END: the event's fields */
	bool one_number;	/* its key is one number, and ... */
	bool not_below_0;	/* ... that of the other side is never below 0 */
	/*
	 * EV may take this role.  RAW: the original record, whose common fields the raised event
	 * gets.
	 */
	void (*match)(struct synthetic *s, const struct part *b, const struct event *ev,
		      const struct event *raw);
};

struct slot {
	struct part *list;
	bool met, made;
	bool asked, shown; /* by the gate */
	bool unheard;	   /* the consumer does not need it: synthetic_want() */
};

/* A definition on one machine. */
struct site {
	struct site *next;
	struct synthetic_event *event;
	struct machine *machine;
	struct etype start; /* of what is kept of a start */
	struct field *kept; /* its fields: 8 bytes each, of our byte order, strings as spans */
	uint32_t *rooms;    /* bytes of each one's string; 0: a number */
	struct etype *type; /* of its events */
	const struct origin *from; /* of the last start */
	uint32_t common, last;	   /* bytes of its common fields; of all with a fixed place */
	/* kinds of the first start's keys, and of the fields; others must be the same */
	bool string_key[SYNTHETIC_KEYS], unsigned_key[SYNTHETIC_KEYS];
	bool string_field[SYNTHETIC_FIELDS];
	bool by_cpu, said_cut, said_full;
	bool only_numbers; /* kept of a start */
	struct pending pending;
	struct synthetic_counts counts;
};

/* A definition. */
struct synthetic_event {
	struct synthetic_event *next;
	struct synthetic_def *def;
	struct expr **captured; /* its captured names, each as a formula of one record */
	struct site *sites;
	unsigned number;
};

/* An event that was raised, with its record. */
struct raised {
	struct event ev;
	uint8_t *data;
	size_t cap;
};

struct synthetic {
	struct stage stage; /* must be first */
	struct stage *from;
	struct synthetic_gate gate;
	const uint64_t *base, *due; /* synthetic_watch(); NULL: no time is waited for */
	/* The item held while NEXT_DUE is reported to the consumer. */
	bool held;
	struct item item;
	enum next got;
	struct catalog *catalog;
	const struct stable *stable;
	struct notes *notes;
	struct synthetic_event *events;
	unsigned n;
	struct slot *slots; /* by etype idx */
	size_t nslots;
	struct raised *queue;
	size_t cap_queue;
	unsigned raised, given; /* of the queue */
	bool said_queue;
	bool outside;	       /* the current event is not asked for: not counted */
	uint64_t since, until; /* synthetic_time() */
	struct arena arena;    /* format texts, borrowed by the catalog */
};

/* ---- site.c ---- */

struct slot *synthetic_slot_at(struct synthetic *s, unsigned idx);

/*
 * Bind X on the machine M to the catalog's types.  1: done, or there was a site; 0: it has no start
 * or no end there; -1 with E.
 */
int synthetic_site_make(struct synthetic *s, struct synthetic_event *x, struct machine *m,
			struct err *e);

/* Bind T, which was not in the catalog when SITE was made. */
void synthetic_site_meet(struct synthetic *s, struct site *site, const struct etype *t);

void synthetic_site_free(struct site *site);
void part_free(struct part *b);

/* ---- match.c ---- */

/* Choose how B handles events, once everything is known. */
void match_choose(struct part *b);

/* The values kept of P, as an event; borrowed as P is. */
void match_kept(const struct site *site, const struct pending_start *p, struct event *out);

/* ---- made_type.c ---- */

/* Make the type of SITE's events, with the fields that END gives.  -1 with E. */
int synthetic_type_make(struct synthetic *s, struct site *site, const struct part *end,
			struct err *e);

#endif
