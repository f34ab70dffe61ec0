/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter_aggregate: what a starter script counts for an event, as Perl has it.
 */
#include "programs/zedperl/starter/starter_priv.h"

#include "programs/script/starter_keys.h"

void starter_aggregate(const struct etype *t, FILE *to)
{
	const struct field *quantity = starter_quantity(t);
	const char *key = starter_key(t);

	fprintf(to, "Zed::count('%s:%s'", t->system, t->name);
	if (key)
		fprintf(to, ", by => '%s'", key);
	fputs(");\n", to);
	if (quantity)
		fprintf(to, "Zed::hist('%s:%s', '%s');\n", t->system, t->name, quantity->name);
}
