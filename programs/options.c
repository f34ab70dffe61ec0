// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options: the options that the programs share, the help, and the parsing of a command line into
 * settings and a filter.  run.c goes on from there.
 */
#include "programs/options.h"

#include "base/mem.h"
#include "programs/kallsyms.h"
#include "reader/pages/codec.h"
#include "reader/text/plugins.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the common options ---- */

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

static int set_event(struct cli *c, const char *value, struct err *e)
{
	if (!c->events)
		c->events = words_new();
	return words_add(c->events, value, e);
}

static int set_synthetic(struct cli *c, const char *value, struct err *e)
{
	c->defined = mem_grow(c->defined, &c->cap_defined, c->ndefined + 1, sizeof(*c->defined));
	c->defined[c->ndefined++] = value;
	return 0;
}

static int set_stable(struct cli *c, const char *value, struct err *e)
{
	c->stable_paths = mem_grow(c->stable_paths, &c->cap_stable, c->nstable + 1,
				   sizeof(*c->stable_paths));
	c->stable_paths[c->nstable++] = value;
	return 0;
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
	return times_word(value, &c->from, e);
}

static int set_end(struct cli *c, const char *value, struct err *e)
{
	return times_word(value, &c->to, e);
}

static int set_around(struct cli *c, const char *value, struct err *e)
{
	return times_around(value, &c->around, &c->around_span, e);
}

/* A number of events, from 1 to MOST. */
static int count_of(const char *value, uint64_t most, uint64_t *n, struct err *e)
{
	char *end;

	errno = 0;
	*n = isdigit((unsigned char)*value) ? strtoull(value, &end, 10) : 0;
	if (!*n || errno || *end)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no number of events: write 100",
			       value);
	if (*n <= most)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "%s: at most %" PRIu64
		       " events are kept: choose a time instead, --start -1s",
		       value, most);
}

static int set_head(struct cli *c, const char *value, struct err *e)
{
	return count_of(value, UINT64_MAX, &c->head, e);
}

static int set_tail(struct cli *c, const char *value, struct err *e)
{
	return count_of(value, LIMIT_EVENTS, &c->tail, e);
}

static int set_meta(struct cli *c, const char *value, struct err *e)
{
	c->source.meta = value;
	return 0;
}

static int set_kallsyms(struct cli *c, const char *value, struct err *e)
{
	struct symbols *t;

	TRY(kallsyms_read(value, &c->notes, &t, e));
	symbols_free(c->symbols);
	c->source.symbols = c->symbols = t;
	return 0;
}

