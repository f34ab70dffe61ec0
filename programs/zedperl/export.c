// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: zedperl --export, a file of the trace's stable events, which gets its name only when it
 * is complete.
 */
#include "programs/zedperl/zedperl.h"

#include "sink/stable_file/stable.h"
#include "programs/chosen.h"
#include "programs/stop.h"
#include "programs/cut/target.h"
#include "run/drain.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Is an input an export already?  It has no raw events to make stable ones from. */
static bool has_exports(struct cli *c)
{
	for (unsigned i = 0; i < catalog_count(c->run.pump.catalog); i++) {
		const struct etype *t = catalog_at(c->run.pump.catalog, i);

		for (unsigned k = 0; t->stable && k < c->run.pump.nsources; k++)
			if (t->machine == &c->run.pump.sources[k]->machine) {
				cli_usage(c, false,
					  "%s: is an export already: name the trace that "
					  "it was made of (scripts read several exports together: "
					  "zedperl -i FILE -i FILE SCRIPT)",
					  c->run.pump.sources[k]->in.path);
				return true;
			}
	}
	return false;
}

static int open_export(struct cli *c, struct target *t, const char *path, struct err *e)
{
	if (strcmp(path, "-"))
		return target_open(t, c, path, true, "--export", e);
	*t = (struct target){ .fd = STDOUT_FILENO };
	if (!isatty(t->fd))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "--export -: binary output is not written "
		       "to a terminal: zedperl --export - TRACE >FILE");
}

static void want_types(void *arg, const uint8_t *types)
{
	cli_want(arg, types);
}

int export_stable(struct cli *c, const struct stable *s, const char *path)
{
	struct target t = { .fd = -1 };
	struct stableout_opts o = {
		.stable = s,
		.notes = &c->run.notes,
		.path = path,
		.want = want_types,
		.arg = c,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	struct stableout *out;
	enum run_end end;
	struct err e, other;
	bool whole;
	int status;

	if (has_exports(c))
		return CLI_USAGE;
	if (open_export(c, &t, path, &e) < 0) {
		err_path(&e, path);
		cli_say_err(c, &e);
		target_close(&t, false, &other);
		return CLI_USAGE;
	}
	o.fd = t.fd;
	out = stableout_new(&o);
	cli_catch();
	end = run_into(&c->run.pump, cli_limit(c, cli_synthetic(c, &c->run.pump.stage)),
		       stableout_sink(out), &e);
	status = cli_finish(c, end, &e);
	/* Stopped: --head has all its events. */
	whole = end == RUN_DONE || end == RUN_STOPPED;
	note_say(&c->run.notes, NOTE_INFO, "%s: %" PRIu64 " record%s of %u stable event%s", path,
		 stableout_records(out), plural(stableout_records(out)), stableout_events(out),
		 plural(stableout_events(out)));
	if (whole && !stableout_records(out))
		note_say(&c->run.notes, NOTE_WARN,
			 "%s: nothing is in it: no event of the trace makes "
			 "a stable one (zedperl --stable-check TRACE says why)",
			 path);
	stableout_free(out);
	if (target_close(&t, whole, &e) == 0)
		return status;
	err_path(&e, path);
	cli_say_err(c, &e);
	return CLI_DAMAGE;
}
