// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_progress: one progress line for all traces of zedperl -j, rewritten in place.
 */
#include "programs/zedperl/fleet/fleet_progress.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *p)
{
	p->terminal = isatty(STDERR_FILENO);
	clock_gettime(CLOCK_MONOTONIC, &p->began);
}

void progress_show(const struct progress *p, unsigned over, unsigned total, unsigned failed,
		   const char *what)
{
	struct timespec now;
	double spent, left;

	if (!p->terminal || !over)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	spent = (double)(now.tv_sec - p->began.tv_sec) +
		(double)(now.tv_nsec - p->began.tv_nsec) / 1e9;
	left = spent * (total - over) / over;
	fprintf(stderr, "\r\033[Kzedperl: %u of %u %s, %.0f s left", over, total, what, left);
	if (failed)
		fprintf(stderr, ", %u failed", failed);
	fflush(stderr);
}

void progress_clear(const struct progress *p)
{
	if (p->terminal)
		fputs("\r\033[K", stderr);
}
