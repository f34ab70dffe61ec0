// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record: a recording, from the choice of events to the report.  Removes its instances, whatever
 * ended it.
 */
#include "base/exec_queue.h"
#include "base/mem.h"
#include "base/suffix.h"
#include "programs/config.h"
#include "programs/foreign.h"
#include "programs/installed.h"
#include "programs/session/script_events.h"
#include "programs/stop.h"
#include "programs/zedtrace/zedtrace.h"
#include "programs/session/command.h"
#include "programs/session/priority.h"
#include "programs/zedtrace/attend.h"
#include "programs/zedtrace/recording_report.h"
#include "programs/zedtrace/signals.h"
#include "kernel/filter_text.h"
#include "reader/open.h"
#include "record/file/rotate.h"
#include "record/file/spool.h"
#include "record/file/zedstream_write.h"
#include "record/session_meta.h"
#include "record/net/client.h"
#include "record/recorder.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- what to record ---- */

/* E says that word AT is not an event.  It may be a file, or a command as for other recorders. */
static int say_command(const struct cli *c, const struct zedtrace *z, int at, struct err *e)
{
	const char *word = c->words.args[at], *instead = at ? NULL : foreign_command(word);
	struct err none;

	if (instead)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "there is no event '%s': %s", word,
			       instead);
	if (access(word, F_OK) == 0 && source_is_trace(word))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%.200s is a trace where EVENT is expected: zedprint %.200s "
			       "prints it; -o FILE is what to write",
			       word, word);
	if (suffix_is(word, ".pl"))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%.200s is a script where EVENT is expected: zedtrace --for "
			       "%.200s records what it handles",
			       word, word);
	if (at == 0 || cli_given(c, "list") || c->words.command || command_check(word, &none))
		return -1;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "this kernel has no event '%.80s'; a command "
		       "comes after --: zedtrace %.80s -- %.80s%s",
		       word, c->words.args[0], word, at + 1 < c->words.nargs ? " ..." : "");
}

int zedtrace_words(struct cli *c, struct zedtrace *z, struct err *e)
{
	z->stable = stable_new();
	TRY(event_names_init(&z->events, z->stable, e));
	for (int i = 0; i < c->words.nargs; i++) {
		const char *word = c->words.args[i];

		/* sched,irq: a list, as for zedprint --event and zedperl --live. */
		int rc = strchr(word, ',') ? event_names_add_list(&z->events, word, word, e) :
					     event_names_add(&z->events, word, e);

		if (rc < 0)
			return config_blame(c, word, e) ? -1 : say_command(c, z, i, e);
	}
	return 0;
}

/* Filters run in the kernel, which does not know stable events. */
static int check_filters(const struct zedtrace *z, struct err *e)
{
	for (size_t i = 0; i < z->words.filters.n; i++) {
		const struct stable_event *ev;
		char *pattern, *expr;

		/* Other errors in it are reported by the session. */
		if (kfilter_split(z->words.filters.v[i], &pattern, &expr, e) < 0)
			continue;
		ev = event_names_stable(&z->events, pattern);
		free(pattern);
		free(expr);
		if (ev)
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "-F '%.200s': %s:%s is a stable "
				       "event, and the kernel filters its own: write the name and "
				       "the fields that it has there (zedtrace -t -v %s:%s)",
				       z->words.filters.v[i], ev->system, ev->name, ev->system,
				       ev->name);
	}
	return 0;
}

/* The events of the words, and those of the script that this kernel has; others are reported. */
int zedtrace_events(struct cli *c, struct zedtrace *z, struct err *e)
{
	char *found;
	int n;

	TRY(zedtrace_words(c, z, e));
	TRY(check_filters(z, e));
	if (!z->script)
		return 0;
	/* If neither a file nor an installed script has that name, script_events() reports it. */
	found = installed_find(z->script);
	n = script_events(SCRIPT_ANY, found ? found : z->script, &z->events, NOTE_WARN,
			  &c->run.notes, e);
	free(found);
	return n || c->words.nargs ? n : -1;
}

/* ---- the run ---- */

struct recording {
	struct cli *c;
	struct zedtrace *z;
	struct session *session;
	struct watch_ahead *names; /* before the recorder has taken them */
	struct meta meta;
	struct output *output;
	struct exec_queue *exec; /* of --exec; NULL: not given */
	bool to_stdout;
	struct command command;
	char *excluded; /* for the report, which is printed after the session was removed */
	bool whole;	/* the output was completed */
	struct recorder_result result;
	struct spool_result spool;
	char files[REPORT_FILES]; /* of --rotate */
	struct attend attend;	  /* those who ask */
};

static void say_line(void *arg, const char *text)
{
	cli_put_line("", text, strlen(text), 0);
}

