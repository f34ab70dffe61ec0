// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script: the run of a Perl script over the open inputs: what it needs from the program besides
 * script_host: parts of a trace, states, times to keep; and perl itself.
 */
#include "programs/zedperl/zedperl.h"

#include "interp/perl/interp.h"
#include "interp/perlsink.h"
#include "programs/cut/cut_command.h"
#include "programs/script/script_host.h"
#include "programs/stop.h"
#include "programs/zedperl/fleet/tell.h"
#include "programs/zedperl/identity.h"
#include "programs/zedperl/job_list.h"
#include "programs/zedperl/notperl.h"
#include "programs/zedperl/states.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- called by perlsink ---- */

static void keep_times(void *arg, uint64_t from, uint64_t to)
{
	struct zedperl *z = ((struct cli *)arg)->arg;

	times_add(&z->running.kept, from, to);
}

static char **never_again(void *arg, struct err *e)
{
	err_set(e, ERR_USAGE, ERR_NO_OFF, "--reduce reads no trace");
	return NULL;
}

/* May the script be run on a part of the trace's time? */
static bool may_part(struct zedperl *z, struct err *e)
{
	if (z->running.timeless || z->running.answers || !perlsink_calls(z->running.sink))
		return true;
	tell_that(TELL_KEEPS);
	err_set(e, ERR_USAGE, ERR_NO_OFF,
		"the subs of %s may keep something of an event for a later one; a script that "
		"keeps nothing says so in a line \"%s\", one that cuts its answer to the time that "
		"is asked for (Zed::Asked) in a line \"%s\"",
		script_name(&z->script), JOB_LIST_TIMELESS, JOB_LIST_ANSWERS);
	return false;
}

/* Does it get the events that it needs? */
static bool may_tail(const struct cli *c, const struct zedperl *z, struct err *e)
{
	const char *name = script_name(&z->script), *slash = strrchr(name, '/');

	if (!c->words.tail || !perlsink_follows(z->running.sink))
		return true;
	err_set(e, ERR_USAGE, ERR_NO_OFF,
		"--tail keeps only the last events, and %s follows states from the first: choose a "
		"time, such as --start -10s (the last 10 seconds)",
		slash ? slash + 1 : name);
	return false;
}

/* All of it was read. */
static bool part_over(struct cli *c, struct err *e)
{
	const struct zedperl *z = c->arg;
	const char *crowded = perlsink_crowded(z->running.sink, c->words.parts);

	if (c->words.part < c->words.parts)
		synthetic_forget(c->choice.synthetic);
	if (crowded)
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"%s: the keys of all parts may be more than are kept, and which of them "
			"are depends on what comes first",
			crowded);
	else if (synthetic_any(c->choice.synthetic) && pump_count(&c->run.pump)->late)
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"its times go backwards: which part of them a pair of events is in is not "
			"known");
	else
		return true;
	tell_that(TELL_KEEPS);
	return false;
}

/* ---- the source of its events ---- */

static enum next part_next(struct stage *s, struct item *it, struct err *e)
{
	struct part_end *p = (struct part_end *)s;
	enum next got = stage_next(p->from, it, e);

	return got != NEXT_END || it->end != RUN_DONE || part_over(p->cli, e) ? got : NEXT_FAILED;
}

static void part_leave(struct stage *s)
{
	stage_leave(((struct part_end *)s)->from);
}

/* trace_begin has run. */
static struct stage *start_events(void *arg, struct err *e)
{
	struct cli *c = arg;
	struct zedperl *z = c->arg;
	struct stage *from;

	/* It may have added handlers. */
	if ((c->words.parts && !may_part(z, e)) || !may_tail(c, z, e))
		return NULL;
	from = script_start(c, e);
	if (!from || !c->words.parts)
		return from;
	z->running.part_end =
		(struct part_end){ { .next = part_next, .leave = part_leave }, from, c };
	return &z->running.part_end.stage;
}

/* ---- states ---- */

static void give_state(void *arg, const char *with, const char *body, size_t len)
{
	struct cli *c = arg;
	struct zedperl *z = c->arg;

	states_write(z->running.states, with, body, len);
}

static const char *next_state(void *arg, const char *with, const char *bad, size_t *len,
			      bool *failed)
{
	struct cli *c = arg;
	struct zedperl *z = c->arg;

	if (!bad)
		return states_next(z->running.states, with, len, failed);
	states_bad(z->running.states, bad);
	*failed = *bad != STATE_LEFT_OUT;
	return NULL;
}

static void identity(void *arg, struct source *s, char *out, size_t size)
{
	struct cli *c = arg;

	identity_of(s, &c->run.pump.stats, c->choice.hash, c->words.part, c->words.parts, out,
		    size);
}

/* ---- the run ---- */

/* The answer does not say so. */
static void say_interrupted(struct cli *c, const struct zedperl *z)
{
	if (z->map)
		cli_say(c, "interrupted: no state, which would be of a part of the trace");
	else
		script_say_interrupted(c);
}

/* An option after the script is the script's; one that it does not use was perhaps meant for us. */
static void say_options(struct cli *c, const struct zedperl *z, struct interp *in)
{
	const char *word;

	for (unsigned i = 0; z->script.path && (word = interp_argument(in, i)); i++) {
		if (!strcmp(word, "--"))
			return;
		if (!cli_is_option(c, word))
			continue;
		cli_say(c,
			"%s after the script is an argument of %s, which has left it in @ARGV: an "
			"option of zedperl comes before the trace",
			word, z->script.path);
		return;
	}
}

