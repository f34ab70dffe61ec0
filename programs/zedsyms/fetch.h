/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_FETCH_H
#define ZED_PROGRAMS_ZEDSYMS_FETCH_H

/*
 * The file of the build id ID (hexadecimal) that a server of DEBUGINFOD_URLS has, by libdebuginfod,
 * which keeps it in its cache: KIND "executable" or "debuginfo".  A descriptor; -1: *WHY says why
 * not.
 */
int fetch_open(const char *kind, const char *id, const char **why);

#endif
