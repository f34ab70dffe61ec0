// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * head_line: splits a line of the text at the beginning of a file of stable events into words,
 * numbers and names.
 */
#include "reader/stablefile/head_line.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "stable/layout.h"
#include "reader/stablefile/stablefile.h"

#include <stdlib.h>
#include <string.h>

#undef line_complain

int line_complain(const struct line *l, size_t at, const char *what, struct err *e)
{
	return desc_complain(e, l->no, at + 1, "%s", what);
}

#define line_complain(...) err_minus(line_complain(__VA_ARGS__))

static void blanks(struct line *l)
{
	while (l->pos < l->len && (l->p[l->pos] == ' ' || l->p[l->pos] == '\t'))
		l->pos++;
}

bool line_ends(struct line *l)
{
	blanks(l);
	return l->pos == l->len || l->p[l->pos] == '#';
}

size_t line_word(struct line *l, const char **w)
{
	blanks(l);
	*w = l->p + l->pos;
	while (l->pos < l->len && l->p[l->pos] != ' ' && l->p[l->pos] != '\t')
		l->pos++;
	return l->p + l->pos - *w;
}

bool line_take(struct line *l, const char *w)
{
	const char *got;
	size_t was, n;

	blanks(l);
	was = l->pos;
	n = line_word(l, &got);
	if (n == strlen(w) && !memcmp(got, w, n))
		return true;
	l->pos = was;
	return false;
}

int line_number(struct line *l, int64_t least, int64_t most, int64_t *out, struct err *e)
{
	const char *w;
	size_t n = line_word(l, &w), i = n && *w == '-';
	uint64_t v = 0;

	for (; i < n && ascii_digit(w[i]) && v <= UINT32_MAX; i++)
		v = v * 10 + (w[i] - '0');
	if (i != n || n == (size_t)(*w == '-' && n))
		return line_complain(l, w - l->p, "a number is wanted", e);
	*out = *w == '-' ? -(int64_t)v : (int64_t)v;
	if (*out < least || *out > most)
		return desc_complain(e, l->no, w - l->p + 1, "%lld is not within %lld and %lld",
				     (long long)*out, (long long)least, (long long)most);
	return 0;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static unsigned hex(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

int line_quoted(struct line *l, size_t most, char **out, size_t *out_len, struct err *e)
{
	size_t n = 0;
	char *s;

	blanks(l);
	if (l->pos == l->len || l->p[l->pos] != '"')
		return line_complain(l, l->pos, "a name in \"\" is wanted", e);
	s = *out = mem_alloc(l->len + 1);
	for (l->pos++; l->pos < l->len && l->p[l->pos] != '"'; l->pos++) {
		const char *c = l->p + l->pos;
		size_t left = l->len - l->pos;

		if (*c == '\\' && left > 1 && (c[1] == '"' || c[1] == '\\')) {
			s[n++] = c[1];
			l->pos++;
		} else if (*c == '\\' && left > 3 && c[1] == 'x' && is_hex(c[2]) && is_hex(c[3])) {
			s[n++] = hex(c[2]) << 4 | hex(c[3]);
			l->pos += 3;
		} else if (*c == '\\') {
			free(s);
			return line_complain(l, l->pos, "after \\ one of \" \\ xHH is wanted", e);
		} else {
			s[n++] = *c;
		}
		if (n <= most && s[n - 1])
			continue;
		free(s);
		return line_complain(l, l->pos,
				     n > most ? "the name is too long" : "a NUL in a name", e);
	}
	s[n] = '\0';
	*out_len = n;
	if (l->pos < l->len) {
		l->pos++;
		return 0;
	}
	free(s);
	return line_complain(l, l->pos, "the \" at the name's end is missing", e);
}

bool is_event_word(const char *s, size_t n)
{
	if (!n || n > STABLE_MAX_NAME || (ascii_digit(*s)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(s[i] == '_' || (ascii_digit(s[i])) || (s[i] >= 'a' && s[i] <= 'z') ||
		      (s[i] >= 'A' && s[i] <= 'Z')))
			return false;
	return true;
}
