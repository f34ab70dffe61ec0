// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedperl: turns a command line into a trace, a Perl script and a run of the one through the
 * other, and what came of it into an exit status.
 */
#include "cli.h"
#include "zedperl_list.h"
#include "zedperl_live.h"

#include "interp/interp.h"
#include "interp/perlsink.h"
#include "interp/starter.h"
#include "reader/cpustat.h"
#include "reader/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

#define SLACK 20000000ull	/* ns; of 193 million events none came more than 2.7 ms late */
#define MAX_SLACK 10000000000ull

struct zedperl {
	/* perl's own command line: "zedperl", switches, "--", the script and its arguments */
	char **argv;
	size_t argc, cap;
	bool code;		/* -e was given: no script file */
	bool starter, list, keep_going;
	const char *script;
	struct interp *in;
	struct perlsink *sink;

	bool live, live_only;	/* it was given; an option was that makes sense with it only */
	struct live_run run;
};

/* ---- options ---- */

static void add_arg(struct zedperl *z, char *arg)
{
	z->argv = mem_grow(z->argv, &z->cap, z->argc + 2, sizeof(*z->argv));
	z->argv[z->argc++] = arg;
	z->argv[z->argc] = NULL;
}

/*
 * A switch of perl's, with its value in the same word ("-MPOSIX") or in the next; VALUE may be NULL
 * where nothing is joined.
 */
static void add_switch(struct zedperl *z, const char *letter, const char *value, bool joined)
{
	size_t size = strlen(letter) + (joined && value ? strlen(value) : 0) + 1;
	char *word = mem_alloc(size);

	snprintf(word, size, "%s%s", letter, joined && value ? value : "");
	add_arg(z, word);
	if (value && !joined)
		add_arg(z, mem_strdup(value));
}

static int set_code(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	z->code = true;
	add_switch(z, "-e", value, false);
	return 0;
}

static int set_include(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-I", value, true);
	return 0;
}

static int set_module(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-M", value, true);
	return 0;
}

static int set_module_only(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-m", value, true);
	return 0;
}

static int set_warn(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-w", NULL, false);
	return 0;
}

static int set_starter(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->starter = true;
	return 0;
}

static int set_list(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->list = true;
	return 0;
}

static int set_keep_going(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->keep_going = true;
	return 0;
}

static int set_live(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	z->live = true;
	if (value)
		z->run.events = value;
	return 0;
}

static int set_slack(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->live_only = true;
	if (cli_time(value, &c->slack, e) < 0)
		return -1;
	if (c->slack <= MAX_SLACK)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': events would be held back longer than 10 s",
		       value);
}

static int set_buffer(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	z->live_only = true;
	return live_buffer(value, &z->run.buffer_kb, e);
}

static int set_clock(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	z->run.clock = value;
	z->live_only = true;
	return 0;
}

static const struct cli_opt OPTS[] = {
	{ "live", 0, "[=EVENTS]",
	  "run the script on what this kernel does now, up to Ctrl-C: on\n"
	  "the events that it handles (or that its line \"# zedtrace:\"\n"
	  "names), or on EVENTS:  --live=sched,block:block_rq_*",
	  CLI_SET(set_live) },
	{ "slack", 0, "TIME", "--live: hold events back so long for those of other CPUs (20ms)",
	  CLI_SET(set_slack) },
	{ "buffer", 'b', "KB", "--live: size of each CPU's buffer (the kernel's: 1408)",
	  CLI_SET(set_buffer) },
	{ "clock", 'C', "CLOCK", "--live: the clock of the events' times (mono)",
	  CLI_SET(set_clock) },
	{ "", 'e', "CODE", "the script is CODE (repeated: its lines); other words are traces",
	  CLI_SET(set_code) },
	{ "", 'I', "DIR", "perl: look for modules in DIR first", CLI_SET(set_include) },
	{ "", 'M', "MODULE", "perl: use MODULE before the script (-MMODULE=a,b)",
	  CLI_SET(set_module) },
	{ "", 'm', "MODULE", "perl: the same, but import nothing", CLI_SET(set_module_only) },
	{ "", 'w', NULL, "perl: warnings on", CLI_SET(set_warn) },
	{ "generate", 'g', NULL, "print a starter script that handles every event of the trace",
	  CLI_SET(set_starter) },
	{ "list", 't', NULL,
	  "list the trace's events and how many there are of each\n"
	  "(-v: also those of which there are none)",
	  CLI_SET(set_list) },
	{ "keep-going", 0, NULL,
	  "a die in a handler is said and costs that call only;\n"
	  "exit status 1",
	  CLI_SET(set_keep_going) },
	{ .name = NULL },
};

