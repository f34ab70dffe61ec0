// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script_events: which events a script needs, from its text: those of its "# zedtrace:" lines, or
 * those that it defines or registers handlers for.  The walk over Perl is here.
 */
#include "programs/session/script_events.h"

#include "base/ascii.h"
#include "base/io.h"
#include "base/suffix.h"
#include "programs/installed.h"
#include "programs/session/script_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	struct script_names *names;
	const char *end; /* of the text */
	unsigned misses; /* "<<WORD" that were no here-documents */
	bool pod;
	bool on; /* "on" alone means Zed::on */
};

/* No more are looked for: each costs a walk to the end of the script. */
#define MAX_MISSES 100

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Does the line [P, END) consist of WORD, perhaps with trailing blanks? */
static bool line_is(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - p) < len || memcmp(p, word, len))
		return false;
	for (p += len; p < end; p++)
		if (!ascii_space(*p))
			return false;
	return true;
}

/* "SYS::EVENT" at P, after "sub": one handler, unless the package cannot be a subsystem. */
static void take_sub(struct found_names *l, const char *p, const char *end)
{
	static const char *const OTHERS[] = { "main", "Zed", "CORE", "UNIVERSAL" };
	const char *from = p, *colons, *name;
	char text[256];
	size_t len;

	while (p < end && ascii_word(*p))
		p++;
	colons = p;
	if (p == from || end - p < 3 || p[0] != ':' || p[1] != ':')
		return;
	p += 2;
	for (name = p; p < end && ascii_word(*p); p++)
		;
	/* A::B::C is not an event: a subsystem cannot be called A::B. */
	if (p == name || (end - p >= 2 && p[0] == ':' && p[1] == ':'))
		return;
	len = colons - from;
	for (size_t i = 0; i < sizeof(OTHERS) / sizeof(OTHERS[0]); i++)
		if (strlen(OTHERS[i]) == len && !memcmp(OTHERS[i], from, len))
			return;
	if ((size_t)(p - from) >= sizeof(text))
		return;
	memcpy(text, from, len);
	text[len] = ':';
	memcpy(text + len + 1, name, p - name);
	found_add(l, text, len + 1 + (p - name));
}

/* Skip blanks, line ends and comments. */
static const char *skip_space(const char *p, const char *end)
{
	while (p < end && (ascii_space(*p) || *p == '#')) {
		const char *nl = *p == '#' ? memchr(p, '\n', end - p) : p;

		p = nl ? nl + 1 : end;
	}
	return p;
}

/* The closing quote of the string whose opening quote is at P; NULL: not on this line. */
static const char *string_end(const char *p, const char *end)
{
	char quote = *p;

	for (p++; p < end && *p != '\n'; p++) {
		if (*p == quote)
			return p;
		p += *p == '\\';
	}
	return NULL;
}

/* The string literal at P, "..." or q(...), if it interpolates nothing: one event. */
static void take_literal(struct found_names *l, const char *p, const char *end)
{
	static const char OPEN[] = "([{<", CLOSE[] = ")]}>";
	const char *from, *pair;
	char quote;

	if (p < end && *p == 'q') {
		p += end - p > 1 && p[1] == 'q' ? 2 : 1;
		p = skip_blanks(p, end);
		if (p == end || ascii_word(*p) || *p == ',' || *p == '=')
			return;
		pair = strchr(OPEN, *p);
		quote = pair ? CLOSE[pair - OPEN] : *p;
	} else if (p < end && (*p == '"' || *p == '\'')) {
		quote = *p;
	} else {
		return;
	}
	for (from = ++p; p < end && *p != quote; p++)
		if (ascii_space(*p) || strchr("$@\\", *p))
			return;
	if (p < end && p > from && p - from < 256)
		found_add(l, from, p - from);
}

/* Is WORD at P of [LINE, END) as a whole word? */
static bool word_at(const char *line, const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - p) > len && !memcmp(p, word, len) && !ascii_word(p[len]) &&
	       p[len] != ':' && (p == line || (!ascii_word(p[-1]) && !strchr(":$@%>", p[-1])));
}

/* A call of Zed::on or of an aggregation at P?  Its event, on this line or a later one. */
static void take_on(struct scan *s, const char *line, const char *p, const char *end)
{
	/* Functions whose first argument is an event. */
	static const char *const TAKERS[] = {
		"Zed::on",    "Zed::count", "Zed::sum",	  "Zed::min",	    "Zed::max", "Zed::avg",
		"Zed::stats", "Zed::hist",  "Zed::lhist", "Zed::quantiles", "Zed::top",
	};
	size_t len = s->on && word_at(line, p, end + (end < s->end), "on") ? strlen("on") : 0;

	for (size_t i = 0; i < sizeof(TAKERS) / sizeof(TAKERS[0]) && !len; i++)
		if (word_at(line, p, end + (end < s->end), TAKERS[i]))
			len = strlen(TAKERS[i]);
	if (!len)
		return;
	p += len;
	p = skip_space(p, s->end);
	if (p < s->end && *p == '(')
		p = skip_space(p + 1, s->end);
	take_literal(&s->names->handlers, p, s->end);
}

