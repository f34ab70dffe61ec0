// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record: a recording, from the choice of events to the report.  Leaves no instance behind,
 * whatever ended it.
 */
#include "base/mem.h"
#include "programs/script_events.h"
#include "programs/stop.h"
#include "programs/zedtrace/zedtrace.h"
#include "programs/zedtrace/command.h"
#include "programs/zedtrace/report.h"
#include "programs/zedtrace/signals.h"
#include "reader/kernel/filter_text.h"
#include "record/file/spool.h"
#include "record/file/zedstream_write.h"
#include "record/net/client.h"
#include "record/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 1.0 /* seconds that a command gets to end by the signal that ended us */

/* ---- what to record ---- */

/* E says that word AT is no event.  It may be a command's, as other recorders take one. */
static int say_command(const struct cli *c, const struct zedtrace *z, int at, struct err *e)
{
	const char *word = c->args[at];
	struct err none;

	if (at == 0 || z->list || c->command || command_check(word, &none))
		return -1;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "this kernel has no event '%.80s'; a command "
		       "stands behind --: zedtrace %.80s -- %.80s",
		       word, c->args[0], word);
}

int zedtrace_words(struct cli *c, struct zedtrace *z, struct err *e)
{
	z->stable = stable_new();
	TRY(event_names_init(&z->events, z->stable, e));
	for (int i = 0; i < c->nargs; i++)
		if (event_names_add(&z->events, c->args[i], e) < 0)
			return say_command(c, z, i, e);
	return 0;
}

/* Filters run in the kernel, which knows nothing of stable events. */
static int check_filters(const struct zedtrace *z, struct err *e)
{
	for (size_t i = 0; i < z->nfilters; i++) {
		const struct stable_event *ev;
		char *pattern, *expr;

		/* What is wrong with it otherwise, the session says. */
		if (kfilter_split(z->filters[i], &pattern, &expr, e) < 0)
			continue;
		ev = event_names_stable(&z->events, pattern);
		free(pattern);
		free(expr);
		if (ev)
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "-F '%.200s': %s:%s is a stable "
				       "event, and the kernel filters its own: write the name and "
				       "the fields that it has there (zedtrace -t -v %s:%s)",
				       z->filters[i], ev->system, ev->name, ev->system, ev->name);
	}
	return 0;
}

/* The events of the words, and those of the script that this kernel has; others are reported. */
static int choose_events(struct cli *c, struct zedtrace *z, struct err *e)
{
	int n;

	TRY(zedtrace_words(c, z, e));
	TRY(check_filters(z, e));
	if (!z->script)
		return 0;
	n = script_events(z->script, &z->events, NOTE_WARN, &c->notes, e);
	return n || c->nargs ? n : script_has_none(z->script, e);
}

/* ---- the run ---- */

struct run {
	struct cli *c;
	struct zedtrace *z;
	struct session *session;
	struct output *output;
	bool to_stdout;
	struct command command;
	char *excluded; /* for the report, which comes when the session is gone */
	bool whole;	/* the output has had its end */
	struct recorder_result result;
	struct spool_result spool;
};

static void say_line(void *arg, const char *text)
{
	cli_puts(stderr, text);
	putc('\n', stderr);
}

static int open_session(struct run *r, struct err *e)
{
	struct zedtrace *z = r->z;
	struct session_opts o = {
		.events = (const char *const *)z->events.v,
		.nevents = z->events.n,
		.filters = z->filters,
		.nfilters = z->nfilters,
		.children = z->children,
		.cpus = z->cpus,
		.clock = z->clock,
		.buffer_kb = z->buffer_kb,
		.subbuf_kb = z->subbuf_kb,
		.percent = SESSION_PERCENT,
		.notes = &r->c->notes,
	};
	char beside[SIGNALS_PATH];
	unsigned n;

	if (z->children && r->command.pid) {
		z->pids = mem_grow(z->pids, &z->cap_pids, z->npids + 1, sizeof(*z->pids));
		z->pids[z->npids++] = r->command.pid;
	}
	o.pids = z->pids;
	o.npids = z->npids;
	r->session = session_open(&o, e);
	if (!r->session)
		return -1;
	session_beside(r->session, beside, sizeof(beside));
	signals_leave(session_dir(r->session), beside);
	TRY(session_exclude(r->session, getpid(), e));
	for (size_t i = 0; i < z->nexclude; i++)
		TRY(session_exclude(r->session, z->exclude[i], e));
	session_events(r->session, &n);
	note_say(&r->c->notes, NOTE_INFO, "%s: %u event%s, clock %s, sub-buffers of %u bytes",
		 session_dir(r->session), n, plural(n), session_clock(r->session),
		 session_page_size(r->session));
	return 0;
}