static void show_version(void)
{
	char buf[64];

	printf("%s\n", interp_version(buf, sizeof(buf)));
}

static const struct cli_spec SPEC = {
	.prog = "zedperl",
	.usage = "zedperl [OPTION]... TRACE SCRIPT [ARG]...\n"
		 "zedperl [OPTION]... -i TRACE [-i TRACE]... SCRIPT [ARG]...\n"
		 "zedperl [OPTION]... -e CODE TRACE... [-- ARG...]\n"
		 "zedperl --live[=EVENTS] [OPTION]... SCRIPT [ARG]...\n"
		 "zedperl -t TRACE...\n"
		 "zedperl -g TRACE > SCRIPT",
	.about = "Run a Perl script over the events of a trace: for each event its sub\n"
		 "SUBSYSTEM::EVENT is called with ($cpu, $secs, $nsecs, $sequence, FIELDS...);\n"
		 "trace_begin and trace_end before and after.",
	.more = "  zedperl trace.dat countall.pl\n"
		"  zedperl -e 'sub sched::sched_switch { $n++ } END { print $n }' trace.dat\n"
		"  zedperl -F 'sched:sched_switch: prev_prio < 100' trace.dat wake.pl\n"
		"Exit status: 0; 1 something was skipped or damaged; 2 usage, or nothing could be\n"
		"opened; 130 stopped by a signal; 255 the script died; N the script said exit N.",
	.opts = OPTS,
	.stop_at_first = true,
	.version = show_version,
};

/* ---- which word is which ---- */

