// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name: what files and columns are called.
 */
#include "export/parquet/name.h"

/* FNV-1a: of names that are long, and of runs; nothing depends on their being different. */
#define HASH_FIRST 0xcbf29ce484222325u
#define HASH_FACTOR 0x100000001b3u

uint64_t name_hash(uint64_t h, const void *p, size_t len)
{
	const uint8_t *s = p;

	h = h ? h : HASH_FIRST;
	for (size_t i = 0; i < len; i++)
		h = (h ^ s[i]) * HASH_FACTOR;
	return h;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

void name_file(struct outbuf *o, const char *name)
{
	size_t from = o->len;
	const char *s;

	for (s = name; *s && o->len - from < NAME_MOST; s++)
		if (is_word(*s) || *s == '-')
			out_char(o, *s);
		else
			out_printf(o, "%%%02X", (unsigned char)*s);
	if (*s)
		out_printf(o, "~%016llx", (unsigned long long)name_hash(0, name, strlen(name)));
	else if (o->len == from)
		out_char(o, '_');
}

void name_column(struct outbuf *o, const char *name, bool (*taken)(void *arg, const char *column),
		 void *arg)
{
	size_t from = o->len, end;

	for (size_t i = 0; i < NAME_MOST && name[i]; i++)
		out_char(o, is_word(name[i]) ? name[i] : '_');
	if (o->len == from)
		out_char(o, '_');
	if (!taken(arg, out_end(o) + from)) {
		o->len++;
		return;
	}
	o->len = from;
	out_str(o, "field_");
	for (size_t i = 0; i < NAME_MOST && name[i]; i++)
		out_char(o, is_word(name[i]) ? name[i] : '_');
	end = o->len;
	for (unsigned n = 2; taken(arg, out_end(o) + from); n++) {
		o->len = end;
		out_printf(o, "_%u", n);
	}
	o->len++;
}
