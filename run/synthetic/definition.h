/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_SYNTHETIC_DEFINITION_H
#define ZED_RUN_SYNTHETIC_DEFINITION_H

#include "base/mem.h"
#include "run/choose/words.h"
#include "expr/value.h"
#include "run/synthetic/synthetic.h"

/* Between definition.c and the rest of this folder: a user's definition, parsed. */
enum { SIDE_START, SIDE_END };

/* `match`: when an event, an end or an abort, belongs to a start. */
struct rule {
	struct expr *text; /* NULL: always */
	/* "start.pid == end.next_pid": pairs of equals, by which a start is found ... */
	const struct expr_node *start_keys[SYNTHETIC_KEYS], *end_keys[SYNTHETIC_KEYS];
	unsigned nkeys;
	/* ... and the other conditions: on the start only, on the other event, on both */
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
	const char **captured; /* fields of the start that are needed when it ends */
	unsigned ncaptured;
	enum synthetic_keep keep;
	bool nest;
	uint32_t max_pending;
	struct arena arena;
};

/*
 * Parse S and find its events among those of C.  NULL with E.  An abort that C does not have is
 * reported to N and left out.
 */
struct synthetic_def *synthetic_def_new(const struct synthetic_spec *s, const struct stable *stable,
					struct catalog *c, struct notes *n, struct err *e);
void synthetic_def_free(struct synthetic_def *d);

#endif
