/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PERFETTO_KNOWN_H
#define ZED_SINK_PERFETTO_KNOWN_H

/*
 * Events that have a message of their own in Perfetto: the number of FtraceEvent's field and those
 * of the message's fields (perfetto v20 to v58, protos/perfetto/trace/ftrace).  Numbers that v20
 * does not know are left out, as it would drop these events in silence: as generic ones every
 * version has them.
 */
struct known_event {
	const char *system, *name;
	unsigned number;
	/* "NAME=NUMBER NAME=NUMBER:s ...", :s: an address, given as an interned symbol. */
	const char *fields;
};

/* The event SYSTEM:NAME, or NULL. */
const struct known_event *known_find(const char *system, const char *name);

/* The number of the field NAME of K, 0: it has none.  *SYMBOL: it is a symbol. */
unsigned known_field(const struct known_event *k, const char *name, int *symbol);

/* Does TEXT, LEN bytes of trace_marker, say what Perfetto takes for a slice or a counter? */
int known_is_atrace(const char *text, size_t len);

#endif
