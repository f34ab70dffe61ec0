// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cli: turns a command line into open inputs behind a filter, and the end of a run into an exit
 * status.  What zedperl and zedprint share.
 */
#include "cli.h"

#include "reader/codec.h"
#include "reader/mem.h"
#include "reader/text.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

volatile int cli_stop;

/* ---- what is said ---- */

void cli_clear(struct cli *c)
{
	if (!c->progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	c->progress_shown = false;
}

static void say_line(struct cli *c, const char *text, size_t len)
{
	cli_clear(c);
	fprintf(stderr, "%s: ", c->spec->prog);
	for (size_t i = 0; i < len; i++)
		putc((unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i], stderr);
	putc('\n', stderr);
}

void cli_say(struct cli *c, const char *fmt, ...)
{
	char text[1280];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say_line(c, text, strlen(text));
}

void cli_say_err(struct cli *c, const struct err *e)
{
	char text[sizeof(e->path) + sizeof(e->msg) + 64];
	const char *more = e->kind == ERR_USAGE ? strchr(e->msg, '\n') : NULL;
	struct err first = *e;

	if (more)
		first.msg[more - e->msg] = '\0';
	err_text(&first, text, sizeof(text));
	say_line(c, text, strlen(text));
	/* The expression and its caret, made of one line each by expr_complain(). */
	while (more) {
		size_t len = strcspn(++more, "\n");

		say_line(c, more, len);
		more = more[len] ? more + len : NULL;
	}
}

int cli_usage(struct cli *c, bool hint, const char *fmt, ...)
{
	char text[1280];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say_line(c, text, strlen(text));
	if (hint)
		cli_say(c, "try '%s --help'", c->spec->prog);
	return CLI_USAGE;
}

static void say_note(void *arg, enum note_level level, const char *text)
{
	struct cli *c = arg;

	if (level != NOTE_INFO || c->verbose)
		say_line(c, text, strlen(text));
}

/* ---- the common options ---- */

int cli_time(const char *text, uint64_t *out, struct err *e)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} UNITS[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		      { "", 1000000000 } };
	uint64_t whole = 0, ns, part = 0, scale;
	const char *s = text;

	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(whole, 10ull, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*s - '0'), &whole))
			goto bad;
	if (s == text && *s != '.')
		goto bad;
	if (*s == '.') {
		const char *from = ++s;

		for (scale = 100000000; isdigit((unsigned char)*s) && scale; s++, scale /= 10)
			part += scale * (*s - '0');
		if (s == from || isdigit((unsigned char)*s))
			goto bad;
	}
	for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
		if (strcmp(s, UNITS[i].unit))
			continue;
		ns = UNITS[i].ns;
		if (part % (1000000000 / ns) || __builtin_mul_overflow(whole, ns, &whole) ||
		    __builtin_add_overflow(whole, part / (1000000000 / ns), out))
			goto bad;
		return 0;
	}
bad:
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "'%s' is no time: write seconds, 12.5, or 12500000000ns (also us, ms, s)",
		       text);
}

static int set_input(struct cli *c, const char *value, struct err *e)
{
	cli_input(c, value);
	c->ninputs_i = c->ninputs;
	return 0;
}

static int set_expr(struct cli *c, const char *value, struct err *e)
{
	return filter_expr(c->filter, value, e);
}

static int set_cpus(struct cli *c, const char *value, struct err *e)
{
	return filter_cpus(c->filter, value, e);
}

static int set_pids(struct cli *c, const char *value, struct err *e)
{
	return filter_pids(c->filter, value, e);
}

static int set_instance(struct cli *c, const char *value, struct err *e)
{
	c->instances = mem_grow(c->instances, &c->cap_instances, c->ninstances + 1,
				sizeof(*c->instances));
	c->instances[c->ninstances++] = value;
	return filter_instance(c->filter, value, e);
}

static int set_start(struct cli *c, const char *value, struct err *e)
{
	return cli_time(value, &c->start, e);
}

