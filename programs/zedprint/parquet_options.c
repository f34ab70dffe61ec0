// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parquet_options: the options of -f parquet.
 */
#include "programs/zedprint/parquet_options.h"

#include "sink/parquet/parquet.h"
#include "programs/options.h"
#include "programs/stop.h"

#include <string.h>

int tables_partition(struct tables *t, const char *words, struct err *e)
{
	for (const char *w = words; w; w = strchr(w, ',') ? strchr(w, ',') + 1 : NULL) {
		size_t len = strcspn(w, ",");

		if (len == 7 && !memcmp(w, "machine", 7))
			t->by_machine = true;
		else if (len == 3 && !memcmp(w, "day", 3))
			t->by_day = true;
		else
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "'%s': it takes machine, day, or machine,day", words);
	}
	return 0;
}

struct sink *tables_sink(struct cli *c, const struct tables *t)
{
	const struct parquet_opts o = {
		.dir = t->dir,
		.by_machine = t->by_machine,
		.by_day = t->by_day,
		.version = ZED_VERSION,
		.beat = &cli_beat,
		.notes = &c->run.notes,
	};

	return parquet_new(&o);
}
