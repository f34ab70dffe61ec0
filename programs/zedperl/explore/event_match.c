// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_match: is an event what a search looks for?
 */
#include "programs/zedperl/explore/event_match.h"

#include "base/ascii.h"
#include "base/glob.h"
#include "trace/machine.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_ASKED, NO, YES };

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* TEXT in small letters; "::" between system and event is ":", as in names. */
static void take_text(struct event_match *m, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < sizeof(m->text); text++)
		if (*text != ':' || text[1] != ':')
			m->text[n++] = small(*text);
	m->text[n] = '\0';
	m->is_pattern = strpbrk(m->text, "*?");
}

static bool is_number(const char *s)
{
	size_t n = 0;

	while (ascii_digit(s[n]))
		n++;
	return n && n <= 10 && !s[n];
}

/* With an operator after the names of events: "sched: prio < 100". */
static bool is_expression(const char *s)
{
	const char *colon = strchr(s, ':');

	return colon && strpbrk(colon, "=<>~&");
}

int event_match_init(struct event_match *m, struct cli *c, const char *what, struct err *e)
{
	struct filter *f = c->run.pump.filter;

	*m = (struct event_match){ .cap = 0 };
	if (is_number(what)) {
		TRY(filter_pids(f, what, e));
	} else if (is_expression(what)) {
		TRY(filter_expr(f, what, e));
		TRY(filter_compile(f, c->run.pump.catalog, &c->run.notes, e));
		cli_want(c, NULL);
	} else {
		take_text(m, what);
	}
	return 0;
}

void event_match_fini(struct event_match *m)
{
	free(m->types);
}

/* Does NAME, LEN bytes in any case, contain the text, or match the pattern? */
static bool has_text(const struct event_match *m, const char *name, size_t len)
{
	char low[1024];

	len = len < sizeof(low) - 1 ? len : sizeof(low) - 1;
	for (size_t i = 0; i < len; i++)
		low[i] = small(name[i]);
	low[len] = '\0';
	return m->is_pattern ? glob_match(m->text, low) : strstr(low, m->text) != NULL;
}

static bool has_type(struct event_match *m, const struct etype *t)
{
	char name[1024];

	if (t->idx >= m->cap)
		m->types = mem_grow_zeroed(m->types, &m->cap, (size_t)t->idx + 1, 1);
	if (m->types[t->idx] == NOT_ASKED) {
		snprintf(name, sizeof(name), "%s:%s", t->system, t->name);
		m->types[t->idx] = has_text(m, name, strlen(name)) ? YES : NO;
	}
	return m->types[t->idx] == YES;
}

bool event_match_is(struct event_match *m, const struct event *ev)
{
	const char *comm;

	if (!*m->text || has_type(m, ev->type))
		return true;
	if (ev->pid < 0)
		return false;
	comm = comms_name(ev->type->machine->comms, ev->pid);
	return has_text(m, comm, strlen(comm));
}