/* Another program's: only the instance for names is ours. */
static int open_beside(struct recording *r)
{
	char beside[SIGNALS_PATH];

	session_beside(r->session, beside, sizeof(beside));
	signals_leave("", "");
	signals_leave_also(beside);
	note_say(&r->c->run.notes, NOTE_INFO, "%s: clock %s, sub-buffers of %u bytes",
		 session_dir(r->session), session_clock(r->session), session_page_size(r->session));
	return 0;
}

static int open_session(struct recording *r, struct err *e)
{
	struct zedtrace *z = r->z;
	struct session_opts o = { .notes = &r->c->run.notes };
	char beside[SIGNALS_PATH];
	unsigned n;

	if (z->instance || z->extract) {
		r->session = session_attach(z->extract ? z->extract : z->instance, &r->c->run.notes,
					    e);
		return r->session ? open_beside(r) : -1;
	}
	session_remove_dead(&r->c->run.notes);
	TRY(session_words_mean(&z->words, &r->command, &z->events, &o, e));
	o.tracer = z->tracer;
	o.symbols = true;
	if (z->percent)
		o.percent = z->percent;
	r->session = session_open(&o, e);
	if (!r->session)
		return -1;
	session_beside(r->session, beside, sizeof(beside));
	signals_leave(session_dir(r->session), beside);
	session_events(r->session, &n);
	note_say(&r->c->run.notes, NOTE_INFO, "%s: %u event%s, clock %s, sub-buffers of %u bytes",
		 session_dir(r->session), n, plural(n), session_clock(r->session),
		 session_page_size(r->session));
	return 0;
}

static bool is_rotated(const struct zedtrace *z)
{
	return z->rotate.bytes || z->rotate.ns;
}

static void made(void *arg, const char *path)
{
	execqueue_put(arg, path);
}

static int open_output(struct recording *r, struct err *e)
{
	struct zedtrace *z = r->z;
	const int *cpus;
	unsigned ncpus = session_cpus(r->session, &cpus);
	struct client_opts client = {
		.host = z->host,
		.cpus = cpus,
		.ncpus = ncpus,
		.page_size = session_page_size(r->session),
		.pack = z->codec == CODEC_ZSTD,
		.token = z->token_file ? &z->token : NULL,
		.again_ms = z->reconnect,
		.stop = &cli_stop,
		.say = say_line,
	};
	struct spool_opts file = {
		.path = z->output ? z->output : DEFAULT_OUTPUT,
		.codec = z->codec,
		.plain = z->plain,
		.max_size = z->max_size,
		.ring = true,
		.ncpus = ncpus,
		.notes = &r->c->run.notes,
	};
	struct rotate_opts rotate = {
		.file = file,
		.size = z->rotate.bytes,
		.time = z->rotate.ns,
		.page_size = session_page_size(r->session),
		.keep = z->keep,
		.made = r->exec ? made : NULL,
		.arg = r->exec,
	};

	if (z->host) {
		r->output = client_new(&client, e);
	} else if (r->to_stdout) {
		r->output = zedstream_write_new(STDOUT_FILENO, e);
		if (r->output && z->codec == CODEC_ZSTD)
			zedstream_write_pack(r->output);
	} else if (is_rotated(z)) {
		r->output = rotate_new(&rotate, e);
		if (r->output)
			signals_spooling(file.path, true);
	} else {
		r->output = spool_new(&file, e);
		if (r->output)
			signals_spooling(file.path, false);
	}
	if (!r->output)
		return -1;
	/* Now that all our threads exist. */
	TRY(session_exclude_self(r->session, e));
	TRY(session_words_exclude(&z->words, r->session, e));
	r->output->stop = &cli_stop;
	r->output->notes = &r->c->run.notes;
	return 0;
}

static void started(void *arg)
{
	struct recording *r = arg;

	service_ready(r->attend.service);
	if (r->command.pid)
		command_go(&r->command);
	else if (r->z->extract)
		return;
	else if (isatty(STDERR_FILENO) && !r->z->words.duration)
		fputs("recording... Ctrl-C ends\n", stderr);
}

static bool over(void *arg)
{
	return command_over(&((struct recording *)arg)->command);
}