static int set_end(struct cli *c, const char *value, struct err *e)
{
	return cli_time(value, &c->end, e);
}

static int set_meta(struct cli *c, const char *value, struct err *e)
{
	c->meta = value;
	return 0;
}

static const struct cli_opt COMMON[] = {
	{ "input", 'i', "FILE", "read FILE ('-': standard input); repeated: merge them by time",
	  CLI_SET(set_input) },
	{ "filter", 'F', "'SYS[:EVENT]: EXPR'",
	  "of these events only those for which EXPR holds (others are\n"
	  "not touched): 'sched: prio < 100 and comm ~ \"kw*\"'",
	  CLI_SET(set_expr) },
	{ "cpu", 0, "LIST", "only these CPUs: 0,2-5", CLI_SET(set_cpus) },
	{ "pid", 0, "LIST", "only events of these tasks: 12,34", CLI_SET(set_pids) },
	{ "instance", 0, "NAME", "only this buffer (\"\": the top one); may be repeated",
	  CLI_SET(set_instance) },
	{ "start", 0, "TIME",
	  "only from this time of the trace on: 12.5 (seconds) or 12500000000ns",
	  CLI_SET(set_start) },
	{ "end", 0, "TIME", "only up to this time", CLI_SET(set_end) },
	{ "relative", 0, NULL, "count time from the first event", CLI_FLAG(relative) },
	{ "ns", 0, NULL, "show nanoseconds", CLI_FLAG(ns) },
	{ "raw-ts", 0, NULL, "times as they were recorded, without the file's corrections",
	  CLI_FLAG(raw_ts) },
	{ "meta", 0, "FILE", "the trace.dat that has the formats for raw per-CPU files",
	  CLI_SET(set_meta) },
	{ "force-merge", 0, NULL, "merge inputs of different clocks all the same",
	  CLI_FLAG(force_merge) },
	{ "strict", 0, NULL, "stop at the first damage instead of reading on behind it",
	  CLI_FLAG(strict) },
	{ "stats", 0, NULL, "at the end say how many records were read and how fast",
	  CLI_FLAG(stats) },
	{ "verbose", 'v', NULL, "say more about the input", CLI_FLAG(verbose) },
	{ "version", 0, NULL, "show the versions of the program and its libraries",
	  CLI_FLAG(want_version) },
	{ "help", 'h', NULL, "show this", CLI_FLAG(want_help) },
	{ .name = NULL },
};

/* ---- parsing ---- */

void cli_init(struct cli *c, const struct cli_spec *spec, void *arg)
{
	memset(c, 0, sizeof(*c));
	c->spec = spec;
	c->arg = arg;
	c->end = UINT64_MAX;
	c->filter = filter_new();
	c->notes.say = say_note;
	c->notes.arg = c;
}

void cli_fini(struct cli *c)
{
	cli_clear(c);
	if (c->pump_ready)
		pump_fini(&c->pump);
	filter_free(c->filter);
	free(c->inputs);
	free(c->instances);
	memset(c, 0, sizeof(*c));
}

void cli_input(struct cli *c, const char *path)
{
	c->inputs = mem_grow(c->inputs, &c->cap_inputs, c->ninputs + 1, sizeof(*c->inputs));
	c->inputs[c->ninputs++] = path;
}

/* "  -i, --input FILE", as the help shows it and a message names it. */
static void opt_name(const struct cli_opt *o, char *buf, size_t size)
{
	char letter[4] = "";

	if (o->key)
		snprintf(letter, sizeof(letter), "-%c", o->key);
	snprintf(buf, size, "%s%s%s%s%s%s", o->key ? letter : "    ",
		 o->key && *o->name ? ", " : "", *o->name ? "--" : "", o->name, o->arg ? " " : "",
		 o->arg ? o->arg : "");
}

#define HELP_COLUMN 26