static int open_output(struct run *r, struct err *e)
{
	struct zedtrace *z = r->z;
	const int *cpus;
	unsigned ncpus = session_cpus(r->session, &cpus);
	struct client_opts client = {
		.host = z->host,
		.cpus = cpus,
		.ncpus = ncpus,
		.page_size = session_page_size(r->session),
		.stop = &cli_stop,
		.say = say_line,
	};
	struct spool_opts file = {
		.path = z->output ? z->output : DEFAULT_OUTPUT,
		.codec = z->codec,
		.max_size = z->max_size,
		.ring = true,
		.ncpus = ncpus,
		.notes = &r->c->notes,
	};

	if (z->host) {
		r->output = client_new(&client, e);
	} else if (r->to_stdout) {
		r->output = zedstream_write_new(STDOUT_FILENO, e);
	} else {
		r->output = spool_new(&file, e);
		if (r->output)
			signals_spooling(file.path);
	}
	if (!r->output)
		return -1;
	r->output->stop = &cli_stop;
	r->output->notes = &r->c->notes;
	return 0;
}

static void started(void *arg)
{
	struct run *r = arg;

	if (r->command.pid)
		command_go(&r->command);
	else if (isatty(STDERR_FILENO) && !r->z->duration)
		fputs("recording... Ctrl-C ends\n", stderr);
}

static bool over(void *arg)
{
	return command_over(&((struct run *)arg)->command);
}

static int record(struct run *r, struct err *e)
{
	struct zedtrace *z = r->z;
	struct recorder_opts o = {
		.slack = z->slack == UINT64_MAX ? DEFAULT_SLACK : z->slack,
		.seconds = (double)z->duration / 1e9,
		.stop = &cli_stop,
		.arg = r,
		.over = r->command.pid ? over : NULL,
		.reader_of = r->to_stdout ? STDOUT_FILENO : -1,
		.started = started,
		.notes = &r->c->notes,
	};

	TRY(open_session(r, e));
	TRY(open_output(r, e));
	o.session = r->session;
	o.output = r->output;
	TRY(recorder_run(&o, &r->result, e));
	r->whole = true;
	return 0;
}

/* Take everything down; what the report needs is kept. */
static void take_down(struct run *r)
{
	if (r->whole && !r->z->host && !r->to_stdout)
		spool_result(r->output, &r->spool);
	if (r->output)
		r->output->ops->close(r->output);
	if (r->session) {
		r->excluded = mem_strdup(session_excluded(r->session));
		session_close(r->session);
	}
	signals_leave("", "");
}

static void report(const struct run *r)
{
	char channel[256];
	const struct report rep = {
		.channel = report_channel(r->z->output, channel, sizeof(channel)),
		.result = &r->result,
		.excluded = r->excluded,
		.spool = &r->spool,
	};

	report_write(&rep, say_line, NULL);
}

/* The command's exit status is ours, unless it was well and the recording was not. */
static int end_command(struct run *r, int status)
{
	struct cli *c = r->c;
	struct err e = { .kind = ERR_NONE };
	int of_command;

	if (!r->command.pid)
		return status;
	if (r->command.go >= 0) {
		if (status)
			return status;
		cli_say(c, "%s was not run: nobody takes what would be recorded", c->command[0]);
		return CLI_USAGE;
	}
	if (!command_wait(&r->command, &cli_stop, PATIENCE)) {
		cli_say(c, "%s (process %d) goes on", c->command[0], (int)r->command.pid);
		return status;
	}
	of_command = command_status(&r->command, c->command[0], &e);
	if (e.kind != ERR_NONE)
		cli_say_err(c, &e);
	return of_command ? of_command : status;
}

static int run(struct run *r)
{
	struct cli *c = r->c;
	int status = CLI_OK;
	struct err e;

	if (record(r, &e) < 0) {
		cli_say_err(c, &e);
		status = r->result.events ? CLI_DAMAGE : CLI_USAGE;
	}
	take_down(r);
	if (r->result.ncpus)
		report(r);
	status = end_command(r, status);
	if (!status && c->notes.damage)
		status = CLI_DAMAGE;
	command_drop(&r->command);
	recorder_result_fini(&r->result);
	free(r->excluded);
	return status;
}

/*
 * A recorder has little to do, and has to do it at once: a busy CPU fills its buffer within a few
 * milliseconds, as long as another process may keep ours waiting.  (A storm of 7 million events a
 * second, its consumer on our CPU: 1.2 % lost without, less than 0.1 % with this.)  A nice
 * value that somebody has given us is kept.
 */
static void go_first(void)
{
	errno = 0;
	if (getpriority(PRIO_PROCESS, 0) == 0 && !errno)
		setpriority(PRIO_PROCESS, 0, -10);
}

int zedtrace_record(struct cli *c, struct zedtrace *z)
{
	struct run r = { .c = c, .z = z };
	struct err e;
	int rc;

	r.to_stdout = z->output && !strcmp(z->output, "-");
	if (choose_events(c, z, &e) < 0) {
		cli_say_err(c, &e);
		return CLI_USAGE;
	}
	if (c->command) {
		rc = command_check(c->command[0], &e);
		if (rc) {
			cli_say_err(c, &e);
			return rc;
		}
		/* Before the signals are caught: it starts with those of whoever started us. */
		signals_catch_child();
		if (command_fork(&r.command, c->command, r.to_stdout, &e) < 0) {
			cli_say_err(c, &e);
			return CLI_USAGE;
		}
	}
	signals_catch();
	go_first();
	return run(&r);
}