/* Of programs that read traces. */
static const struct cli_opt READING[] = {
	{ "input", 'i', "FILE", "read FILE ('-': standard input); repeated: merge them by time",
	  CLI_SET(set_input) },
	{ "event", 0, "LIST",
	  "only these events, 'sched,block:*_rq_*', or stable ones,\n"
	  "sched:switch; repeated: these too",
	  CLI_SET(set_event) },
	{ "filter", 'F', "'SYS[:EVENT]: EXPR'",
	  "of these events only those for which EXPR holds (others are\n"
	  "not touched): 'sched: prio < 100 and comm ~ \"kw*\"'",
	  CLI_SET(set_expr) },
	{ "synthetic", 0, "'NAME start=... end=...'",
	  "events made of two: 'wait:cpu start=sched:sched_waking\n"
	  "end=sched:switch match=\"start.pid == end.next_pid\"\n"
	  "delay=\"end.ts - start.ts\"'",
	  CLI_SET(set_synthetic) },
	{ "stable", 0, "PATH", "add stable events: those of a file, or a directory's *.stable",
	  CLI_SET(set_stable) },
	{ "cpu", 0, "LIST", "only these CPUs: 0,2-5", CLI_SET(set_cpus) },
	{ "pid", 0, "LIST", "only events of these tasks: 12,34", CLI_SET(set_pids) },
	{ "instance", 0, "NAME", "only this buffer (\"\": the top one); may be repeated",
	  CLI_SET(set_instance) },
	{ "start", 0, "TIME",
	  "only from this time on: 12.5 (seconds), 125000ns, -1s (from the end),\n"
	  "+250ms (from the start), '2026-11-22 04:38:58' (if it has a date)",
	  CLI_SET(set_start) },
	{ "end", 0, "TIME", "only up to this time", CLI_SET(set_end) },
	{ "around", 0, "TIME,SPAN", "only from SPAN before TIME to SPAN after it: 12.5,10ms",
	  CLI_SET(set_around) },
	{ "head", 0, "N", "of what the other options choose, only the first N events",
	  CLI_SET(set_head) },
	{ "tail", 0, "N", "only the last N", CLI_SET(set_tail) },
	{ "common-window", 0, NULL, "only while all CPUs have data", CLI_FLAG(common_window) },
	{ "relative", 0, NULL, "count time from the trace's first record", CLI_FLAG(relative) },
	{ "ns", 0, NULL, "show nanoseconds", CLI_FLAG(ns) },
	{ "raw-ts", 0, NULL, "times as they were recorded, without the file's corrections",
	  CLI_FLAG(source.raw_ts) },
	{ "wall", 0, NULL, "LTT, perf.data: wall-clock times instead of the clock's",
	  CLI_FLAG(source.wall) },
	{ "meta", 0, "FILE", "the trace.dat that has the formats for raw per-CPU files",
	  CLI_SET(set_meta) },
	{ "kallsyms", 0, "FILE", "names of the kernel's addresses from a copy of /proc/kallsyms",
	  CLI_SET(set_kallsyms) },
	{ "force-merge", 0, NULL, "merge inputs of different clocks all the same",
	  CLI_FLAG(force_merge) },
	{ "strict", 0, NULL, "stop at the first damage instead of reading on behind it",
	  CLI_FLAG(strict) },
	{ "stats", 0, NULL, "at the end say how many records were read and how fast",
	  CLI_FLAG(stats) },
	{ .name = NULL },
};

static const struct cli_opt GENERAL[] = {
	{ "verbose", 'v', NULL, "say more about what is done", CLI_FLAG(verbose) },
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
	c->source.notes = &c->notes;
	c->notes.say = cli_note;
	c->notes.arg = c;
}

void cli_fini(struct cli *c)
{
	cli_clear(c);
	if (c->said > CLI_MAX_NOTES)
		cli_say(c, "and %" PRIu64 " more messages (-v shows all)", c->said - CLI_MAX_NOTES);
	if (c->pump_ready)
		pump_fini(&c->pump);
	/* Behind the catalog, which borrows its texts. */
	synthetic_free(c->synthetic);
	filter_free(c->filter);
	symbols_free(c->symbols);
	words_free(c->events);
	limit_free(c->limit);
	free(c->defined);
	stable_free(c->stable);
	free(c->stable_paths);
	free(c->inputs);
	free(c->instances);
	free(c->words);
	memset(c, 0, sizeof(*c));
}

void cli_input(struct cli *c, const char *path)
{
	c->inputs = mem_grow(c->inputs, &c->cap_inputs, c->ninputs + 1, sizeof(*c->inputs));
	c->inputs[c->ninputs++] = path;
}

/* O's letter, or 0 where the program's own options have taken it for something else. */
static int opt_key(const struct cli *c, const struct cli_opt *o)
{
	const struct cli_opt *own = c->spec->opts;

	if (o >= GENERAL && o < GENERAL + sizeof(GENERAL) / sizeof(GENERAL[0]))
		for (; o->key && own && own->name; own++)
			if (own->key == o->key)
				return 0;
	return o->key;
}

/* Is its argument one that may be left out? */
static bool takes_maybe(const struct cli_opt *o)
{
	return o->arg && o->arg[0] == '[';
}

