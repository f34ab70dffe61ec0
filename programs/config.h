/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CONFIG_H
#define ZED_PROGRAMS_CONFIG_H

#include "programs/options.h"

/*
 * A file of settings: lines "KEY = VALUE", where KEY is the long name of an option of the program,
 * without its dashes, so that there is one table of options; or "events", for the words that are
 * not options.
 *
 *	# what is recorded
 *	events = sched irq:*
 *	filter = sched:sched_switch: prev_pid != 0
 *	rotate = 100M
 *	date
 *
 * An option without a value may be written as KEY alone, "KEY = yes", or "KEY = no", as if it was
 * not there.  A key may be repeated, as the option may.  Empty lines and those that begin with '#'
 * are comments.  No value is quoted.
 */
struct config_lines;

#define CONFIG_MOST (1u << 20) /* bytes of a file */

/*
 * Give C the options and words of the file PATH, which must be valid in MODE (of enum cli_mode's
 * bits), and not of the trait CLI_LINE.  -1 with E, which has the file, the line and a caret.  With
 * ALL it goes on after a mistake: all but the last, which is E, are reported at once, as those of
 * --check-config.
 */
int config_read(struct cli *c, const char *path, unsigned mode, bool all, struct err *e);

/*
 * E is about VALUE, which an option or a word of C has.  If that came from a file, E gets its name,
 * the line and a caret, and this returns true.
 */
bool config_blame(const struct cli *c, const char *value, struct err *e);

/* After the options and words that borrow from it; NULL is fine. */
void config_free(struct config_lines *l);

#endif
