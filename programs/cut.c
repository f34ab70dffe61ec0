// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cut: --cut, the chosen part of one trace as a trace.dat of its own.
 */
#include "programs/cut.h"

#include "programs/chosen.h"
#include "programs/run.h"
#include "programs/stop.h"
#include "programs/target.h"
#include "record/cut/cut.h"

#include <inttypes.h>

/* What cannot be cut, and what to do instead. */
static int check(struct cli *c)
{
	const struct source *s = c->pump.sources[0];

	if (c->pump.nsources > 1)
		return cli_usage(
			c, false,
			"--cut is of one trace, and %u are named: cut each of them (zedprint "
			"and zedperl read several files together)",
			c->pump.nsources);
	if (!s->ops->metadata)
		return cli_usage(
			c, false,
			"%s: --cut copies records of the kernel's ring buffer, and this %s "
			"has none: zedprint -f json prints the chosen events",
			s->in.path, s->ops->name);
	if (!s->nstreams && source_has_text(s))
		return cli_usage(c, false,
				 "%s: it holds a latency tracer's text and no records: there is "
				 "nothing to cut",
				 s->in.path);
	if (c->ndefined)
		return cli_usage(
			c, false,
			"--cut copies what the trace has: --synthetic makes events that are "
			"not in it");
	if (c->events && words_have_stable(c->events))
		return cli_usage(
			c, false,
			"--cut copies the trace's own events: name these with --event "
			"(sched:sched_switch), not stable ones (zedperl --list shows both)");
	return CLI_OK;
}

static bool in_time(void *arg, uint64_t ts)
{
	const struct cli *c = arg;

	return ts >= c->start && ts <= c->end;
}

/* Run, and write to T.  *WHOLE: all that was chosen is in it. */
static int cut_to(struct cli *c, const char *path, struct target *t, bool *whole)
{
	struct cut_opts o = { .path = path, .notes = &c->notes, .in_time = in_time, .arg = c };
	struct err e;
	struct cut *cut = cut_new(&o, &e);
	enum run_end end;

	*whole = false;
	if (!cut) {
		err_path(&e, path);
		cli_say_err(c, &e);
		return CLI_USAGE;
	}
	end = pump_run(&c->pump, cli_limit(c, cut_sink(cut)), &e);
	/* Stopped: --head has all that it wants. */
	if (end == RUN_DONE || end == RUN_STOPPED) {
		*whole = cut_write(cut, t->fd, &e) == 0;
		if (!*whole)
			end = RUN_FAILED;
		else
			note_say(&c->notes, NOTE_INFO, "%s: %" PRIu64 " record%s", path,
				 cut_records(cut), plural(cut_records(cut)));
		if (*whole && !cut_records(cut))
			note_say(&c->notes, NOTE_WARN, "%s: no event was chosen: it holds none",
				 path);
	}
	cut_free(cut);
	if (end == RUN_FAILED)
		err_path(&e, path);
	return cli_finish(c, end, &e);
}

int cli_cut(struct cli *c, const char *path)
{
	int status = check(c);
	struct target t;
	struct err e;
	bool whole;

	if (status != CLI_OK)
		return status;
	if (target_open(&t, c, path, false, "--cut", &e) < 0) {
		err_path(&e, path);
		cli_say_err(c, &e);
		target_close(&t, false, &e);
		return CLI_USAGE;
	}
	cli_catch();
	status = cut_to(c, path, &t, &whole);
	if (target_close(&t, whole, &e) == 0)
		return status;
	err_path(&e, path);
	cli_say_err(c, &e);
	return CLI_DAMAGE;
}
