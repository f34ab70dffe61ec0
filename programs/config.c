// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * config: a file of settings, a line for each, given to the table of options as if they were on the
 * command line.
 */
#include "programs/config.h"

#include "base/glob.h"
#include "base/io.h"
#include "expr/expr.h"
#include "programs/help.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"
#define KEY_BYTES "abcdefghijklmnopqrstuvwxyz0123456789-"
#define WORDS "events"

struct config_line {
	const char *path, *text; /* the line, without the blanks at its ends */
	unsigned number;	 /* from 1 */
	size_t key;		 /* the length of its key */
	char *value;		 /* a copy, which options and words borrow; NULL: there is none */
	size_t at, len;		 /* where the value is in TEXT */
	bool wrong;		 /* it is no KEY = VALUE: reported, and not used */
};

struct config_lines {
	struct arena arena;
	struct config_line *v;
	size_t n, cap;
};

void config_free(struct config_lines *l)
{
	if (!l)
		return;
	arena_fini(&l->arena);
	free(l->v);
	free(l);
}

/* ---- errors ---- */

static int complain(const struct config_line *l, size_t at, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int complain(const struct config_line *l, size_t at, struct err *e, const char *fmt, ...)
{
	char msg[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	expr_complain(e, l->text, at, "%s", msg);
	return err_within(e, "%s: line %u", l->path, l->number);
}

/* E is about byte AT of the line: with the line and a caret. */
static int blame(const struct config_line *l, size_t at, struct err *e)
{
	char msg[sizeof(e->msg)];

	snprintf(msg, sizeof(msg), "%.*s", (int)strcspn(e->msg, "\n"), e->msg);
	return complain(l, at, e, "%.*s: %s", (int)l->key, l->text, msg);
}

bool config_blame(const struct cli *c, const char *value, struct err *e)
{
	const struct config_lines *all = c->config;

	for (size_t i = 0; value && all && i < all->n; i++) {
		const struct config_line *l = &all->v[i];

		if (!l->value || value < l->value || value > l->value + l->len)
			continue;
		blame(l, l->at + (size_t)(value - l->value), e);
		return true;
	}
	return false;
}

/* ---- keys ---- */

static bool is_setting(const struct cli_row *row, unsigned mode)
{
	unsigned modes = row->opt->modes ? row->opt->modes : row->table->modes;

	return *row->opt->name && !(row->opt->traits & CLI_LINE) && (!modes || (modes & mode));
}

struct settings {
	const struct cli *c;
	unsigned mode, next;
};

static const char *next_setting(void *arg)
{
	struct settings *s = arg;

	while (s->next < s->c->nrows) {
		const struct cli_row *row = &s->c->rows[s->next++];

		if (is_setting(row, s->mode))
			return row->opt->name;
	}
	if (s->next++ == s->c->nrows)
		return WORDS;
	return NULL;
}

static int no_setting(const struct cli *c, const struct config_line *l, unsigned mode,
		      const struct cli_row *row, struct err *e)
{
	struct settings all = { c, mode, 0 };
	char name[80];
	const char *near;

	if (row)
		return complain(l, 0, e, "'%s' is for the command line only", row->opt->name);
	snprintf(name, sizeof(name), "%.*s", (int)l->key, l->text);
	near = nearest_name(name, next_setting, &all);
	return complain(l, 0, e, "no option '%s'%s%s%s", name, near ? "; did you mean '" : "",
			near ? near : "", near ? "'?" : "");
}

/* ---- lines ---- */

/* Cut L's text into key and value. */
static int cut(struct config_lines *all, struct config_line *l, struct err *e)
{
	size_t at;

	l->key = strspn(l->text, KEY_BYTES);
	at = l->key + strspn(l->text + l->key, BLANKS);
	if (!l->key || (l->text[at] && l->text[at] != '='))
		return complain(l, l->key ? at : 0, e, "expected KEY = VALUE");
	if (!l->text[at])
		return 0;
	at++;
	l->at = at + strspn(l->text + at, BLANKS);
	l->len = strlen(l->text + l->at);
	l->value = arena_strndup(&all->arena, l->text + l->at, l->len);
	return 0;
}

static bool is_words(const struct config_line *l)
{
	return l->key == strlen(WORDS) && !memcmp(l->text, WORDS, l->key);
}

/* Does a line of O need no value?  *OFF: it says "no". */
static bool is_bare(const struct cli_opt *o, const struct config_line *l, bool *off)
{
	*off = l->value && !strcmp(l->value, "no");
	return !l->value || *off || !strcmp(l->value, "yes");
}

static int give(struct cli *c, const struct config_line *l, unsigned mode, struct err *e)
{
	const struct cli_row *row = cli_row(c, l->text, l->key);
	struct cli_given g = { .row = row, .value = l->value, .line = l->number };
	const struct cli_opt *o = row ? row->opt : NULL;
	bool off;

	if (!row || !is_setting(row, mode))
		return no_setting(c, l, mode, row, e);
	if (!o->arg || help_is_optional(o)) {
		if (is_bare(o, l, &off))
			g.value = NULL;
		else if (!o->arg)
			return complain(l, l->at, e, "%s is 'yes' or 'no', not '%s'", o->name,
					l->value);
		if (off)
			return 0;
	} else if (!l->value) {
		return complain(l, strlen(l->text), e, "%s needs a value: %s = %s", o->name,
				o->name, o->arg);
	}
	return cli_give(c, &g, e) < 0 ? blame(l, l->value ? l->at : 0, e) : 0;
}

static int give_words(struct cli *c, struct config_line *l, struct err *e)
{
	char *rest = l->value, *word;
	bool any = false;

	while ((word = strsep(&rest, BLANKS))) {
		if (*word)
			cli_add_word(c, word);
		any |= *word != '\0';
	}
	return any ? 0 : complain(l, strlen(l->text), e, "no event given");
}

static int take_line(struct config_lines *all, const char *path, const char *text, size_t len,
		     unsigned number, struct err *e)
{
	struct config_line *l;

	for (; len && strchr(BLANKS, *text); len--)
		text++;
	while (len && strchr(BLANKS "\r", text[len - 1]))
		len--;
	if (!len || *text == '#')
		return 0;
	all->v = mem_grow(all->v, &all->cap, all->n + 1, sizeof(*all->v));
	l = &all->v[all->n++];
	*l = (struct config_line){ .path = path,
				   .text = arena_strndup(&all->arena, text, len),
				   .number = number };
	if (cut(all, l, e) == 0)
		return 0;
	l->wrong = true;
	return -1;
}

/* The mistakes of a file: without ALL the first one ends its reading. */
struct mistakes {
	struct cli *cli;
	bool all;
	unsigned n;
	struct err *last; /* the one that is not reported yet */
};

/* RC of what was done with a line, and E: false: that ends the reading. */
static bool go_on(struct mistakes *m, int rc, const struct err *e)
{
	if (rc == 0)
		return true;
	if (m->n++) {
		err_within(m->last, "--check-config");
		cli_say_err(m->cli, m->last);
	}
	*m->last = *e;
	return m->all;
}

static void take_lines(struct config_lines *all, const char *path, const char *text, size_t len,
		       struct mistakes *m)
{
	const char *end = text + len, *stop;
	unsigned number = 0;
	struct err e;

	for (const char *p = text; p < end; p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p));
		if (!stop)
			stop = end;
		if (!go_on(m, take_line(all, path, p, (size_t)(stop - p), ++number, &e), &e))
			return;
	}
}

