/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_FLEET_PROGRESS_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_FLEET_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The line of -j on a terminal (stderr): how much is done, how long the rest will take. */
struct progress {
	bool terminal;
	uint64_t began; /* mono_ns() */
};

void progress_begin(struct progress *p);

/* OVER of TOTAL are done, which are WHAT ("traces"); FAILED of these have failed. */
void progress_show(const struct progress *p, unsigned over, unsigned total, unsigned failed,
		   const char *what);

/* Before anything else is written there. */
void progress_clear(const struct progress *p);

#endif
