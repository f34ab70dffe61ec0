// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_line: reads and writes lines "PID NAME".  Names are chosen by users and may hold newlines.
 */
#include "trace/comms/comm_line.h"

#include "base/ascii.h"

#include <stdio.h>
#include <string.h>

/* Does a line from P to END begin with a task's number and a space?  *NAME is what follows. */
static bool begins_name(const char *p, const char *end, int32_t *pid, const char **name)
{
	int64_t v = 0;
	const char *digits;

	while (p < end && *p == ' ')
		p++;
	for (digits = p; p < end && ascii_digit(*p) && v <= INT32_MAX; p++)
		v = v * 10 + (*p - '0');
	if (p == digits || v > INT32_MAX || p == end || *p != ' ')
		return false;
	*pid = v;
	*name = p + 1;
	return true;
}

static const char *line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', end - p);

	return nl ? nl : end;
}

bool comm_lines_next(struct comm_lines *l, struct comm_line *out)
{
	const char *end, *name;
	int32_t other;
	bool found = false;

	while (!found && l->p < l->end) {
		end = line_end(l->p, l->end);
		found = begins_name(l->p, end, &out->pid, &out->name);
		if (found && memchr(out->name, 0, end - out->name))
			found = false;
		l->bad += !found;
		l->p = end < l->end ? end + 1 : end;
	}
	if (!found)
		return false;
	while (l->p < l->end) {
		const char *to = line_end(l->p, l->end);

		if (begins_name(l->p, to, &other, &name) || to - out->name > COMM_LEN ||
		    memchr(l->p, 0, to - l->p))
			break;
		end = to;
		l->p = to < l->end ? to + 1 : to;
	}
	out->len = end - out->name < COMM_MAX ? end - out->name : COMM_MAX;
	return true;
}

size_t comm_line_put(char *buf, int32_t pid, const char *name, size_t len)
{
	size_t n = snprintf(buf, COMM_LINE_MAX, "%d ", (int)pid);
	const char *rest;
	int32_t other;

	if (len > COMM_MAX)
		len = COMM_MAX;
	memcpy(buf + n, name, len);
	for (char *p = buf + n, *end = p + len; (p = memchr(p, '\n', end - p)); p++)
		if (len > COMM_LEN || begins_name(p + 1, line_end(p + 1, end), &other, &rest))
			*p = '?';
	buf[n + len] = '\n';
	return n + len + 1;
}
