/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * systems: recognises the kernel's event systems by name, using the words and globs of
 * stable/systems.txt.
 */
#include "stable/systems.h"

#include "base/glob.h"
#include "trace/names/shipped.h"

#include <string.h>

#define MAX_NAME 64

static const struct stable_text *table(void)
{
	const struct stable_text *t = stable_texts;

	while (t->name && strcmp(t->name, "systems.txt"))
		t++;
	return t;
}

static bool word_match(const char *p, size_t len, const char *package)
{
	char word[MAX_NAME];

	if (len >= sizeof(word))
		return false;
	memcpy(word, p, len);
	word[len] = '\0';
	return glob_match(word, package);
}

/* Called for every package, so most words are skipped by their first byte. */
bool systems_has(const char *package)
{
	const char *p = table()->text, *word;

	while (p && *p) {
		if (*p == '#') {
			p += strcspn(p, "\n");
			continue;
		}
		for (word = p; (unsigned char)*p > ' '; p++)
			;
		if ((*word == *package || *word == '*' || *word == '?' || *word == '[') &&
		    word_match(word, p - word, package))
			return true;
		p += *p != '\0';
	}
	return false;
}
