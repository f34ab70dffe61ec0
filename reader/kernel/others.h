/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_KERNEL_OTHERS_H
#define ZED_READER_KERNEL_OTHERS_H

#include "reader/kernel/session.h"

/*
 * Notices what other processes do with the buffers of a session: events that somebody else reads,
 * or clears, are missing here, and no count of the kernel's tells it.
 */
struct others;

enum {
	OTHERS_READ = 1, /* has opened trace_pipe or trace_pipe_raw: what is read there is gone */
	OTHERS_CLEARED = 2, /* has written to trace: what was there is gone, counts begin anew */
	OTHERS_CLOCK = 4,   /* has set the clock: likewise, and times no longer go on */
};

/* From now on, the session's own files being open.  NULL: this machine does not tell. */
struct others *others_open(const struct session *s);
void others_close(struct others *o);

/* What has happened since the last call, of these bits.  O may be NULL: 0.  Does not wait. */
unsigned others_look(struct others *o);

#endif
