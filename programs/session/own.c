// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * own: the message about events that a tracing program causes itself.
 */
#include "programs/session/own.h"

#include <inttypes.h>
#include <stdio.h>

#define OWN_SAID 100.0 /* events a second that tracing itself causes: more are reported */

bool own_matters(uint64_t own, uint64_t ns)
{
	return (double)own > OWN_SAID * ((double)ns / 1e9);
}

const char *own_text(char *buf, size_t size, const char *how, uint64_t own, const char *program)
{
	snprintf(buf, size, "%s%" PRIu64 " event%s %s's own", how, own, own == 1 ? " is" : "s are",
		 program);
	return buf;
}
