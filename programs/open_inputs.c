// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open_inputs: opens the inputs behind the filter, and makes the exit status of how the run ended.
 * Shared by zedperl and zedprint.
 */
#include "programs/open_inputs.h"

#include "programs/chosen.h"
#include "programs/options.h"
#include "programs/progress.h"
#include "programs/stop.h"
#include "programs/unopened.h"
#include "programs/unmet.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static bool add_live(struct cli *c)
{
	struct err e;
	struct source *s = c->run.open_live(c, &e);

	if (s && pump_add(&c->run.pump, s, &e) == 0)
		return true;
	cli_say_err(c, &e);
	return false;
}

/*
 * Each input keeps a descriptor, an LTT trace one for each of its files: take as many as the system
 * allows.  Children inherit the limit, which does no harm.
 */
static void raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* Out of descriptors: going on would give the answer for whichever inputs came first. */
static bool is_exhausted(struct cli *c, unsigned opened, const struct err *e)
{
	struct rlimit l;

	if (e->kind != ERR_SYS || (e->sys != EMFILE && e->sys != ENFILE))
		return false;
	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		l.rlim_max = 0;
	cli_say(c,
		"only %u of %u inputs can be open at once: this process may have %llu files "
		"open (root, or a login session with a higher ulimit -Hn, can have more)",
		opened, c->words.inputs.n, (unsigned long long)l.rlim_max);
	return true;
}

bool cli_open(struct cli *c, int *status)
{
	struct pump_opts o = {
		.source = c->words.source,
		.strict = c->words.strict,
		.force_merge = c->words.force_merge,
		.apart = c->run.apart,
		.stop = &cli_stop,
		.halt_first = true,
		.beat = &cli_beat,
		.guest = c->run.guest,
	};
	struct err e;

	*status = CLI_USAGE;
	/* Before anything is opened: a mistake in it comes first. */
	if (!cli_stable(c))
		return false;
	raise_limit();
	cli_began(c, &o);
	pump_init(&c->run.pump, &o);
	c->run.ready = true;
	filter_free(c->run.pump.filter);
	c->run.pump.filter = c->choice.filter;
	c->choice.filter = NULL;
	for (unsigned i = 0; i < c->words.inputs.n; i++) {
		if (pump_open(&c->run.pump, c->words.inputs.v[i], &e) == 0)
			continue;
		cli_say_unopened(c, c->words.inputs.v[i], &e);
		c->run.failed++;
		if (e.kind == ERR_USAGE || c->words.strict || is_exhausted(c, i, &e))
			return false;
	}
	if (c->run.open_live && !add_live(c))
		return false;
	if (!c->words.inputs.n && !c->run.open_live)
		return true;
	return c->run.pump.nsources && cli_choose(c);
}

/* Was a live input left before its end? */
static bool has_left(const struct cli *c)
{
	for (unsigned i = 0; i < c->run.pump.nsources; i++)
		if (c->run.pump.sources[i]->left)
			return true;
	return false;
}

int cli_finish(struct cli *c, enum run_end end, const struct err *e)
{
	cli_clear(c);
	if (end == RUN_FAILED)
		cli_say_err(c, e);
	if (end == RUN_DONE)
		cli_warn_unmatched(c);
	if (c->words.stats)
		cli_say_stats(c);
	if (end == RUN_FAILED)
		return e->kind == ERR_USAGE ? CLI_USAGE : CLI_DAMAGE;
	if (end == RUN_SIGNALLED)
		return CLI_SIGNAL + cli_stop;
	if (has_left(c))
		return CLI_SIGNAL + (cli_stop ? cli_stop : SIGINT);
	return c->run.failed || c->run.notes.damage || c->run.pump.stats.damaged ? CLI_DAMAGE :
										   CLI_OK;
}
