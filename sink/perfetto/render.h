/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PERFETTO_RENDER_H
#define ZED_SINK_PERFETTO_RENDER_H

#include "base/outbuf.h"
#include "sink/perfetto/interned.h"
#include "trace/event.h"

/* How the events of one type become Perfetto's: made once, run for each record. */
struct render;

/* What a plan needs of the trace that is written. */
struct render_env {
	struct symbol_ids *symbols;
	/* A symbol got the number ID: to be told before the event is. */
	void (*interned)(void *arg, unsigned id, const char *name);
	void *arg;
};

/*
 * The plan for type T, which is resolved.  OWN: in Perfetto's own message, if it has one; else as a
 * generic event.  Never NULL.
 */
struct render *render_new(const struct etype *t, bool own);
void render_free(struct render *p);

/* Append EV's message to O, after its time and task. */
void render_event(struct render *p, const struct event *ev, struct outbuf *o,
		  const struct render_env *env);

#endif