static void help_opts(const struct cli_opt *o, FILE *to)
{
	char name[120];

	for (; o->name; o++) {
		const char *help = o->help;
		bool first = true;

		opt_name(o, name, sizeof(name));
		if (strlen(name) > HELP_COLUMN - 2) {
			fprintf(to, "  %s\n", name);
			name[0] = '\0';
		}
		while (help) {
			size_t len = strcspn(help, "\n");

			fprintf(to, "  %-*s%.*s\n", HELP_COLUMN, first ? name : "", (int)len, help);
			first = false;
			help = help[len] ? help + len + 1 : NULL;
		}
	}
}

void cli_help(struct cli *c, FILE *to)
{
	const char *usage = c->spec->usage;
	const char *lead = "usage: ";

	while (usage) {
		size_t len = strcspn(usage, "\n");

		fprintf(to, "%s%.*s\n", lead, (int)len, usage);
		lead = "       ";
		usage = usage[len] ? usage + len + 1 : NULL;
	}
	fprintf(to, "\n%s\n\n", c->spec->about);
	if (c->spec->opts)
		help_opts(c->spec->opts, to);
	help_opts(COMMON, to);
	if (c->spec->more)
		fprintf(to, "\n%s\n", c->spec->more);
}

static void show_version(struct cli *c)
{
	char buf[256];

	printf("%s %s\n", c->spec->prog, ZED_VERSION);
	printf("%s\n", codec_versions(buf, sizeof(buf)));
	printf("%s\n", text_version(buf, sizeof(buf)));
	if (c->spec->version)
		c->spec->version();
}

struct opt_list {
	const struct cli_opt *of[128];
	unsigned n, next;
};

static void list_opts(struct opt_list *l, const struct cli_opt *o)
{
	for (; o && o->name && l->n < 128; o++)
		l->of[l->n++] = o;
}

static const char *next_opt(void *arg)
{
	struct opt_list *l = arg;

	return l->next < l->n ? l->of[l->next++]->name : NULL;
}

static int unknown_opt(struct cli *c, struct opt_list *l, const char *arg, int letter)
{
	const char *near = NULL;
	char name[80];

	if (arg[0] == '-' && arg[1] == '-') {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
		for (unsigned i = 0; i < l->n && letter; i++)
			if (!strcmp(l->of[i]->name, name))
				return cli_usage(c, true, "--%s takes no argument", name);
		for (unsigned i = 0; i < l->n; i++)
			if (*name && !strncmp(l->of[i]->name, name, strlen(name)))
				return cli_usage(c, true, "--%s could be more than one option",
						 name);
		near = nearest_name(name, next_opt, l);
		return cli_usage(c, true, "no option --%s%s%s%s", name,
				 near ? "; did you mean --" : "", near ? near : "",
				 near ? "?" : "");
	}
	return cli_usage(c, true, "no option -%c", letter);
}

static int set_opt(struct cli *c, const struct cli_opt *o, const char *value)
{
	struct err e;

	if (!o->set) {
		*(bool *)((char *)c + o->flag) = true;
		return 0;
	}
	if (o->set(c, value, &e) == 0)
		return 0;
	if (o->key)
		err_within(&e, "-%c", o->key);
	else
		err_within(&e, "--%s", o->name);
	cli_say_err(c, &e);
	return CLI_USAGE;
}

/* Options without a letter get numbers from here on. */
#define LONG_BASE 256

