/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_TEXT_H
#define ZED_READER_TEXT_TEXT_H

#include "base/err.h"
#include "reader/model/event.h"

/*
 * One event as the text of its print format, made by libtraceevent and its plugins.  The library
 * sees an event type only after printfmt has checked its print format, and a record only when every
 * length and divisor in it is sound; what fails is shown as its raw fields.
 */
struct text;

struct text_opts {
	bool plugins; /* load libtraceevent's plugins, as trace-cmd report does */
	struct notes *notes;
};

struct text *text_new(const struct text_opts *o);
void text_free(struct text *t);

/*
 * The event's own text, without the frame of time and task; *LEN bytes and a NUL, borrowed until
 * the next call.  Never fails: an unprintable event shows its fields raw, an unknown one "[UNKNOWN
 * EVENT]".
 */
const char *text_info(struct text *t, const struct event *ev, size_t *len);

/*
 * The name of PID at EV's time: the machine's, else what libtraceevent knows by now (its sched
 * plugin learns names from the events that it prints), else "<...>".  Borrowed.
 */
const char *text_comm(struct text *t, const struct event *ev, int32_t pid);

/* "libtraceevent 1.7.1" and how many plugins were found; returns BUF. */
const char *text_version(char *buf, size_t size);

#endif
