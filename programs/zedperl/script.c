// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script: the run of a Perl script over the open inputs: the functions it needs from the program,
 * and the exit status of a script that ended, died, was stopped or lost its output.
 */
#include "programs/zedperl/zedperl.h"

#include "interp/perl/interp.h"
#include "interp/perlsink.h"
#include "programs/chosen.h"
#include "programs/cut/cut_command.h"
#include "programs/open_inputs.h"
#include "programs/stop.h"
#include "programs/times.h"
#include "programs/zedperl/again.h"
#include "programs/zedperl/fleet/tell.h"
#include "programs/zedperl/identity.h"
#include "programs/zedperl/job_list.h"
#include "programs/zedperl/notperl.h"
#include "programs/zedperl/snapshot.h"
#include "programs/zedperl/states.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- called by perlsink ---- */

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

static void keep_times(void *arg, uint64_t from, uint64_t to)
{
	struct zedperl *z = ((struct cli *)arg)->arg;

	times_add(&z->running.kept, from, to);
}

static char **same_again(void *arg, struct err *e)
{
	const struct cli *c = arg;
	const struct zedperl *z = c->arg;

	if (!z->live && !z->reduce)
		return again_words(c, e);
	err_set(e, ERR_USAGE, ERR_NO_OFF,
		z->live ? "--live can be read only once" : "--reduce reads no trace");
	return NULL;
}

static int write_snapshot(void *arg, const char *name, char *path, size_t size, struct err *e)
{
	return liveflight_write(((struct zedperl *)((struct cli *)arg)->arg)->run.flight, name,
				path, size, e);
}

static bool is_over(void *arg)
{
	return live_over(&((struct zedperl *)((struct cli *)arg)->arg)->run);
}

static int over_fds(void *arg, struct pollfd *fds, int room, int *ms)
{
	return live_over_fds(&((struct zedperl *)((struct cli *)arg)->arg)->run, fds, room, ms);
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
		z->script ? z->script : "-e", JOB_LIST_TIMELESS, JOB_LIST_ANSWERS);
	return false;
}

/* Does it get the events that it needs? */
static bool may_tail(const struct cli *c, const struct zedperl *z, struct err *e)
{
	const char *slash = z->script ? strrchr(z->script, '/') : NULL;

	if (!c->words.tail || !perlsink_follows(z->running.sink))
		return true;
	err_set(e, ERR_USAGE, ERR_NO_OFF,
		"--tail keeps only the last events, and %s follows states from the first: choose a "
		"time, such as --start -10s (the last 10 seconds)",
		slash	  ? slash + 1 :
		z->script ? z->script :
			    "-e");
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
	/* Everything is ready for the first event. */
	if (z->live && !c->run.pump.halted && live_start(&z->run, e) < 0)
		return NULL;
	from = cli_limit(c, cli_synthetic(c, &c->run.pump.stage));
	if (!c->words.parts)
		return from;
	z->running.part_end =
		(struct part_end){ { .next = part_next, .leave = part_leave }, from, c };
	return &z->running.part_end.stage;
}

static uint64_t tail_begin(void *arg)
{
	struct cli *c = arg;

	return limit_begin(c->choice.limit);
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

static struct asked asked(const struct cli *c)
{
	const struct pump_part *part = &c->run.pump.part;
	struct asked a = {
		.start = c->choice.start,
		.end = c->choice.end,
		.last = c->words.part == c->words.parts,
		.all_start = c->choice.start,
		.all_end = c->choice.end,
		.head = c->words.head,
		.tail = c->words.tail,
		.starves = filter_has_expr(c->run.pump.filter) ? "-F" :
			   c->choice.events		       ? "--event" :
								 NULL,
		.filter = c->run.pump.filter,
	};

	if (!c->words.parts)
		return a;
	a.part = true;
	a.start = part->start;
	a.end = a.last ? part->end : part->end + 1;
	return a;
}


/*
 * A trace on standard input is not for the script to read, and processes started by the script must
 * not hold the pipe open: its recorder could not see that we have ended.  The input has a
 * descriptor of its own, which is closed on exec.
 */
static void leave_stdin(const struct cli *c)
{
	for (unsigned i = 0; i < c->words.inputs.n; i++)
		if (!strcmp(c->words.inputs.v[i], "-")) {
			int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

			if (fd >= 0 && fd != STDIN_FILENO) {
				dup2(fd, STDIN_FILENO);
				close(fd);
			}
			return;
		}
}

bool script_has_events(struct cli *c)
{
	const struct source *without = NULL;
	bool any = false;

	for (unsigned i = 0; i < c->run.pump.nsources; i++) {
		struct source *s = c->run.pump.sources[i];

		if (s->nstreams || !source_has_text(s))
			any = true;
		else if (!without)
			without = s;
	}
	/* With separate inputs one such input makes the run fail, and is then run by itself. */
	if (!without || (any && !c->run.apart))
		return true;
	cli_say(c,
		"%s: holds the text of a latency tracer, not events: a script has nothing to "
		"handle; zedprint shows it",
		without->in.path);
	return false;
}

/* The reader of our output has exited: not an error. */
static bool stdout_is_closed(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP | POLLNVAL));
}

/* Has a signal ended the run before the end of the inputs, and not the script? */
static bool is_interrupted(const struct script_result *r)
{
	return r->status < 0 && r->end == RUN_STOPPED &&
	       (r->signal == SIGINT || r->signal == SIGTERM);
}

