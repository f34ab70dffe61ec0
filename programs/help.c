// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * help: how --help lists options.
 */
#include "programs/help.h"

#include <string.h>

bool help_is_optional(const struct cli_opt *o)
{
	return o->arg && o->arg[0] == '[';
}

/* "  -i, --input FILE", as the help shows it and a message names it. */
static void opt_name(const struct cli_opt *o, int key, char *buf, size_t size)
{
	char letter[4] = "";

	if (key)
		snprintf(letter, sizeof(letter), "-%c", key);
	snprintf(buf, size, "%s%s%s%s%s%s", key ? letter : "    ", key && *o->name ? ", " : "",
		 *o->name ? "--" : "", o->name, o->arg && !help_is_optional(o) ? " " : "",
		 o->arg ? o->arg : "");
}

#define HELP_COLUMN 26

void help_options(const struct cli *c, const struct cli_opt *o,
		  int (*key)(const struct cli *c, const struct cli_opt *o), FILE *to)
{
	char name[120];

	for (; o->name; o++) {
		const char *help = o->help;
		bool first = true;

		opt_name(o, key(c, o), name, sizeof(name));
		if (strlen(name) > HELP_COLUMN - 2) {
			fprintf(to, "  %s\n", name);
			name[0] = '\0';
		}
		while (help) {
			size_t len = strcspn(help, "\n");

			fprintf(to, "  %-*s%.*s\n", HELP_COLUMN, first ? name : "", (int)len, help);
			first = false;
			help = help[len] ? help + len + 1 : NULL;
		}
	}
}
