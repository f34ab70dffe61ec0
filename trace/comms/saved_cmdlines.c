// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * saved_cmdlines: reads all of the kernel's list of names, and finds where trace-cmd stops.
 */
#include "trace/comms/saved_cmdlines.h"

#include <ctype.h>
#include <string.h>

/* Does trace-cmd stop at this name?  It does if its first line is blank. */
static bool stops_at(const struct comm_line *l)
{
	const char *p = l->name, *end = p + l->len, *nl = memchr(p, '\n', l->len);

	while (p < (nl ? nl : end) && isspace((unsigned char)*p))
		p++;
	return p == (nl ? nl : end);
}

/*
 * ... or after its first line?  It does unless the other lines are empty: they do not start with a
 * number.
 */
static bool stops_within(const struct comm_line *l)
{
	const char *end = l->name + l->len, *p = memchr(l->name, '\n', l->len);

	while (p && p < end && *p == '\n')
		p++;
	return p && p < end;
}

struct saved_cmdlines saved_cmdlines_read(const char *text, size_t len, struct comm_table *t)
{
	struct comm_lines lines = { .p = text, .end = text + len };
	struct saved_cmdlines got = { 0 };
	struct comm_line l;
	bool stopped = false;
	unsigned i;

	while (comm_lines_next(&lines, &l)) {
		stopped = stopped || lines.bad || stops_at(&l);
		if (comm_table_count(t) < COMM_TABLE_MAX || comm_table_find(t, l.pid, &i))
			comm_table_set(t, l.pid, l.name, l.len);
		else
			got.more++;
		if (!stopped)
			got.stock = comm_table_count(t);
		stopped = stopped || stops_within(&l);
	}
	got.bad = lines.bad;
	return got;
}
