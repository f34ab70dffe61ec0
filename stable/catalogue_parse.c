// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * catalogue_parse: parses a text of the catalogue, line by line, into the events that it defines.
 */
#include "base/ascii.h"
#include "base/glob.h"
#include "expr/expr.h"
#include "stable/definition.h"
#include "stable/expr.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LINE 8192
#define MAX_FROM 16 /* "from" lines of an event, and alternatives in each */
#define MAX_NAME 128

struct catalogue_parser {
	const char *file;
	const char *line; /* current, without its newline */
	size_t len;
	unsigned line_no;
	struct definition **defs;
	unsigned n;
	size_t cap;
	unsigned room; /* how many more events may be added */
	struct err *e;
};

void definition_free(struct definition *d)
{
	desc_fini(&d->ev.desc);
	free(d->from);
	free(d->exprs);
	arena_fini(&d->arena);
	free(d);
}

#define complain(p, at, ...) desc_complain((p)->e, (p)->line_no, (at) + 1, __VA_ARGS__)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static size_t skip_blanks(const struct catalogue_parser *p, size_t at)
{
	while (at < p->len && is_blank(p->line[at]))
		at++;
	return at;
}

/* Is there at most a comment from AT on? */
static bool is_end(const struct catalogue_parser *p, size_t at)
{
	return at == p->len || p->line[at] == '#';
}

/* The text from AT to the end of the line or a comment, which follows a blank. */
static int take_text(struct catalogue_parser *p, size_t at, const char *what, const char **out)
{
	struct definition *d = p->defs[p->n - 1];
	size_t end;

	if (*out)
		return complain(p, 0, "a second '%s' of %s::%s", what, d->ev.system, d->ev.name);
	for (end = at; end < p->len; end++)
		if (p->line[end] == '#' && (end == at || is_blank(p->line[end - 1])))
			break;
	while (end > at && is_blank(p->line[end - 1]))
		end--;
	if (end == at)
		return complain(p, at, "'%s' without its text", what);
	*out = arena_strndup(&d->arena, p->line + at, end - at);
	return 0;
}

/* A word of letters, digits, _ and, if RAW, - and . at *AT, at most MAX_NAME bytes. */
static int take_word(struct catalogue_parser *p, size_t *at, bool raw, const char *what,
		     struct arena *a, const char **out)
{
	size_t from = *at;

	while (*at < p->len &&
	       (ascii_word(p->line[*at]) || (raw && (p->line[*at] == '-' || p->line[*at] == '.'))))
		++*at;
	if (*at == from || (!raw && ascii_digit(p->line[from])))
		return complain(p, from, "expected %s", what);
	if (*at - from > MAX_NAME)
		return complain(p, from, "a name of more than %d bytes", MAX_NAME);
	*out = arena_strndup(a, p->line + from, *at - from);
	return 0;
}

static int end_event(struct catalogue_parser *p);

/* event SYSTEM::NAME */
static int begin_event(struct catalogue_parser *p, size_t at)
{
	struct definition *d;
	size_t start = at;

	TRY(end_event(p));
	if (p->n == p->room)
		return complain(p, 0, "more than %d events", STABLE_MAX_EVENTS);
	d = mem_zalloc(sizeof(*d));
	p->defs = mem_grow(p->defs, &p->cap, p->n + 1, sizeof(*p->defs));
	p->defs[p->n++] = d;
	TRY(take_word(p, &at, false, "system::name", &d->arena, &d->ev.system));
	if (p->len - at < 2 || p->line[at] != ':' || p->line[at + 1] != ':')
		return complain(p, at, "'::' and the event's name should follow '%s'",
				d->ev.system);
	at += 2;
	TRY(take_word(p, &at, false, "the event's name", &d->arena, &d->ev.name));
	at = skip_blanks(p, at);
	if (!is_end(p, at))
		return complain(p, at, "unexpected text after the name of the event");
	d->ev.file = arena_strndup(&d->arena, p->file, strlen(p->file));
	d->ev.line = p->line_no;
	for (unsigned i = 0; i + 1 < p->n; i++)
		if (!strcmp(p->defs[i]->ev.name, d->ev.name) &&
		    !strcmp(p->defs[i]->ev.system, d->ev.system))
			return complain(p, start, "%s::%s was defined in line %u", d->ev.system,
					d->ev.name, p->defs[i]->ev.line);
	return 0;
}

static bool stands_in(const struct stable_from *f, const struct stable_raw *r)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!strcmp(f->alts[i].name, r->name) && !strcmp(f->alts[i].system, r->system))
			return true;
	return false;
}