/* The literals at P, one or an array of them: "[qw(A B)]", "['A', 'B']". */
static void take_literals(struct found_names *l, const char *p, const char *end)
{
	const char *close;

	if (p == end || *p != '[') {
		take_literal(l, p, end);
		return;
	}
	p = skip_space(p + 1, end);
	if (end - p > 3 && !memcmp(p, "qw", 2)) {
		for (p = skip_space(p + 3, end); p < end && !strchr(")]}>/", *p);
		     p = skip_space(p, end)) {
			const char *from = p;

			while (p < end && !ascii_space(*p) && !strchr(")]}>/", *p))
				p++;
			if (p - from < 256)
				found_add(l, from, p - from);
		}
		return;
	}
	while (p < end && (*p == '"' || *p == '\'')) {
		take_literal(l, p, end);
		close = string_end(p, end);
		if (!close)
			return;
		p = skip_space(close + 1, end);
		if (p < end && *p == ',')
			p = skip_space(p + 1, end);
	}
}

/* A call of Zed::synthetic at P?  The events that it is made from, up to the statement's end. */
static void take_synthetic(struct scan *s, const char *line, const char *p, const char *end)
{
	static const char *const WORDS[] = { "start", "end", "abort" };
	const char *close, *q;

	if (!word_at(line, p, end + (end < s->end), "Zed::synthetic"))
		return;
	while (p < s->end && *p != ';') {
		close = *p == '"' || *p == '\'' ? string_end(p, s->end) : NULL;
		for (unsigned i = 0; !close && i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
			if (!word_at(line, p, s->end, WORDS[i]))
				continue;
			q = skip_space(p + strlen(WORDS[i]), s->end);
			if (s->end - q > 2 && !memcmp(q, "=>", 2))
				take_literals(&s->names->handlers, skip_space(q + 2, s->end),
					      s->end);
		}
		p = close ? close + 1 : p + 1;
	}
}

/* "use Zed qw(on ...)" at P. */
static void take_use(struct scan *s, const char *line, const char *p, const char *end)
{
	if (!word_at(line, p, end, "use"))
		return;
	p = skip_blanks(p + 3, end);
	if (!word_at(line, p, end, "Zed"))
		return;
	for (p += 3; p < end && *p != ';'; p++)
		s->on |= word_at(line, p, end, "on") || (end - p >= 4 && !memcmp(p, ":all", 4));
}

/*
 * The handlers of one line of code, up to its comment: subs and imports where statements begin (at
 * its head, after ; { }), calls anywhere but in strings.
 */
static void take_code(struct scan *s, const char *line, const char *end)
{
	bool begins = true;

	for (const char *p = line; p < end; p++) {
		char c = *p;

		if (c == '#' && (p == line || ascii_space(p[-1])))
			return;
		if (begins && end - p > 4 && !memcmp(p, "sub", 3) && (p[3] == ' ' || p[3] == '\t'))
			take_sub(&s->names->handlers, skip_blanks(p + 3, end), end);
		if (begins && c == 'u')
			take_use(s, line, p, end);
		if (c == 'Z' || c == 'o')
			take_on(s, line, p, end);
		if (c == 'Z')
			take_synthetic(s, line, p, end);
		/* Not those of isn't, $' and \". */
		if (c == '"' || c == '\'')
			if (p == line ||
			    (p[-1] != '$' && p[-1] != '\\' && (c == '"' || !ascii_word(p[-1])))) {
				const char *close = string_end(p, end);

				p = close ? close : p;
			}
		if (c == ';' || c == '{' || c == '}')
			begins = true;
		else if (!ascii_space(c))
			begins = false;
	}
}

static const char *line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', end - p);

	return nl ? nl : end;
}

/*
 * If a here-document begins in [LINE, END): the head of the line after it.  A shift ("1 <<N") looks
 * the same, so one that never ends is not a here-document.
 */
static const char *behind_here(struct scan *s, const char *line, const char *end)
{
	const char *p = memmem(line, end - line, "<<", 2), *from, *q, *nl;
	char word[64], quote = 0;
	bool indented;

	if (!p || s->misses >= MAX_MISSES)
		return NULL;
	p += 2;
	indented = p < end && *p == '~';
	p += indented;
	if (p < end && (*p == '"' || *p == '\''))
		quote = *p++;
	for (from = p; p < end && (quote ? *p != quote : ascii_word(*p)); p++)
		;
	if (p == from || (size_t)(p - from) >= sizeof(word) || ascii_digit(*from) ||
	    (quote && p == end))
		return NULL;
	memcpy(word, from, p - from);
	word[p - from] = '\0';
	for (q = end; q < s->end; q = nl) {
		q++;
		nl = line_end(q, s->end);
		if (line_is(indented ? skip_blanks(q, nl) : q, nl, word))
			return nl < s->end ? nl + 1 : nl;
	}
	s->misses++;
	return NULL;
}

