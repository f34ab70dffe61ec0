// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpustat: parses the kernel's statistics of its ring buffers: the events each CPU lost, and
 * whether the clock counts ns.
 */
#include "trace/cpustat.h"

#include "base/ascii.h"

#include <string.h>

/* The number after KEY at the start of one of the lines [P, END), or 0. */
static uint64_t number(const char *p, const char *end, const char *key)
{
	size_t len = strlen(key);

	while (p < end) {
		const char *nl = memchr(p, '\n', end - p);
		size_t left = (nl ? nl : end) - p;
		uint64_t v = 0;

		if (left > len && !memcmp(p, key, len)) {
			for (p += len; p < end && *p == ' '; p++)
				;
			for (; p < end && ascii_digit(*p) && v < UINT64_MAX / 16; p++)
				v = v * 10 + (*p - '0');
			return v;
		}
		p += left + 1;
	}
	return 0;
}

const char *cpustat_first(const char *p, const char *end)
{
	const char *at = p < end ? memmem(p, end - p, "CPU:", 4) : NULL;

	return at ? at : end;
}

bool cpustat_next(const char **p, const char *end, struct cpustat *st)
{
	const char *at = cpustat_first(*p, end), *next;

	if (at == end)
		return false;
	next = cpustat_first(at + 4, end);
	*st = (struct cpustat){
		.cpu = (int)number(at, next, "CPU:"),
		.entries = number(at, next, "entries:"),
		.read = number(at, next, "read events:"),
		.overrun = number(at, next, "overrun:"),
		.commit_overrun = number(at, next, "commit overrun:"),
		.dropped = number(at, next, "dropped events:"),
		.others = number(at, next, "read by others:"),
		.left_out = number(at, next, "left out:"),
	};
	*p = next;
	return true;
}

/* What follows KEY at the start of a line [P, END), or NULL. */
static const char *behind(const char *p, const char *end, const char *key)
{
	size_t len = strlen(key);

	if ((size_t)(end - p) < len || memcmp(p, key, len))
		return NULL;
	for (p += len; p < end && *p == ' '; p++)
		;
	return p;
}

void cpustat_buffer(const char *p, const char *end, const char **name, size_t *len)
{
	for (const char *nl; p < end; p = nl + 1) {
		const char *at;

		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		at = behind(p, nl, "Buffer:");
		if (at) {
			*name = at;
			*len = nl - at;
		}
	}
}

enum cpustat_clock cpustat_clock(const char *text, size_t len, const char *buffer)
{
	const char *end = text + len, *nl, *at;
	bool ours = !*buffer;

	for (const char *p = text; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		at = behind(p, nl, "Buffer:");
		if (at)
			ours = strlen(buffer) == (size_t)(nl - at) && !memcmp(at, buffer, nl - at);
		at = ours ? behind(p, nl, "now ts:") : NULL;
		if (at && at < nl && ascii_digit(*at))
			return memchr(at, '.', nl - at) ? CPUSTAT_NS : CPUSTAT_TICKS;
	}
	return CPUSTAT_UNTOLD;
}
