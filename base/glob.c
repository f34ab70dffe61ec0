// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * glob: matches names against shell-like patterns, and finds the name that a mistyped one probably
 * means.
 */
#include "base/glob.h"

#include "base/ascii.h"

#include <string.h>
#include <strings.h>

/*
 * One character C against the class that begins after a '[' at P.  Returns the end of the class, or
 * NULL if it has none (then the '[' matches itself).
 */
static const char *class_match(const char *p, unsigned char c, bool *hit)
{
	bool negate = *p == '!' || *p == '^', in = false;
	const char *first;

	p += negate;
	/* A ']' that comes first is a member, not the end. */
	for (first = p; *p && (*p != ']' || p == first); p++) {
		unsigned char lo = *p, hi = lo;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			hi = p[2];
			p += 2;
		}
		if (c >= lo && c <= hi)
			in = true;
	}
	if (!*p)
		return NULL;
	*hit = in != negate;
	return p + 1;
}

/*
 * Does the item at *GLOB, which is not a star, match C? *GLOB is moved past it.  LAST is the last
 * ']' in the pattern: without it each of many open '[' would be followed to the end again and
 * again.
 */
static bool item_match(const char **glob, unsigned char c, const char *last)
{
	const char *g = *glob, *end;
	bool hit = false;

	if (*g == '?') {
		*glob = g + 1;
		return true;
	}
	if (*g == '[' && last && g < last) {
		end = class_match(g + 1, c, &hit);
		if (end) {
			*glob = end;
			return hit;
		}
	}
	if (*g == '\\' && g[1])
		g++;
	*glob = g + 1;
	return (unsigned char)*g == c;
}

/*
 * Only the last star ever needs to be tried again: whatever an earlier one could match, the later
 * one can match too.  So the time is at most the product of the two lengths.
 */
bool glob_match_len(const char *glob, const char *name, size_t len)
{
	const char *star = NULL, *end = name + len, *from = name, *last = strrchr(glob, ']');

	for (;;) {
		if (*glob == '*') {
			star = ++glob;
			from = name;
			if (!*glob)
				return true;
			continue;
		}
		if (name == end)
			return !*glob;
		if (*glob && item_match(&glob, *name, last)) {
			name++;
			continue;
		}
		if (!star)
			return false;
		glob = star;
		name = ++from;
	}
}

bool glob_match(const char *glob, const char *name)
{
	return glob_match_len(glob, name, strlen(name));
}

bool glob_match_perl(const char *glob, const char *name, bool package)
{
	char perl[300];
	size_t n = 0;

	if (glob_match(glob, name))
		return true;
	if (package && ascii_digit(*name))
		perl[n++] = '_';
	for (const char *p = name; *p && n + 1 < sizeof(perl); p++)
		perl[n++] = ascii_word(*p) ? *p : '_';
	perl[n] = '\0';
	return strcmp(perl, name) && glob_match_len(glob, perl, n);
}

#define NEAR_MAX 64 /* longer names are not compared */

/* The usual table row by row; the last three rows are kept. */
unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[3][NEAR_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > NEAR_MAX || lb > NEAR_MAX)
		return NEAR_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *now = row[i % 3], *up = row[(i - 1) % 3], *up2 = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned d = up[j - 1] + !!strncasecmp(a + i - 1, b + j - 1, 1);

			if (up[j] + 1 < d)
				d = up[j] + 1;
			if (now[j - 1] + 1 < d)
				d = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < d)
				d = up2[j - 2] + 1;
			now[j] = d;
		}
	}
	return row[la % 3][lb];
}

const char *nearest_name(const char *name, const char *(*next)(void *arg), void *arg)
{
	size_t len = strlen(name);
	unsigned limit = len < 4 ? 1 : len / 3 < 4 ? len / 3 : 4, best = limit + 1;
	const char *near = NULL, *part = NULL, *cand;

	while ((cand = next(arg))) {
		unsigned d = edit_distance(name, cand);

		if (d < best) {
			best = d;
			near = cand;
		}
		/* "switch" is far from "sched_switch" by edits, but means it. */
		if (len >= 3 && strstr(cand, name) && (!part || strlen(cand) < strlen(part)))
			part = cand;
	}
	return near ? near : part;
}