/* "  -i, --input FILE", as the help shows it and a message names it. */
static void opt_name(const struct cli_opt *o, int key, char *buf, size_t size)
{
	char letter[4] = "";

	if (key)
		snprintf(letter, sizeof(letter), "-%c", key);
	snprintf(buf, size, "%s%s%s%s%s%s", key ? letter : "    ", key && *o->name ? ", " : "",
		 *o->name ? "--" : "", o->name, o->arg && !takes_maybe(o) ? " " : "",
		 o->arg ? o->arg : "");
}

#define HELP_COLUMN 26

static void help_opts(const struct cli *c, const struct cli_opt *o, FILE *to)
{
	char name[120];

	for (; o->name; o++) {
		const char *help = o->help;
		bool first = true;

		opt_name(o, opt_key(c, o), name, sizeof(name));
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

static void show_help(struct cli *c, FILE *to)
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
		help_opts(c, c->spec->opts, to);
	if (!c->spec->no_reading)
		help_opts(c, READING, to);
	help_opts(c, GENERAL, to);
	if (c->spec->more)
		fprintf(to, "\n%s\n", c->spec->more);
}

static void show_version(struct cli *c)
{
	char buf[256];

	printf("%s %s\n", c->spec->prog, ZED_VERSION);
	printf("%s\n", codec_versions(buf, sizeof(buf)));
	printf("%s\n", plugins_version(buf, sizeof(buf)));
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

bool cli_is_option(const struct cli *c, const char *word)
{
	const struct cli_opt *const lists[] = { c->spec->opts, READING, GENERAL };
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct cli_opt *o = lists[i]; o && o->name; o++)
			if (word[0] == '-' &&
			    ((word[1] == '-' && *o->name && strlen(o->name) == len - 2 &&
			      !memcmp(o->name, word + 2, len - 2)) ||
			     (o->key && word[1] == o->key && !word[2])))
				return true;
	return false;
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
	if (letter == 'e' && c->spec->no_e)
		return cli_usage(c, true, "no option -e: %s", c->spec->no_e);
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

static void add_word(struct cli *c, char *word)
{
	c->words = mem_grow(c->words, &c->cap_words, c->nargs + 1, sizeof(*c->words));
	c->words[c->nargs++] = word;
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
	if (!c->spec->no_reading)
		list_opts(&l, READING);
	list_opts(&l, GENERAL);
	memset(longs, 0, sizeof(longs));
	if (c->spec->stop_at_first)
		*s++ = '+';
	if (c->spec->command)
		*s++ = '-';
	*s++ = ':';
	for (unsigned i = 0, k = 0; i < l.n; i++) {
		if (*l.of[i]->name)
			longs[k++] = (struct option){ l.of[i]->name,
						      takes_maybe(l.of[i]) ? optional_argument :
						      l.of[i]->arg	   ? required_argument :
									     no_argument,
						      NULL, LONG_BASE + (int)i };
		if (opt_key(c, l.of[i])) {
			*s++ = l.of[i]->key;
			if (l.of[i]->arg)
				*s++ = ':';
		}
	}
	*s = '\0';
	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		unsigned i = 0;
		int rc;

		/* With '-' in front, words that are no options come in their order. */
		if (got == 1) {
			add_word(c, optarg);
			continue;
		}
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
	if (c->spec->command) {
		c->args = c->words;
		if (optind < argc || !strcmp(argv[argc - 1], "--"))
			c->command = argv + optind;
	} else {
		c->args = argv + optind;
		c->nargs = argc - optind;
	}
	if (c->head && c->tail)
		return cli_usage(c, false, "--head and --tail: give one of them");
	if (c->want_help || c->want_version) {
		if (c->want_help && c->nargs && c->spec->help_of)
			return c->spec->help_of(c, c->args[0]);
		if (c->want_help)
			show_help(c, stdout);
		else
			show_version(c);
		return fflush(stdout) ? CLI_DAMAGE : CLI_OK;
	}
	return -1;
}

bool cli_parse(struct cli *c, int argc, char **argv, int *status)
{
	*status = parse(c, argc, argv);
	return *status < 0;
}
