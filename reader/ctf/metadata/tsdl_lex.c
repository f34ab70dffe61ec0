// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_lex: splits the metadata of a CTF 1.8 trace into tokens, with the line of each for messages.
 */
#include "reader/ctf/metadata/tsdl_lex.h"

#include "base/ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tsdl_lex_init(struct tsdl_lex *l, const char *text, size_t len)
{
	memset(l, 0, sizeof(*l));
	l->p = text;
	l->end = text + len;
	l->line = l->at_line = 1;
}

int(tsdl_err)(const struct tsdl_lex *l, struct err *e, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "line %u: %s", l->at_line, what);
}

const char *tsdl_shown(const struct tsdl_lex *l, char *buf, size_t size)
{
	if (l->token == TSDL_END)
		snprintf(buf, size, "its end");
	else
		snprintf(buf, size, "\"%.*s\"", (int)(l->len < 40 ? l->len : 40), l->text);
	return buf;
}

bool tsdl_is(const struct tsdl_lex *l, const char *word)
{
	return l->token == TSDL_WORD && l->len == strlen(word) && !memcmp(l->text, word, l->len);
}

static bool starts(const struct tsdl_lex *l, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(l->end - l->p) >= n && !memcmp(l->p, with, n);
}

/* White space, NUL (padding of a packet), and comments. */
static int skip_between(struct tsdl_lex *l, struct err *e)
{
	for (;;) {
		while (l->p < l->end && (ascii_space(*l->p) || !*l->p))
			l->line += *l->p++ == '\n';
		if (starts(l, "//")) {
			while (l->p < l->end && *l->p != '\n')
				l->p++;
		} else if (starts(l, "/*")) {
			l->at_line = l->line;
			for (l->p += 2; !starts(l, "*/"); l->p++) {
				if (l->p == l->end)
					return tsdl_err(l, e, "a comment has no end");
				l->line += *l->p == '\n';
			}
			l->p += 2;
		} else {
			return 0;
		}
	}
}

static int quoted(struct tsdl_lex *l, struct err *e)
{
	char quote = *l->p++;

	l->token = TSDL_STRING;
	l->text = l->p;
	while (l->p < l->end && *l->p != quote) {
		if (*l->p == '\\' && l->end - l->p > 1)
			l->p++;
		l->line += *l->p++ == '\n';
	}
	if (l->p == l->end)
		return tsdl_err(l, e, "a string has no end");
	l->len = l->p++ - l->text;
	return 0;
}

static int digit_of(char c)
{
	if (ascii_digit(c))
		return c - '0';
	return ascii_hex(c) ? (c | 0x20) - 'a' + 10 : 99;
}

static int number(struct tsdl_lex *l, struct err *e)
{
	int base = 10;

	l->token = TSDL_NUMBER;
	l->value = 0;
	if (starts(l, "0x") || starts(l, "0X"))
		base = 16;
	else if (starts(l, "0b") || starts(l, "0B"))
		base = 2;
	else if (*l->p == '0')
		base = 8;
	if (base == 16 || base == 2)
		l->p += 2;
	while (l->p < l->end && digit_of(*l->p) < base) {
		if (__builtin_mul_overflow(l->value, base, &l->value) ||
		    __builtin_add_overflow(l->value, digit_of(*l->p), &l->value))
			return tsdl_err(l, e, "a number has more than 64 bits");
		l->p++;
	}
	while (l->p < l->end && strchr("uUlL", *l->p) && *l->p)
		l->p++;
	if (l->p < l->end && ascii_word(*l->p))
		return tsdl_err(l, e, "a number ends with '%c'", *l->p);
	return 0;
}

static int mark(struct tsdl_lex *l, struct err *e)
{
	static const struct {
		const char *text;
		enum tsdl_token token;
	} longer[] = { { ":=", TSDL_ASSIGN }, { "...", TSDL_RANGE }, { "->", TSDL_ARROW } };

	for (unsigned i = 0; i < sizeof(longer) / sizeof(longer[0]); i++)
		if (starts(l, longer[i].text)) {
			l->token = longer[i].token;
			l->p += strlen(longer[i].text);
			return 0;
		}
	if (!strchr("{}[]()<>;,=:.-+*", *l->p))
		return tsdl_err(l, e, "byte 0x%02x begins nothing that metadata may hold",
				(unsigned char)*l->p);
	l->token = TSDL_MARK;
	l->mark = *l->p++;
	return 0;
}

int tsdl_next(struct tsdl_lex *l, struct err *e)
{
	TRY(skip_between(l, e));
	l->at_line = l->line;
	l->mark = 0;
	l->text = l->p;
	l->len = 0;
	if (l->p == l->end) {
		l->token = TSDL_END;
		return 0;
	}
	if (*l->p == '"' || *l->p == '\'') {
		TRY(quoted(l, e));
		if (l->len > TSDL_MAX_TOKEN)
			return tsdl_err(l, e, "a string has more than %d bytes", TSDL_MAX_TOKEN);
		return 0;
	}
	if (ascii_digit(*l->p)) {
		TRY(number(l, e));
	} else if (ascii_word(*l->p)) {
		l->token = TSDL_WORD;
		while (l->p < l->end && ascii_word(*l->p))
			l->p++;
	} else {
		TRY(mark(l, e));
	}
	l->len = l->p - l->text;
	if (l->len > TSDL_MAX_TOKEN)
		return tsdl_err(l, e, "a word has more than %d bytes", TSDL_MAX_TOKEN);
	return 0;
}
