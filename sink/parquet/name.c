// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name: the names of files and columns.
 */
#include "sink/parquet/name.h"

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/mem.h"

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
	unsigned next; /* field_NAME_N: the lowest N that may be free */
};

/* Ignoring the case of letters. */
static uint32_t hash_of(const struct column_names *names, const char *column)
{
	uint64_t h = 0;

	for (; *column; column++)
		h = index_mix(&names->index, h, (uint8_t)*column | 0x20);
	return index_folded(h);
}

/* The entry of that name; NULL: none. */
static struct column_name *find(const struct column_names *names, const char *column)
{
	uint32_t hash = hash_of(names, column), slot = index_home(&names->index, hash), i;

	while (index_next(&names->index, hash, &slot, &i))
		if (!strcasecmp(names->v[i].text, column))
			return &names->v[i];
	return NULL;
}

bool name_take(struct column_names *names, const char *column)
{
	uint32_t n = names->index.n;

	if (find(names, column))
		return false;
	names->v = mem_grow(names->v, &names->cap, n + 1, sizeof(*names->v));
	names->v[n] = (struct column_name){ .text = mem_strdup(column), .next = 2 };
	index_begin(&names->index);
	index_add(&names->index, hash_of(names, column), n);
	return true;
}

void name_fini(struct column_names *names)
{
	for (uint32_t i = 0; i < names->index.n; i++)
		free(names->v[i].text);
	index_fini(&names->index);
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
	n = find(names, base)->next;
	do {
		o->len = end;
		out_printf(o, "_%u", n++);
	} while (!name_take(names, out_end(o) + from));
	find(names, base)->next = n;
	free(base);
	o->len++;
}
