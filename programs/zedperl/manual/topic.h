/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MANUAL_TOPIC_H
#define ZED_PROGRAMS_ZEDPERL_MANUAL_TOPIC_H

#include "programs/options.h"

/*
 * zedperl help: the first page, docs/help.txt, which leads from a question to a command, on stdout.
 * zedperl help TOPIC, or --help TOPIC: shows the first of these with that name:
 * - a page: docs/TOPIC, docs/zedperl-TOPIC or docs/zed-TOPIC, with .txt, .md or .pod after it;
 * - the script that TOPIC means (installed_find);
 * - a module: Zed::Table;
 * - a function: Zed::keep or keep, trace_lost, Zed::Table::add; what its page says about it.
 * On a terminal, pages are shown through the pager.
 * zedperl help topics: a line for each page, script, module and function, its name and its purpose.
 * Returns the exit status; if there is no such topic, that of wrong usage, with the nearest name.
 */
int topic_show(struct cli *c, const char *topic);

#endif
