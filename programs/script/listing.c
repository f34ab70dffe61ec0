// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listing: the events of a recording, with their counts: what there is to write a script for.
 */
#include "programs/script/listing.h"

#include "base/mem.h"
#include "base/plain.h"
#include "programs/event_counts.h"
#include "programs/options.h"

#include <inttypes.h>
#include <stdlib.h>

/* "sched::sched_switch    1234", sorted; a name shared by several inputs is listed once. */
static void print_counts(struct cli *c, const struct event_counts *k)
{
	unsigned i, n = catalog_count(c->run.pump.catalog), shown = 0;
	const struct etype **types = mem_zalloc((n + 1) * sizeof(*types));
	char name[600], text[4 * sizeof(name)];

	for (i = 0; i < n; i++) {
		const struct etype *t = catalog_at(c->run.pump.catalog, i);

		if ((i < k->n && k->v[i]) || (c->words.verbose && t->known))
			types[shown++] = t;
	}
	qsort(types, shown, sizeof(*types), etype_order);
	for (i = 0; i < shown; i++) {
		uint64_t total = 0;
		unsigned from = i;

		for (; i < shown && !etype_compare(types[from], types[i]); i++)
			total += types[i]->idx < k->n ? k->v[types[i]->idx] : 0;
		i--;
		snprintf(name, sizeof(name), "%s::%s", types[i]->system, types[i]->name);
		plain_text(text, sizeof(text), name);
		printf("%-48s %12" PRIu64 "\n", text, total);
	}
	free(types);
}

int listing_print(struct cli *c)
{
	struct event_counts k = { 0 };
	int status = count_events(c, &k);

	print_counts(c, &k);
	free(k.v);
	return cli_end_output(c, status);
}
