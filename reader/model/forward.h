/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_MODEL_FORWARD_H
#define ZED_READER_MODEL_FORWARD_H

#include "reader/model/sink.h"

/*
 * A sink that stands before another, and gives on what it has nothing to do with: these are its
 * begin, lost, beyond, idle, more and end for that, or what its own go on with.  The first member
 * of such a sink.
 */
struct forward {
	struct sink sink; /* must be first */
	struct sink *to;
};

enum verdict forward_begin(struct sink *s, const struct run_info *run, struct err *e);
enum verdict forward_lost(struct sink *s, const struct event *ev, struct err *e);
enum verdict forward_beyond(struct sink *s, const struct event *ev, bool follow, bool counts,
			    struct err *e);
enum verdict forward_idle(struct sink *s, struct err *e);
bool forward_more(struct sink *s);
enum verdict forward_end(struct sink *s, struct err *e);

#endif
