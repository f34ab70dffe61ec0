// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * entry: finds the text of a POD about a function: its =item, up to the next one of the same list.
 */
#include "programs/zedperl/manual/entry.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "base/outbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 16 /* lists within lists; deeper ones are part of the items around them */

struct manual_entry {
	const char *name;	   /* names' */
	unsigned depth;		   /* of its list */
	const char *from, *to;	   /* its lines of the page; to is NULL while its list continues */
	const char *head1, *head2; /* the headings above, up to their line's end; NULL: none */
};

struct entries {
	char *text;
	struct arena names;
	struct manual_entry *list;
	size_t n, cap;
};

/* ---- names in an item ---- */

/* TEXT without its formatting codes, C<...> and the like. */
static char *without_codes(struct entries *all, const char *text, size_t len)
{
	char *out = arena_strndup(&all->names, text, len), *to = out;
	size_t wide[DEEPEST], depth = 0;

	for (const char *s = out; *s;) {
		size_t opens = *s >= 'A' && *s <= 'Z' ? strspn(s + 1, "<") : 0;

		if (opens && depth < DEEPEST) {
			wide[depth++] = opens;
			s += 1 + opens;
		} else if (depth && strspn(s, ">") >= wide[depth - 1]) {
			s += wide[--depth];
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
	return out;
}

/* How many letters of S are a name: "Zed::keep", "$report->note", "->track"; 0: none. */
static size_t name_len(const char *s)
{
	const char *at = s + (*s == '$');

	while (ascii_word(*at) || !strncmp(at, "::", 2) || !strncmp(at, "->", 2))
		at += ascii_word(*at) ? 1 : 2;
	return at - s;
}

/* After the parentheses that open at S. */
static const char *behind_arguments(const char *s)
{
	unsigned open = 0;

	do {
		open += *s == '(';
		open -= *s == ')';
	} while (*s && *s++ && open);
	return s;
}

const char *entry_short(const char *name)
{
	const char *last = name;

	for (const char *s = name; *s; s++)
		if (!strncmp(s, "::", 2) || !strncmp(s, "->", 2))
			last = s + 2;
	return last;
}

/*
 * Add the functions that one item names; E has what they have in common.  Other names are left out.
 */
static void add_names(struct entries *all, struct manual_entry e, const char *item, size_t len)
{
	const char *s = without_codes(all, item, len);
	bool calls = false;

	while (*s) {
		size_t n;

		s += strspn(s, ", \n");
		if (!strncmp(s, "sub ", 4)) {
			s += 4;
			calls = true;
		}
		n = name_len(s);
		e.name = arena_strndup(&all->names, s, n);
		s += n;
		/* "$spread->n, total, min": after a call, a name without arguments is one too. */
		calls |= strstr(e.name, "->") || *s == '(';
		s = *s == '(' ? behind_arguments(s) : s;
		if (!n || !calls || (*s && *s != ','))
			return;
		all->list = mem_grow(all->list, &all->cap, all->n + 1, sizeof(*all->list));
		all->list[all->n++] = e;
	}
}

/* ---- parsing a page ---- */

/* The state of the parser of a page. */
struct manual_place {
	unsigned depth;
	const char *head1, *head2;
	/* Of each list, the first of the items that share the text being read. */
	const char *item[DEEPEST];
	bool silent[DEEPEST]; /* no text has followed them yet */
};

/* The items of the list at DEPTH, and of those within it, end at AT. */
static void end_items(struct entries *all, struct manual_place *here, unsigned depth,
		      const char *at)
{
	for (size_t i = all->n; i-- > 0;)
		if (all->list[i].depth >= depth && !all->list[i].to)
			all->list[i].to = at;
	for (unsigned d = depth; d < DEEPEST; d++)
		here->item[d] = NULL;
}

/* If the command "=NAME" is at S: its text, up to the end of its line. */
static const char *is_command(const char *s, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(s, name, n) || !strchr(" \t\n", s[n]))
		return NULL;
	return s + n + strspn(s + n, " \t");
}

/* One paragraph of the page, LEN bytes. */
static void take_paragraph(struct entries *all, struct manual_place *here, const char *s,
			   size_t len)
{
	unsigned d = here->depth;
	const char *about;

	if ((about = is_command(s, "=head1")) || is_command(s, "=head2")) {
		here->head2 = about ? NULL : is_command(s, "=head2");
		here->head1 = about ? about : here->head1;
		end_items(all, here, 0, s);
		here->depth = 0;
	} else if (is_command(s, "=over")) {
		here->silent[d] = false;
		here->depth += d < DEEPEST - 1;
	} else if (is_command(s, "=back")) {
		end_items(all, here, d, s);
		here->depth -= d > 0;
	} else if ((about = is_command(s, "=item"))) {
		if (!here->item[d] || !here->silent[d]) {
			end_items(all, here, d, s);
			here->item[d] = s;
		}
		here->silent[d] = true;
		add_names(all,
			  (struct manual_entry){ .depth = d,
						 .from = here->item[d],
						 .head1 = here->head1,
						 .head2 = here->head2 },
			  about, len - (about - s));
	} else {
		here->silent[d] = false;
	}
}

static char *read_whole(const char *path)
{
	FILE *in = fopen(path, "re");
	struct outbuf o = { 0 };
	char buf[4096];
	size_t n;

	if (!in)
		return NULL;
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		out_bytes(&o, buf, n);
	fclose(in);
	return out_end(&o);
}

struct entries *entries_read(const char *path)
{
	char *text = read_whole(path);
	struct entries *all;
	struct manual_place here = { 0 };
	const char *s = text;

	if (!text)
		return NULL;
	all = mem_zalloc(sizeof(*all));
	all->text = text;
	while (*s) {
		const char *next = strstr(s, "\n\n");
		size_t len = next ? (size_t)(next - s) : strlen(s);

		take_paragraph(all, &here, s, len);
		s += len;
		s += strspn(s, "\n");
	}
	end_items(all, &here, 0, s);
	return all;
}

void entries_free(struct entries *all)
{
	if (!all)
		return;
	arena_fini(&all->names);
	free(all->list);
	free(all->text);
	free(all);
}

const char *entries_name(const struct entries *all, size_t i)
{
	return i < all->n ? all->list[i].name : NULL;
}

/* ---- showing an entry ---- */

static void out_heading(struct outbuf *o, const char *head)
{
	if (!head)
		return;
	out_str(o, ", ");
	out_bytes(o, head, strcspn(head, "\n"));
}

char *entries_find(const struct entries *all, const char *name, bool is_short, const char *where)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct manual_entry *e = &all->list[i];
		struct outbuf o = { 0 };

		if (strcmp(is_short ? entry_short(e->name) : e->name, name))
			continue;
		out_str(&o, "=encoding utf8\n\n=over\n\n");
		out_bytes(&o, e->from, e->to - e->from);
		out_str(&o, "=back\n\nThe page: ");
		out_str(&o, where);
		out_heading(&o, e->head1);
		out_heading(&o, e->head2);
		out_str(&o, ".\n");
		return out_end(&o);
	}
	return NULL;
}
