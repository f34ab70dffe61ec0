// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options: the help, and the parsing of a command line into settings and a filter.  reading.c has
 * the options that choose what is read; open_inputs.c goes on from there.
 */
#include "programs/options.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "programs/foreign.h"
#include "programs/help.h"
#include "programs/reading.h"
#include "base/pack/codec.h"
#include "text/plugins.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	while (c->ngiven)
		free(c->given[--c->ngiven]);
	free(c->given);
	stable_free(c->stable);
	free(c->stable_paths);
	free(c->choices);
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

static bool is_of(const struct cli_opt *o, const struct cli_opt *list)
{
	for (; list && list->name; list++)
		if (list == o)
			return true;
	return false;
}

/* O's letter, or 0 where the program's own options have taken it for something else. */
static int opt_key(const struct cli *c, const struct cli_opt *o)
{
	const struct cli_opt *own = c->spec->opts;

	if ((o >= GENERAL && o < GENERAL + sizeof(GENERAL) / sizeof(GENERAL[0])) ||
	    is_of(o, c->spec->session))
		for (; o->key && own && own->name; own++)
			if (own->key == o->key)
				return 0;
	return o->key;
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
		help_options(c, c->spec->opts, opt_key, to);
	if (c->spec->session_head)
		fprintf(to, "%s\n", c->spec->session_head);
	if (c->spec->session)
		help_options(c, c->spec->session, opt_key, to);
	if (c->spec->choosing_head)
		fprintf(to, "%s\n", c->spec->choosing_head);
	help_options(c, CHOOSING, opt_key, to);
	if (!c->spec->no_reading)
		help_options(c, READING, opt_key, to);
	help_options(c, GENERAL, opt_key, to);
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
	const struct cli_opt *const lists[] = { c->spec->opts, c->spec->session, CHOOSING, READING,
						GENERAL };
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

/* Which of our options is called NAME elsewhere; NULL: none of those that there are. */
static const char *foreign_name(const struct opt_list *l, const char *name)
{
	const char *ours = foreign_option(name);

	for (unsigned i = 0; ours && i < l->n; i++)
		if (!strcmp(l->of[i]->name, ours))
			return ours;
	return NULL;
}

static int unknown_opt(struct cli *c, struct opt_list *l, const char *arg, int letter)
{
	const char *near = NULL, *instead;
	char name[80];

	if (arg[0] == '-' && arg[1] == '-') {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
		for (unsigned i = 0; i < l->n && letter; i++)
			if (!strcmp(l->of[i]->name, name))
				return cli_usage(c, true, "--%s takes no argument", name);
		instead = foreign_long(c->spec->prog, name);
		near = foreign_name(l, name);
		for (unsigned i = 0; i < l->n && !instead && !near; i++)
			if (*name && !strncmp(l->of[i]->name, name, strlen(name)))
				return cli_usage(c, true, "--%s could be more than one option",
						 name);
		if (!near && !instead)
			near = nearest_name(name, next_opt, l);
		if (!near && !instead)
			instead = c->spec->no_option;
		if (instead)
			return cli_usage(c, true, "no option --%s: %s%s%s", name, instead,
					 instead == c->spec->no_option ? " --" : "",
					 instead == c->spec->no_option ? name : "");
		return cli_usage(c, true, "no option --%s%s%s%s", name,
				 near ? "; did you mean --" : "", near ? near : "",
				 near ? "?" : "");
	}
	near = foreign_letter(c->spec->prog, letter);
	return cli_usage(c, true, "no option -%c%s%s", letter, near ? ": " : "", near ? near : "");
}

/* Options that leave what is read as it is. */
static bool leaves_events(const struct cli_opt *o)
{
	static const char *const names[] = { "input", "ns", "force-merge", "strict", "stats" };

	if (!is_of(o, READING))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(o->name, names[i]))
			return true;
	return false;
}

/* Remember it, so that another process can be given the same. */
static void note_opt(struct cli *c, const struct cli_opt *o, const char *value)
{
	size_t size = strlen(o->name) + (value ? strlen(value) : 0) + 4;
	char *word = mem_alloc(size);

	if (*o->name)
		snprintf(word, size, "--%s%s%s", o->name, value ? "=" : "", value ? value : "");
	else
		snprintf(word, size, "-%c%s", o->key, value ? value : "");
	c->given = mem_grow(c->given, &c->cap_given, c->ngiven + 1, sizeof(*c->given));
	c->given[c->ngiven++] = word;
}

