// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedperl: turns a command line into a trace, a Perl script and a run of the one through the
 * other, and what came of it into an exit status.
 */
#include "cli.h"

#include "interp/interp.h"
#include "interp/perlsink.h"
#include "interp/starter.h"
#include "reader/mem.h"

#include <ctype.h>
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

struct zedperl {
	/* perl's own command line: "zedperl", switches, "--", the script and its arguments */
	char **argv;
	size_t argc, cap;
	bool code;		/* -e was given: no script file */
	bool starter, list, keep_going;
	const char *script;
	struct interp *in;
	struct perlsink *sink;
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

static const struct cli_opt OPTS[] = {
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

/* Sort the words that are no options.  False: *STATUS is set. */
static bool sort_words(struct cli *c, struct zedperl *z, int *status)
{
	int at = 0;

	if (z->code || z->starter || z->list) {
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
	if (!c->ninputs) {
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

static enum run_end events(void *arg, struct sink *s, struct err *e)
{
	struct cli *c = arg;

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

/* The number behind KEY in the lines [P, END), or 0. */
static uint64_t stat_number(const char *p, const char *end, const char *key)
{
	size_t len = strlen(key);

	while (p < end) {
		const char *nl = memchr(p, '\n', end - p);
		size_t left = (nl ? nl : end) - p;
		uint64_t v = 0;

		if (left > len && !memcmp(p, key, len)) {
			for (p += len; p < end && *p == ' '; p++)
				;
			for (; p < end && isdigit((unsigned char)*p) && v < UINT64_MAX / 16; p++)
				v = v * 10 + (*p - '0');
			return v;
		}
		p += left + 1;
	}
	return 0;
}

/*
 * Losses that no page of the recording tells of (a full buffer that was not to be overwritten,
 * what was overwritten before the recorder came) are in the kernel's statistics only: "CPU: 0",
 * then lines "dropped events: 268". They speak of the whole buffer, so a source with several has
 * nothing that could be told.
 */
static void stat_losses(struct source *s, const struct filter *f,
			void (*tell)(void *arg, int cpu, uint64_t count), void *arg)
{
	size_t len;
	const char *p = schema_raw(&s->schema, TEXT_CPUSTAT, &len), *end = p + len, *next;

	if (s->nbuffers != 1)
		return;
	for (; p && p < end; p = next) {
		const char *cpu = memmem(p, end - p, "CPU: ", 5);
		uint64_t lost, known = 0;
		unsigned i;
		int n;

		if (!cpu)
			return;
		next = memmem(cpu + 5, end - cpu - 5, "CPU: ", 5);
		if (!next)
			next = end;
		n = stat_number(cpu, next, "CPU:");
		if (!filter_takes_cpu(f, n))
			continue;
		lost = stat_number(cpu, next, "overrun:") +
		       stat_number(cpu, next, "commit overrun:") +
		       stat_number(cpu, next, "dropped events:");
		for (i = 0; i < s->nstreams; i++)
			if (s->streams[i]->from->cpu == n)
				known += s->streams[i]->lost;
		if (lost > known)
			tell(arg, n, lost - known);
	}
}

static void losses(void *arg, void (*tell)(void *tell_arg, int cpu, uint64_t count), void *tell_arg)
{
	struct cli *c = arg;
	unsigned i;

	for (i = 0; i < c->pump.nsources; i++)
		stat_losses(c->pump.sources[i], c->pump.filter, tell, tell_arg);
}

/* ---- -t ---- */

struct counter {
	struct sink sink;
	uint64_t *counts;
	size_t n;
};

static enum verdict count_event(struct sink *s, const struct event *ev, struct err *e)
{
	struct counter *k = (struct counter *)s;
	size_t old = k->n;

	if (ev->type->idx >= old) {
		k->counts = mem_grow(k->counts, &k->n, ev->type->idx + 1, sizeof(*k->counts));
		memset(k->counts + old, 0, (k->n - old) * sizeof(*k->counts));
	}
	k->counts[ev->type->idx]++;
	return SINK_MORE;
}

static enum verdict count_step(struct sink *s, struct err *e)
{
	return SINK_MORE;
}

static const struct sink_ops COUNT_OPS = {
	.begin = count_step, .event = count_event, .end = count_step,
};

static int by_name(const void *a, const void *b)
{
	const struct etype *x = *(const struct etype *const *)a;
	const struct etype *y = *(const struct etype *const *)b;
	int c = strcmp(x->system, y->system);

	return c ? c : strcmp(x->name, y->name);
}

/* "sched::sched_switch    1234", sorted; a name that several inputs have once. */
static void print_counts(struct cli *c, const struct counter *k)
{
	unsigned i, n = catalog_count(c->pump.catalog), shown = 0;
	const struct etype **types = mem_zalloc((n + 1) * sizeof(*types));
	char name[600];

	for (i = 0; i < n; i++) {
		const struct etype *t = catalog_at(c->pump.catalog, i);

		if ((i < k->n && k->counts[i]) || (c->verbose && t->known))
			types[shown++] = t;
	}
	qsort(types, shown, sizeof(*types), by_name);
	for (i = 0; i < shown; i++) {
		uint64_t total = 0;
		unsigned from = i;

		for (; i < shown && !by_name(&types[from], &types[i]); i++)
			total += types[i]->idx < k->n ? k->counts[types[i]->idx] : 0;
		i--;
		snprintf(name, sizeof(name), "%s::%s", types[i]->system, types[i]->name);
		printf("%-48s %12" PRIu64 "\n", name, total);
	}
	free(types);
}

static int list_events(struct cli *c)
{
	struct counter k = { .sink = { .ops = &COUNT_OPS } };
	enum pump_end end;
	struct err e;
	int status;

	cli_catch();
	end = pump_run(&c->pump, &k.sink, &e);
	status = cli_finish(c, end, &e);
	print_counts(c, &k);
	free(k.counts);
	return status;
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
		.events = events, .losses = losses, .first_schema = &c->pump.sources[0]->schema,
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
	switch (interp_load(z->in, argc, z->argv, perlsink_boot, z->sink)) {
	case INTERP_DIED:
		status = 255;
		break;
	case INTERP_EXITED:
		status = interp_status(z->in);
		break;
	default:
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
	if (!cli_parse(&c, argc, argv, &status) || !sort_words(&c, &z, &status) ||
	    !check_script(&c, z.script, &status))
		goto out;
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
