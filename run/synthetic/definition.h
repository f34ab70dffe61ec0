/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_SYNTHETIC_DEFINITION_H
#define ZED_RUN_SYNTHETIC_DEFINITION_H

#include "base/mem.h"
#include "run/choose/words.h"
#include "expr/value.h"
#include "run/synthetic/synthetic.h"

/* Between definition.c and the rest of this folder: what a user said, taken apart. */
enum { SIDE_START, SIDE_END };

/* `match`: when an event that comes, an end or an abort, is that of a start. */
struct rule {
	struct expr *text; /* NULL: always */
	/* "start.pid == end.next_pid": pairs of equals, by which a start is found ... */
	const struct expr_node *start_keys[SYNTHETIC_KEYS], *end_keys[SYNTHETIC_KEYS];
	unsigned nkeys;
	/* ... and what else has to be true: of the start alone, of the other event, of both */
	const struct expr_node *start_if[SYNTHETIC_TERMS], *end_if[SYNTHETIC_TERMS],
		*both_if[SYNTHETIC_TERMS];
	unsigned nstart_if, nend_if, nboth_if;
};

struct def_field {
	const char *name;
	struct expr *text;
};

struct synthetic_def {
	const char *system, *name;
	struct words *start, *end, *abort; /* abort NULL: none */
	struct rule match, abort_match;
	struct def_field *fields;
	unsigned nfields;
	const char **captured; /* names of the start's that are needed when it ends */
	unsigned ncaptured;
	enum synthetic_keep keep;
	bool nest;
	uint32_t max_pending;
	struct arena arena;
};

/*
 * Take S apart and find its events among those of C.  NULL with E.  An abort that C has not is said
 * to N and left out.
 */
struct synthetic_def *synthetic_def_new(const struct synthetic_spec *s, const struct stable *stable,
					struct catalog *c, struct notes *n, struct err *e);
void synthetic_def_free(struct synthetic_def *d);

#endif
