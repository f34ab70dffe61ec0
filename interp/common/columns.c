/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns: lines of cells as a table: numbers to the right, texts to the left, no blanks at the end
 * of a line.
 */
#include "interp/common/columns.h"

#include <stdlib.h>

void columns_cell(struct columns *t)
{
	size_t at = t->n ? t->v[t->n - 1].at + t->v[t->n - 1].len : 0;

	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = (struct column_cell){ .at = at, .len = t->text.len - at };
}

void columns_word(struct columns *t, const char *s)
{
	out_str(&t->text, s);
	columns_cell(t);
}

void columns_begin(struct columns *t)
{
	t->ncolumns = t->n;
}

/* Letters, not bytes, where a text is UTF-8. */
static size_t letters(const char *s, size_t len)
{
	size_t n = 0, at = 0;
	unsigned k;

	for (; at < len; at += k, n++) {
		k = utf8_len(s + at, len - at);
		if (!k)
			return len;
	}
	return n;
}

/* A number with or without a point and an exponent, or "-". */
static bool looks_numeric(const char *s, size_t len)
{
	const char *p = s, *end = s + len, *from;

	if (len == 1 && *s == '-')
		return true;
	p += p < end && *p == '-';
	for (from = p; p < end && ((*p >= '0' && *p <= '9') || *p == '.');)
		p++;
	if (p == from)
		return false;
	if (p < end && *p == 'e') {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		for (from = p; p < end && *p >= '0' && *p <= '9';)
			p++;
		if (p == from)
			return false;
	}
	return p == end;
}

static size_t cell_width(const struct columns *t, size_t i)
{
	return letters(t->text.p + t->v[i].at, t->v[i].len);
}

void columns_print(struct columns *t, struct outbuf *o)
{
	size_t *width = mem_zalloc((t->ncolumns + 1) * sizeof(*width)), i, column, blanks;
	bool *text = mem_zalloc(t->ncolumns + 1);

	for (i = 0; i < t->n; i++) {
		column = i % t->ncolumns;
		if (cell_width(t, i) > width[column])
			width[column] = cell_width(t, i);
		if (i >= t->ncolumns && !looks_numeric(t->text.p + t->v[i].at, t->v[i].len))
			text[column] = true;
	}
	for (i = 0; i < t->n; i++) {
		column = i % t->ncolumns;
		blanks = width[column] - cell_width(t, i);
		if (column)
			out_str(o, "  ");
		if (!text[column])
			out_fill(o, ' ', blanks);
		out_bytes(o, t->text.p + t->v[i].at, t->v[i].len);
		if (text[column])
			out_fill(o, ' ', blanks);
		if (column + 1 < t->ncolumns)
			continue;
		while (o->len && o->p[o->len - 1] == ' ')
			o->len--;
		out_char(o, '\n');
	}
	free(width);
	free(text);
	free(t->v);
	outbuf_fini(&t->text);
}
