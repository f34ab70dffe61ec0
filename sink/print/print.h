/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PRINT_PRINT_H
#define ZED_SINK_PRINT_PRINT_H

#include "base/outbuf.h"
#include "trace/sink.h"

/* The print sink: events as lines of text on standard output. */
enum print_format {
	PRINT_NAMES,  /* system::event field = value, ...: by their names */
	PRINT_ZED,    /* the same, bare values */
	PRINT_REPORT, /* as trace-cmd report 3.4.0 */
	PRINT_KERNEL, /* as the kernel's trace file */
	PRINT_JSON,   /* one object a line */
	PRINT_FORMATS /* how many there are */
};

struct print_opts {
	enum print_format format;
	bool ns; /* report, kernel: nanoseconds in place of microseconds */
	/* kernel: the latency format; report has its column always */
	bool latency;
	bool stack; /* names, zed, json: the stack of each event, with names */
	bool names; /* json: beside the fields, the names of their values */
	bool color; /* names, zed: names and losses in colour, for a terminal */
	struct notes *notes;
};

/*
 * A sink that prints its run.  O is copied.  Write errors end the run (SINK_ERR).
 * Never NULL.
 */
struct sink *print_new(const struct print_opts *o);

#endif
