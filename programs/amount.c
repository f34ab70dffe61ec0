// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amount: options that take either a size or a time.
 */
#include "programs/amount.h"

#include "base/duration.h"
#include "base/mem.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* N, the digits at TEXT, times UNIT. */
static bool scaled(const char *text, size_t digits, uint64_t unit, uint64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < digits; i++)
		if (__builtin_mul_overflow(n, 10ull, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n))
			return false;
	return !__builtin_mul_overflow(n, unit, out);
}

int amount_parse(const char *text, struct amount *out, struct err *e)
{
	static const struct {
		const char *unit;
		uint64_t bytes, ns;
	} units[] = {
		{ "K", 1ull << 10, 0 },	      { "M", 1ull << 20, 0 },	    { "G", 1ull << 30, 0 },
		{ "min", 0, 60000000000ull }, { "h", 0, 3600000000000ull },
	};
	size_t digits = strspn(text, "0123456789");
	bool good = false;

	*out = (struct amount){ 0, 0 };
	for (size_t i = 0; digits && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text + digits, units[i].unit))
			continue;
		good = scaled(text, digits, units[i].bytes + units[i].ns,
			      units[i].bytes ? &out->bytes : &out->ns);
	}
	if (!good)
		good = duration_parse(text, false, &out->ns);
	if (good && (out->bytes || out->ns))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "'%s' is neither a size (64K, 100M, 2G) nor a time (500ms, 10s, 90min, 24h)",
		       text);
}

unsigned amount_flight_kb(const struct amount *a, unsigned kb)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t share = a->bytes / 1024 / (uint64_t)(cpus > 0 ? cpus : 1);

	if (!a->bytes)
		return kb ? kb : AMOUNT_FLIGHT_KB;
	return share < 8 ? 8 : share < INT_MAX ? (unsigned)share : INT_MAX;
}
