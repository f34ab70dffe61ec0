// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter_text: translates a filter from the user's words to the kernel's, and splits it into the
 * pattern of its events and its expression.
 */
#include "kernel/filter_text.h"

#include "base/ascii.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *kfilter_translate(const char *text)
{
	static const struct {
		const char *word, *sign;
	} words[] = { { "and", "&&" }, { "or", "||" }, { "not", "!" } };
	/* No operator is longer than its word. */
	char *out = mem_alloc(strlen(text) + 1), *o = out;
	char quote = 0;

	while (*text) {
		size_t len = 1;
		const char *put = text;

		if (quote) {
			if (*text == quote)
				quote = 0;
		} else if (*text == '\n') {
			/* The kernel marks an error by its column, in one line. */
			put = " ";
		} else if (*text == '"' || *text == '\'') {
			quote = *text;
		} else if (ascii_word(*text)) {
			for (len = 0; ascii_word(text[len]); len++)
				;
			for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
				if (len == strlen(words[i].word) &&
				    !strncmp(text, words[i].word, len))
					put = words[i].sign;
		}
		if (put == text) {
			memcpy(o, text, len);
			o += len;
		} else {
			memcpy(o, put, strlen(put));
			o += strlen(put);
		}
		text += len;
	}
	*o = '\0';
	return out;
}

static char *trimmed(const char *p, size_t len)
{
	while (len && ascii_space(*p)) {
		p++;
		len--;
	}
	while (len && ascii_space(p[len - 1]))
		len--;
	return mem_strndup(p, len);
}

/* Length of the name or glob at S; 'comm=="a' in 'block:comm=="a:b"' is not one. */
static size_t name_len(const char *s)
{
	return strcspn(s, ": \t\r\n\v\f=<>&~\"'(){}|");
}

static size_t blanks(const char *s)
{
	return strspn(s, " \t\r\n\v\f");
}

int kfilter_split(const char *text, char **pattern, char **expr, struct err *e)
{
	const char *system = text + blanks(text), *at = system + name_len(system), *event = NULL;
	size_t len = at - system, event_len = 0, size;

	at += blanks(at);
	*pattern = *expr = NULL;
	if (!len || *at != ':')
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "invalid filter '%.200s': expected 'SUBSYSTEM: "
			       "EXPRESSION' or 'SUBSYSTEM:EVENT: EXPRESSION'",
			       text);
	at += at[1] == ':' ? 2 : 1;
	/* "sched:sched_switch: x" names an event, "sched:x == 1" does not. */
	size = name_len(at);
	if (size && at[size + blanks(at + size)] == ':') {
		event = at;
		event_len = size;
		at += size + blanks(at + size) + 1;
	}
	*expr = trimmed(at, strlen(at));
	if (!**expr) {
		free(*expr);
		*expr = NULL;
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "missing expression in '%.200s': expected 'SUBSYSTEM[:EVENT]: "
			       "EXPRESSION'",
			       text);
	}
	size = len + event_len + 2;
	*pattern = mem_alloc(size);
	snprintf(*pattern, size, "%.*s%s%.*s", (int)len, system, event ? ":" : "", (int)event_len,
		 event ? event : "");
	return 0;
}
