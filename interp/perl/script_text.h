/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERL_SCRIPT_TEXT_H
#define ZED_INTERP_PERL_SCRIPT_TEXT_H

/*
 * From now on a script, or a file that it requires, dies while it is compiled if its text cannot be
 * read to its end.  Call it once, before perl_parse().  A failure before the first word of a
 * required file leaves an empty file, which require refuses.
 */
void scripttext_watch(void);
void scripttext_unwatch(void);

#endif
