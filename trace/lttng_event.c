// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lttng_event: numbers of LTTng's events as the kernel's own events have them.
 */
#include "trace/lttng_event.h"

/*
 * In the kernel's order: a flush before, the operation, what is special about it.  Up to Linux 4.7
 * the flush before is the mask's FLUSH.
 */
void lttng_rwbs(uint64_t mask, char letters[LTTNG_RWBS_LETTERS])
{
	static const struct {
		uint64_t bit;
		char letter;
	} SPECIAL[] = {
		{ LTTNG_RWBS_FUA, 'F' },  { LTTNG_RWBS_RAHEAD, 'A' }, { LTTNG_RWBS_BARRIER, 'B' },
		{ LTTNG_RWBS_SYNC, 'S' }, { LTTNG_RWBS_META, 'M' },
	};
	uint64_t moves = mask & (LTTNG_RWBS_WRITE | LTTNG_RWBS_DISCARD | LTTNG_RWBS_READ);
	char *c = letters;

	if (mask & LTTNG_RWBS_PREFLUSH || (mask & LTTNG_RWBS_FLUSH && moves))
		*c++ = 'F';
	if (mask & LTTNG_RWBS_WRITE)
		*c++ = 'W';
	else if (mask & LTTNG_RWBS_DISCARD)
		*c++ = 'D';
	else if (mask & LTTNG_RWBS_READ)
		*c++ = 'R';
	else if (mask & LTTNG_RWBS_FLUSH)
		*c++ = 'F';
	else
		*c++ = 'N';
	if (mask & LTTNG_RWBS_SECURE)
		*c++ = 'E';
	for (unsigned i = 0; i < sizeof(SPECIAL) / sizeof(SPECIAL[0]); i++)
		if (mask & SPECIAL[i].bit)
			*c++ = SPECIAL[i].letter;
	*c = '\0';
}
