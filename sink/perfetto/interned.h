/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PERFETTO_INTERNED_H
#define ZED_SINK_PERFETTO_INTERNED_H

#include "base/outbuf.h"
#include "trace/machine.h"

/*
 * Kernel addresses as Perfetto's interned symbols: each gets a number when it is first met, and a
 * packet that says which symbol that is.  Zero-initialise.
 */
struct symbol_ids {
	struct symbol_id *v; /* open addressing, cap a power of two */
	size_t n, cap;
};

#define SYMBOL_IDS_MAX (1u << 18) /* addresses with a number; others are shown as such */

/*
 * The number of ADDRESS on machine M, 0: it has none (no symbol, or too many are known).  Where it
 * is new, *NAME becomes its symbol, borrowed until the next look-up, else NULL.
 */
unsigned symbol_ids_get(struct symbol_ids *s, struct machine *m, uint64_t address,
			const char **name);
void symbol_ids_fini(struct symbol_ids *s);

#endif
