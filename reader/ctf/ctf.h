/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CTF_CTF_H
#define ZED_READER_CTF_CTF_H

#include "trace/source.h"

/* The directory of a CTF trace, or one that holds several: of LTTng, babeltrace, perf, barectf. */
extern const struct source_ops ctf_source;

/*
 * A live session that a relay daemon of LTTng passes on: lttng://HOST[:PORT]/host/HOSTNAME/SESSION,
 * or net://....  Its packets are read like those of a directory, from the beginning of what the
 * daemon still has.  NULL with E, whose path is set.
 */
bool ctf_is_live(const char *path);
struct source *ctf_live_open(const char *url, struct catalog *c, const struct source_opts *o,
			     struct err *e);

#endif
