/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_INTAKE_BLOCKS_H
#define ZED_READER_PERF_INTAKE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Blocks of a file's bytes.  The intake fills one, and records wait in it until their time has
 * come: each user counts, and with the last one the block can be filled again.  Unused blocks are
 * not returned to the system, as each round of a recording needs about as many as the one before
 * it.
 */
struct intake_block {
	struct intake_block *next; /* unused, too */
	size_t size;		   /* of bytes */
	unsigned users;		   /* its intake, and each stretch of waiting records (order.h) */
	bool left;		   /* by its intake */
	uint8_t bytes[] __attribute__((aligned(8)));
};

/* The blocks of all files of a recording.  Zero-initialise. */
struct intake_blocks {
	struct intake_block *unused;
	uint64_t waiting; /* bytes of those that only contain waiting records */
};

/* A block of SIZE bytes or more with one user, its intake. */
struct intake_block *blocks_get(struct intake_blocks *s, size_t size);

/* One user of B less. */
void blocks_drop(struct intake_blocks *s, struct intake_block *b);

/* The same for the intake of B. */
void blocks_leave(struct intake_blocks *s, struct intake_block *b);

/* All blocks must be unused. */
void blocks_fini(struct intake_blocks *s);

#endif
