// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_session: the tracing session of a script with --live.  Ensures that no signal ends the
 * program while there is an instance to remove.
 */
#include "programs/script/snapshot.h"
#include "programs/script/live_session.h"

#include "base/mono.h"
#include "programs/session/own.h"
#include "programs/stop.h"
#include "reader/live/live.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void on_early(int sig)
{
	cli_stop = sig;
}

/*
 * HANDLER for what ends a run.  From cli_open() on there is an instance to remove; the script's own
 * handlers are in place only from its main program on.
 */
static void set_signals(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

void live_ignore_signals(void)
{
	set_signals(SIG_IGN);
}

static int choose_events(struct event_names *w, const struct live_run *l, struct notes *notes,
			 struct err *e)
{
	int n;

	if (l->events)
		return event_names_add_list(w, l->events, "--live=", e);
	n = l->code ? script_events_of(l->language, "-e", l->code, strlen(l->code), w, NOTE_INFO,
				       notes, e) :
		      script_events(l->language, l->script, w, NOTE_INFO, notes, e);
	return n ? n : -1;
}

/*
 * A filter that the kernel refuses (for a missing field, or an event that it does not have) is
 * applied here.
 */
static bool filter_here(void *arg, const char *filter, const struct err *why)
{
	struct cli *c = arg;
	struct err e;

	if (filter_expr(c->run.pump.filter, filter, &e) < 0)
		return false;
	note_say(&c->run.notes, NOTE_INFO, "the kernel does not take it, so %s itself does: %s",
		 c->spec->prog, why->msg);
	return true;
}

int live_command(struct live_run *l, struct cli *c)
{
	int rc = c->words.command ? command_begin(&l->command, c, false) : 0;

	if (!rc)
		set_signals(on_early);
	return rc;
}

/* Nothing is chosen there, and no instance is made. */
static struct source *attach(struct live_run *l, struct cli *c, struct err *e)
{
	l->session = session_attach(*l->instance ? l->instance : ".", &c->run.notes, e);
	if (!l->session)
		return NULL;
	cli_say(c, "%s: what is read here is gone for everybody else; losses count from now on",
		session_dir(l->session));
	return l->source = live_open(l->session, c->run.pump.catalog, &c->words.source, e);
}

struct source *live_begin(struct live_run *l, struct cli *c, struct err *e)
{
	struct session_opts so = { .notes = &c->run.notes, .refused = filter_here, .arg = c };
	struct event_names w;

	c->words.source.slack = l->words.slack;
	if (l->instance)
		return attach(l, c, e);
	session_remove_dead(&c->run.notes);
	if (event_names_init(&w, l->stable, e) < 0)
		return NULL;
	if (choose_events(&w, l, &c->run.notes, e) >= 0 &&
	    session_words_mean(&l->words, &l->command, &w, &so, e) == 0) {
		for (unsigned i = 0; i < w.kernel.n; i++)
			catalog_add_other(c->run.pump.catalog, w.kernel.v[i].system,
					  w.kernel.v[i].name);
		l->session = session_open(&so, e);
		if (l->session && (l->keep.bytes || l->keep.ns))
			l->flight = liveflight_open(&so, &l->words, &l->keep, &c->run.notes, e);
	}
	event_names_fini(&w);
	if (!l->session)
		return NULL;
	if (((l->keep.bytes || l->keep.ns) && !l->flight) ||
	    session_words_exclude(&l->words, l->session, e) < 0) {
		live_close(l);
		session_close(l->session);
		return NULL;
	}
	if (l->flight)
		pump_guest(&c->run.pump, liveflight_hook(l->flight));
	l->source = live_open(l->session, c->run.pump.catalog, &c->words.source, e);
	if (l->source && l->words.user_stacks)
		live_follow_maps(l->source);
	if (l->source)
		livebudget_begin(&l->budget, l->session, l->source, &l->words.budget, &c->run.pump,
				 &c->run.notes);
	return l->source;
}

int live_start(struct live_run *l, struct err *e)
{
	if (l->started)
		return 0;
	if (l->flight)
		TRY(liveflight_start(l->flight, e));
	TRY(session_start(l->session, e));
	l->started = true;
	l->began = mono_ns();
	if (l->words.duration)
		l->until = l->began + l->words.duration;
	if (l->command.pid)
		command_go(&l->command);
	return 0;
}

void live_close(struct live_run *l)
{
	liveflight_close(l->flight);
	l->flight = NULL;
}

bool live_may_end(const struct live_run *l)
{
	return l->words.duration || l->command.pid;
}

bool live_over(struct live_run *l)
{
	return l->started && ((l->until && mono_ns() >= l->until) ||
			      (l->command.pid && command_over(&l->command)));
}

int live_over_fds(const struct live_run *l, struct pollfd *fds, int room, int *ms)
{
	uint64_t now = mono_ns(), left = l->until > now ? l->until - now : 0;

	if (l->until && left / 1000000 + 1 < (uint64_t)*ms)
		*ms = (int)(left / 1000000 + 1);
	return l->command.pid ? command_fds(&l->command, fds, room, ms) : 0;
}

/* The pump still has all its sources. */
static void say_own(const struct live_run *l, struct cli *c)
{
	uint64_t events, own, until;
	char text[100];

	if (!l->started)
		return;
	own = live_own(l->source, &events, &until);
	if (own_matters(own, until - l->began))
		cli_say(c, "of %" PRIu64 " events, %s", events,
			own_text(text, sizeof(text), "about ", own, c->spec->prog));
}

int live_end(struct live_run *l, struct cli *c, int status, bool wins)
{
	int of_command;

	say_own(l, c);
	livebudget_say(&l->budget, c);
	if (!l->command.pid)
		return status;
	/* The session is removed first: the command may take long. */
	pump_fini(&c->run.pump);
	c->run.ready = false;
	if (l->signalled && !cli_stop)
		cli_stop = SIGINT;
	set_signals(on_early);
	of_command = command_end(&l->command, c, status);
	command_drop(&l->command);
	return wins ? status : of_command;
}
