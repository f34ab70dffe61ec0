// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options: the help, and the parsing of a command line into settings and a filter.  reading.c has
 * the options that choose what is read; open_inputs.c continues from there.
 */
#include "programs/options.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "programs/config.h"
#include "programs/foreign.h"
#include "programs/help.h"
#include "programs/indexes.h"
#include "programs/names.h"
#include "programs/reading.h"
#include "programs/values.h"
#include "base/pack/codec.h"
#include "text/plugins.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct cli_opt GENERAL[] = {
	{ "verbose", 'v', NULL, "say more about what is done", OPT_FLAG(cli, words.verbose) },
	{ "version", 0, NULL, "show the versions of the program and its libraries",
	  OPT_FLAG(cli, words.version), .traits = CLI_LINE },
	{ "help", 'h', NULL, "show this", OPT_FLAG(cli, words.help), .traits = CLI_LINE },
	{ .name = NULL },
};

/* ---- the options ---- */

static const struct cli_row *row_with_key(const struct cli *c, int key)
{
	for (unsigned i = 0; i < c->nrows; i++)
		if (c->rows[i].key == key)
			return &c->rows[i];
	return NULL;
}

static void list_rows(struct cli *c)
{
	for (const struct cli_table *t = c->spec->tables; t->opts; t++)
		for (const struct cli_opt *o = t->opts; o->name && c->nrows < CLI_ROWS; o++) {
			int key = row_with_key(c, o->key) ? 0 : o->key;

			c->rows[c->nrows++] = (struct cli_row){ o, t, key };
		}
}

void cli_init(struct cli *c, const struct cli_spec *spec, void *arg)
{
	memset(c, 0, sizeof(*c));
	c->spec = spec;
	c->arg = arg;
	c->choice.end = UINT64_MAX;
	c->choice.filter = filter_new();
	c->words.source.notes = &c->run.notes;
	c->run.notes.say = cli_note;
	c->run.notes.arg = c;
	list_rows(c);
}

void cli_fini(struct cli *c)
{
	cli_clear(c);
	if (c->run.said > CLI_MAX_NOTES)
		cli_say(c, "and %" PRIu64 " more messages (-v shows all)",
			c->run.said - CLI_MAX_NOTES);
	if (c->run.ready)
		pump_fini(&c->run.pump);
	indexes_end(c);
	/* After the catalog, which borrows its texts. */
	synthetic_free(c->choice.synthetic);
	filter_free(c->choice.filter);
	symbols_free(c->run.symbols);
	names_end(c);
	words_free(c->choice.events);
	limit_free(c->choice.limit);
	texts_fini(&c->words.synthetic);
	free(c->given);
	stable_free(c->choice.stable);
	texts_fini(&c->words.stable);
	texts_fini(&c->words.debug_dirs);
	texts_fini(&c->words.inputs);
	texts_fini(&c->words.instances);
	free(c->words.memory);
	config_free(c->config);
	memset(c, 0, sizeof(*c));
}

void cli_input(struct cli *c, const char *path)
{
	texts_add(&c->words.inputs, path);
}

const char *cli_name(const struct cli_given *g, char buf[CLI_NAME_SIZE])
{
	if (g->line)
		snprintf(buf, CLI_NAME_SIZE, "%s (line %u)", g->row->opt->name, g->line);
	else if (g->by_letter && g->row->key)
		snprintf(buf, CLI_NAME_SIZE, "-%c", g->row->key);
	else
		snprintf(buf, CLI_NAME_SIZE, "--%s", g->row->opt->name);
	return buf;
}

const char *cli_name_of(const struct cli *c, const char *name, char buf[CLI_NAME_SIZE])
{
	const struct cli_given *g = cli_given(c, name);

	if (g)
		return cli_name(g, buf);
	snprintf(buf, CLI_NAME_SIZE, "--%s", name);
	return buf;
}

const struct cli_row *cli_row(const struct cli *c, const char *name, size_t len)
{
	for (unsigned i = 0; len && i < c->nrows; i++)
		if (strlen(c->rows[i].opt->name) == len && !memcmp(c->rows[i].opt->name, name, len))
			return &c->rows[i];
	return NULL;
}

