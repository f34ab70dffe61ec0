/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_TIMELINE_MARKS_H
#define ZED_ANALYSIS_TIMELINE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Single events of a time line: all of a short trace, and of a long one those near the times that a
 * script keeps.  The latest events are always there, so that a case can be kept once it has ended;
 * memory is bounded by MARKS_CHUNKS.
 */
enum mark_kind { MARK_EVENT, MARK_SWITCH, MARK_WAKING, MARK_LOST };

struct mark {
	uint64_t ts;
	uint32_t who;	/* task (tasks.h) that ran there; of a switch, the one that left */
	uint32_t other; /* the next, or woken, task; of a loss, how many (UINT32_MAX: unknown) */
	uint32_t type;	/* etype.idx */
	uint16_t lane;	/* of its CPU */
	uint8_t kind;
	char letter; /* of a switch: the state it leaves in, '+' if it was preempted; of a waking:
			'i', 's' (in an interrupt, a softirq) or ' ' */
};

enum {
	MARKS_CHUNK = 2048,
	MARKS_RECENT = 64,  /* chunks */
	MARKS_CHUNKS = 512, /* at most */
	MARKS_WINDOWS = 64,
};

struct marks_window {
	uint64_t from, to; /* ns, both inclusive */
	uint64_t weight;
};

struct marks_chunk {
	uint64_t number; /* numbered in order, including those that were given up */
	uint32_t n;
	struct mark v[MARKS_CHUNK];
};

struct marks {
	struct marks_chunk **v; /* by time */
	size_t n, cap;
	uint64_t all, chunks; /* events so far */
	struct marks_window windows[MARKS_WINDOWS];
	unsigned nwindows;
};

void marks_fini(struct marks *m);

/* Room for one more, at the end: to be filled in by the caller. */
struct mark *marks_add(struct marks *m);

/*
 * Keep the events from FROM to TO, and a little around it, those still there and those to come.  If
 * there are too many such windows, those of the lowest WEIGHT are given up.
 */
void marks_keep(struct marks *m, uint64_t from, uint64_t to, uint64_t weight);

/* Periods whose events are all there, in order and disjoint. */
struct marks_range {
	uint64_t from, to;
	size_t first, n; /* of `v` */
};

struct marks_answer {
	const struct mark **v; /* by time */
	size_t n;
	struct marks_range *ranges;
	size_t nranges;
};

/* At most MOST of them: all, or those of the windows, the highest weights first. */
void marks_choose(const struct marks *m, size_t most, struct marks_answer *out);
void marks_answer_fini(struct marks_answer *a);

#endif
