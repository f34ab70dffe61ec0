/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_EVENT_ROW_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_EVENT_ROW_H

#include "base/outbuf.h"
#include "run/pump.h"
#include "text/value_names.h"

/*
 * One event as a JSON object: {"row","at","cpu","source","pid","comm","name","text"}, as zedprint
 * prints it by default; "instance" of a buffer with a name, "lost" if events were lost just before
 * it (null: how many is not known), "fields" if they are asked for: [NAME, TEXT] of each.
 */
struct event_rows {
	uint64_t base; /* subtracted from times */
	bool fields;
	size_t most; /* bytes of a text, or of all fields; what is longer is cut */
	bool asked;  /* event_rows_ask() was called */
	struct value_names *names;
	struct outbuf text; /* of one part, before it is JSON */
};

void event_rows_init(struct event_rows *r, uint64_t base, bool fields);
void event_rows_fini(struct event_rows *r);

/*
 * An event of P's run has come, which need not become a row: from now on tasks' names are known, as
 * if it had been printed.
 */
void event_rows_ask(struct event_rows *r, const struct pump *p);

/* Append EV, which is number ROW. */
void event_row(struct event_rows *r, struct outbuf *o, const struct event *ev, uint64_t row);

/* Parts of it, each a JSON string: SYSTEM:EVENT; the fields as they are in zedprint's line. */
void event_row_name(struct event_rows *r, struct outbuf *o, const struct etype *t);
void event_row_line(struct event_rows *r, struct outbuf *o, const struct event *ev);

/* ... the text of the field NAME; null: EV has no such field. */
void event_row_field(struct event_rows *r, struct outbuf *o, const struct event *ev,
		     const char *name);

/*
 * Append TEXT, of which at most SHOWN_NAME bytes are shown, made plain, as a JSON string: names of
 * a trace can be of any length.
 */
#define SHOWN_NAME 300
void out_json_name(struct outbuf *o, const char *text);

#endif
