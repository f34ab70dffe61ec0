// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * suits: which analyses have the events that their answers are made from.
 */
#include "programs/zedperl/explore/suits.h"

#include "base/glob.h"
#include "programs/installed.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "stable/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_LINE 512 /* bytes of a line of a script's head */
#define SETS 16	      /* lines "is made of" in it */
#define SCRIPTS 100   /* analyses that are shown */

/* What a script's head says. */
struct script_head {
	bool is_alone; /* it reads no trace itself */
	char sets[SETS][HEAD_LINE];
	unsigned nsets;
	char records[HEAD_LINE];
};

struct analysis {
	char *name, *what, *why;
	enum { SUITS, SUITS_PARTLY, SUITS_NOT } order;
};

struct analyses {
	const struct suits_there *there;
	struct analysis v[SCRIPTS];
	unsigned n;
};

/* ---- the head ---- */

static void take_line(struct script_head *h, const char *line)
{
	static const char made[] = "# zedperl: is made of ", records[] = "# zedtrace: ";

	if (!strcmp(line, "# zedperl: reads no trace itself"))
		h->is_alone = true;
	else if (!strncmp(line, made, strlen(made)) && h->nsets < SETS)
		snprintf(h->sets[h->nsets++], HEAD_LINE, "%s", line + strlen(made));
	else if (!strncmp(line, records, strlen(records)))
		snprintf(h->records, HEAD_LINE, "%s", line + strlen(records));
}

static bool read_head(struct script_head *h, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[HEAD_LINE];

	*h = (struct script_head){ .nsets = 0 };
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f) && *line == '#') {
		line[strcspn(line, "\n")] = '\0';
		take_line(h, line);
	}
	fclose(f);
	return !h->is_alone && h->nsets;
}

/* ---- events by name ---- */

/*
 * LTTng has an event for each system call, which serve where analyses need those of all calls: they
 * make the same stable event.
 */
static bool makes_calls(const struct suits_there *s, const char *word, const struct etype *t)
{
	bool enter = !strcmp(word, "raw_syscalls:sys_enter");
	const struct stable_event *ev;

	if (!enter && strcmp(word, "raw_syscalls:sys_exit") != 0)
		return false;
	ev = stable_find(s->stable, "syscall", enter ? "enter" : "exit");
	return ev && t->lttng && stable_takes(ev, s->catalog, t) >= 0;
}

/* What a trace declares may occur in what was not read; but all declare the events of tracers. */
static bool is_there(const struct suits_there *s, const struct etype *t)
{
	if (t->idx < s->n && s->counts[t->idx])
		return true;
	return s->is_partly && t->known && strcmp(t->system, "ftrace") != 0;
}

/* Does an event of the name WORD occur?  It is SYSTEM:EVENT, or SYSTEM; both may be patterns. */
static bool has_event(const struct suits_there *s, const char *word)
{
	char system[HEAD_LINE];
	char *colon;

	snprintf(system, sizeof(system), "%s", word);
	colon = strchr(system, ':');
	if (colon)
		*colon = '\0';
	for (unsigned i = 0; i < catalog_count(s->catalog); i++) {
		const struct etype *t = catalog_at(s->catalog, i);

		if (is_there(s, t) && ((glob_match(system, t->system) &&
					(!colon || glob_match(colon + 1, t->name))) ||
				       makes_calls(s, word, t)))
			return true;
	}
	return false;
}

/* Is one of the words in WORDS, separated by "|", there? */
static bool has_any(const struct suits_there *s, const char *words)
{
	char all[HEAD_LINE], *save, *one;

	snprintf(all, sizeof(all), "%s", words);
	for (one = strtok_r(all, "|", &save); one; one = strtok_r(NULL, "|", &save))
		if (!strcmp(one, "stack") ? s->stack :
		    !strcmp(one, "loss")  ? s->loss :
					    has_event(s, one))
			return true;
	return false;
}