/* A record goes to the first line that takes its type: a later one would never see it. */
static int check_lines(struct catalogue_parser *p, const struct definition *d)
{
	const struct stable_from *f = &d->from[d->ev.nfrom - 1];

	for (const struct stable_from *other = d->from; other < f; other++)
		for (unsigned i = 0; i < f->n; i++)
			if ((f->where || other->where) && stands_in(other, &f->alts[i]))
				return complain(p, 0,
						"%s:%s is in two 'from' lines, one with a 'where'",
						f->alts[i].system, f->alts[i].name);
	return 0;
}

/* Check the syntax of TEXT, at AT; its fields are known only with a raw type. */
static int check_where(struct catalogue_parser *p, size_t at, const char *text)
{
	struct err e;
	struct expr *x = expr_parse(text, 0, NULL, &e);
	char *end = e.msg;
	size_t column = 1;

	if (x) {
		expr_free(x);
		return 0;
	}
	e.msg[strcspn(e.msg, "\n")] = '\0';
	if (!strncmp(e.msg, "column ", 7)) {
		column = strtoul(e.msg + 7, &end, 10);
		end += strspn(end, ": ");
	}
	return complain(p, at + column - 1, "%s", end);
}

/* The expression from AT on, up to the line's end or a # outside strings. */
static int take_where(struct catalogue_parser *p, size_t at, struct definition *d, const char **out)
{
	size_t end;
	char quote = 0;

	at = skip_blanks(p, at);
	for (end = at; end < p->len; end++) {
		char c = p->line[end];

		if (quote && c == quote)
			quote = 0;
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else if (!quote && c == '#')
			break;
	}
	while (end > at && is_blank(p->line[end - 1]))
		end--;
	if (end == at)
		return complain(p, at, "'where' without its expression");
	*out = arena_strndup(&d->arena, p->line + at, end - at);
	return check_where(p, at, *out);
}

/* from SYSTEM:EVENT | SYSTEM:EVENT where EXPR */
static int add_from(struct catalogue_parser *p, size_t at)
{
	struct definition *d = p->defs[p->n - 1];
	struct stable_from *f;

	if (d->ev.nfrom == MAX_FROM)
		return complain(p, 0, "more than %d 'from' lines", MAX_FROM);
	d->from = mem_grow(d->from, &d->from_cap, d->ev.nfrom + 1, sizeof(*d->from));
	f = &d->from[d->ev.nfrom];
	memset(f, 0, sizeof(*f));
	f->alts = arena_alloc(&d->arena, MAX_FROM * sizeof(*f->alts));
	d->ev.nfrom++;
	d->ev.from = d->from;
	for (;;) {
		struct stable_raw r = { 0 };
		size_t start = at;

		if (f->n == MAX_FROM)
			return complain(p, at, "more than %d alternatives", MAX_FROM);
		TRY(take_word(p, &at, true, "system:event", &d->arena, &r.system));
		if (at == p->len || p->line[at] != ':')
			return complain(p, at, "':' and the raw event's name should follow '%s'",
					r.system);
		at++;
		TRY(take_word(p, &at, true, "the raw event's name", &d->arena, &r.name));
		if (stands_in(f, &r))
			return complain(p, start, "%s:%s is named twice", r.system, r.name);
		f->alts[f->n++] = r;
		at = skip_blanks(p, at);
		if (at == p->len || p->line[at] != '|')
			break;
		at = skip_blanks(p, at + 1);
	}
	if (p->len - at > 5 && !memcmp(p->line + at, "where", 5) && is_blank(p->line[at + 5]))
		TRY(take_where(p, at + 5, d, &f->where));
	else if (!is_end(p, at))
		return complain(p, at, "expected '|', 'where' or the end of the line");
	return check_lines(p, d);
}

static int add_field(struct catalogue_parser *p)
{
	struct definition *d = p->defs[p->n - 1];
	const struct stable_expr *x;
	struct desc_item *it;
	size_t used = 0;

	if (desc_add(&d->ev.desc, p->line, p->len, p->line_no, &used, p->e) < 0)
		return -1;
	it = &d->ev.desc.items[d->ev.desc.n - 1];
	x = stableexpr_parse(p->line, p->len, used, p->line_no, it->name, &d->arena, p->e);
	if (!x)
		return -1;
	d->exprs = mem_grow(d->exprs, &d->exprs_cap, d->ev.desc.n, sizeof(*d->exprs));
	d->exprs[d->ev.desc.n - 1] = x;
	d->ev.exprs = d->exprs;
	return 0;
}

