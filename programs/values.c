// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values: the values of options, by the type that their rows name.
 */
#include "programs/values.h"

#include "base/glob.h"
#include "base/mem.h"
#include "programs/amount.h"
#include "run/times.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void texts_add(struct cli_texts *t, const char *text)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = text;
}

void texts_fini(struct cli_texts *t)
{
	free(t->v);
	*t = (struct cli_texts){ .v = NULL };
}

/* ---- numbers ---- */

/* A number from 1 to MOST; 0: no maximum. */
static int read_number(const struct cli_opt *o, const char *text, uint64_t *out, struct err *e)
{
	size_t digits = strspn(text, "0123456789");
	bool whole = digits && !text[digits];

	errno = 0;
	*out = whole ? strtoull(text, NULL, 10) : 0;
	if (*out && !errno && (!o->most || *out <= o->most))
		return 0;
	if (!o->most)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is not a number of 1 or more", text);
	if (o->beyond && *out)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': at most %" PRIu64 " %s", text,
			       o->most, o->beyond);
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is not a number from 1 to %" PRIu64, text,
		       o->most);
}

/* Bytes; a bare number counts UNIT of them. */
static int read_size(const char *text, uint64_t unit, uint64_t *out, struct err *e)
{
	static const char SUFFIXES[] = "KMG";
	size_t digits = strspn(text, "0123456789");
	const char *suffix = text[digits] ? strchr(SUFFIXES, toupper((unsigned char)text[digits])) :
					    NULL;

	errno = 0;
	*out = digits ? strtoull(text, NULL, 10) : 0;
	if (suffix)
		unit = 1024ull << (10 * (suffix - SUFFIXES));
	if (*out && !errno && !text[digits + (suffix != NULL)] &&
	    !__builtin_mul_overflow(*out, unit, out))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "'%s' is not a size: write a number, with K, M or G after it", text);
}

static int read_kb(const char *text, unsigned *out, struct err *e)
{
	uint64_t bytes;

	TRY(read_size(text, 1024, &bytes, e));
	if (bytes / 1024 > INT_MAX)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is more than there can be", text);
	*out = bytes / 1024;
	return 0;
}

static int read_duration(const struct cli_opt *o, const char *text, uint64_t *out, struct err *e)
{
	TRY(times_duration(text, out, e));
	if (*out >= o->least && (!o->most || *out <= o->most))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s'%s", text, o->beyond);
}

/* ---- words ---- */

static const char *next_word(void *arg)
{
	const struct cli_word **w = arg;

	return (*w)->name ? (*w)++->name : NULL;
}

/* "zed, report and json", into BUF. */
static const char *all_words(const struct cli_word *w, char *buf, size_t size)
{
	size_t len = 0;

	for (const struct cli_word *first = w; w->name && len < size; w++)
		len += snprintf(buf + len, size - len, "%s%s",
				w == first    ? "" :
				(w + 1)->name ? ", " :
						" and ",
				w->name);
	return buf;
}

static int read_word(const struct cli_opt *o, const char *text, unsigned *out, struct err *e)
{
	const struct cli_word *next = o->words;
	const char *near, *what = o->arg + strspn(o->arg, "[=");
	char all[200];

	for (const struct cli_word *w = o->words; w->name; w++)
		if (!strcmp(text, w->name)) {
			*out = w->means;
			return 0;
		}
	near = nearest_name(text, next_word, &next);
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "no %.*s '%s'%s%s%s: there are %s",
		       (int)strcspn(what, "]"), what, text, near ? "; did you mean '" : "",
		       near ? near : "", near ? "'?" : "", all_words(o->words, all, sizeof(all)));
}

static int read_name(const struct cli_opt *o, const char *text, const char **out, struct err *e)
{
	*out = text;
	return *text ? 0 :
		       err_set(e, ERR_USAGE, ERR_NO_OFF, "%s",
			       o->beyond ? o->beyond : "the name is empty");
}

int cli_value(const struct cli_opt *o, void *object, const char *value, struct err *e)
{
	void *at = (char *)object + o->at;
	uint64_t n;

	switch (o->type) {
	case CLI_ASKS:
	case CLI_CALL:
	case CLI_LATER:
		break;
	case CLI_FLAG:
		*(bool *)at = true;
		break;
	case CLI_CONST:
		*(unsigned *)at = o->word;
		break;
	case CLI_TEXT:
		*(const char **)at = value;
		break;
	case CLI_NAME:
		return read_name(o, value, at, e);
	case CLI_TEXTS:
		texts_add(at, value);
		break;
	case CLI_NUMBER:
		TRY(read_number(o, value, &n, e));
		*(unsigned *)at = (unsigned)n;
		break;
	case CLI_COUNT:
		return read_number(o, value, at, e);
	case CLI_SIZE:
		*(uint64_t *)at = 0;
		return strcmp(value, "0") ? read_size(value, 1, at, e) : 0;
	case CLI_KB:
		return read_kb(value, at, e);
	case CLI_DURATION:
		return read_duration(o, value, at, e);
	case CLI_AMOUNT:
		return amount_parse(value, at, e);
	case CLI_TIME:
		return times_word(value, at, e);
	case CLI_WORD:
		if (value)
			return read_word(o, value, at, e);
		*(unsigned *)at = o->word;
		break;
	}
	return 0;
}