/* Returns the exit status, or -1 to go on. */
static int parse(struct cli *c, int argc, char **argv)
{
	struct opt_list l = { .n = 0 };
	struct option longs[129];
	char letters[3 + 2 * 128], *s = letters;
	int got;

	list_opts(&l, c->spec->opts);
	list_opts(&l, COMMON);
	memset(longs, 0, sizeof(longs));
	if (c->spec->stop_at_first)
		*s++ = '+';
	*s++ = ':';
	for (unsigned i = 0, k = 0; i < l.n; i++) {
		if (*l.of[i]->name)
			longs[k++] = (struct option){ l.of[i]->name, l.of[i]->arg ?
				required_argument : no_argument, NULL, LONG_BASE + (int)i };
		if (l.of[i]->key) {
			*s++ = l.of[i]->key;
			if (l.of[i]->arg)
				*s++ = ':';
		}
	}
	*s = '\0';
	optind = 0;	/* glibc: start afresh */
	opterr = 0;
	while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		unsigned i = 0;
		int rc;

		if (got == ':') {
			if (optopt < LONG_BASE)
				return cli_usage(c, true, "-%c needs an argument", optopt);
			return cli_usage(c, true, "--%s needs an argument: %s",
					 l.of[optopt - LONG_BASE]->name,
					 l.of[optopt - LONG_BASE]->arg);
		}
		if (got == '?')
			return unknown_opt(c, &l, argv[optind - 1], optopt);
		if (got >= LONG_BASE)
			i = got - LONG_BASE;
		else
			while (i < l.n && l.of[i]->key != got)
				i++;
		if (i == l.n)
			return unknown_opt(c, &l, argv[optind - 1], got);
		rc = set_opt(c, l.of[i], optarg);
		if (rc)
			return rc;
	}
	c->args = argv + optind;
	c->nargs = argc - optind;
	if (c->want_help || c->want_version) {
		if (c->want_help)
			cli_help(c, stdout);
		else
			show_version(c);
		return fflush(stdout) ? CLI_DAMAGE : CLI_OK;
	}
	if (c->start > c->end)
		return cli_usage(c, false, "--start lies behind --end: no event can pass");
	filter_times(c->filter, c->start, c->end);
	return -1;
}

bool cli_parse(struct cli *c, int argc, char **argv, int *status)
{
	*status = parse(c, argc, argv);
	return *status < 0;
}

/* ---- the run ---- */

static void on_signal(int sig)
{
	cli_stop = sig;
}

void cli_catch(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static double seconds_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) / 1e9;
}

static double cpu_seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

#define PROGRESS_AFTER 1.0	/* seconds */
#define PROGRESS_EACH 0.2

static void show_progress(void *arg, const struct pump_stats *st)
{
	struct cli *c = arg;
	double t = seconds_since(&c->began), rate, part;
	char left[40] = "";

	if (t < PROGRESS_AFTER || t - c->progress_last < PROGRESS_EACH)
		return;
	c->progress_last = t;
	rate = (double)st->records / t;
	part = st->bytes_total ? (double)st->bytes_done / (double)st->bytes_total : 0;
	if (part > 1)
		part = 1;
	if (part > 0.005)
		snprintf(left, sizeof(left), ", %.0f s left", t / part - t);
	fprintf(stderr, "\r%s: %3.0f %%, %" PRIu64 " events, %.0f events/s%s\033[K", c->spec->prog,
		part * 100, st->records, rate, left);
	fflush(stderr);
	c->progress_shown = true;
}

/* A line that is rewritten has no place in a pipe, nor between those of a pager or this terminal.
 */
