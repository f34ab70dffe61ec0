/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * duration_text: spans of time in readable form.
 */
#include "interp/common/duration_text.h"

#include <math.h>
#include <stdio.h>

static const char *ns_text(double ns, char buf[DURATION_TEXT])
{
	static const struct {
		const char *name;
		double ns;
	} UNITS[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	double x = fabs(ns);
	size_t unit = 0;

	/* 999.6 of a unit would be shown as 1000. */
	while (unit + 1 < sizeof(UNITS) / sizeof(UNITS[0]) && x / UNITS[unit].ns >= 999.5)
		unit++;
	x /= UNITS[unit].ns;
	snprintf(buf, DURATION_TEXT, "%s%.*f %s", ns < 0 ? "-" : "",
		 x >= 99.95 || (!unit && x == floor(x)) ? 0 :
		 x >= 9.995				? 1 :
							  2,
		 x, UNITS[unit].name);
	return buf;
}

const char *duration_text(double time, bool ticks, char buf[DURATION_TEXT])
{
	if (!ticks)
		return ns_text(time, buf);
	snprintf(buf, DURATION_TEXT, "%.0f %s", time, time == 1 ? "tick" : "ticks");
	return buf;
}

bool duration_counts_ns(const struct pump *p)
{
	for (unsigned i = 0; p && i < p->nsources; i++)
		if (p->sources[i]->nstreams && !source_counts_ns(p->sources[i]))
			return false;
	return true;
}
