// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * option: which programs have an option, by the items of their manuals, for a word that is also
 * something else: cgroup.
 */
#include "programs/zedperl/manual/option.h"

#include "base/ascii.h"
#include "programs/installed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEM "=item "

/* Of the item LINE, without its end: the text without formatting codes, into BUF. */
static const char *plain_item(const char *line, char *buf, size_t size)
{
	size_t n = 0;

	for (const char *s = line + strlen(ITEM); *s && *s != '\n' && n + 1 < size; s++) {
		if (*s >= 'A' && *s <= 'Z' && s[1] == '<')
			s++;
		else if (*s != '>')
			buf[n++] = *s;
	}
	buf[n] = '\0';
	return buf;
}

/* Does the item LINE have the option --WORD? */
static bool has_option(const char *line, const char *word)
{
	char name[256];
	int n = snprintf(name, sizeof(name), "B<--%s>", word);

	if (n < 0 || (size_t)n >= sizeof(name) || strncmp(line, ITEM, strlen(ITEM)) != 0)
		return false;
	return strstr(line, name) != NULL;
}

static bool show_of(const char *program, const char *word, const char *head)
{
	char *docs = installed_folder("docs"), path[PATH_MAX], line[1024], text[1024];
	FILE *in = NULL;
	bool found = false;

	if (docs && snprintf(path, sizeof(path), "%s/%s.pod", docs, program) < PATH_MAX)
		in = fopen(path, "re");
	while (in && !found && fgets(line, sizeof(line), in))
		found = has_option(line, word);
	if (in)
		fclose(in);
	free(docs);
	if (!found)
		return false;
	printf("%s  %-20s %s\n", head, program, plain_item(line, text, sizeof(text)));
	return true;
}

bool option_show(const char *word, const char *head)
{
	static const char *const programs[] = { "zedperl", "zedprint", "zedtrace" };
	char first[256];
	bool any = false;

	for (const char *s = word; *s; s++)
		if (!ascii_word(*s) && *s != '-')
			return false;
	snprintf(first, sizeof(first), "%s\n", head);
	for (unsigned i = 0; i < 3; i++)
		any |= show_of(programs[i], word, any ? "" : first);
	return any;
}
