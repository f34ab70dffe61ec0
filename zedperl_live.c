// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedperl_live: turns the options of --live into a tracing session that a script can run on, and
 * sees to it that no signal ends the program while there is an instance to take away.
 */
#include "zedperl_live.h"
#include "script_events.h"

#include "reader/live.h"
#include "reader/mem.h"

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
 * What must not be left behind is there from cli_open() on; the script's handlers from
 * interp_load() on.
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

/* The words of EVENTS, cut at commas and blanks, to be freed with its text: free both. */
static unsigned cut_events(char *text, const char ***events)
{
	const char **v = NULL;
	size_t cap = 0;
	unsigned n = 0;

	while (*text) {
		size_t len;

		text += strspn(text, ", \t\n");
		len = strcspn(text, ", \t\n");
		if (!len)
			break;
		v = mem_grow(v, &cap, n + 1, sizeof(*v));
		v[n++] = text;
		text += len;
		if (*text)
			*text++ = '\0';
	}
	*events = v;
	return n;
}

static struct session *open_session(struct cli *c, const struct live_run *l,
				    const char *const *events, unsigned n, struct err *e)
{
	struct session_opts o = {
		.events = events, .nevents = n, .clock = l->clock, .buffer_kb = l->buffer_kb,
		.percent = SESSION_PERCENT, .notes = &c->notes,
	};

	if (!n) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "--live= names no event");
		return NULL;
	}
	return session_open(&o, e);
}

struct source *live_begin(struct live_run *l, struct cli *c, struct err *e)
{
	struct source_opts o = pump_source_opts(&c->pump);

	catch_early();
	if (l->events) {
		char *text = mem_strdup(l->events);
		const char **events;
		unsigned n = cut_events(text, &events);

		l->session = open_session(c, l, events, n, e);
		free(events);
		free(text);
	} else {
		char **events;
		unsigned n;

		if (script_events(l->script, &events, &n, e) < 0)
			return NULL;
		l->session = open_session(c, l, (const char *const *)events, n, e);
		script_events_free(events, n);
	}
	return l->session ? live_open(l->session, c->pump.catalog, &o, e) : NULL;
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
