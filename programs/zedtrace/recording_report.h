/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_RECORDING_REPORT_H
#define ZED_PROGRAMS_ZEDTRACE_RECORDING_REPORT_H

#include "record/file/file_names.h"
#include "record/file/spool.h"
#include "record/recorder.h"

/*
 * The final report of a recording, in the form that zedtrace had in 2009:
 *
 *	Channel: trace
 *	CPU 0: 5123 events, 160 KiB data
 *	Total: 5123 events (dropped 17), 160 KiB data
 *
 * and, if there is something to report, the kinds of drops, what --max-size dropped, and which
 * processes were excluded.  KiB are rounded up, as then.
 */
struct report {
	const char *channel;
	const struct recorder_result *result;
	const struct spool_result *spool; /* NULL: no file */
	const char *files;		  /* report_parts(); "" or NULL: there is only one */
	bool stream;			  /* own events were seen only in partly filled pages */
	const char *excluded;		  /* session_excluded(); "" or NULL: none */
};

/* "trace" for "-", NULL and "DIR/trace.dat": the base name without ".dat".  Into BUF, returned. */
const char *report_channel(const char *path, char *buf, size_t size);

#define REPORT_FILES 800 /* bytes of report_parts() */

/*
 * "3, a.000001.dat to a.000003.dat", plain, and how many of these were removed, with how many
 * events, into BUF; "" if none was completed.
 */
void report_parts(const struct parts *p, char *buf, size_t size);

void report_write(const struct report *r, void (*line)(void *arg, const char *text), void *arg);

#endif
