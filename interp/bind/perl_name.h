/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_PERL_NAME_H
#define ZED_INTERP_BIND_PERL_NAME_H

#include "trace/event.h"

/* Names of subs and packages as texts: an event's in Perl, and those that perl reserves. */

#define BIND_NAME 512 /* bytes of a sub's whole name; longer ones are not bound */

/*
 * "sched::sched_switch" for T, with '_' for every byte that cannot be in a Perl name, and
 * "_9p::..." for a leading digit.  Returns the length it needs, as snprintf does; *SYSTEM gets that
 * of the package alone.
 */
size_t bind_name(const struct etype *t, char *buf, size_t size, size_t *system);

/*
 * S as a Perl identifier into BUF, truncated to its size: with '_' for bytes that cannot be in one,
 * and a '_' before a leading digit and for "".  Returns the length it needs, as snprintf does.
 */
size_t perl_identifier(const char *s, char *buf, size_t size);

/* A name that perl itself calls: an event of that name cannot have a sub. */
bool perl_calls(const char *name);

/*
 * A package that perl itself calls into, or one of ours: it cannot have handlers, declared or not.
 */
bool perl_reserves(const char *package);

#endif
