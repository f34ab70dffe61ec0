/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDTRACE_RECORDING_REPORT_H
#define ZED_PROGRAMS_ZEDTRACE_RECORDING_REPORT_H

#include "record/file/file_names.h"
#include "record/file/spool.h"
#include "record/recorder.h"

/*
 * The closing report of a recording, in the shape that zedtrace had in 2009:
 *
 *	Channel: trace
 *	CPU 0: 5123 events, 160 KiB data
 *	Total: 5123 events (dropped 17), 160 KiB data
 *
 * and, where there is something to tell, which drops these were, what --max-size gave up, and who
 * was kept out.  KiB are rounded up, as then.
 */
struct report {
	const char *channel;
	const struct recorder_result *result;
	const struct spool_result *spool; /* NULL: no file */
	const char *files;		  /* report_parts(); "" or NULL: there is but one */
	bool stream;	      /* of its events only those of part-filled pages were seen */
	const char *excluded; /* session_excluded(); "" or NULL: nobody */
};

/* "trace" for "-", NULL and "DIR/trace.dat": the base name without ".dat".  Into BUF, returned. */
const char *report_channel(const char *path, char *buf, size_t size);

/* "3, a.000001.dat to a.000003.dat", plain, into BUF; "" if none became whole. */
void report_parts(const struct parts *p, char *buf, size_t size);

void report_write(const struct report *r, void (*line)(void *arg, const char *text), void *arg);

#endif
