/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_TIMELINE_CELLS_H
#define ZED_ANALYSIS_TIMELINE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Lanes of cells: a lane is a CPU or a task, a cell what it did in one stretch of time.  All cells
 * have the same length.  When time reaches their end, they are joined in pairs, which makes room
 * for as many again: so the end need not be known, and memory does not grow with the trace.
 */
enum { CELL_PARTS = 4 };

#define CELL_LOST 1 /* events were lost there */
#define CELL_IRQ 2  /* an interrupt began there */
#define NO_TASK UINT32_MAX

struct cell {
	float part[CELL_PARTS]; /* shares of the cell's time; their meaning is the owner's */
	uint32_t n;		/* events */
	uint32_t who;		/* the task with the largest share passed to fill() */
	float top;		/* that share */
	uint8_t flags;
};

/* The shares of tasks in the current cell. */
enum { LANE_NOW = 8 };

struct lane {
	struct cell *v;
	uint32_t at; /* number of the cell that `now` is about */
	unsigned nnow;
	struct {
		uint32_t who;
		float share;
	} now[LANE_NOW];
};

struct cells {
	struct lane *lanes;
	unsigned nlanes;
	uint32_t cap;	/* cells of a lane, a power of two */
	uint64_t most;	/* of all lanes */
	uint64_t base;	/* start of the first cell, ns */
	unsigned shift; /* a cell is 1 << shift ns long */
};

#define CELLS_LEAST 256 /* of a lane, however many lanes there are */

/* CAP cells a lane (a power of two), if all together are at most MOST. */
void cells_init(struct cells *c, uint32_t cap, uint64_t most, uint64_t base);
void cells_fini(struct cells *c);

/* A new lane's number; -1: no more fit. */
int cells_lane(struct cells *c);

/* Forget what LANE has. */
void cells_clear(struct cells *c, unsigned lane);

/* Let cells be twice as long. */
void cells_halve(struct cells *c);

/* Make room up to TS. */
static inline void cells_reach(struct cells *c, uint64_t ts)
{
	while ((ts - c->base) >> c->shift >= c->cap)
		cells_halve(c);
}

/* The cell of TS, which must have room and not be before base. */
static inline struct cell *cells_at(struct cells *c, unsigned lane, uint64_t ts)
{
	return &c->lanes[lane].v[(ts - c->base) >> c->shift];
}

/*
 * LANE was in PART from FROM to TO (not before FROM; there must be room).  WHO: the task of that
 * share, to find the one with the most; NO_TASK: none.
 */
void cells_fill(struct cells *c, unsigned lane, unsigned part, uint64_t from, uint64_t to,
		uint32_t who);

/* FLAGS for all cells from FROM to TO, both inside. */
void cells_flag(struct cells *c, unsigned lane, uint64_t from, uint64_t to, uint8_t flags);

#endif