/* The words of LIST that are not there, with blanks between, into LACKS; returns whether any. */
static bool lacks_any(const struct suits_there *s, const char *list, char lacks[HEAD_LINE])
{
	char all[HEAD_LINE], *save, *one;
	size_t n = 0;

	snprintf(all, sizeof(all), "%s", list);
	*lacks = '\0';
	for (one = strtok_r(all, " ", &save); one; one = strtok_r(NULL, " ", &save))
		if (!has_any(s, one))
			n += (size_t)snprintf(lacks + n, HEAD_LINE - n, n ? " %s" : "%s", one);
	return n;
}

/* ---- the answer ---- */

/* What a script is made of, as words that follow "no". */
static void put_words(struct outbuf *o, const struct script_head *h)
{
	for (unsigned i = 0; i < h->nsets; i++) {
		out_str(o, i ? ", no " : "");
		for (const char *p = h->sets[i]; *p;) {
			size_t len = strcspn(p, " |");

			if (len == 5 && !strncmp(p, "stack", len))
				out_str(o, "event with a stack");
			else
				out_bytes(o, p, len);
			p += len;
			if (*p)
				out_str(o, *p++ == '|' ? " or " : " with ");
		}
	}
}

/* If an analysis is made of any events, what it asks to record is an example. */
static bool names_events(const struct script_head *h)
{
	for (unsigned i = 0; i < h->nsets; i++)
		for (const char *p = strchr(h->sets[i], ':'); p; p = strchr(p + 1, ':'))
			if (p > h->sets[i] && p[-1] != '*' && p[-1] != ' ')
				return true;
	return false;
}

static void judge(struct analysis *a, const struct script_head *h, const struct suits_there *there)
{
	struct outbuf why = { .len = 0 };
	char lacks[HEAD_LINE];
	bool is_met = false;

	for (unsigned i = 0; i < h->nsets && !is_met; i++)
		is_met = !lacks_any(there, h->sets[i], lacks);
	if (!is_met) {
		a->order = SUITS_NOT;
		out_str(&why, "no ");
		put_words(&why, h);
	} else if (names_events(h) && lacks_any(there, h->records, lacks)) {
		a->order = SUITS_PARTLY;
		out_printf(&why, "partly: no %s", lacks);
	} else {
		a->order = SUITS;
	}
	out_end(&why);
	a->why = why.p;
}

static void take_script(const char *name, const char *path, void *arg)
{
	struct analyses *all = arg;
	struct analysis *a = &all->v[all->n];
	char what[HEAD_LINE];
	struct script_head h;

	if (all->n == SCRIPTS || !strcmp(name, "summary") || !read_head(&h, path))
		return;
	all->n++;
	installed_purpose(path, what, sizeof(what));
	a->name = mem_strdup(name);
	a->what = mem_strdup(what);
	judge(a, &h, all->there);
}

/* Those that suit come first; each kind as installed_each() has sorted it. */
static void put_those(struct outbuf *o, const struct analyses *all, unsigned order, bool *any)
{
	for (unsigned i = 0; i < all->n; i++) {
		const struct analysis *a = &all->v[i];

		if (a->order != order)
			continue;
		out_str(o, *any ? ",{\"name\":" : "{\"name\":");
		out_json(o, a->name, strlen(a->name));
		out_str(o, ",\"what\":");
		out_json(o, a->what, strlen(a->what));
		out_str(o, order == SUITS_NOT ? ",\"suits\":false,\"why\":" :
						",\"suits\":true,\"why\":");
		out_json(o, a->why, strlen(a->why));
		out_char(o, '}');
		*any = true;
	}
}

void suits_put(struct outbuf *o, const struct suits_there *there)
{
	struct analyses *all = mem_zalloc(sizeof(*all));
	bool any = false;

	all->there = there;
	installed_each(take_script, all);
	out_char(o, '[');
	for (unsigned order = SUITS; order <= SUITS_NOT; order++)
		put_those(o, all, order, &any);
	out_char(o, ']');
	while (all->n--) {
		free(all->v[all->n].name);
		free(all->v[all->n].what);
		free(all->v[all->n].why);
	}
	free(all);
}
