/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_STEPS_ESCAPE_H
#define ZED_TEXT_STEPS_ESCAPE_H

/*
 * The character at *P of a string as C's source, or the kernel's printk_formats, write it: "\n" is
 * a newline, "\x41" and "\101" are A; a backslash before any other character is dropped; a final
 * backslash is literal.  *P, which is not at the end, moves past it.
 */
char escape_next(const char **p);

#endif
