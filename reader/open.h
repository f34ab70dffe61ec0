/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_OPEN_H
#define ZED_READER_OPEN_H

#include "trace/source.h"

#include <sys/stat.h>

/*
 * Find out what PATH is ("-": standard input; a directory: an LTT or CTF trace, or the trace.dat in
 * it) and open it as the NUMth input, its types added to C.  NULL with E, whose path is set.
 */
struct source *source_open(const char *path, unsigned num, struct catalog *c,
			   const struct source_opts *o, struct err *e);

/* *ST is of the file, or directory, that is opened for PATH.  False: there is none here. */
bool source_stat(const char *path, struct stat *st);

/* Standard input, a session of a relay daemon, a pipe. */
bool source_is_read_once(const char *path);

/* Does the regular file, or directory, PATH begin like a trace?  Reports nothing. */
bool source_is_trace(const char *path);

/*
 * Is PATH a regular file, or a directory of a kind whose times are known without reading all of it
 * (source_ops.ends)?
 */
bool source_has_parts(const char *path);

#endif
