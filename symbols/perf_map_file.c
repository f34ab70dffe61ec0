// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_map_file: /tmp/perf-PID.map, the names of code that a process compiled itself.
 */
#include "symbols/perf_map_file.h"

#include "base/io.h"
#include "symbols/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool hex(char **p, uint64_t *v)
{
	char *end;

	*p += strspn(*p, " ");
	errno = 0;
	*v = strtoull(*p, &end, 16);
	if (errno || end == *p || *end != ' ' || **p == '-')
		return false;
	*p = end + strspn(end, " ");
	return true;
}

bool perf_map_read(struct code_table *t, int fd, unsigned *bad)
{
	char *text, *line, *nl, *p;
	uint64_t start, size;
	size_t len;

	*bad = 0;
	if (!place_is_ours(fd)) {
		close(fd);
		return false;
	}
	text = io_text(fd, PERF_MAP_MOST, &len);
	if (!text)
		return false;
	/* A line without its end is still being written. */
	for (line = text; (nl = strchr(line, '\n')); line = nl + 1) {
		*nl = '\0';
		p = line;
		if (hex(&p, &start) && hex(&p, &size) && *p && size <= UINT64_MAX - start)
			*bad += !code_table_add(t, start, start + size, p);
		else
			++*bad;
	}
	t->text = text;
	t->text_len = len;
	code_table_sort(t);
	return true;
}

bool perf_map_is_for(const char *file)
{
	static const char *const names[] = { "//anon", "/dev/zero", "/anon_hugepage", "[anon",
					     "[stack", "[heap]",    "/SYSV" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(file, names[i], strlen(names[i])))
			return true;
	return false;
}