static void print_line(void *arg, const char *text)
{
	cli_puts(stdout, text);
	putchar('\n');
}

/* --check: the exit status.  SAID: the number of notices before the script was loaded. */
static int verify(struct cli *c, const struct zedperl *z, struct perlsink *sink, uint64_t said)
{
	uint64_t doubts = perlsink_check(sink, print_line, NULL) + c->run.said - said;

	if (fflush(stdout) && !script_stdout_closed()) {
		cli_say(c, "cannot write: %s", strerror(errno));
		return CLI_DAMAGE;
	}
	if (doubts)
		cli_say(c, "%s: %" PRIu64 " thing%s to look at", script_name(&z->script), doubts,
			plural(doubts));
	return doubts || c->run.failed || c->run.notes.damage ? CLI_DAMAGE : CLI_OK;
}

static void host_opts(struct cli *c, const struct zedperl *z, struct host_opts *o)
{
	script_host_opts(c, o);
	o->alone = z->alone;
	o->metrics = z->metrics.all;
	o->losses_beyond = z->running.answers;
	o->start = start_events;
	o->keep = z->cut ? keep_times : NULL;
	if (z->reduce)
		o->again = never_again;
	o->maps = z->map;
	o->reduces = z->reduce;
	o->state = give_state;
	o->next_state = next_state;
	o->identity = identity;
}

int script_run(struct cli *c, struct zedperl *z)
{
	struct host_opts o;
	struct script_result r = { .status = -1 };
	uint64_t said = c->run.said;
	int argc = z->perl.argc, status = z->cut ? cli_cut_check(c) : CLI_OK;
	bool ran = false, own = true; /* the status is the script's */
	struct perlsink *sink;
	struct interp *in;
	struct err e;

	if (status != CLI_OK)
		return status;
	script_leave_stdin(c);
	if ((z->map || z->reduce) && !(z->running.states = states_new(c, z)))
		return CLI_USAGE;
	in = interp_new(&argc, &z->perl.argv, &environ);
	if (!in) {
		cli_say(c, "no memory for perl");
		return CLI_DAMAGE;
	}
	host_opts(c, z, &o);
	z->running.sink = sink = perlsink_new(in, &o);
	c->run.pump.opts.stop = interp_pending(in);
	c->run.pump.opts.asks = true;
	script_watch_end(c);
	switch (interp_load(in, argc, z->perl.argv, perlsink_boot, sink)) {
	case INTERP_UNCOMPILED:
		tell_that(TELL_UNCOMPILED);
		notperl_say(c, z, interp_death(in));
		status = 255;
		break;
	case INTERP_DIED:
		status = 255;
		break;
	case INTERP_EXITED:
		status = interp_status(in);
		break;
	default:
		if (z->verify) {
			status = verify(c, z, sink, said);
			break;
		}
		if (z->script.live && cli_stop) {
			status = CLI_SIGNAL + SIGINT;
			own = false;
			break;
		}
		if ((c->words.parts && !may_part(z, &e)) || !may_tail(c, z, &e)) {
			cli_say_err(c, &e);
			status = CLI_USAGE;
			break;
		}
		say_options(c, z, in);
		if (c->words.verbose)
			cli_say(c, "started with Perl script %s", script_name(&z->script));
		perlsink_run(sink, &r);
		ran = true;
		status = r.forked ? r.status : script_status(c, &r, "died");
		if (c->words.parts && r.told && r.end == RUN_STOPPED && !r.signal) {
			cli_say(c, "the script ends the run (Zed::stop), which the other parts of "
				   "the trace do not know");
			tell_that(TELL_KEEPS);
			r.told = false;
			status = CLI_USAGE;
		}
		own = r.status >= 0;
	}
	perlsink_free(sink, true);
	if (ran && interp_flush(in) < 0 && !r.forked)
		status = script_unwritten(c, errno, status);
	/* After all that the script has printed. */
	if (ran && !r.forked && script_interrupted(&r) && !r.says_cut)
		say_interrupted(c, z);
	status = interp_end(in, status);
	if (z->script.live)
		live_ignore_signals();
	perlsink_free(sink, false);
	if (ran && !r.forked && !metrics_finish(&z->metrics))
		status = status ? status : CLI_DAMAGE;
	status = script_live_end(c, ran ? &r : NULL, status, own);
	/* Not after a death, nor in a child. */
	if (z->cut && ran && !r.forked && (r.end == RUN_DONE || r.end == RUN_STOPPED) &&
	    !r.signal && status != 255) {
		int cut = cli_cut_times(c, z->cut, &z->running.kept);

		status = status ? status : cut;
	}
	times_fini(&z->running.kept);
	if (z->map && ran && !r.forked && !r.told && status == CLI_OK) {
		cli_say(c, "no state: the script has ended the run itself, by exit");
		status = CLI_DAMAGE;
	}
	if (z->running.states && !r.forked)
		status = states_end(z->running.states, r.told, status);
	if (status == CLI_DAMAGE && !r.forked && !r.deaths && !c->run.failed &&
	    !c->run.notes.damage && !c->run.pump.stats.damaged)
		tell_that(TELL_WHOLE);
	return status;
}