/* ... and the answer does not say so. */
static void say_interrupted(struct cli *c, const struct zedperl *z)
{
	const struct pump_stats *st = pump_count(&c->run.pump);
	const struct merge *m = c->run.pump.merge;
	uint64_t n = st->passed + st->early, last = m ? merge_last(m) : UINT64_MAX;
	char until[48], up_to[64] = "";

	if (z->map) {
		cli_say(c, "interrupted: no state, which would be of a part of the trace");
		return;
	}
	if (c->words.tail) {
		cli_say(c, "interrupted: the results are %s",
			limit_begin(c->choice.limit) == UINT64_MAX ?
				"of no event, as --tail gives the last ones at the end" :
				"of some of the last events");
		return;
	}
	if (!n) {
		cli_say(c, "interrupted before the first event");
		return;
	}
	/* Events that are only counted are in no order. */
	if (!st->early && last != UINT64_MAX) {
		times_text(&c->run.pump, last, until, sizeof(until));
		snprintf(up_to, sizeof(up_to), " (up to %s)", until);
	}
	cli_say(c, "interrupted after %" PRIu64 " event%s%s: the results are of %s", n, plural(n),
		up_to, n == 1 ? "this one" : "these");
}

/* The exit status of a run that has ended. */
static int run_status(struct cli *c, struct script_result *r)
{
	/* The script's handlers received a signal; r->signal is from them. */
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
	if (is_interrupted(r))
		return 128 + SIGINT;
	return status;
}

/* An option after the script is the script's; one that it does not use was perhaps meant for us. */
static void say_options(struct cli *c, const struct zedperl *z, struct interp *in)
{
	const char *word;

	for (unsigned i = 0; z->script && (word = interp_argument(in, i)); i++) {
		if (!strcmp(word, "--"))
			return;
		if (!cli_is_option(c, word))
			continue;
		cli_say(c,
			"%s after the script is an argument of %s, which has left it in @ARGV: an "
			"option of zedperl comes before the trace",
			word, z->script);
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

	if (fflush(stdout) && !stdout_is_closed()) {
		cli_say(c, "cannot write: %s", strerror(errno));
		return CLI_DAMAGE;
	}
	if (doubts)
		cli_say(c, "%s: %" PRIu64 " thing%s to look at", z->script ? z->script : "-e",
			doubts, plural(doubts));
	return doubts || c->run.failed || c->run.notes.damage ? CLI_DAMAGE : CLI_OK;
}

int script_run(struct cli *c, struct zedperl *z)
{
	struct host_opts o = {
		.run = &c->run.pump,
		.alone = z->alone,
		.stable = c->choice.stable,
		.synthetic = c->choice.synthetic,
		.metrics = z->metrics.all,
		.notes = &c->run.notes,
		.args = z->convention,
		.asked = asked(c),
		.losses_beyond = z->running.answers,
		.keep_going = z->keep_going,
		.every = z->every,
		.every_total = z->every_total,
		.arg = c,
		.say = say_text,
		.clear = clear_progress,
		.want = want_types,
		.start = start_events,
		.tail_begin = tail_begin,
		.keep = z->cut ? keep_times : NULL,
		.again = same_again,
		.snapshot = z->run.flight ? write_snapshot : NULL,
		.maps = z->map,
		.reduces = z->reduce,
		.state = give_state,
		.next_state = next_state,
		.identity = identity,
	};
	struct script_result r = { .status = -1 };
	uint64_t said = c->run.said;
	int argc = z->perl.argc, status = z->cut ? cli_cut_check(c) : CLI_OK;
	bool ran = false, own = true; /* the status is the script's */
	struct perlsink *sink;
	struct interp *in;
	struct err e;

	if (status != CLI_OK)
		return status;
	leave_stdin(c);
	if ((z->map || z->reduce) && !(z->running.states = states_new(c, z)))
		return CLI_USAGE;
	in = interp_new(&argc, &z->perl.argv, &environ);
	if (!in) {
		cli_say(c, "no memory for perl");
		return CLI_DAMAGE;
	}
	z->running.sink = sink = perlsink_new(in, &o);
	c->run.pump.opts.stop = interp_pending(in);
	c->run.pump.opts.asks = true;
	if (z->live && live_may_end(&z->run)) {
		c->run.pump.opts.over = is_over;
		c->run.pump.opts.over_fds = over_fds;
		c->run.pump.opts.over_arg = c;
	}
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
		if (z->live && cli_stop) {
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
			cli_say(c, "started with Perl script %s", z->script ? z->script : "-e");
		perlsink_run(sink, &r);
		ran = true;
		z->run.signalled = r.halted || (r.signal && r.signal != SIGPIPE);
		status = r.forked ? r.status : run_status(c, &r);
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
	if (ran && interp_flush(in) < 0 && !r.forked && !stdout_is_closed()) {
		cli_say(c, "cannot write the script's output: %s",
			errno ? strerror(errno) : "an earlier write failed");
		status = status ? status : CLI_DAMAGE;
	}
	/* After all that the script has printed. */
	if (ran && !r.forked && is_interrupted(&r) && !r.says_cut)
		say_interrupted(c, z);
	status = interp_end(in, status);
	if (z->live)
		live_ignore_signals();
	perlsink_free(sink, false);
	if (ran && !r.forked && !metrics_finish(&z->metrics))
		status = status ? status : CLI_DAMAGE;
	if (z->live && !r.forked) {
		live_close(&z->run);
		status = live_end(&z->run, c, status, own);
	}
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
