/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_ASKED_FIELDS_H
#define ZED_PROGRAMS_ZEDPERL_MCP_ASKED_FIELDS_H

#include "programs/zedperl/mcp/content.h"
#include "trace/event.h"

/*
 * The fields that a list of events is asked for, by ARG_FIELDS, and whether any of its rows has
 * them.  Without it a misspelt name is a column of nulls, which looks like a field without values.
 */
#define ASKED_TYPES 8		    /* whose fields are looked at for the nearest name */
#define ASKED_TEXT 320		    /* bytes of what is said ... */
#define ASKED_MOST (2 * ASKED_TEXT) /* ... as JSON */

struct asked_fields {
	const struct call_args *args; /* borrowed */
	bool found[ARG_ITEMS];
	const struct etype *types[ASKED_TYPES]; /* borrowed; the first ones of rows */
	unsigned ntypes;
	char missing[ASKED_TEXT]; /* "": none */
};

/* A row is an event of T. */
void asked_fields_row(struct asked_fields *f, const struct etype *t);

/* No more rows.  The types are not used after it. */
void asked_fields_end(struct asked_fields *f);

/* After asked_fields_end(): a limit of T, of at most ASKED_MOST bytes. */
void asked_fields_say(const struct asked_fields *f, struct content *t);

#endif