/* One line [P, END).  Returns the head of the next; the text's end: there is no more code. */
static const char *take(struct scan *s, const char *p, const char *end)
{
	const char *next = end < s->end ? end + 1 : end, *words = skip_blanks(p, end), *behind;

	if (s->pod) {
		s->pod = end - p < 4 || memcmp(p, "=cut", 4) || (end - p > 4 && ascii_word(p[4]));
		return next;
	}
	if (end - p >= 2 && *p == '=' && ascii_letter(p[1])) {
		s->pod = true;
		return next;
	}
	if (line_is(p, end, "__END__") || line_is(p, end, "__DATA__"))
		return s->end;
	if (words < end && *words == '#') {
		found_line(&s->names->lines, words + 1, end);
		return next;
	}
	take_code(s, p, end);
	behind = behind_here(s, p, end);
	return behind ? behind : next;
}

static void perl_names(struct script_names *names, const char *text, size_t len)
{
	struct scan s = { .names = names, .end = text + len };

	for (const char *p = text; p < s.end;)
		p = take(&s, p, line_end(p, s.end));
}

/* ---- of any language ---- */

/* By its name, or the program that its first line names. */
static bool is_python(const char *name, const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len);
	size_t head = nl ? (size_t)(nl - text) : len;

	return suffix_is(name, ".py") ||
	       (head > 2 && !memcmp(text, "#!", 2) && memmem(text, head, "python", 6));
}

/* There is no script PATH: suggest one. */
static void no_script(const char *path, struct err *e)
{
	char *near = strchr(path, '/') ? NULL : installed_near(path);

	if (near)
		err_set(e, ERR_USAGE, ERR_NO_OFF, "no such script: did you mean %.80s?", near);
	else
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"no such script (zedperl --scripts lists those that come with it)");
	free(near);
}

static char *read_script(const char *path, size_t *len, struct err *e)
{
	char *text = io_text(open(path, O_RDONLY | O_CLOEXEC), SCRIPT_MAX, len);

	if (text)
		return text;
	if (errno == ENOENT)
		no_script(path, e);
	else if (errno == EISDIR)
		err_set(e, ERR_USAGE, ERR_NO_OFF, "is a directory, not a script");
	else if (errno == EFBIG)
		err_set(e, ERR_USAGE, ERR_NO_OFF, "is longer than %u MiB: hardly a script",
			SCRIPT_MAX >> 20);
	else
		err_sys(e, ERR_NO_OFF, "cannot read the script");
	return NULL;
}

int script_events_of(enum script_language language, const char *name, const char *text, size_t len,
		     struct event_names *words, enum note_level of_handlers, struct notes *n,
		     struct err *e)
{
	struct script_names s = { .lines = { .n = 0 } };
	struct found_names *of;
	struct err first;
	bool python;
	int used = 0;

	python = language == SCRIPT_PYTHON ||
		 (language == SCRIPT_ANY && is_python(name, text, len));
	if (python)
		python_names(&s, text, len);
	else
		perl_names(&s, text, len);
	of = s.lines.n ? &s.lines : &s.handlers;
	for (unsigned i = 0; i < of->n; i++) {
		if (event_names_add(words, of->v[i], e) == 0) {
			used++;
			continue;
		}
		err_path(e, name);
		if (i == 0)
			first = *e;
		note_err(n, of == &s.handlers ? of_handlers : NOTE_WARN, e);
	}
	if (!of->n) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"names no events: add a line '# zedtrace: "
			"EVENTS' or name them: zedtrace EVENTS, %s --live=EVENTS",
			python ? "zedpython" : "zedperl");
		used = err_path(e, name);
	} else if (!used && of == &s.handlers && of_handlers == NOTE_INFO) {
		*e = first;
	} else if (!used) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"this kernel has none of the events that it is for "
			"(zedtrace -t lists those that there are)");
		err_path(e, name);
	}
	found_fini(&s.lines);
	found_fini(&s.handlers);
	return used;
}

int script_events(enum script_language language, const char *path, struct event_names *words,
		  enum note_level of_handlers, struct notes *n, struct err *e)
{
	size_t len = 0;
	char *text = read_script(path, &len, e);
	int used;

	if (!text)
		return err_path(e, path);
	used = script_events_of(language, path, text, len, words, of_handlers, n, e);
	free(text);
	return used;
}