/* Does NAME, "event" or "system:event", name one of D's sources? */
static bool is_source(const struct definition *d, const char *name)
{
	const char *colon = strchr(name, ':');

	for (unsigned i = 0; i < d->ev.nfrom; i++)
		for (unsigned j = 0; j < d->from[i].n; j++) {
			const struct stable_raw *r = &d->from[i].alts[j];

			if (!strcmp(colon ? colon + 1 : name, r->name) &&
			    (!colon || (strlen(r->system) == (size_t)(colon - name) &&
					!memcmp(name, r->system, colon - name))))
				return true;
		}
	return false;
}

static int check_from(const struct catalogue_parser *p, const struct definition *d, unsigned i)
{
	const struct stable_expr *x = d->exprs[i];

	for (unsigned j = 0; j < x->n; j++)
		for (unsigned k = 0; k < x->alts[j].n; k++) {
			const struct stable_term *t = &x->alts[j].terms[k];

			if (t->op == TERM_FROM && !is_source(d, t->name))
				return desc_complain(p->e, d->ev.desc.items[i].line, t->column,
						     "'%s' is not in a 'from' line of %s::%s",
						     t->name, d->ev.system, d->ev.name);
		}
	return 0;
}

/* The last event must be complete now. */
static int end_event(struct catalogue_parser *p)
{
	struct definition *d = p->n ? p->defs[p->n - 1] : NULL;
	const char *lacks;

	if (!d)
		return 0;
	lacks = !d->ev.purpose ? "purpose" : !d->ev.nfrom ? "from" : !d->ev.desc.n ? "field" : NULL;
	if (lacks)
		return desc_complain(p->e, d->ev.line, 1, "%s::%s has no '%s' line", d->ev.system,
				     d->ev.name, lacks);
	TRY(desc_finish(&d->ev.desc, p->e));
	for (unsigned i = 0; i < d->ev.desc.n; i++) {
		TRY(stablecheck(d->exprs[i], &d->ev.desc, i, p->e));
		TRY(check_from(p, d, i));
	}
	return 0;
}

static const char *const words[] = {
	"event", "purpose", "from", "gone", "field", "array", "dynamic", "absent",
};

static const char *next_word(void *arg)
{
	unsigned *i = arg;

	return *i < sizeof(words) / sizeof(words[0]) ? words[(*i)++] : NULL;
}

static int parse_line(struct catalogue_parser *p)
{
	size_t at = skip_blanks(p, 0), from = at, len;
	const char *word = p->line + at, *near;
	char name[MAX_NAME + 1];
	unsigned i = 0;

	if (is_end(p, at))
		return 0;
	if (p->len > MAX_LINE)
		return complain(p, 0, "a line of more than %d bytes", MAX_LINE);
	for (size_t k = 0; k < p->len; k++)
		if ((unsigned char)p->line[k] < 0x20 && !is_blank(p->line[k]))
			return complain(p, k, "a control character");
	while (at < p->len && ascii_word(p->line[at]))
		at++;
	len = at - from;
	for (; i < sizeof(words) / sizeof(words[0]); i++)
		if (len == strlen(words[i]) && !memcmp(word, words[i], len))
			break;
	at = skip_blanks(p, at);
	if (i == 0)
		return begin_event(p, at);
	if (i == sizeof(words) / sizeof(words[0])) {
		len = len ? len : 1;
		memcpy(name, word, len = len > MAX_NAME ? MAX_NAME : len);
		name[len] = '\0';
		i = 0;
		near = nearest_name(name, next_word, &i);
		return complain(p, from, "unknown word '%s'%s%s%s", name,
				near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	if (!p->n)
		return complain(p, from, "'%s' before any event: begin with 'event system::name'",
				words[i]);
	switch (i) {
	case 1:
		return take_text(p, at, "purpose", &p->defs[p->n - 1]->ev.purpose);
	case 2:
		return add_from(p, at);
	case 3:
		return take_text(p, at, "gone", &p->defs[p->n - 1]->ev.gone);
	}
	return add_field(p);
}

static int parse(struct catalogue_parser *p, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', end - text);

		p->line = text;
		p->len = (nl ? nl : end) - text;
		p->line_no++;
		TRY(parse_line(p));
		text = nl ? nl + 1 : end;
	}
	return end_event(p);
}

int stableparse(const char *file, const char *text, size_t len, unsigned room,
		struct definition ***defs, unsigned *n, struct err *e)
{
	struct catalogue_parser p = { .file = file, .room = room, .e = e };
	int rc = parse(&p, text, len);

	for (unsigned i = 0; rc < 0 && i < p.n; i++)
		definition_free(p.defs[i]);
	if (rc < 0) {
		free(p.defs);
		return err_path(e, file);
	}
	*defs = p.defs;
	*n = p.n;
	return 0;
}
