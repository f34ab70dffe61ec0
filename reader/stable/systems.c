/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * systems: turns the text of stable/systems.txt, words and globs between comments, into an answer:
 * is that the name of a kernel's system of events?
 */
#include "reader/stable/systems.h"

#include "base/glob.h"
#include "reader/stable/shipped.h"

#include <string.h>

#define MAX_NAME 64

static const struct stable_text *table(void)
{
	const struct stable_text *t = stable_texts;

	while (t->name && strcmp(t->name, "systems.txt"))
		t++;
	return t;
}

bool systems_has(const char *package)
{
	const char *p = table()->text;
	char word[MAX_NAME];
	size_t len;

	while (p && *p) {
		len = strcspn(p, " \n");
		if (*p == '#') {
			p += strcspn(p, "\n");
			continue;
		}
		if (len && len < sizeof(word)) {
			memcpy(word, p, len);
			word[len] = '\0';
			if (glob_match(word, package))
				return true;
		}
		p += len + (p[len] != '\0');
	}
	return false;
}
