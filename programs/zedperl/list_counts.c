// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list_counts: zedperl -t, the trace's events with how many there are of each.
 */
#include "programs/zedperl/list_counts.h"

#include "base/mem.h"
#include "base/plain.h"
#include "programs/event_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	const struct etype *x = *(const struct etype *const *)a;
	const struct etype *y = *(const struct etype *const *)b;
	int c = strcmp(x->system, y->system);

	return c ? c : strcmp(x->name, y->name);
}

/* "sched::sched_switch    1234", sorted; a name that several inputs share is listed once. */
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
	qsort(types, shown, sizeof(*types), by_name);
	for (i = 0; i < shown; i++) {
		uint64_t total = 0;
		unsigned from = i;

		for (; i < shown && !by_name(&types[from], &types[i]); i++)
			total += types[i]->idx < k->n ? k->v[types[i]->idx] : 0;
		i--;
		snprintf(name, sizeof(name), "%s::%s", types[i]->system, types[i]->name);
		plain_text(text, sizeof(text), name);
		printf("%-48s %12" PRIu64 "\n", text, total);
	}
	free(types);
}

int list_events(struct cli *c)
{
	struct event_counts k = { 0 };
	int status = count_events(c, &k);

	print_counts(c, &k);
	free(k.v);
	return status;
}
