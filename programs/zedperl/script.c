// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script: the run of a Perl script over the open inputs: what the Perl sink asks of the program,
 * and the exit status of a script that ended, died, was stopped or lost its output.
 */
#include "programs/zedperl/script.h"

#include "interp/perl/interp.h"
#include "interp/perlsink.h"
#include "programs/chosen.h"
#include "programs/cut.h"
#include "programs/run.h"
#include "programs/stop.h"
#include "reader/model/cpustat.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- what the sink calls ---- */

static void say_text(void *arg, const char *text)
{
	cli_say(arg, "%s", text);
}

static void clear_progress(void *arg)
{
	cli_clear(arg);
}

static void want_types(void *arg, const uint8_t *types)
{
	cli_want(arg, types);
}

static uint64_t base_time(void *arg, bool *known)
{
	struct cli *c = arg;

	*known = !c->pump.relative;
	return c->pump.run.base;
}

/* Is a source here that has to be told when to end? */
static bool is_live(const struct cli *c)
{
	for (unsigned i = 0; i < c->pump.nsources; i++)
		if (c->pump.sources[i]->ops->stop)
			return true;
	return false;
}

static struct source *source_of(void *arg, unsigned number)
{
	struct cli *c = arg;

	return number < c->pump.nsources ? c->pump.sources[number] : NULL;
}

static bool period_of(void *arg, int which, struct period *out)
{
	struct cli *c = arg;
	struct err e;

	switch (which) {
	case PERIOD_NONE_SUCH:
		return false;
	case PERIOD_ALL:
		return period_all(&c->pump, out, &e) == 0;
	case PERIOD_WINDOW:
		return period_common(&c->pump, out, NULL, &e) == 0;
	default:
		return period_source(&c->pump, which, out, &e) == 0;
	}
}

static const struct period *periods_of(void *arg, unsigned number, unsigned *n)
{
	struct cli *c = arg;
	const struct period *v;
	struct err e;

	if (number >= c->pump.nsources || period_streams(&c->pump, number, &v, &e) < 0)
		return NULL;
	*n = c->pump.sources[number]->nstreams;
	return v;
}

static void keep_times(void *arg, uint64_t from, uint64_t to)
{
	struct zedperl *z = ((struct cli *)arg)->arg;

	times_add(&z->kept, from, to);
}

static bool halt_sources(void *arg)
{
	struct cli *c = arg;

	return pump_halt(&c->pump);
}

static enum run_end give_events(void *arg, struct sink *s, struct err *e)
{
	struct cli *c = arg;
	struct zedperl *z = c->arg;
	enum run_end end;
	enum verdict v;

	/* trace_begin has run: everything is ready for the first event. */
	if (z->live && !c->pump.halted && live_start(&z->run, e) < 0)
		return RUN_FAILED;
	s = cli_synthetic(c, cli_limit(c, s));
	if (c->limit && limit_is_full(c->limit))
		return RUN_STOPPED;
	/* A handler that died left what came behind its event. */
	v = synthetic_resume(c->synthetic, e);
	if (v == SINK_MORE) {
		end = pump_events(&c->pump, s, e);
		if (end != RUN_DONE || !c->limit)
			return end;
		v = limit_flush(c->limit, e);
	}
	switch (v) {
	case SINK_MORE:
		return RUN_DONE;
	case SINK_STOP:
		return RUN_STOPPED;
	default:
		return RUN_FAILED;
	}
}

struct losses {
	struct cli *cli;
	void (*tell)(void *arg, int cpu, uint64_t count);
	void *arg;
};

static void tell_loss(void *arg, int cpu, const struct stream *st, uint64_t count)
{
	struct losses *l = arg;

	/* From a CPU that has no stream the pump had nothing to leave out. */
	if (st || filter_takes_cpu(l->cli->pump.filter, cpu))
		l->tell(l->arg, cpu, count);
}

static void tell_losses(void *arg, void (*tell)(void *tell_arg, int cpu, uint64_t count),
			void *tell_arg)
{
	struct losses l = { .cli = arg, .tell = tell, .arg = tell_arg };

	for (unsigned i = 0; i < l.cli->pump.nsources; i++)
		cpustat_losses(l.cli->pump.sources[i], tell_loss, &l);
}

/* ---- the run ---- */

bool script_has_events(struct cli *c)
{
	unsigned i;

	for (i = 0; i < c->pump.nsources; i++) {
		struct source *s = c->pump.sources[i];

		if (s->nstreams || !source_has_text(s))
			return true;
	}
	cli_say(c,
		"%s: holds the text of a latency tracer, not events: a script has nothing to "
		"handle; zedprint shows it",
		c->pump.sources[0]->in.path);
	return false;
}

