// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_text: task names in the order they were recorded, reduced to the last one of each task.
 */
#include "record/comm_text.h"

#include "base/mem.h"
#include "trace/comms/comm_line.h"

#include <stdlib.h>
#include <string.h>

static bool has_newline(const struct comm_line *l)
{
	return memchr(l->name, '\n', l->len);
}

/* By PID, the latest first. */
static int by_pid(const void *a, const void *b)
{
	const struct comm_line *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->name < y->name ? 1 : -1;
}

static char *put_lines(char *to, const struct comm_line *v, size_t n, bool odd_ones)
{
	for (size_t i = 0; i < n; i++)
		if ((!i || v[i].pid != v[i - 1].pid) && has_newline(&v[i]) == odd_ones)
			to += comm_line_put(to, v[i].pid, v[i].name, v[i].len);
	return to;
}

char *commtext_tidy(const char *text, size_t len, size_t *out_len)
{
	struct comm_lines lines = { .p = text, .end = text + len };
	struct comm_line *v = NULL, line;
	size_t n = 0, cap = 0;
	char *out, *to;

	while (comm_lines_next(&lines, &line)) {
		v = mem_grow(v, &cap, n + 1, sizeof(*v));
		v[n++] = line;
	}
	if (n)
		qsort(v, n, sizeof(*v), by_pid);
	/* The last line may have had no end; a number is not longer than it was. */
	out = mem_alloc(len + COMM_LINE_MAX);
	to = put_lines(out, v, n, false);
	/* trace-cmd reads no further than the first name with a newline. */
	to = put_lines(to, v, n, true);
	free(v);
	*to = '\0';
	*out_len = (size_t)(to - out);
	return out;
}
