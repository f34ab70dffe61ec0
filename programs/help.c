// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * help: what --help shows.
 */
#include "programs/help.h"

#include <string.h>

bool help_is_optional(const struct cli_opt *o)
{
	return o->arg && o->arg[0] == '[';
}

/* "  -i, --input FILE", as the help shows it. */
static void opt_name(const struct cli_row *row, char *buf, size_t size)
{
	const struct cli_opt *o = row->opt;
	char letter[4] = "";

	if (row->key)
		snprintf(letter, sizeof(letter), "-%c", row->key);
	snprintf(buf, size, "%s%s%s%s%s%s", row->key ? letter : "    ",
		 row->key && *o->name ? ", " : "", *o->name ? "--" : "", o->name,
		 o->arg && !help_is_optional(o) ? " " : "", o->arg ? o->arg : "");
}

#define HELP_COLUMN 26

static void show_option(const struct cli_row *row, FILE *to)
{
	const char *help = row->opt->help;
	char name[120];

	opt_name(row, name, sizeof(name));
	if (strlen(name) > HELP_COLUMN - 2) {
		fprintf(to, "  %s\n", name);
		name[0] = '\0';
	}
	for (bool first = true; help; first = false) {
		size_t len = strcspn(help, "\n");

		fprintf(to, "  %-*s%.*s\n", HELP_COLUMN, first ? name : "", (int)len, help);
		help = help[len] ? help + len + 1 : NULL;
	}
}

void help_usage(const struct cli_spec *spec, FILE *to)
{
	const char *lead = "usage: ";

	for (const char *u = spec->usage; u; lead = "       ") {
		size_t len = strcspn(u, "\n");

		fprintf(to, "%s%.*s\n", lead, (int)len, u);
		u = u[len] ? u + len + 1 : NULL;
	}
}

void help_show(const struct cli *c, FILE *to)
{
	const struct cli_table *table = NULL;

	help_usage(c->spec, to);
	fprintf(to, "\n%s\n\n", c->spec->about);
	for (unsigned i = 0; i < c->nrows; i++) {
		if (c->rows[i].table != table && c->rows[i].table->head)
			fprintf(to, "%s\n", c->rows[i].table->head);
		table = c->rows[i].table;
		show_option(&c->rows[i], to);
	}
	if (c->spec->more)
		fprintf(to, "\n%s\n", c->spec->more);
}
