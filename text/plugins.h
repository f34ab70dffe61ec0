/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PLUGINS_H
#define ZED_TEXT_PLUGINS_H

#include "base/err.h"
#include "base/outbuf.h"
#include "trace/event.h"

/*
 * The plugins of libtraceevent, for events that they decode better than a print format can: kvm,
 * mac80211, ... The library never sees a print format or a field line of a trace: it gets a type as
 * a text made from our own fields, and a record only if it passes our rule for the handler
 * (plugin_rules.h).
 */
struct plugins;
struct plugin; /* prints the records of one type */

/* NOTES gets the reasons why a plugin is not used; may be NULL. */
struct plugins *plugins_new(struct notes *notes);
void plugins_free(struct plugins *ps);

/* The plugin that prints records of TYPE (resolved), or NULL.  Owned by PS. */
const struct plugin *plugins_find(struct plugins *ps, const struct etype *type);

/*
 * Append its text for EV, a record at least as long as its fields.  False: not for this record;
 * nothing was appended.
 */
bool plugin_put(struct plugins *ps, const struct plugin *p, const struct event *ev,
		struct outbuf *o);

/* "libtraceevent 1.7.1, 12 plugins"; returns BUF. */
const char *plugins_version(char *buf, size_t size);

#endif
