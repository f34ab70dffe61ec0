// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr: parses what follows a promised field ("= error | errors default 0"), the list of its
 * alternative sources.
 */
#include "stable/expr.h"

#include "base/ascii.h"
#include "base/glob.h"
#include "trace/pseudo.h"

#include <stdio.h>
#include <string.h>

#define MAX_STRING 4096 /* bytes of a quoted string */

enum word { W_END, W_NAME, W_NUMBER, W_STRING, W_SIGN, W_BAD };

struct stable_parser {
	const char *line;
	size_t len, pos;
	unsigned line_no;
	struct arena *a;
	struct err *e;
	/* the current word */
	enum word kind;
	size_t at, end; /* from LINE[at] to before LINE[end] */
};

static const struct {
	const char *name;
	uint8_t op;
} functions[] = {
	{ "letter", TERM_LETTER }, { "mark", TERM_MARK },	{ "symbol", TERM_SYMBOL },
	{ "rw", TERM_RW },	   { "syscall", TERM_SYSCALL }, { "from", TERM_FROM },
	{ "prio", TERM_PRIO },
};

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void next(struct stable_parser *p)
{
	const char *s = p->line;

	while (p->pos < p->len && (s[p->pos] == ' ' || s[p->pos] == '\t' || s[p->pos] == '\r'))
		p->pos++;
	p->at = p->end = p->pos;
	if (p->pos == p->len || s[p->pos] == '#') {
		p->kind = W_END;
		return;
	}
	if (is_alpha(s[p->pos]) || ascii_digit(s[p->pos]) ||
	    (s[p->pos] == '-' && p->pos + 1 < p->len && ascii_digit(s[p->pos + 1]))) {
		p->kind = is_alpha(s[p->pos]) ? W_NAME : W_NUMBER;
		for (p->end++; p->end < p->len; p->end++)
			if (!is_alpha(s[p->end]) && !ascii_digit(s[p->end]))
				break;
	} else if (s[p->pos] == '"') {
		p->kind = W_BAD;
		for (p->end++; p->end < p->len && p->kind == W_BAD; p->end++) {
			if (s[p->end] == '\\' && p->end + 1 < p->len)
				p->end++;
			else if (s[p->end] == '"')
				p->kind = W_STRING;
		}
	} else {
		p->kind = W_SIGN;
		p->end++;
	}
	p->pos = p->end;
}

static bool is(const struct stable_parser *p, const char *word)
{
	return (p->kind == W_NAME || p->kind == W_SIGN) && p->end - p->at == strlen(word) &&
	       !memcmp(p->line + p->at, word, p->end - p->at);
}

/* "line L, column C: TEXT" of the current word. */
#define complain(p, ...) desc_complain((p)->e, (p)->line_no, (p)->at + 1, __VA_ARGS__)

static int unexpected(struct stable_parser *p, const char *want)
{
	size_t n = p->end - p->at;

	if (p->kind == W_END)
		return complain(p, "the line ends where %s should be", want);
	if (p->kind == W_BAD)
		return complain(p, "a string without its closing \"");
	return complain(p, "'%.*s' where %s should be", (int)(n > 60 ? 60 : n), p->line + p->at,
			want);
}

static int expect(struct stable_parser *p, const char *sign)
{
	char want[8];

	if (!is(p, sign)) {
		snprintf(want, sizeof(want), "'%s'", sign);
		return unexpected(p, want);
	}
	next(p);
	return 0;
}

/* A number as in C: decimal, 0x or octal, with an optional minus. */
static int parse_number(struct stable_parser *p, struct stable_term *t)
{
	const char *s = p->line + p->at, *end = p->line + p->end;
	uint64_t v = 0;
	unsigned base = 10, d;

	if (p->kind != W_NUMBER)
		return unexpected(p, "a number");
	t->op = TERM_INT;
	t->neg = *s == '-';
	s += t->neg;
	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	} else if (end - s > 1 && s[0] == '0') {
		base = 8;
		s++;
	}
	for (; s < end; s++) {
		d = ascii_digit(*s)	      ? *s - '0' :
		    is_alpha(*s) && *s != '_' ? (*s | 32) - 'a' + 10 :
						99;
		if (d >= base)
			return unexpected(p, "a number");
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return complain(p, "a number of more than 64 bits");
	}
	if (t->neg && v > (uint64_t)INT64_MAX + 1)
		return complain(p, "a number of more than 64 bits");
	t->neg = t->neg && v;
	t->num = t->neg ? -v : v;
	next(p);
	return 0;
}

