// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * about: finds the analyses and pages for a word of a user's question.
 */
#include "programs/zedperl/manual/about.h"

#include "programs/installed.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE "# zedperl: is about "
#define HEAD_LINES 16 /* of a script: in these it has that line */
#define SHORTEST 2

struct about {
	const char *word, *head;
	bool any;
};

/* ---- words ---- */

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* Without a plural's s. */
static size_t stem(const char *word, size_t len)
{
	return len > 3 && tolower((unsigned char)word[len - 1]) == 's' ? len - 1 : len;
}

static bool has_word(const char *text, const char *word)
{
	size_t wanted = stem(word, strlen(word));

	while (*text) {
		size_t len = 0;

		while (is_letter(text[len]))
			len++;
		if (stem(text, len) == wanted && !strncasecmp(text, word, wanted))
			return true;
		text += len ? len : 1;
	}
	return false;
}

/* Has the line of the script PATH the word? */
static bool line_has(const char *path, const char *word)
{
	FILE *in = fopen(path, "re");
	bool found = false;
	char line[512];

	for (int i = 0; in && !found && i < HEAD_LINES && fgets(line, sizeof(line), in); i++)
		found = !strncmp(line, LINE, strlen(LINE)) && has_word(line + strlen(LINE), word);
	if (in)
		fclose(in);
	return found;
}

/* ---- scripts and pages ---- */

static void look(const char *name, const char *path, void *arg)
{
	struct about *a = arg;
	char purpose[512];

	installed_purpose(path, purpose, sizeof(purpose));
	if (!has_word(name, a->word) && !has_word(purpose, a->word) && !line_has(path, a->word))
		return;
	if (!a->any)
		printf("%s\n", a->head);
	a->any = true;
	printf("%-20s %s\n", name, purpose);
}

static int is_page(const struct dirent *d)
{
	const char *end = strrchr(d->d_name, '.');

	return end && end > d->d_name && (!strcmp(end, ".md") || !strcmp(end, ".pod"));
}

static void look_at_pages(struct about *a)
{
	char *docs = installed_folder("docs");
	struct dirent **found = NULL;
	int n = docs ? scandir(docs, &found, is_page, alphasort) : 0;

	for (int i = 0; i < n; i++) {
		char *name = found[i]->d_name, path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", docs, name) < PATH_MAX) {
			*strrchr(name, '.') = '\0';
			look(name, path, a);
		}
		free(found[i]);
	}
	free(found);
	free(docs);
}

bool about_show(const char *word, const char *head)
{
	struct about a = { .word = word, .head = head };

	if (strlen(word) < SHORTEST || word[strspn(word, "-_")] == '\0')
		return false;
	installed_each(look, &a);
	look_at_pages(&a);
	return a.any;
}