static bool may_show_progress(const struct cli *c)
{
	const char *term = getenv("TERM");
	struct stat st;

	if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
		return false;
	if (fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return false;
	return !c->spec->floods || !isatty(STDOUT_FILENO);
}

struct buffer_names {
	const struct pump *p;
	unsigned source, buffer;
};

static const char *next_buffer(void *arg)
{
	struct buffer_names *n = arg;

	while (n->source < n->p->nsources) {
		const struct source *s = n->p->sources[n->source];

		if (n->buffer < s->nbuffers)
			return s->buffers[n->buffer++].name;
		n->source++;
		n->buffer = 0;
	}
	return NULL;
}

static bool has_buffer(const struct pump *p, const char *name)
{
	struct buffer_names n = { .p = p };
	const char *b;

	while ((b = next_buffer(&n)))
		if (!strcmp(b, name))
			return true;
	return false;
}

static bool check_instances(struct cli *c)
{
	for (size_t i = 0; i < c->ninstances; i++) {
		struct buffer_names n = { .p = &c->pump };
		char list[600] = "";
		const char *b, *near;
		size_t len = 0;

		if (has_buffer(&c->pump, c->instances[i]))
			continue;
		near = nearest_name(c->instances[i], next_buffer, &n);
		n = (struct buffer_names){ .p = &c->pump };
		while ((b = next_buffer(&n)) && len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s\"%s\"",
					len ? ", " : "", b);
		cli_say(c, "--instance: no input has a buffer \"%s\"%s%s%s (there %s %s)",
			c->instances[i], near ? "; did you mean \"" : "", near ? near : "",
			near ? "\"?" : "", strchr(list, ',') ? "are" : "is", *list ? list : "none");
		return false;
	}
	return true;
}

/* A CPU that no input has is not wrong, but nothing will come of it. */
static void check_cpus(struct cli *c)
{
	unsigned streams = 0;

	for (unsigned i = 0; i < c->pump.nsources; i++)
		for (unsigned k = 0; k < c->pump.sources[i]->nstreams; k++, streams++)
			if (filter_takes_cpu(c->pump.filter,
					     c->pump.sources[i]->streams[k]->from->cpu))
				return;
	if (streams)
		cli_say(c, "no input has data of a CPU that --cpu names (zedprint --summary lists "
			   "them)");
}

bool cli_open(struct cli *c, int *status)
{
	struct pump_opts o = {
		.notes = &c->notes, .strict = c->strict, .raw_ts = c->raw_ts, .meta = c->meta,
		.force_merge = c->force_merge, .stop = &cli_stop, .progress_arg = c,
	};
	struct err e;

	*status = CLI_USAGE;
	clock_gettime(CLOCK_MONOTONIC, &c->began);
	c->cpu_began = cpu_seconds();
	if (may_show_progress(c))
		o.progress = show_progress;
	pump_init(&c->pump, &o);
	c->pump_ready = true;
	filter_free(c->pump.filter);
	c->pump.filter = c->filter;
	c->filter = NULL;
	for (unsigned i = 0; i < c->ninputs; i++) {
		if (pump_open(&c->pump, c->inputs[i], &e) == 0)
			continue;
		cli_say_err(c, &e);
		c->failed++;
		if (e.kind == ERR_USAGE || c->strict)
			return false;
	}
	if (!c->pump.nsources || !check_instances(c))
		return false;
	if (filter_compile(c->pump.filter, c->pump.catalog, &c->notes, &e) < 0) {
		err_within(&e, "-F");
		cli_say_err(c, &e);
		return false;
	}
	check_cpus(c);
	return true;
}

static void say_stats(struct cli *c)
{
	const struct pump_stats *st = &c->pump.stats;
	double t = seconds_since(&c->began), cpu = cpu_seconds() - c->cpu_began;

	cli_say(c, "records  %" PRIu64, st->records);
	cli_say(c, "passed   %" PRIu64, st->passed);
	if (st->lost_unknown)
		cli_say(c, "lost     %" PRIu64 ", and an unknown number at %" PRIu64 " places",
			st->lost, st->lost_unknown);
	else
		cli_say(c, "lost     %" PRIu64, st->lost);
	cli_say(c, "damaged  %" PRIu64, st->damaged);
	cli_say(c, "late     %" PRIu64, st->late);
	cli_say(c, "seconds  %.3f (%.3f of CPU)", t, cpu);
	cli_say(c, "events/s %.0f", t > 0 ? (double)st->records / t : 0);
}

int cli_finish(struct cli *c, enum pump_end end, const struct err *e)
{
	cli_clear(c);
	if (end == PUMP_FAILED)
		cli_say_err(c, e);
	if (c->stats)
		say_stats(c);
	if (end == PUMP_FAILED)
		return e->kind == ERR_USAGE ? CLI_USAGE : CLI_DAMAGE;
	if (end == PUMP_SIGNALLED)
		return CLI_SIGNAL + cli_stop;
	return c->failed || c->notes.damage || c->pump.stats.damaged ? CLI_DAMAGE : CLI_OK;
}
