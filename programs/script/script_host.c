// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script_host: the functions that the run of a script needs from the program, and the exit status
 * of a script that ended, died, was stopped or lost its output.
 */
#include "programs/script/script_host.h"

#include "programs/chosen.h"
#include "programs/open_inputs.h"
#include "programs/script/again.h"
#include "programs/script/snapshot.h"
#include "programs/session/priority.h"
#include "programs/stop.h"
#include "run/times.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- before the inputs are open ---- */

static struct source *open_live(struct cli *c, struct err *e)
{
	return live_begin(&c->script->run, c, e);
}

int script_prepare(struct cli *c, enum script_language language)
{
	struct script_words *s = c->script;
	int status;

	s->run.stable = c->choice.stable;
	s->run.language = language;
	if (!s->live)
		return CLI_OK;
	s->run.script = s->path;
	s->run.code = s->code;
	if (c->words.instances.n)
		s->run.instance = c->words.instances.v[0];
	c->run.open_live = open_live;
	status = live_command(&s->run, c);
	if (status == CLI_OK)
		priority_first();
	return status;
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

/* ---- called by the run ---- */

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

static int write_snapshot(void *arg, const char *name, char *path, size_t size, struct err *e)
{
	return liveflight_write(((struct cli *)arg)->script->run.flight, name, path, size, e);
}

static char **same_again(void *arg, struct err *e)
{
	const struct cli *c = arg;

	if (!c->script->live)
		return again_words(c, e);
	err_set(e, ERR_USAGE, ERR_NO_OFF, "--live can be read only once");
	return NULL;
}

static uint64_t tail_begin(void *arg)
{
	const struct cli *c = arg;

	return limit_begin(c->choice.limit);
}

struct stage *script_start(void *arg, struct err *e)
{
	struct cli *c = arg;

	/* Everything is ready for the first event. */
	if (c->script->live && !c->run.pump.halted && live_start(&c->script->run, e) < 0)
		return NULL;
	return cli_limit(c, cli_synthetic(c, &c->run.pump.stage));
}

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

void script_host_opts(struct cli *c, struct host_opts *o)
{
	const struct script_words *s = c->script;

	*o = (struct host_opts){
		.run = &c->run.pump,
		.stable = c->choice.stable,
		.synthetic = c->choice.synthetic,
		.notes = &c->run.notes,
		.args = s->convention,
		.asked = asked(c),
		.keep_going = s->keep_going,
		.every = s->every,
		.every_total = s->every_total,
		.arg = c,
		.say = say_text,
		.clear = clear_progress,
		.want = want_types,
		.start = script_start,
		.tail_begin = tail_begin,
		.again = same_again,
		.snapshot = s->run.flight ? write_snapshot : NULL,
	};
}

/*
 * Processes started by the script must not hold the pipe open: its recorder could not see that we
 * have ended.  The input has a descriptor of its own, which is closed on exec.
 */
void script_leave_stdin(const struct cli *c)
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

static bool is_over(void *arg)
{
	return live_over(&((struct cli *)arg)->script->run);
}

static int over_fds(void *arg, struct pollfd *fds, int room, int *ms)
{
	return live_over_fds(&((struct cli *)arg)->script->run, fds, room, ms);
}

void script_watch_end(struct cli *c)
{
	if (!c->script->live || !live_may_end(&c->script->run))
		return;
	c->run.pump.opts.over = is_over;
	c->run.pump.opts.over_fds = over_fds;
	c->run.pump.opts.over_arg = c;
}

/* ---- the end ---- */

bool script_stdout_closed(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP | POLLNVAL));
}

bool script_interrupted(const struct script_result *r)
{
	return r->status < 0 && r->end == RUN_STOPPED &&
	       (r->signal == SIGINT || r->signal == SIGTERM);
}

void script_say_interrupted(struct cli *c)
{
	const struct pump_stats *st = pump_count(&c->run.pump);
	const struct merge *m = c->run.pump.merge;
	uint64_t n = st->passed + st->early, last = m ? merge_last(m) : UINT64_MAX;
	char until[48], up_to[64] = "";

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

int script_status(struct cli *c, struct script_result *r, const char *verb)
{
	/* The script's handlers received a signal; r->signal is from them. */
	enum run_end end = r->end == RUN_SIGNALLED ? RUN_STOPPED : r->end;
	int status = cli_finish(c, end, &r->err);

	if (r->deaths) {
		cli_say(c, "%" PRIu64 " call%s %s and %s passed over (--keep-going)", r->deaths,
			r->deaths == 1 ? " of a handler" : "s of handlers", verb,
			r->deaths == 1 ? "was" : "were");
		status = status ? status : CLI_DAMAGE;
	}
	if (r->status >= 0)
		return r->status;
	if (r->signal == SIGPIPE && !script_stdout_closed()) {
		cli_say(c, "a pipe that the script writes to was closed: stopped before the end "
			   "of the trace");
		return CLI_DAMAGE;
	}
	if (script_interrupted(r))
		return 128 + SIGINT;
	return status;
}

int script_unwritten(struct cli *c, int error, int status)
{
	if (script_stdout_closed())
		return status;
	cli_say(c, "cannot write the script's output: %s",
		error ? strerror(error) : "an earlier write failed");
	return status ? status : CLI_DAMAGE;
}

int script_live_end(struct cli *c, const struct script_result *r, int status, bool own)
{
	struct live_run *l = &c->script->run;

	if (!c->script->live)
		return status;
	live_ignore_signals();
	if (r && r->forked)
		return status;
	l->signalled = r && (r->halted || (r->signal && r->signal != SIGPIPE));
	live_close(l);
	return live_end(l, c, status, own);
}
