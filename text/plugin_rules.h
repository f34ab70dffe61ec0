/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PLUGIN_RULES_H
#define ZED_TEXT_PLUGIN_RULES_H

#include "trace/event.h"

/*
 * The fields that handlers of libtraceevent's plugins (1.7.1 to 1.8.4) read from a record without
 * checking that they exist.  An event whose handler has no rule here, or whose format or record
 * breaks the rule, is printed by its print format.
 */
struct plugcheck;

/* The rule for the handler of SYSTEM:NAME, or NULL. */
const struct plugcheck *plugcheck_find(const char *system, const char *name);

/*
 * Are the fields of T (resolved) what this handler expects?  It copes with missing fields, and says
 * so in its text.
 */
bool plugcheck_type(const struct plugcheck *pc, const struct etype *t);

/* Is this record, of a type that has passed, safe for the handler? */
bool plugcheck_record(const struct plugcheck *pc, const struct event *ev);

#endif
