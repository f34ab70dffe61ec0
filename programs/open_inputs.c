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
	struct source *s = c->open_live(c, &e);

	if (s && pump_add(&c->pump, s, &e) == 0)
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
		opened, c->ninputs, (unsigned long long)l.rlim_max);
	return true;
}

bool cli_open(struct cli *c, int *status)
{
	struct pump_opts o = {
		.source = c->source,
		.strict = c->strict,
		.force_merge = c->force_merge,
		.apart = c->apart,
		.stop = &cli_stop,
		.halt_first = true,
		.beat = &cli_beat,
		.guest = c->guest,
	};
	struct err e;

	*status = CLI_USAGE;
	/* Before anything is opened: a mistake in it comes first. */
	if (!cli_stable(c))
		return false;
	raise_limit();
	cli_began(c, &o);
	pump_init(&c->pump, &o);
	c->pump_ready = true;
	filter_free(c->pump.filter);
	c->pump.filter = c->filter;
	c->filter = NULL;
	for (unsigned i = 0; i < c->ninputs; i++) {
		if (pump_open(&c->pump, c->inputs[i], &e) == 0)
			continue;
		cli_say_unopened(c, c->inputs[i], &e);
		c->failed++;
		if (e.kind == ERR_USAGE || c->strict || is_exhausted(c, i, &e))
			return false;
	}
	if (c->open_live && !add_live(c))
		return false;
	if (!c->ninputs && !c->open_live)
		return true;
	return c->pump.nsources && cli_choose(c);
}

/* Was a live input left before its end? */
static bool has_left(const struct cli *c)
{
	for (unsigned i = 0; i < c->pump.nsources; i++)
		if (c->pump.sources[i]->left)
			return true;
	return false;
}

int cli_finish(struct cli *c, enum run_end end, const struct err *e)
{
	cli_clear(c);
	if (end == RUN_FAILED)
		cli_say_err(c, e);
	if (end == RUN_DONE)
		cli_say_unmet(c);
	if (c->stats)
		cli_say_stats(c);
	if (end == RUN_FAILED)
		return e->kind == ERR_USAGE ? CLI_USAGE : CLI_DAMAGE;
	if (end == RUN_SIGNALLED)
		return CLI_SIGNAL + cli_stop;
	if (has_left(c))
		return CLI_SIGNAL + (cli_stop ? cli_stop : SIGINT);
	return c->failed || c->notes.damage || c->pump.stats.damaged ? CLI_DAMAGE : CLI_OK;
}
