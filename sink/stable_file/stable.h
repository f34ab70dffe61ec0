/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_STABLE_FILE_STABLE_H
#define ZED_SINK_STABLE_FILE_STABLE_H

#include "trace/sink.h"
#include "stable/catalogue.h"

/*
 * The sink of zedperl --export: every record that can become a stable event, and every synthetic
 * event, packed by its description, after a text that describes it all.  docs/zed-stable.pod has
 * the format.
 */
struct stableout;

struct stableout_opts {
	const struct stable *stable;
	struct notes *notes;
	bool big_endian;  /* of the records, not of this machine: for tests and others */
	int fd;		  /* where it is written; the caller's */
	const char *path; /* for errors */
	/* Called once in place of catalog_want(); NULL: catalog_want() is called. */
	void (*want)(void *arg, const uint8_t *types);
	void *arg;
};

struct stableout *stableout_new(const struct stableout_opts *o);
struct sink *stableout_sink(struct stableout *s);

/* After the run: how many records of how many stable events were written. */
uint64_t stableout_records(const struct stableout *s);
unsigned stableout_events(const struct stableout *s);
void stableout_free(struct stableout *s);

#endif