/* "text", which may contain \" and \\. */
static int parse_string(struct stable_parser *p, struct stable_term *t)
{
	const char *s = p->line + p->at + 1, *end = p->line + p->end - 1;
	char *out;

	if (p->end - p->at > MAX_STRING)
		return complain(p, "a string of more than %d bytes", MAX_STRING);
	out = arena_alloc(p->a, end - s + 1);
	t->op = TERM_STR;
	t->str = out;
	for (; s < end; s++) {
		if (*s == '\\' && s + 1 < end && *++s != '"' && *s != '\\')
			return complain(p, "invalid escape: only \\\" and \\\\ are allowed");
		out[t->len++] = *s;
	}
	next(p);
	return 0;
}

static const char *take_name(struct stable_parser *p)
{
	const char *name = arena_strndup(p->a, p->line + p->at, p->end - p->at);

	next(p);
	return name;
}

/* A raw event as from() names it, "event" or "system:event"; names may contain - and . as well. */
static int parse_event(struct stable_parser *p, struct stable_term *t)
{
	const char *s = p->line + p->at;
	size_t n = 0, left = p->len - p->at;

	while (n < left && (is_alpha(s[n]) || ascii_digit(s[n]) || (n && strchr(":-.", s[n]))))
		n++;
	if (!n)
		return unexpected(p, "the name of a raw event");
	t->name = arena_strndup(p->a, s, n);
	p->pos = p->at + n;
	next(p);
	return 0;
}

struct known_names {
	unsigned i;
};

static const char *next_function(void *arg)
{
	struct known_names *n = arg;
	unsigned i = n->i++;

	return i < COUNT(functions) ? functions[i].name : i == COUNT(functions) ? "be64" : NULL;
}

/* A field of the raw event, or a name that every event has. */
static uint8_t term_of(const char *name)
{
	switch (pseudo_named(name, PSEUDO_COMMON)) {
	case PSEUDO_PID:
		return TERM_PID;
	case PSEUDO_CPU:
		return TERM_CPU;
	case PSEUDO_COMM:
		return TERM_COMM;
	default:
		return TERM_FIELD;
	}
}

static void parse_name(struct stable_parser *p, struct stable_term *t)
{
	t->name = take_name(p);
	t->op = term_of(t->name);
}

