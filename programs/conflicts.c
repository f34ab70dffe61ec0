// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * conflicts: which of a program's modes the options select, and which options do not go with it or
 * with each other.
 */
#include "programs/conflicts.h"

#include <stdio.h>
#include <string.h>

#define NAMES 160 /* bytes of an item's name in a message */

/* ---- items of rules ---- */

static bool is(const char *item, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(item, name, len);
}

/* Does the item name ROW: as an option, by a trait, as one of a session? */
static bool is_named(const struct cli_row *row, const char *item, size_t len)
{
	static const struct {
		const char *name;
		unsigned trait;
	} traits[] = { { "CHOOSES", CLI_CHOOSES }, { "SETS", CLI_SETS } };

	for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); i++)
		if (is(item, len, traits[i].name))
			return row->opt->traits & traits[i].trait;
	return is(item, len, row->opt->name) ||
	       (is(item, len, "SESSION") && row->table->of == CLI_OF_SESSION);
}

/* "-o -", "--live=EVENTS": the name of an option whose VALUE, or any value, an item names. */
static void name_value(const struct cli_given *g, const char *value, char *name, size_t size)
{
	const char *arg = g->row->opt->arg, *what = arg + strspn(arg, "[=");
	char option[CLI_NAME_SIZE];

	snprintf(name, size, "%s%s%.*s", cli_name(g, option), *arg == '[' ? "=" : " ",
		 *value == '*' ? (int)strcspn(what, "]") : NAMES, *value == '*' ? what : g->value);
}

/* Was the item given?  NAME: its name in messages. */
static bool has_one(const struct cli *c, const char *item, size_t len, char *name, size_t size)
{
	const char *equals = memchr(item, '=', len), *value = equals ? equals + 1 : NULL;
	size_t short_len = equals ? (size_t)(equals - item) : len, i = c->ngiven;
	const struct cli_given *g;
	char option[CLI_NAME_SIZE];

	if (is(item, len, "WORDS")) {
		snprintf(name, size, "%s", c->spec->word.name);
		return c->words.nargs;
	}
	if (is(item, len, "COMMAND")) {
		snprintf(name, size, "%s", c->spec->command_word.name);
		return c->words.command;
	}
	while (i && !is_named(c->given[i - 1].row, item, short_len))
		i--;
	if (!i)
		return false;
	g = &c->given[i - 1];
	snprintf(name, size, "%s", cli_name(g, option));
	if (!value)
		return true;
	if (!g->value || (*value != '*' && !is(value, item + len - value, g->value)))
		return false;
	name_value(g, value, name, size);
	return true;
}

/* The same for an item that may be several, "live+instance": all of them. */
static bool has_all(const struct cli *c, const char *item, size_t len, char name[NAMES])
{
	const char *end = item + len;
	size_t at = 0;

	for (;;) {
		const char *plus = memchr(item, '+', end - item);

		if (!has_one(c, item, (plus ? plus : end) - item, name + at, NAMES - at))
			return false;
		if (!plus)
			return true;
		item = plus + 1;
		at = strlen(name) + 1;
		if (at >= NAMES)
			return true;
		name[at - 1] = ' ';
	}
}

/* Was one of the items given? */
static bool has_any(const struct cli *c, const char *items, char name[NAMES])
{
	for (size_t len; *items; items += len + (items[len] == ' ')) {
		len = strcspn(items, " ");
		if (has_all(c, items, len, name))
			return true;
	}
	return false;
}

static bool keeps_rule(struct cli *c, const struct cli_rule *r)
{
	char one[NAMES], other[NAMES];

	if (!has_any(c, r->these, one) || has_any(c, r->those, other) == (r->is == CLI_NEEDS))
		return true;
	if (r->is == CLI_NEEDS)
		cli_usage(c, false, "%s %s", one, r->why);
	else
		cli_usage(c, false, "%s does not go with %s: %s", one, other, r->why);
	return false;
}

static bool keeps_rules(struct cli *c, unsigned mode)
{
	for (const struct cli_table *t = c->spec->tables; t->opts; t++)
		for (const struct cli_rule *r = t->rules; r && r->these; r++)
			if ((!r->modes || (r->modes & mode)) && !keeps_rule(c, r))
				return false;
	return true;
}

/* ---- modes ---- */

const char *cli_mode_name(const struct cli *c, unsigned mode, char buf[CLI_NAME_SIZE])
{
	const struct cli_mode *m = &c->spec->modes[__builtin_ctz(mode)];

	return mode == 1 ? m->name : cli_name_of(c, m->name, buf);
}

/* 0: more than one is asked for, which was reported. */
static unsigned asked_mode(struct cli *c)
{
	char one[CLI_NAME_SIZE], other[CLI_NAME_SIZE];
	unsigned modes = 0, first, second;

	for (unsigned i = 1; c->spec->modes && c->spec->modes[i].name; i++)
		if (cli_given(c, c->spec->modes[i].name))
			modes |= 1u << i;
	first = modes & -modes;
	second = modes & ~first;
	if (!second)
		return modes ? modes : 1;
	cli_usage(c, false, "%s and %s are different things: give one of them",
		  cli_mode_name(c, first, one), cli_mode_name(c, second & -second, other));
	return 0;
}

/* Is NAME, valid in MODES (0: in all), valid in MODE? */
static bool is_of(struct cli *c, unsigned mode, const char *name, unsigned modes,
		  const char *instead)
{
	char buf[CLI_NAME_SIZE];

	if (!modes || (modes & mode))
		return true;
	cli_usage(c, false, "%s does not go with %s: %s", name, cli_mode_name(c, mode, buf),
		  instead ? instead : c->spec->modes[__builtin_ctz(modes)].instead);
	return false;
}

static bool are_of(struct cli *c, unsigned mode)
{
	const struct cli_positional *word = &c->spec->word, *command = &c->spec->command_word;

	for (size_t i = 0; i < c->ngiven; i++) {
		const struct cli_given *g = &c->given[i];
		const struct cli_row *row = g->row;
		unsigned modes = row->opt->modes ? row->opt->modes : row->table->modes;
		char name[CLI_NAME_SIZE];

		if (!is_of(c, mode, cli_name(g, name), modes, row->opt->instead))
			return false;
	}
	return (!c->words.command ||
		is_of(c, mode, command->name, command->modes, command->instead)) &&
	       (!c->words.nargs || is_of(c, mode, word->name, word->modes, word->instead));
}

unsigned cli_asked(struct cli *c)
{
	unsigned mode = asked_mode(c);

	return mode && are_of(c, mode) && keeps_rules(c, mode) ? mode : 0;
}