bool cli_is_option(const struct cli *c, const char *word)
{
	if (word[0] != '-')
		return false;
	if (word[1] == '-')
		return cli_row(c, word + 2, strcspn(word + 2, "=")) != NULL;
	return word[1] && !word[2] && row_with_key(c, word[1]);
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

/* ---- given options ---- */

const struct cli_given *cli_given(const struct cli *c, const char *name)
{
	for (size_t i = c->ngiven; i--;)
		if (!strcmp(c->given[i].row->opt->name, name))
			return &c->given[i];
	return NULL;
}

void cli_given_as(struct cli *c, const char *from, const char *to)
{
	for (size_t i = 0; i < c->ngiven; i++)
		if (!strcmp(c->given[i].row->opt->name, from))
			c->given[i].row = cli_row(c, to, strlen(to));
}

unsigned cli_traits(const struct cli *c)
{
	unsigned traits = 0;

	for (size_t i = 0; i < c->ngiven; i++)
		traits |= c->given[i].row->opt->traits;
	return traits;
}

char *cli_given_word(const struct cli_given *g)
{
	const struct cli_opt *o = g->row->opt;
	size_t size = strlen(o->name) + (g->value ? strlen(g->value) : 0) + 4;
	char *word = mem_alloc(size);

	if (*o->name)
		snprintf(word, size, "--%s%s%s", o->name, g->value ? "=" : "",
			 g->value ? g->value : "");
	else
		snprintf(word, size, "-%c%s", o->key, g->value ? g->value : "");
	return word;
}

/* ---- parsing ---- */

static const char *next_name(void *arg)
{
	const struct cli_row **row = arg;

	return (*row)->opt ? (*row)++->opt->name : NULL;
}

/* Our option that is called NAME elsewhere; NULL: none of this program's. */
static const char *foreign_name(const struct cli *c, const char *name)
{
	const char *ours = foreign_option(name);

	return ours && cli_row(c, ours, strlen(ours)) ? ours : NULL;
}

static int unknown_opt(struct cli *c, const char *arg, int letter)
{
	const struct cli_row *next = c->rows;
	const char *near = NULL, *instead;
	char name[80];

	if (arg[0] == '-' && arg[1] == '-') {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
		if (letter && cli_row(c, name, strlen(name)))
			return cli_usage(c, true, "--%s takes no argument", name);
		instead = foreign_long(c->spec->prog, name);
		near = foreign_name(c, name);
		for (unsigned i = 0; i < c->nrows && !instead && !near; i++)
			if (*name && !strncmp(c->rows[i].opt->name, name, strlen(name)))
				return cli_usage(c, true, "--%s could be more than one option",
						 name);
		if (!near && !instead)
			near = nearest_name(name, next_name, &next);
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

/* The value of an option is invalid, as E says. */
static int wrong_value(struct cli *c, const struct cli_given *g, struct err *e)
{
	const char *other = g->by_letter ? foreign_letter(c->spec->prog, g->row->key) : NULL;
	char name[CLI_NAME_SIZE];

	if (!config_blame(c, g->value, e))
		err_within(e, "%s", cli_name(g, name));
	cli_say_err(c, e);
	if (other)
		cli_say(c, "as other tools mean -%c: %s", g->row->key, other);
	return CLI_USAGE;
}

static void *object_of(struct cli *c, const struct cli_table *t)
{
	switch (t->of) {
	case CLI_OF_PROGRAM:
		return c->arg;
	case CLI_OF_SESSION:
		return c->session;
	case CLI_OF_SCRIPT:
		return c->script;
	default:
		return c;
	}
}

int cli_give(struct cli *c, const struct cli_given *g, struct err *e)
{
	const struct cli_opt *o = g->row->opt;
	const char *value = g->value;

	c->given = mem_grow(c->given, &c->cap_given, c->ngiven + 1, sizeof(*c->given));
	c->given[c->ngiven++] = *g;
	if (o->traits & CLI_CHOOSES) {
		c->choice.hash = bytes_hash(c->choice.hash, o->name, strlen(o->name) + 1);
		c->choice.hash = bytes_hash(c->choice.hash, value ? value : "",
					    value ? strlen(value) + 1 : 1);
	}
	return o->type == CLI_CALL ? o->set(c, o, value, e) :
				     cli_value(o, object_of(c, g->row->table), value, e);
}

static int give(struct cli *c, const struct cli_row *row, bool by_letter, const char *value)
{
	const struct cli_given given = { .row = row, .value = value, .by_letter = by_letter };
	struct err e;

	return cli_give(c, &given, &e) < 0 ? wrong_value(c, &given, &e) : 0;
}

/* Values that had to wait until all options are known. */
static int give_later(struct cli *c)
{
	/*
	 * In an instance of another program the kernel's choice is not changed: what is read is
	 * filtered.
	 */
	const struct cli_chooser *by = c->chooser && !c->words.instances.n ? c->chooser :
									     &READING_CHOOSER;

	for (size_t i = 0; i < c->ngiven; i++) {
		const struct cli_given *g = &c->given[i];
		struct err e;

		if (g->row->opt->type == CLI_LATER &&
		    by->take[g->row->opt->word](c, g->value, &e) < 0)
			return wrong_value(c, g, &e);
	}
	return 0;
}

void cli_add_word(struct cli *c, char *word)
{
	c->words.memory = mem_grow(c->words.memory, &c->words.cap_memory, c->words.nargs + 1,
				   sizeof(*c->words.memory));
	c->words.memory[c->words.nargs++] = word;
}

/* Options without a letter get numbers from here on. */
#define LONG_BASE 256

/* For getopt_long(): all options, the long ones as LONG_BASE and their number. */
static void list_for_getopt(const struct cli *c, struct option *longs, char *letters)
{
	if (c->spec->stop_at_first)
		*letters++ = '+';
	if (c->spec->command)
		*letters++ = '-';
	*letters++ = ':';
	for (unsigned i = 0; i < c->nrows; i++) {
		const struct cli_opt *o = c->rows[i].opt;
		bool optional = help_is_optional(o);

		if (*o->name)
			*longs++ = (struct option){ o->name,
						    optional ? optional_argument :
						    o->arg   ? required_argument :
							       no_argument,
						    NULL, LONG_BASE + (int)i };
		if (!c->rows[i].key)
			continue;
		*letters++ = (char)c->rows[i].key;
		for (int n = optional ? 2 : o->arg ? 1 : 0; n; n--)
			*letters++ = ':';
	}
	*longs = (struct option){ NULL };
	*letters = '\0';
}

/* Which option getopt_long() means by GOT. */
static const struct cli_row *row_got(const struct cli *c, int got)
{
	return got < LONG_BASE ? row_with_key(c, got) : &c->rows[got - LONG_BASE];
}

/* -LETTER has no argument.  The option that lost that letter to another may be meant. */
static int no_argument_given(struct cli *c, int got)
{
	const struct cli_row *row = row_got(c, got);
	const char *other = NULL;

	if (got >= LONG_BASE)
		return cli_usage(c, true, "--%s needs an argument: %s", row->opt->name,
				 row->opt->arg);
	for (unsigned i = 0; i < c->nrows; i++)
		if (c->rows[i].opt->key == row->key && !c->rows[i].key)
			other = c->rows[i].opt->name;
	return cli_usage(c, true, "-%c needs an argument: %s%s%s%s", row->key, row->opt->arg,
			 other ? "; did you mean --" : "", other ? other : "", other ? "?" : "");
}

/* What getopt_long() GOT.  The exit status, or 0. */
static int take(struct cli *c, char **argv, int got)
{
	const struct cli_row *row;

	switch (got) {
	case 1:
		/* With '-' in front, words that are not options come in order. */
		cli_add_word(c, optarg);
		return 0;
	case ':':
		return no_argument_given(c, optopt);
	case '?':
		return unknown_opt(c, argv[optind - 1], optopt);
	default:
		/* getopt_long() knows no others than ours. */
		row = row_got(c, got);
		return row ? give(c, row, got < LONG_BASE, optarg) : CLI_USAGE;
	}
}

static int take_all(struct cli *c, int argc, char **argv)
{
	struct option longs[CLI_ROWS + 1];
	char letters[4 + 3 * CLI_ROWS];
	const char *last = NULL;
	int got, status;

	list_for_getopt(c, longs, letters);
	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		last = got == 1 ? last : optarg;
		status = take(c, argv, got);
		if (status)
			return status;
	}
	if (c->spec->command) {
		c->words.args = c->words.memory;
		if (optind < argc || !strcmp(argv[argc - 1], "--"))
			c->words.command = argv + optind;
	} else {
		c->words.args = argv + optind;
		c->words.nargs = argc - optind;
		c->words.dashes = !strcmp(argv[optind - 1], "--") && argv[optind - 1] != last;
	}
	return 0;
}

/* --help, --version: the exit status. */
static int answer(struct cli *c)
{
	if (c->words.help && c->words.nargs && c->spec->help_of)
		return c->spec->help_of(c, c->words.args[0]);
	if (c->words.help)
		help_show(c, stdout);
	else
		show_version(c);
	return fflush(stdout) ? CLI_DAMAGE : CLI_OK;
}

bool cli_parse(struct cli *c, int argc, char **argv, int *status)
{
	*status = take_all(c, argc, argv);
	if (*status)
		return false;
	if (c->words.help || c->words.version) {
		*status = answer(c);
		return false;
	}
	*status = give_later(c);
	return !*status;
}