static int set_opt(struct cli *c, const struct cli_opt *o, const char *value)
{
	const char *other;
	struct err e;

	note_opt(c, o, value);
	if (!leaves_events(o)) {
		c->chosen = bytes_hash(c->chosen, o->name, strlen(o->name) + 1);
		c->chosen = bytes_hash(c->chosen, value ? value : "",
				       value ? strlen(value) + 1 : 1);
	}
	if (!o->set) {
		*(bool *)((char *)c + o->flag) = true;
		return 0;
	}
	if (o->set(c, value, &e) == 0)
		return 0;
	if (opt_key(c, o))
		err_within(&e, "-%c", o->key);
	else
		err_within(&e, "--%s", o->name);
	cli_say_err(c, &e);
	other = o->key ? foreign_letter(c->spec->prog, o->key) : NULL;
	if (other)
		cli_say(c, "as other tools mean -%c: %s", o->key, other);
	return CLI_USAGE;
}

static int apply_choices(struct cli *c)
{
	/* In an instance of somebody else nothing is chosen: what is read is. */
	const struct cli_chooser *by = c->chooser && !c->ninstances ? c->chooser : &READING_CHOOSER;

	for (size_t i = 0; i < c->nchoices; i++) {
		const char *value = c->choices[i].value;
		const char *name = NULL;
		struct err e;
		int rc = 0;

		switch (c->choices[i].kind) {
		case CHOICE_FILTER:
			rc = by->filter(c, value, &e);
			name = "-F";
			break;
		case CHOICE_PIDS:
			rc = by->pids(c, value, &e);
			name = "-P";
			break;
		case CHOICE_CPUS:
			rc = by->cpus(c, value, &e);
			name = "--cpu";
			break;
		}
		if (rc < 0) {
			err_within(&e, "%s", name);
			cli_say_err(c, &e);
			return CLI_USAGE;
		}
	}
	return 0;
}

static void add_word(struct cli *c, char *word)
{
	c->words = mem_grow(c->words, &c->cap_words, c->nargs + 1, sizeof(*c->words));
	c->words[c->nargs++] = word;
}

/* Behind -LETTER nothing stands.  A letter of a general option's may have been meant for that. */
static int no_argument_given(struct cli *c, const struct opt_list *l, int letter)
{
	const struct cli_opt *own = NULL, *general = NULL;

	for (unsigned i = 0; i < l->n; i++)
		if (l->of[i]->key == letter)
			*(opt_key(c, l->of[i]) ? &own : &general) = l->of[i];
	return cli_usage(c, true, "-%c needs an argument%s%s%s%s%s", letter, own ? ": " : "",
			 own ? own->arg : "", own && general ? "; did you mean --" : "",
			 own && general ? general->name : "", own && general ? "?" : "");
}

/* Options without a letter get numbers from here on. */
#define LONG_BASE 256

/* Returns the exit status, or -1 to go on. */
static int parse(struct cli *c, int argc, char **argv)
{
	struct opt_list l = { .n = 0 };
	struct option longs[129];
	char letters[3 + 3 * 128], *s = letters;
	const char *last = NULL;
	int got, rc;

	list_opts(&l, c->spec->opts);
	list_opts(&l, c->spec->session);
	list_opts(&l, CHOOSING);
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
						      help_is_optional(l.of[i]) ?
							      optional_argument :
						      l.of[i]->arg ? required_argument :
								     no_argument,
						      NULL, LONG_BASE + (int)i };
		if (opt_key(c, l.of[i])) {
			*s++ = l.of[i]->key;
			if (l.of[i]->arg)
				*s++ = ':';
			if (help_is_optional(l.of[i]))
				*s++ = ':';
		}
	}
	*s = '\0';
	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		unsigned i = 0;

		/* With '-' in front, words that are no options come in their order. */
		if (got == 1) {
			add_word(c, optarg);
			continue;
		}
		if (got == ':') {
			if (optopt < LONG_BASE)
				return no_argument_given(c, &l, optopt);
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
		last = optarg;
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
		c->dashes = !strcmp(argv[optind - 1], "--") && argv[optind - 1] != last;
	}
	rc = c->want_help || c->want_version ? 0 : apply_choices(c);
	if (rc)
		return rc;
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
