// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * facility_lex: splits the text of LTT facility descriptions into tokens, with the line and column
 * of each for messages.
 */
#include "reader/ltt/facility/facility_lex.h"

#include "base/ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lttlex_init(struct lttlex *l, const char *text, size_t len)
{
	memset(l, 0, sizeof(*l));
	l->p = text;
	l->end = text + len;
	l->line = l->column = 1;
}

int(lttlex_err)(const struct lttlex *l, struct err *e, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "line %u, column %u: %s", l->at_line,
		       l->at_column, what);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

static void next_byte(struct lttlex *l)
{
	if (*l->p++ == '\n') {
		l->line++;
		l->column = 1;
	} else {
		l->column++;
	}
}

static void next_bytes(struct lttlex *l, size_t n)
{
	while (n--)
		next_byte(l);
}

static bool starts(const struct lttlex *l, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(l->end - l->p) >= n && !memcmp(l->p, with, n);
}

static void mark(struct lttlex *l)
{
	l->text = l->p;
	l->at_line = l->line;
	l->at_column = l->column;
}

/* If OPEN is here, skip from it to after CLOSE.  1 if so. */
static int skip_over(struct lttlex *l, const char *open, const char *close, struct err *e)
{
	if (!starts(l, open))
		return 0;
	mark(l);
	next_bytes(l, strlen(open));
	while (!starts(l, close)) {
		if (l->p == l->end)
			return lttlex_err(l, e, "what begins with %s has no %s", open, close);
		next_byte(l);
	}
	next_bytes(l, strlen(close));
	return 1;
}

static int skip_between(struct lttlex *l, struct err *e)
{
	static const char *const forms[][2] = {
		{ "/*", "*/" },
		{ "<!--", "-->" },
		{ "<?", "?>" },
		{ "<!", ">" },
	};
	bool again = true;

	while (again) {
		again = false;
		while (l->p < l->end && ascii_space(*l->p))
			next_byte(l);
		if (starts(l, "//")) {
			while (l->p < l->end && *l->p != '\n')
				next_byte(l);
			again = true;
		}
		for (unsigned i = 0; !again && i < sizeof(forms) / sizeof(forms[0]); i++) {
			int rc = skip_over(l, forms[i][0], forms[i][1], e);

			if (rc < 0)
				return -1;
			again = rc;
		}
	}
	return 0;
}

static int quoted(struct lttlex *l, struct err *e)
{
	char quote = *l->p;

	next_byte(l);
	l->text = l->p;
	while (l->p < l->end && *l->p != quote) {
		if (*l->p == '\\' && l->end - l->p > 1)
			next_byte(l);
		else if (*l->p == '\n')
			return lttlex_err(l, e, "this string has no end on its line");
		next_byte(l);
	}
	if (l->p == l->end)
		return lttlex_err(l, e, "this string has no end");
	l->token = LTT_QUOTED;
	l->len = l->p - l->text;
	next_byte(l);
	return 0;
}

int lttlex_next(struct lttlex *l, struct err *e)
{
	static const char marks[] = "<>/=";
	static const enum ltt_token tokens[] = { LTT_LESS, LTT_GREATER, LTT_SLASH, LTT_EQUAL };
	const char *m;

	TRY(skip_between(l, e));
	mark(l);
	l->len = 0;
	if (l->p == l->end) {
		l->token = LTT_END;
		return 0;
	}
	m = *l->p ? strchr(marks, *l->p) : NULL;
	if (m) {
		l->token = tokens[m - marks];
		next_byte(l);
	} else if (*l->p == '"' || *l->p == '\'') {
		TRY(quoted(l, e));
		if (l->len > LTT_MAX_TOKEN)
			return lttlex_err(l, e, "a string of more than %d bytes", LTT_MAX_TOKEN);
		return 0;
	} else if (ascii_digit(*l->p) || is_letter(*l->p)) {
		l->token = ascii_digit(*l->p) ? LTT_NUMBER : LTT_NAME;
		while (l->p < l->end && (is_letter(*l->p) || ascii_digit(*l->p)))
			next_byte(l);
	} else {
		return lttlex_err(l, e, "byte 0x%02x begins nothing that a description may hold",
				  (unsigned char)*l->p);
	}
	l->len = l->p - l->text;
	if (l->len > LTT_MAX_TOKEN)
		return lttlex_err(l, e, "a word of more than %d bytes", LTT_MAX_TOKEN);
	return 0;
}

static bool begins_tag(const struct lttlex *l)
{
	return l->end - l->p > 1 && *l->p == '<' && (is_letter(l->p[1]) || l->p[1] == '/');
}

int lttlex_raw(struct lttlex *l, struct err *e)
{
	while (l->p < l->end && !begins_tag(l))
		next_byte(l);
	if (l->p == l->end)
		return lttlex_err(l, e, "the text after this has no </description>");
	return lttlex_next(l, e);
}