/* Does the file begin like a trace.dat? */
static bool is_trace(const char *path, char *head, size_t size)
{
	static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct stat st;
	ssize_t n = 0;
	int fd;

	memset(head, 0, size);
	if (stat(path, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return true;
	/* What cannot be read twice must not be read here. */
	if (!S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, head, size - 1);
		close(fd);
	}
	return n >= (ssize_t)sizeof(magic) && !memcmp(head, magic, sizeof(magic));
}

/*
 * "#!/usr/bin/env zedperl" in a script: the kernel makes "zedperl SCRIPT TRACE" of "SCRIPT
 * TRACE".  The bytes of the two tell which is which.
 */
static bool is_script_first(const char *first, const char *second)
{
	char one[128], other[128];
	char *end;

	if (is_trace(first, one, sizeof(one)))
		return false;
	if (second && is_trace(second, other, sizeof(other)))
		return one[0] != 0;
	end = strchr(one, '\n');
	if (end)
		*end = 0;
	return !strncmp(one, "#!", 2) && strstr(one, "perl");
}

/* What does not go with --live, or without.  False: *STATUS is set. */
static bool check_live(struct cli *c, const struct zedperl *z, int *status)
{
	const char *wrong = NULL;

	if (!z->live && z->live_only)
		wrong = "--slack, --buffer and --clock are for --live: a recording has its own";
	else if (z->live && z->list)
		wrong = "-t counts the events of a recording, and --live makes none: zedtrace -t "
			"lists what this kernel offers";
	else if (z->live && z->starter)
		wrong = "-g needs a recording: zedtrace -d 1 -o trace.dat EVENT..., then zedperl "
			"-g trace.dat";
	else if (z->live && c->ninputs_i)
		wrong = "--live reads this kernel and no file: -i has no place beside it";
	else if (z->live && z->code && !z->run.events)
		wrong = "-e has no file in which events could be looked up: name them, "
			"--live=EVENTS";
	if (wrong)
		*status = cli_usage(c, true, "%s", wrong);
	return !wrong;
}

/* Sort the words that are no options.  False: *STATUS is set. */
static bool sort_words(struct cli *c, struct zedperl *z, int *status)
{
	int at = 0;

	if (!check_live(c, z, status))
		return false;
	if (z->live) {
		if (!z->code && c->nargs)
			z->script = c->args[at++];
		else if (c->nargs && !strcmp(c->args[0], "--"))
			at++;
	} else if (z->code || z->starter || z->list) {
		while (at < c->nargs && !(c->ninputs_i && z->code) && strcmp(c->args[at], "--"))
			cli_input(c, c->args[at++]);
		if (at < c->nargs && !strcmp(c->args[at], "--"))
			at++;
	} else if (c->ninputs_i) {
		if (at < c->nargs)
			z->script = c->args[at++];
	} else if (c->nargs) {
		const char *first = c->args[0], *second = c->nargs > 1 ? c->args[1] : NULL;

		if (is_script_first(first, second)) {
			z->script = first;
			first = second;
			second = z->script;
		}
		if (first)
			cli_input(c, first);
		z->script = second;
		at = c->nargs > 1 ? 2 : 1;
	}
	if (z->live && !z->script && !z->code) {
		*status = cli_usage(c, true, "no script given: zedperl --live SCRIPT");
		return false;
	}
	if (!c->ninputs && !z->live) {
		*status = cli_usage(c, true, "no trace given: zedperl TRACE SCRIPT");
		return false;
	}
	if (!z->script && !z->code && !z->starter && !z->list) {
		*status = cli_usage(c, true, "no script given: zedperl %s SCRIPT, or -g for one "
				    "to start with", c->inputs[0]);
		return false;
	}
	add_arg(z, mem_strdup("--"));
	if (z->script)
		add_arg(z, mem_strdup(z->script));
	while (at < c->nargs)
		add_arg(z, mem_strdup(c->args[at++]));
	return true;
}

/* A script that cannot be read is said here, before the trace is opened. */
static bool check_script(struct cli *c, const char *script, int *status)
{
	struct stat st;

	if (!script || !strcmp(script, "-"))
		return true;
	*status = CLI_USAGE;
	if (stat(script, &st) < 0)
		cli_say(c, "%s: no such script: %s", script, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		cli_say(c, "%s: is a directory, not a Perl script", script);
	else if (access(script, R_OK) < 0)
		cli_say(c, "%s: cannot read the script: %s", script, strerror(errno));
	else
		return true;
	return false;
}

static struct source *open_live(struct cli *c, struct err *e)
{
	return live_begin(&((struct zedperl *)c->arg)->run, c, e);
}

/* ---- the sink's callbacks ---- */

static void say(void *arg, const char *text)
{
	cli_say(arg, "%s", text);
}

static void clear(void *arg)
{
	cli_clear(arg);
}

static void want(void *arg, const uint8_t *types)
{
	struct cli *c = arg;

	pump_want(&c->pump, types);
}

/* Is a source here that has to be told when to end? */
static bool is_live(const struct cli *c)
{
	for (unsigned i = 0; i < c->pump.nsources; i++)
		if (c->pump.sources[i]->ops->stop)
			return true;
	return false;
}

static bool halt(void *arg)
{
	struct cli *c = arg;

	return pump_halt(&c->pump);
}

static enum run_end events(void *arg, struct sink *s, struct err *e)
{
	struct cli *c = arg;
	struct zedperl *z = c->arg;

	/* trace_begin has run: everything is ready for the first event. */
	if (z->live && !c->pump.halted && live_start(&z->run, e) < 0)
		return RUN_FAILED;
	switch (pump_events(&c->pump, s, e)) {
	case PUMP_DONE:
		return RUN_DONE;
	case PUMP_STOPPED:
		return RUN_STOPPED;
	case PUMP_SIGNALLED:
		return RUN_SIGNALLED;
	case PUMP_FAILED:
		break;
	}
	return RUN_FAILED;
}

/*
 * Losses that no page of the recording tells of (a full buffer that was not to be overwritten,
 * what was overwritten before the recorder came) are in the kernel's statistics only. These speak
 * of the whole buffer, so a source with several has nothing that could be told.
 */
static void stat_losses(struct source *s, const struct filter *f,
			void (*tell)(void *arg, int cpu, uint64_t count), void *arg)
{
	size_t len;
	const char *p = schema_raw(&s->schema, TEXT_CPUSTAT, &len), *end = p + len;
	struct cpustat st;

	if (s->nbuffers != 1)
		return;
	while (p && cpustat_next(&p, end, &st)) {
		uint64_t lost = st.overrun + st.commit_overrun + st.dropped, known = 0;

		if (!filter_takes_cpu(f, st.cpu))
			continue;
		for (unsigned i = 0; i < s->nstreams; i++)
			if (s->streams[i]->from->cpu == st.cpu)
				known += s->streams[i]->lost;
		if (lost > known)
			tell(arg, st.cpu, lost - known);
	}
}

static void losses(void *arg, void (*tell)(void *tell_arg, int cpu, uint64_t count), void *tell_arg)
{
	struct cli *c = arg;
	unsigned i;

	for (i = 0; i < c->pump.nsources; i++)
		stat_losses(c->pump.sources[i], c->pump.filter, tell, tell_arg);
}

/* ---- the run ---- */

/* What a latency tracer wrote is text: nothing to call a sub with. */
static bool has_events(struct cli *c)
{
	unsigned i;

	for (i = 0; i < c->pump.nsources; i++) {
		struct source *s = c->pump.sources[i];

		if (s->nstreams || !source_has_text(s))
			return true;
	}
	cli_say(c, "%s: holds the text of a latency tracer, not events: a script has nothing to "
		"handle; zedprint shows it", c->pump.sources[0]->in.path);
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
	enum pump_end end = r->end == RUN_FAILED ? PUMP_FAILED :
			    r->end == RUN_DONE ? PUMP_DONE : PUMP_STOPPED;
	int status = cli_finish(c, end, &r->err);

	if (r->deaths) {
		cli_say(c, "%" PRIu64 " calls of handlers died and were passed over (--keep-going)",
			r->deaths);
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

static int run_script(struct cli *c, struct zedperl *z)
{
	struct perlsink_opts o = {
		.catalog = c->pump.catalog, .notes = &c->notes, .relative = c->relative,
		.keep_going = z->keep_going, .arg = c, .say = say, .clear = clear, .want = want,
		.events = events, .losses = losses, .halt = is_live(c) ? halt : NULL,
		.first_schema = &c->pump.sources[0]->schema,
	};
	struct perlsink_result r = { .status = -1 };
	int argc = z->argc, status;
	bool ran = false;

	z->in = interp_new(&argc, &z->argv, &environ);
	if (!z->in) {
		cli_say(c, "no memory for perl");
		return CLI_DAMAGE;
	}
	z->sink = perlsink_new(z->in, &o);
	c->pump.opts.stop = interp_pending(z->in);
	c->pump.opts.gentle = false;	/* halt() is told by the script's handlers */
	switch (interp_load(z->in, argc, z->argv, perlsink_boot, z->sink)) {
	case INTERP_DIED:
		status = 255;
		break;
	case INTERP_EXITED:
		status = interp_status(z->in);
		break;
	default:
		if (z->live && cli_stop) {
			status = CLI_SIGNAL + SIGINT;
			break;
		}
		if (c->verbose)
			cli_say(c, "started with Perl script %s", z->script ? z->script : "-e");
		perlsink_run(z->sink, &r);
		ran = true;
		status = r.forked ? r.status : run_status(c, &r);
	}
	perlsink_free(z->sink, true);
	if (ran && interp_flush(z->in) < 0 && !r.forked && !stdout_is_closed()) {
		cli_say(c, "cannot write the script's output: %s",
			errno ? strerror(errno) : "an earlier write failed");
		status = status ? status : CLI_DAMAGE;
	}
	status = interp_end(z->in, status);
	if (z->live)
		live_ignore_signals();
	perlsink_free(z->sink, false);
	return status;
}

int main(int argc, char **argv)
{
	struct zedperl z = { .argv = NULL };
	struct cli c;
	int status = 0;

	add_arg(&z, mem_strdup("zedperl"));
	cli_init(&c, &SPEC, &z);
	c.slack = SLACK;
	if (!cli_parse(&c, argc, argv, &status) || !sort_words(&c, &z, &status) ||
	    !check_script(&c, z.script, &status))
		goto out;
	if (z.live) {
		z.run.script = z.script;
		c.open_live = open_live;
	}
	if (!cli_open(&c, &status))
		goto out;
	if (z.starter) {
		starter_write(c.pump.catalog, c.inputs[0], &c.notes, stdout);
		status = c.notes.damage ? CLI_DAMAGE : CLI_OK;
	} else if (z.list) {
		status = list_events(&c);
	} else if (!has_events(&c)) {
		status = CLI_USAGE;
	} else {
		status = run_script(&c, &z);
	}
	if ((z.starter || z.list) && fflush(stdout) && errno != EPIPE) {
		cli_say(&c, "cannot write: %s", strerror(errno));
		status = CLI_DAMAGE;
	}
out:
	cli_fini(&c);
	while (z.argc)
		free(z.argv[--z.argc]);
	free(z.argv);
	return status;
}
