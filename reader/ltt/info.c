// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info: parses the files in info/, which describe an LTT trace, into names and values.  They look
 * like XML but are not: values may be bare words.
 */
#include "reader/ltt/info.h"

#include "base/ascii.h"

#include <stdbool.h>
#include <string.h>

#define MAX_ATTRIBUTES 64 /* of an element */
#define MAX_BOOKMARKS 1024

struct info_scan {
	const char *p, *end;
};

static void skip_space(struct info_scan *s)
{
	while (s->p < s->end && ascii_space(*s->p))
		s->p++;
}

static struct info_scan word(struct info_scan *s, const char *stops)
{
	struct info_scan w = { s->p, s->p };

	while (s->p < s->end && !ascii_space(*s->p) && *s->p && !strchr(stops, *s->p))
		s->p++;
	w.end = s->p;
	return w;
}

/* A value; an opening quotation mark without a closing one is part of it. */
static struct info_scan value(struct info_scan *s)
{
	const char *close = NULL;
	struct info_scan w;

	if (s->p < s->end && (*s->p == '"' || *s->p == '\''))
		close = memchr(s->p + 1, *s->p, s->end - s->p - 1);
	if (!close)
		return word(s, ">");
	w = (struct info_scan){ s->p + 1, close };
	s->p = close + 1;
	return w;
}

/* Trim, and replace each run of white space by one blank. */
static const char *plain(struct ltt_info *i, struct info_scan s)
{
	char *text = arena_alloc(&i->arena, s.end - s.p + 1), *to = text;

	for (; s.p < s.end; s.p++) {
		if (!ascii_space(*s.p) && *s.p)
			*to++ = *s.p;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
	return text;
}

/* The attributes up to the '>' of the tag.  True: the tag ends with a slash. */
static bool attributes(struct ltt_info *i, struct info_scan *s, struct ltt_element *el)
{
	bool closed = false;

	el->attributes = arena_alloc(&i->arena, MAX_ATTRIBUTES * sizeof(*el->attributes));
	for (skip_space(s); s->p < s->end && *s->p != '>'; skip_space(s)) {
		struct info_scan name = word(s, "=>/"), v = { "", "" };

		closed = name.p == name.end && *s->p == '/';
		if (name.p == name.end) {
			s->p++;
			continue;
		}
		skip_space(s);
		if (s->p < s->end && *s->p == '=') {
			s->p++;
			skip_space(s);
			v = value(s);
		}
		if (el->n < MAX_ATTRIBUTES)
			el->attributes[el->n++] = (struct ltt_attribute){ plain(i, name),
									  plain(i, v) };
	}
	if (s->p < s->end)
		s->p++;
	return closed;
}

/* The next tag called NAME, or false.  S is then after the name. */
static bool find_tag(struct info_scan *s, const char *name)
{
	size_t n = strlen(name);

	while (s->p < s->end) {
		const char *at = memchr(s->p, '<', s->end - s->p);

		if (!at)
			break;
		s->p = at + 1;
		if ((size_t)(s->end - s->p) > n && !memcmp(s->p, name, n) &&
		    (ascii_space(s->p[n]) || s->p[n] == '>' || s->p[n] == '/')) {
			s->p += n;
			return true;
		}
	}
	return false;
}

static void element(struct ltt_info *i, struct info_scan *s, struct ltt_element *el)
{
	struct info_scan text;

	el->text = "";
	if (attributes(i, s, el))
		return;
	text.p = s->p;
	text.end = s->p < s->end ? memchr(s->p, '<', s->end - s->p) : NULL;
	if (!text.end)
		text.end = s->end;
	s->p = text.end;
	el->text = plain(i, text);
}

void ltt_info_system(struct ltt_info *i, const char *text, size_t len)
{
	struct info_scan s = { text, text + len };

	if (find_tag(&s, "system"))
		element(i, &s, &i->system);
}

void ltt_info_bookmarks(struct ltt_info *i, const char *text, size_t len)
{
	struct info_scan s = { text, text + len };

	i->bookmarks = arena_alloc(&i->arena, MAX_BOOKMARKS * sizeof(*i->bookmarks));
	while (i->nbookmarks < MAX_BOOKMARKS && find_tag(&s, "location"))
		element(i, &s, &i->bookmarks[i->nbookmarks++]);
}

const char *ltt_info_get(const struct ltt_info *i, const char *name)
{
	for (unsigned k = 0; k < i->system.n; k++)
		if (!strcmp(i->system.attributes[k].name, name))
			return i->system.attributes[k].value;
	return NULL;
}

void ltt_info_fini(struct ltt_info *i)
{
	arena_fini(&i->arena);
}
