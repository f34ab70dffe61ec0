// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * textfast: turns the records of types whose print format is simple into text, without the library.
 */
#include "textfast.h"

#include <ctype.h>
#include <stdlib.h>

uint64_t fast_flag_value(const char *value)
{
	static const struct { const char *name; unsigned value; } names[] = {
		{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 }, { "BLOCK_SOFTIRQ", 4 }, { "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 }, { "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 }, { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
	};

	if (isdigit((unsigned char)value[0]))
		return strtoull(value, NULL, 0);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(value, names[i].name))
			return names[i].value;
	return UINT64_MAX;
}
