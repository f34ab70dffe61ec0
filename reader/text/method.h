/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_METHOD_H
#define ZED_READER_TEXT_METHOD_H

#include "reader/text/function_trace.h"
#include "reader/text/handle.h"
#include "reader/text/plugin_rules.h"

#include <traceevent/event-parse.h>

/* How the records of one type are printed. */
struct method {
	enum {
		METHOD_NEW, /* not looked at yet */
		METHOD_RAW, /* fields only */
		METHOD_LIBRARY,
	} how;
	bool risky, bprint;
	uint32_t need; /* the greatest offset of a field */
	struct tep_event *event;
	/* What a plugin prints records with, and what it wants of them if it wants anything. */
	tep_event_handler_func handler;
	const struct plugcheck *plugcheck;
	struct printfmt *pf;
	uint8_t *binary; /* rawtext_fields() */
};

/* What methods are made with. */
struct method_maker {
	struct arena *arena; /* owns what a method points to */
	struct functrace *functions;
	struct notes *notes;
	unsigned lacks; /* of the library: PF_LACKS_* */
};

/*
 * Fill M (zeroed) for T (resolved).  H is the handle of T's machine; if it is NULL, or the library
 * must not see the type, records are shown as raw fields, and a notice says why.
 */
void method_choose(struct method *m, const struct method_maker *with, const struct etype *t,
		   struct handle *h);

#endif
