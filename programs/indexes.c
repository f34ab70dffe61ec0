// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * indexes: the indexes of the inputs, by which a run of a part of their time reads that part alone.
 */
#include "programs/indexes.h"

#include "index/index.h"
#include "base/mem.h"
#include "programs/options.h"
#include "programs/stop.h"

#include <stdlib.h>

/* Is less asked for than all of the time? */
static bool asks_for_part(const struct cli *c)
{
	return c->words.times.from.kind != TIME_OPEN || c->words.times.to.kind != TIME_OPEN ||
	       c->words.times.around.kind != TIME_OPEN || c->words.times.common_window;
}

/* Do the options leave times as an index has them? */
static bool has_own_times(const struct source_opts *o)
{
	return !o->raw_ts && !o->wall && !o->meta;
}

static int make(struct cli *c, const struct source *s, struct trace_index **out, struct err *e)
{
	struct trace_index_opts o = { .source = c->words.source, .stop = &cli_stop };

	*out = trace_index_make(s, &o, true, e);
	if (*out)
		return 0;
	return err_within(e, "--index");
}

int indexes_begin(struct cli *c, struct err *e)
{
	struct pump *p = &c->run.pump;
	unsigned n = p->nsources;

	if ((!asks_for_part(c) && !c->words.index) || !has_own_times(&c->words.source))
		return 0;
	if (c->run.known) {
		if (n == 1 && trace_index_jumps(c->run.known))
			pump_jumps(p, 0, trace_index_jumps(c->run.known));
		return 0;
	}
	c->run.indexes = mem_zalloc((n + 1) * sizeof(*c->run.indexes));
	c->run.nindexes = n;
	for (unsigned i = 0; i < n; i++) {
		struct trace_index **x = &c->run.indexes[i];

		*x = trace_index_find(p->sources[i]);
		if (!*x && c->words.index)
			TRY(make(c, p->sources[i], x, e));
		if (*x && trace_index_jumps(*x))
			pump_jumps(p, i, trace_index_jumps(*x));
	}
	return 0;
}

void indexes_end(struct cli *c)
{
	for (unsigned i = 0; i < c->run.nindexes; i++)
		trace_index_close(c->run.indexes[i]);
	free(c->run.indexes);
}