static int record(struct recording *r, struct err *e)
{
	static const int at_once = 1;
	struct zedtrace *z = r->z;
	struct recorder_opts o = {
		.slack = z->words.slack,
		.seconds = (double)z->words.duration / 1e9,
		.stop = &cli_stop,
		.arg = r,
		.over = r->command.pid ? over : NULL,
		.reader_of = r->to_stdout ? STDOUT_FILENO : -1,
		.started = started,
		.meta = &r->meta,
		.guest = &r->attend.guest,
		.percent = z->percent ? z->percent : SESSION_PERCENT,
		.maps = z->words.user_stacks && !z->no_maps,
		.budget = z->words.budget,
		.notes = &r->c->run.notes,
	};

	TRY(open_session(r, e));
	if (session_is_ours(r->session))
		r->names = watch_begin(r->session);
	/*
	 * This takes long with many events and little CPU time, and a server waits at most 5
	 * seconds between two messages.
	 */
	TRY(meta_read(&r->meta, r->session, z->date, &r->c->run.notes, e));
	TRY(open_output(r, e));
	o.session = r->session;
	o.output = r->output;
	r->attend.cli = r->c;
	r->attend.zedtrace = z;
	r->attend.session = r->session;
	r->attend.command = r->command.pid;
	r->attend.rotated = is_rotated(z) ? r->output : NULL;
	r->attend.exec = r->exec;
	attend_init(&r->attend);
	if (z->extract) {
		/* Current names are not those at the time of the events. */
		r->output->takes_names = false;
		o.stop = &at_once;
	}
	o.names = r->names;
	r->names = NULL;
	TRY(recorder_run(&o, &r->result, e));
	r->whole = true;
	if (r->exec && !is_rotated(z))
		execqueue_put(r->exec, z->output ? z->output : DEFAULT_OUTPUT);
	if (z->extract && session_is_on(r->session))
		cli_say(r->c, "%s still traces: what comes from now on is not in the file",
			session_dir(r->session));
	return 0;
}

/* Remove everything; what the report needs is kept. */
static void take_down(struct recording *r)
{
	service_close(r->attend.service);
	if (r->output && is_rotated(r->z))
		report_parts(rotate_parts(r->output), r->files, sizeof(r->files));
	else if (r->whole && !r->z->host && !r->to_stdout)
		spool_result(r->output, &r->spool);
	if (r->output)
		r->output->ops->close(r->output);
	if (r->whole)
		signals_whole();
	meta_fini(&r->meta);
	watch_drop(r->names);
	if (r->session) {
		r->excluded = mem_strdup(session_excluded(r->session));
		session_close(r->session);
	}
	signals_leave("", "");
}

static void report(const struct recording *r)
{
	char channel[256];
	const struct report rep = {
		.channel = report_channel(r->z->output, channel, sizeof(channel)),
		.result = &r->result,
		.stream = r->to_stdout || r->z->host,
		.excluded = r->excluded,
		.spool = &r->spool,
		.files = r->files,
	};

	report_write(&rep, say_line, NULL);
}

static int run(struct recording *r)
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
	execqueue_end(r->exec, ZEDTRACE_EXEC_LIMIT);
	if (r->command.pid)
		status = command_end(&r->command, c, status);
	if (!status && c->run.notes.damage)
		status = CLI_DAMAGE;
	command_drop(&r->command);
	recorder_result_fini(&r->result);
	free(r->excluded);
	return status;
}

/* Ahead of all processes without such a priority.  Processes that we start do not inherit it. */
static int go_realtime(struct cli *c, unsigned prio)
{
	const struct sched_param p = { .sched_priority = (int)prio };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) == 0)
		return 0;
	cli_say(c,
		"-r %u: %s (it takes root, or CAP_SYS_NICE and a limit that allows it: ulimit -r)",
		prio, strerror(errno));
	return -1;
}

int zedtrace_exec(struct cli *c, const struct zedtrace *z, struct exec_queue **q)
{
	struct err e;

	*q = NULL;
	/* Whoever started us may have it ignored: then no exit status could be read. */
	if (z->exec)
		signals_catch_child();
	if (z->exec && command_check(z->exec, &e) == 0)
		*q = execqueue_new(z->exec, &c->run.notes, &e);
	if (!z->exec || *q)
		return 0;
	err_within(&e, "--exec");
	cli_say_err(c, &e);
	return CLI_USAGE;
}

int zedtrace_record(struct cli *c, struct zedtrace *z)
{
	struct recording r = { .c = c, .z = z };
	struct err e;
	int rc;

	r.to_stdout = z->output && !strcmp(z->output, "-");
	if (!z->instance && !z->extract && zedtrace_events(c, z, &e) < 0) {
		cli_say_err(c, &e);
		return CLI_USAGE;
	}
	if (c->words.command) {
		/* Before the signals are caught: it inherits their state from our parent. */
		signals_catch_child();
		rc = command_begin(&r.command, c, r.to_stdout);
		if (rc)
			return rc;
	}
	signals_catch();
	rc = zedtrace_exec(c, z, &r.exec);
	if (!rc && z->prio && go_realtime(c, z->prio) < 0)
		rc = CLI_USAGE;
	if (rc) {
		execqueue_end(r.exec, 0);
		command_drop(&r.command);
		return rc;
	}
	if (!z->prio)
		priority_first();
	r.attend.service = service_open(c, z);
	return run(&r);
}