/* After "NAME(". */
static int parse_function(struct stable_parser *p, struct stable_term *t, const char *name,
			  size_t at)
{
	struct known_names names = { 0 };
	const char *near;

	for (unsigned i = 0; i < COUNT(functions); i++) {
		if (strcmp(name, functions[i].name))
			continue;
		t->op = functions[i].op;
		if (t->op == TERM_FROM) {
			TRY(parse_event(p, t));
		} else if (p->kind == W_NAME) {
			t->name = take_name(p);
		} else {
			return unexpected(p, "the name of a raw field");
		}
		return expect(p, ")");
	}
	if (!strcmp(name, "be64")) {
		t->be64 = true;
		if (p->kind == W_NAME)
			parse_name(p, t);
		else
			TRY(parse_number(p, t));
		return expect(p, ")");
	}
	near = nearest_name(name, next_function, &names);
	p->at = at;
	return complain(
		p, "no function '%.60s'%s%s%s; there are letter mark symbol rw syscall from be64",
		name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int parse_term(struct stable_parser *p, struct stable_term *t)
{
	struct stable_term by = { 0 };

	t->column = p->at + 1;
	t->times = 1;
	if (p->kind == W_NUMBER) {
		TRY(parse_number(p, t));
	} else if (p->kind == W_STRING) {
		TRY(parse_string(p, t));
	} else if (p->kind == W_NAME && !is(p, "default") && !is(p, "clip") && !is(p, "or")) {
		size_t at = p->at;

		parse_name(p, t);
		if (is(p, "(")) {
			const char *name = t->name;

			next(p);
			TRY(parse_function(p, t, name, at));
		}
	} else {
		return unexpected(p, "a raw field, a number, a \"string\" or a function");
	}
	if (!is(p, "*"))
		return 0;
	next(p);
	TRY(parse_number(p, &by));
	t->times = by.num;
	return 0;
}

static int parse_alt(struct stable_parser *p, struct stable_alt *alt)
{
	struct stable_term terms[STABLE_MAX_TERMS] = { 0 }, *keep;
	size_t from = p->at, to;
	char *text;
	size_t n = 0;

	for (;;) {
		if (alt->n == STABLE_MAX_TERMS)
			return complain(p, "more than %d values joined by 'or'", STABLE_MAX_TERMS);
		TRY(parse_term(p, &terms[alt->n++]));
		if (!is(p, "or"))
			break;
		next(p);
	}
	keep = arena_alloc(p->a, alt->n * sizeof(*keep));
	memcpy(keep, terms, alt->n * sizeof(*keep));
	alt->terms = keep;
	for (to = p->at; to > from && strchr(" \t\r", p->line[to - 1]); to--)
		;
	text = arena_strndup(p->a, p->line + from, to - from);
	alt->text = text;
	for (const char *s = text; *s; s++)
		if (!strchr(" \t\r", *s) || (n && text[n - 1] != ' '))
			text[n++] = strchr(" \t\r", *s) ? ' ' : *s;
	text[n] = '\0';
	return 0;
}

static int parse_source(struct stable_parser *p, struct stable_expr *x)
{
	struct stable_alt alts[STABLE_MAX_ALTS] = { 0 }, *keep;

	for (;;) {
		if (x->n == STABLE_MAX_ALTS)
			return complain(p, "more than %d alternatives", STABLE_MAX_ALTS);
		TRY(parse_alt(p, &alts[x->n++]));
		if (!is(p, "|"))
			break;
		next(p);
	}
	keep = arena_alloc(p->a, x->n * sizeof(*keep));
	memcpy(keep, alts, x->n * sizeof(*keep));
	x->alts = keep;
	return 0;
}

static int parse_default(struct stable_parser *p, struct stable_expr *x)
{
	x->value.column = p->at + 1;
	x->value.times = 1;
	x->default_kind = DEFAULT_VALUE;
	if (p->kind == W_NUMBER)
		return parse_number(p, &x->value);
	if (p->kind == W_STRING)
		return parse_string(p, &x->value);
	if (!is(p, "undef"))
		return unexpected(p, "a number, a \"string\" or undef");
	x->default_kind = DEFAULT_UNDEF;
	next(p);
	return 0;
}

static int parse_rest(struct stable_parser *p, struct stable_expr *x)
{
	if (is(p, "=")) {
		next(p);
		TRY(parse_source(p, x));
	}
	while (p->kind != W_END) {
		bool twice = is(p, "default") ? x->default_kind != DEFAULT_NONE : x->clip;

		if (!is(p, "default") && !is(p, "clip"))
			return unexpected(p, x->n ? "'|', 'or', '*', 'default' or 'clip'" :
						    "'=', 'default' or 'clip'");
		if (twice)
			return complain(p, "'%.*s' a second time", (int)(p->end - p->at),
					p->line + p->at);
		if (is(p, "clip")) {
			x->clip = true;
			next(p);
		} else {
			next(p);
			TRY(parse_default(p, x));
		}
	}
	return 0;
}

const struct stable_expr *stableexpr_parse(const char *line, size_t len, size_t from,
					   unsigned line_no, const char *name, struct arena *a,
					   struct err *e)
{
	struct stable_expr *x = arena_alloc(a, sizeof(*x));
	struct stable_parser p = {
		.line = line,
		.len = len,
		.pos = from,
		.line_no = line_no,
		.a = a,
		.e = e,
	};

	next(&p);
	x->stated = p.kind != W_END;
	if (parse_rest(&p, x) < 0)
		return NULL;
	if (!x->n) {
		struct stable_alt *alt = arena_alloc(a, sizeof(*alt));
		struct stable_term *t = arena_alloc(a, sizeof(*t));

		t->column = 1;
		t->times = 1;
		t->name = alt->text = arena_strndup(a, name, strlen(name));
		t->op = term_of(name);
		alt->terms = t;
		alt->n = 1;
		x->alts = alt;
		x->n = 1;
	}
	return x;
}
