// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name: the names of files and columns.
 */
#include "sink/parquet/name.h"

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void name_file(struct outbuf *o, const char *name)
{
	size_t from = o->len;
	const char *s;

	for (s = name; *s && o->len - from < NAME_MOST; s++)
		if (ascii_word(*s) || *s == '-')
			out_char(o, *s);
		else
			out_printf(o, "%%%02X", (unsigned char)*s);
	if (*s)
		out_printf(o, "~%016llx", (unsigned long long)bytes_hash(0, name, strlen(name)));
	else if (o->len == from)
		out_char(o, '_');
}

/* ---- columns ---- */

struct column_name {
	char *text;
	uint64_t hash;
	unsigned next; /* field_NAME_N: the lowest N that may be free */
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Ignoring the case of letters. */
static uint64_t hash_of(const struct column_names *names, const char *column)
{
	uint64_t h = names->seed;

	for (; *column; column++) {
		char c = lower(*column);

		h = bytes_hash(h, &c, 1);
	}
	return h ^ h >> 32;
}

/* The entry of that name, or the free place for it. */
static struct column_name *place_of(const struct column_names *names, const char *column,
				    uint64_t hash)
{
	size_t i = hash & (names->size - 1);

	while (names->v[i].text &&
	       (names->v[i].hash != hash || strcasecmp(names->v[i].text, column) != 0))
		i = (i + 1) & (names->size - 1);
	return &names->v[i];
}

static void grow(struct column_names *names)
{
	struct column_names more = *names;

	more.size = names->size ? 2 * names->size : 64;
	more.v = mem_zalloc(more.size * sizeof(*more.v));
	more.seed = names->size ? names->seed : seed_new();
	for (size_t i = 0; i < names->size; i++)
		if (names->v[i].text)
			*place_of(&more, names->v[i].text, names->v[i].hash) = names->v[i];
	free(names->v);
	*names = more;
}

bool name_take(struct column_names *names, const char *column)
{
	struct column_name *c;
	uint64_t hash;

	if (2 * (names->n + 1) > names->size)
		grow(names);
	hash = hash_of(names, column);
	c = place_of(names, column, hash);
	if (c->text)
		return false;
	*c = (struct column_name){ .text = mem_strdup(column), .hash = hash, .next = 2 };
	names->n++;
	return true;
}

/* The number to try next for the name COLUMN, which is in use. */
static unsigned *next_of(const struct column_names *names, const char *column)
{
	return &place_of(names, column, hash_of(names, column))->next;
}

void name_fini(struct column_names *names)
{
	for (size_t i = 0; i < names->size; i++)
		free(names->v[i].text);
	free(names->v);
	memset(names, 0, sizeof(*names));
}

void name_column(struct outbuf *o, const char *name, struct column_names *names)
{
	size_t from = o->len, end;
	char *base;
	unsigned n;

	for (size_t i = 0; i < NAME_MOST && name[i]; i++)
		out_char(o, ascii_word(name[i]) ? name[i] : '_');
	if (o->len == from)
		out_char(o, '_');
	if (name_take(names, out_end(o) + from)) {
		o->len++;
		return;
	}
	o->len = from;
	out_str(o, "field_");
	for (size_t i = 0; i < NAME_MOST && name[i]; i++)
		out_char(o, ascii_word(name[i]) ? name[i] : '_');
	end = o->len;
	if (name_take(names, out_end(o) + from)) {
		o->len++;
		return;
	}
	/*
	 * All lower numbers are in use: for many fields of one name each number is tried only once.
	 */
	base = mem_strdup(out_end(o) + from);
	n = *next_of(names, base);
	do {
		o->len = end;
		out_printf(o, "_%u", n++);
	} while (!name_take(names, out_end(o) + from));
	*next_of(names, base) = n;
	free(base);
	o->len++;
}
