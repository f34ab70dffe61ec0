// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live: the tracing session that a script runs on with --live.  Sees to it that no signal ends the
 * program while there is an instance to remove.
 */
#include "programs/zedperl/live.h"

#include "programs/script_events.h"
#include "programs/stop.h"
#include "reader/kernel/live.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUFFER_KB (1u << 30)

static void on_early(int sig)
{
	cli_stop = sig;
}

/*
 * From cli_open() on there is an instance to remove; the script's own handlers are in place only
 * from interp_load() on.
 */
static void catch_early(void)
{
	struct sigaction sa = { .sa_handler = on_early };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

void live_ignore_signals(void)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sigaction(SIGPIPE, &sa, NULL);
}

/* What the words of EVENTS, with commas and blanks between, stand for. */
static int add_words(struct event_names *w, const char *events, struct err *e)
{
	char word[256];

	for (const char *p = events; *p;) {
		size_t len;

		p += strspn(p, ", \t\n");
		len = strcspn(p, ", \t\n");
		if (!len)
			break;
		snprintf(word, sizeof(word), "%.*s", (int)len, p);
		TRY(event_names_add(w, word, e));
		p += len;
	}
	return w->n ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "--live= names no event");
}

static int choose_events(struct event_names *w, const struct live_run *l, struct notes *notes,
			 struct err *e)
{
	int n;

	if (l->events)
		return add_words(w, l->events, e);
	n = script_events(l->script, w, NOTE_INFO, notes, e);
	return n ? n : script_has_none(l->script, e);
}

struct source *live_begin(struct live_run *l, struct cli *c, struct err *e)
{
	struct session_opts so = {
		.clock = l->clock,
		.buffer_kb = l->buffer_kb,
		.percent = SESSION_PERCENT,
		.notes = &c->notes,
	};
	struct event_names w;

	catch_early();
	if (event_names_init(&w, l->stable, e) < 0)
		return NULL;
	if (choose_events(&w, l, &c->notes, e) >= 0) {
		so.events = (const char *const *)w.v;
		so.nevents = w.n;
		l->session = session_open(&so, e);
	}
	event_names_fini(&w);
	return l->session ? live_open(l->session, c->pump.catalog, &c->source, e) : NULL;
}

int live_start(struct live_run *l, struct err *e)
{
	if (l->started)
		return 0;
	TRY(session_start(l->session, e));
	l->started = true;
	return 0;
}

int live_buffer(const char *value, unsigned *kb, struct err *e)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || !v || v > MAX_BUFFER_KB)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' is no size: write the KiB of a CPU's buffer, 16384", value);
	*kb = v;
	return 0;
}
