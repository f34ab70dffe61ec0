// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * word: what a word of the command line is, by its contents if it is a file, else by its name.
 */
#include "programs/zedperl/word.h"

#include "base/suffix.h"
#include "programs/installed.h"
#include "reader/open.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is it a trace?  HEAD: its first bytes, NUL-terminated. */
static bool is_trace(const char *path, char *head, size_t size)
{
	static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct stat st;
	ssize_t n = 0;
	int fd;

	memset(head, 0, size);
	if (stat(path, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return true;
	/* An input that cannot be read twice must not be read here. */
	if (!S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, head, size - 1);
		close(fd);
	}
	return (n >= (ssize_t)sizeof(magic) && !memcmp(head, magic, sizeof(magic))) ||
	       source_is_trace(path);
}

bool word_is_script_name(const char *word)
{
	char *path = access(word, F_OK) ? installed_find(word) : NULL;

	free(path);
	return path != NULL;
}

bool word_is_script_first(const char *first, const char *second)
{
	char one[128], other[128];
	char *end;

	if (word_is_script_name(first))
		return !second || !word_is_script_name(second);
	/* As for perl: the script comes from standard input. */
	if (!strcmp(first, "-"))
		return second && is_trace(second, other, sizeof(other));
	/* With an analysis the other word is the trace, whatever it says of itself. */
	if (is_trace(first, one, sizeof(one)) ||
	    (second && installed_is(second) && !suffix_is(first, ".pl")))
		return false;
	if (second && is_trace(second, other, sizeof(other)))
		return one[0] != 0;
	end = strchr(one, '\n');
	if (end)
		*end = 0;
	return !strncmp(one, "#!", 2) && strstr(one, "perl");
}

bool word_is_script_alone(const char *word)
{
	char head[128];

	return word_is_script_first(word, NULL) ||
	       (suffix_is(word, ".pl") && !is_trace(word, head, sizeof(head)));
}

bool word_is_script_file(const char *word)
{
	char head[128];

	return !is_trace(word, head, sizeof(head)) &&
	       (suffix_is(word, ".pl") || (!strncmp(head, "#!", 2) && strstr(head, "perl")));
}

bool word_is_there(const char *path)
{
	char other[4096];

	snprintf(other, sizeof(other), "%s.dat", path);
	return access(path, F_OK) == 0 || access(other, F_OK) == 0;
}
