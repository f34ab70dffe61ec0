// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * screen: zedprint's output on a terminal, by the conventions of git and man: in colour, and
 * through less, unless the user chooses another pager.
 */
#include "programs/zedprint/zedprint.h"

#include "programs/terminal/pager.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* By no-color.org: a NO_COLOR that is not empty means none. */
static bool wants_color(const struct screen *s, bool terminal)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (s->color != COLOR_AUTO)
		return s->color == COLOR_ALWAYS;
	return terminal && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* Are all inputs recordings?  A live input is shown as it comes. */
static bool is_over(const struct cli *c)
{
	for (unsigned i = 0; i < c->words.inputs.n; i++) {
		struct stat st;

		if (!strcmp(c->words.inputs.v[i], "-") ||
		    (stat(c->words.inputs.v[i], &st) == 0 && !S_ISREG(st.st_mode) &&
		     !S_ISDIR(st.st_mode)))
			return false;
	}
	return true;
}

void screen_begin(struct screen *s, const struct cli *c)
{
	bool terminal = isatty(STDOUT_FILENO);

	s->painted = wants_color(s, terminal);
	if (!s->no_pager && is_over(c))
		s->pager = pager_begin();
}

void screen_end(struct screen *s)
{
	pager_end(s->pager);
}
