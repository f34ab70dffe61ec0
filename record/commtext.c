// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commtext: turns names as they were learnt into one name for each task.
 */
#include "commtext.h"

#include "reader/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 300	/* a PID, and a name of at most 255 bytes */

struct line {
	uint32_t pid;
	const char *p;
	size_t len;		/* with its end */
};

/* By PID, the last one first. */
static int by_pid(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->p < y->p ? 1 : -1;
}

static bool parse(struct line *l, const char *p, size_t len)
{
	uint64_t pid = 0;
	size_t i;

	for (i = 0; i < len && p[i] >= '0' && p[i] <= '9' && pid <= INT32_MAX; i++)
		pid = pid * 10 + (unsigned)(p[i] - '0');
	*l = (struct line){ .pid = (uint32_t)pid, .p = p, .len = len };
	return i && pid <= INT32_MAX && i + 2 < len && len <= MAX_LINE && p[i] == ' ' &&
	       !memchr(p, '\0', len);
}

char *commtext_tidy(const char *text, size_t len, size_t *out_len)
{
	struct line *v = NULL;
	size_t n = 0, cap = 0;
	const char *p = text, *end = text + len, *nl;
	char *out = mem_alloc(len + 1), *to = out;

	for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		v = mem_grow(v, &cap, n + 1, sizeof(*v));
		if (parse(&v[n], p, (size_t)(nl + 1 - p)))
			n++;
	}
	if (n)
		qsort(v, n, sizeof(*v), by_pid);
	for (size_t i = 0; i < n; i++) {
		if (i && v[i].pid == v[i - 1].pid)
			continue;
		memcpy(to, v[i].p, v[i].len);
		to += v[i].len;
	}
	free(v);
	*to = '\0';
	*out_len = (size_t)(to - out);
	return out;
}
