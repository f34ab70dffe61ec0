// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * python_names: the events that a Python script handles, from its text, which is not run: enough of
 * the language to tell code from strings and comments.
 */
#include "programs/session/script_names.h"

#include "base/ascii.h"

#include <string.h>

#define LONGEST_NAME 255
#define LONGEST_CALL 65536 /* bytes of a call's arguments that are looked at */

struct py_word {
	const char *at;
	size_t len;
};

static bool word_is(struct py_word w, const char *text)
{
	return strlen(text) == w.len && !memcmp(w.at, text, w.len);
}

static bool word_in(struct py_word w, const char *const *list)
{
	while (*list && !word_is(w, *list))
		list++;
	return *list;
}

static struct py_word word_at(const char *p, const char *end)
{
	struct py_word w = { .at = p };

	while (p + w.len < end && ascii_word(p[w.len]))
		w.len++;
	return w;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && ascii_blank(*p))
		p++;
	return p;
}

static const char *line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', end - p);

	return nl ? nl : end;
}

/* Within brackets: line ends and comments, too. */
static const char *skip_space(const char *p, const char *end)
{
	while (p < end && (ascii_space(*p) || *p == '#'))
		p = *p == '#' ? line_end(p, end) : p + 1;
	return p;
}

/* What follows the string whose opening quote is at P. */
static const char *string_end(const char *p, const char *end)
{
	char quote = *p;
	bool three = end - p > 2 && p[1] == quote && p[2] == quote;

	for (p += three ? 3 : 1; p < end; p++) {
		if (*p == '\\' && end - p > 1)
			p++;
		else if (*p == '\n' && !three)
			return p;
		else if (*p == quote && !three)
			return p + 1;
		else if (*p == quote && end - p > 2 && p[1] == quote && p[2] == quote)
			return p + 3;
	}
	return end;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* The string literal at P, if it is the name of an event: what follows it; else NULL. */
static const char *take_literal(struct found_names *l, const char *p, const char *end)
{
	const char *from, *next;

	if (end - p > 1 && (*p == 'r' || *p == 'R'))
		p++;
	if (p >= end || !is_quote(*p))
		return NULL;
	next = string_end(p, end);
	for (from = ++p; p < end && !is_quote(*p); p++)
		if (ascii_space(*p) || *p == '\\')
			return NULL;
	if (p == from || p + 1 != next || p - from > LONGEST_NAME)
		return NULL;
	found_add(l, from, p - from);
	return next;
}

/* One, or a list or tuple of them. */
static void take_literals(struct found_names *l, const char *p, const char *end)
{
	bool many = p < end && (*p == '[' || *p == '(');

	p = many ? skip_space(p + 1, end) : p;
	while (p < end && (p = take_literal(l, p, end)) && many) {
		p = skip_space(p, end);
		if (p < end && *p == ',')
			p = skip_space(p + 1, end);
	}
}

/* "SYSTEM__EVENT": a handler. */
static void take_function(struct found_names *l, struct py_word name)
{
	const char *bar = memmem(name.at, name.len, "__", 2);
	char text[LONGEST_NAME + 1];
	size_t system, event;

	if (!bar || bar == name.at || name.len > LONGEST_NAME)
		return;
	system = bar - name.at;
	event = name.len - system - 2;
	if (!event)
		return;
	memcpy(text, name.at, system);
	text[system] = ':';
	memcpy(text + system + 1, bar + 2, event);
	found_add(l, text, system + 1 + event);
}

/* The arguments of zed.synthetic from P on: the events that it is made from. */
static void take_synthetic(struct found_names *l, const char *p, const char *end)
{
	static const char *const WORDS[] = { "start", "end", "abort", NULL };
	unsigned depth = 1;

	if (end - p > LONGEST_CALL)
		end = p + LONGEST_CALL;
	while (p < end && depth) {
		struct py_word w = word_at(p, end);
		const char *q = skip_space(w.at + w.len, end);

		if (w.len) {
			if (depth == 1 && word_in(w, WORDS) && end - q > 1 && *q == '=')
				take_literals(l, skip_space(q + 1, end), end);
			p += w.len;
		} else if (is_quote(*p)) {
			p = string_end(p, end);
		} else if (*p == '#') {
			p = line_end(p, end);
		} else {
			depth += strchr("([{", *p) && *p;
			depth -= strchr(")]}", *p) && *p;
			p++;
		}
	}
}

/* The names of a dotted chain: the last one, and the one before it. */
struct py_chain {
	struct py_word of, last;
	const char *next; /* what follows it */
};

static struct py_chain chain_at(const char *p, const char *end)
{
	struct py_chain c = { .last = word_at(p, end) };

	for (p += c.last.len; end - p > 1 && *p == '.' && ascii_word(p[1]); p += c.last.len) {
		c.of = c.last;
		c.last = word_at(++p, end);
	}
	c.next = p;
	return c;
}

/* Is it called, and of zed?  BARE: names were imported from there. */
static bool is_call(const struct py_chain *c, bool bare, const char *end)
{
	static const char *const OBJECTS[] = { "zed", "trace", NULL };
	const char *p = skip_blanks(c->next, end);

	return p < end && *p == '(' && (c->of.len ? word_in(c->of, OBJECTS) : bare);
}

static void take_call(struct script_names *s, const struct py_chain *c, const char *end)
{
	/* Those whose first argument is an event. */
	static const char *const TAKERS[] = {
		"on",	 "count", "sum",   "min",	"max", "avg",
		"stats", "hist",  "lhist", "quantiles", "top", NULL,
	};
	const char *p = skip_space(skip_blanks(c->next, end) + 1, end);

	if (word_in(c->last, TAKERS))
		take_literal(&s->handlers, p, end);
	else if (word_is(c->last, "synthetic"))
		take_synthetic(&s->handlers, p, end);
}

/* "from zed import ...", after "from" */
static bool is_import(const char *p, const char *end)
{
	struct py_word w = word_at(skip_blanks(p, end), end);

	return word_is(w, "zed") && word_is(word_at(skip_blanks(w.at + w.len, end), end), "import");
}

void python_names(struct script_names *s, const char *text, size_t len)
{
	const char *end = text + len, *p = text, *comment;
	bool begins = true; /* P is at the head of a line, or behind its indentation */
	bool bare = false;

	while (p < end) {
		struct py_chain c = chain_at(p, end);

		if (c.last.len) {
			bool head = p == text || p[-1] == '\n';

			if (head && word_is(c.last, "def"))
				take_function(&s->handlers, word_at(skip_blanks(c.next, end), end));
			else if (begins && word_is(c.last, "from") && is_import(c.next, end))
				bare = true;
			else if (is_call(&c, bare, end))
				take_call(s, &c, end);
			/* A prefix of a string is one of its own: the quote comes next. */
			p = c.next;
			begins = false;
		} else if (is_quote(*p)) {
			p = string_end(p, end);
			begins = false;
		} else if (*p == '#') {
			comment = p + 1;
			p = line_end(p, end);
			if (begins)
				found_line(&s->lines, comment, p);
		} else {
			begins = *p == '\n' || (begins && ascii_blank(*p));
			p++;
		}
	}
}
