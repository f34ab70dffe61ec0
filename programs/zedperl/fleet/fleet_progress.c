// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_progress: one progress line for all traces of zedperl -j, rewritten in place.
 */
#include "programs/zedperl/fleet/fleet_progress.h"

#include "base/mono.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *p)
{
	p->terminal = isatty(STDERR_FILENO);
	p->began = mono_ns();
}

void progress_show(const struct progress *p, unsigned over, unsigned total, unsigned failed,
		   const char *what)
{
	double left;

	if (!p->terminal || !over)
		return;
	left = (double)(mono_ns() - p->began) / 1e9 * (total - over) / over;
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
