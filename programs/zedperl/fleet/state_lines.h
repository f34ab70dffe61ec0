/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_STATE_LINES_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_STATE_LINES_H

#include "base/input.h"
#include "base/mem.h"

#include <stdbool.h>

#define STATE_KEY 200	       /* bytes of a key, at most */
#define STATE_LINE (64u << 20) /* and of a line */
#define STATE_ID 80	       /* and of a trace's identity */

/* A line whose sum is right. */
struct state_line {
	unsigned file; /* number of the input */
	uint64_t off;  /* of its body: what follows the sum, without the last brace */
	size_t len;
	uint64_t sum;
	unsigned ntraces;
	const char **ids; /* of its traces, sorted */
	bool dropped;
};

/* A file that was scanned; the copy of a pipe stays open, as a pipe cannot be read twice. */
struct state_file {
	struct input in;
	const char *path;
	bool is_open, piped;
};

/* All lines of some inputs.  Zero-initialise, but for open. */
struct state_lines {
	struct state_file *files;
	unsigned nfiles;
	size_t cap_files;
	int open; /* number of the open file, besides those that were pipes; or -1 */
	struct state_line *v;
	size_t n, cap;
	struct arena arena;
	char *buf; /* of the current line */
	size_t cap_buf;
};

/* Begin a line: KEY, and the sum of the LEN bytes of BODY, with everything before it. */
int state_line_head(char *out, size_t size, const char *key, const char *body, size_t len);

/*
 * Scan all lines of PATH (borrowed) with that KEY (NULL: any).  WRONG is called with what is wrong
 * with a line, and its number.  -1 with E: the input cannot be read.
 */
int state_lines_add(struct state_lines *l, const char *path, const char *key,
		    void (*wrong)(void *arg, const char *path, uint64_t number, const char *why),
		    void *arg, struct err *e);

/* The body of the line V, borrowed until the next call.  NULL with E. */
const char *state_lines_body(struct state_lines *l, const struct state_line *v, struct err *e);

/* For each line, whether one of its traces is in another line, or twice in it.  To be freed. */
bool *state_lines_shared(const struct state_lines *l);

void state_lines_fini(struct state_lines *l);

#endif