/* The reader of our output has gone: nothing to complain of. */
static bool stdout_is_closed(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP | POLLNVAL));
}

/* The exit status of a run that came to its end. */
static int run_status(struct cli *c, struct perlsink_result *r)
{
	/* The script's handlers were told of a signal; r->signal is theirs. */
	enum run_end end = r->end == RUN_SIGNALLED ? RUN_STOPPED : r->end;
	int status = cli_finish(c, end, &r->err);

	if (r->deaths) {
		cli_say(c, "%" PRIu64 " call%s died and %s passed over (--keep-going)", r->deaths,
			r->deaths == 1 ? " of a handler" : "s of handlers",
			r->deaths == 1 ? "was" : "were");
		status = status ? status : CLI_DAMAGE;
	}
	if (r->status >= 0)
		return r->status;
	if (r->signal == SIGPIPE && !stdout_is_closed()) {
		cli_say(c, "a pipe that the script writes to was closed: stopped before the end "
			   "of the trace");
		return CLI_DAMAGE;
	}
	if (r->end == RUN_STOPPED && (r->signal == SIGINT || r->signal == SIGTERM))
		return 128 + SIGINT;
	return status;
}

/* An option behind the script is the script's; one that it leaves was perhaps meant for us. */
static void say_options(struct cli *c, const struct zedperl *z, struct interp *in)
{
	const char *word;

	for (unsigned i = 0; z->script && (word = interp_argument(in, i)); i++) {
		if (!strcmp(word, "--"))
			return;
		if (!cli_is_option(c, word))
			continue;
		cli_say(c,
			"%s behind the script is an argument of %s, which has left it in @ARGV: an "
			"option of zedperl stands before the trace",
			word, z->script);
		return;
	}
}

int script_run(struct cli *c, struct zedperl *z)
{
	struct perlsink_opts o = {
		.catalog = c->pump.catalog,
		.stable = c->stable,
		.synthetic = c->synthetic,
		.notes = &c->notes,
		.args = z->convention,
		.keep_going = z->keep_going,
		.arg = c,
		.base = base_time,
		.say = say_text,
		.clear = clear_progress,
		.want = want_types,
		.events = give_events,
		.losses = tell_losses,
		.halt = is_live(c) ? halt_sources : NULL,
		.source = source_of,
		.period = period_of,
		.periods = periods_of,
		.keep = z->cut ? keep_times : NULL,
	};
	struct perlsink_result r = { .status = -1 };
	int argc = z->argc, status = z->cut ? cli_cut_check(c) : CLI_OK;
	bool ran = false;
	struct perlsink *sink;
	struct interp *in;

	if (status != CLI_OK)
		return status;
	in = interp_new(&argc, &z->argv, &environ);
	if (!in) {
		cli_say(c, "no memory for perl");
		return CLI_DAMAGE;
	}
	sink = perlsink_new(in, &o);
	c->pump.opts.stop = interp_pending(in);
	c->pump.opts.halt_first = false; /* halt_sources() is called by the script's handlers */
	switch (interp_load(in, argc, z->argv, perlsink_boot, sink)) {
	case INTERP_DIED:
		status = 255;
		break;
	case INTERP_EXITED:
		status = interp_status(in);
		break;
	default:
		if (z->live && cli_stop) {
			status = CLI_SIGNAL + SIGINT;
			break;
		}
		say_options(c, z, in);
		if (c->verbose)
			cli_say(c, "started with Perl script %s", z->script ? z->script : "-e");
		perlsink_run(sink, &r);
		ran = true;
		status = r.forked ? r.status : run_status(c, &r);
	}
	perlsink_free(sink, true);
	if (ran && interp_flush(in) < 0 && !r.forked && !stdout_is_closed()) {
		cli_say(c, "cannot write the script's output: %s",
			errno ? strerror(errno) : "an earlier write failed");
		status = status ? status : CLI_DAMAGE;
	}
	status = interp_end(in, status);
	if (z->live)
		live_ignore_signals();
	perlsink_free(sink, false);
	/* Not after a death, nor in a child. */
	if (z->cut && ran && !r.forked && (r.end == RUN_DONE || r.end == RUN_STOPPED) &&
	    !r.signal && status != 255) {
		int cut = cli_cut_times(c, z->cut, &z->kept);

		status = status ? status : cut;
	}
	times_fini(&z->kept);
	return status;
}