/* Those from FIRST on, WORDS or all others. */
static void give_lines(struct cli *c, size_t first, bool words, unsigned mode, struct mistakes *m)
{
	struct err e;

	for (size_t i = first; i < c->config->n && (m->all || !m->n); i++) {
		struct config_line *l = &c->config->v[i];

		if (l->wrong || is_words(l) != words)
			continue;
		go_on(m, words ? give_words(c, l, &e) : give(c, l, mode, &e), &e);
	}
}

int config_read(struct cli *c, const char *path, unsigned mode, bool all, struct err *e)
{
	struct mistakes m = { .cli = c, .all = all, .last = e };
	size_t len, first;
	char *text = io_text(open(path, O_RDONLY | O_CLOEXEC), CONFIG_MOST, &len);

	if (!text) {
		err_sys(e, ERR_NO_OFF, "cannot read it");
		return err_path(e, path);
	}
	if (memchr(text, '\0', len)) {
		free(text);
		err_set(e, ERR_USAGE, ERR_NO_OFF, "this is not a text file");
		return err_path(e, path);
	}
	if (!c->config)
		c->config = mem_zalloc(sizeof(*c->config));
	first = c->config->n;
	take_lines(c->config, arena_strndup(&c->config->arena, path, strlen(path)), text, len, &m);
	free(text);
	give_lines(c, first, false, mode, &m);
	/* Last: an option without a value may be about the word before it (--stack). */
	give_lines(c, first, true, mode, &m);
	return m.n ? -1 : 0;
}
