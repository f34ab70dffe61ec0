/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_SERVE_METRICS_H
#define ZED_PROGRAMS_ZEDPERL_SERVE_METRICS_H

#include "analysis/metrics/metrics.h"
#include "run/pump.h"

struct cli;
struct live_budget;

#define METRICS_EVERY 10000000000ull /* ns between two writes of the file */

/* The metrics of a run of zedperl: --metrics, --metrics-file, --metrics-every. */
struct metrics_run {
	const char *address, *file; /* NULL: not given */
	uint64_t every;		    /* ns; 0: METRICS_EVERY */

	struct live_budget *budget; /* of a live run with limits; or NULL */
	struct cli *cli;
	struct metrics *all; /* the script's and our own */
	struct metric *own[16];
	struct http *http;	/* NULL: not serving */
	struct poll_hook guest; /* polled by the run */
	uint64_t began_ms;	/* of the wall clock */
	uint64_t write_at;	/* ms; when the file is due */
	bool failing;		/* the file could not be written, which was reported */
};

/* Are metrics asked for? */
bool metrics_wanted(const struct metrics_run *m);

/*
 * Listen at the address, and have C's run poll us.  False: the address is invalid or not available,
 * which was reported.
 */
bool metrics_begin(struct metrics_run *m, struct cli *c);

/* Write the file a last time.  False: that failed, and was reported. */
bool metrics_finish(struct metrics_run *m);

/* Free everything; also for a run that never began. */
void metrics_end(struct metrics_run *m);

#endif
