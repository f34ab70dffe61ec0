// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * starter_events: the events of a starter script: those that the words after -g name, or a few that
 * the trace has.
 */
#include "programs/script/starter_events.h"

#include "base/mem.h"
#include "base/plain.h"
#include "reader/open.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MOST 256 /* bytes of a name in a comment; longer ones are cut */
#define LISTED 12     /* events in the head of a script if none were named */
#define HANDLED 3     /* number of them with a handler */

/* ---- the words ---- */

/*
 * WORD, or WORD.dat, as source_open() takes it.  A folder such as a kernel's block/ is not a trace.
 */
static bool is_trace(const char *word)
{
	char longer[4096];
	struct stat st;

	snprintf(longer, sizeof(longer), "%s.dat", word);
	if (stat(word, &st) == 0 && (!S_ISDIR(st.st_mode) || source_is_trace(word)))
		return true;
	return stat(longer, &st) == 0;
}

/* Does word AT of C name events, not a trace? */
static bool names_events(const struct cli *c, int at)
{
	const char *word = c->words.args[at];

	if (!strcmp(word, "-") || strchr(word, '/') || is_trace(word) ||
	    (!strchr(word, ':') && strchr(word, '.')))
		return false;
	return at + 1 < c->words.nargs || c->words.inputs.n || !strcmp(word, "all") ||
	       strpbrk(word, ":*?[,") || access("trace.dat", F_OK) == 0;
}

static int ask(struct starter_ask *a, const char *word, struct err *e)
{
	if (!strcmp(word, "all")) {
		a->all = true;
		return 0;
	}
	if (!a->words)
		a->words = words_new();
	return words_add(a->words, word, e);
}

int starter_word(struct starter_ask *a, struct cli *c, int at, struct err *e)
{
	if (names_events(c, at))
		return ask(a, c->words.args[at], e);
	cli_input(c, c->words.args[at]);
	return 0;
}

bool starter_bind(struct starter_ask *a, struct cli *c, const struct words **words)
{
	struct err e;

	/* --event names events as well; they are bound already. */
	*words = a->words ? a->words : c->choice.events;
	if (!a->words || words_bind(a->words, c->choice.stable, c->run.pump.catalog, &e) == 0)
		return true;
	err_within(&e, "-g");
	cli_say_err(c, &e);
	return false;
}

void starter_ask_fini(struct starter_ask *a)
{
	words_free(a->words);
}

/* ---- text ---- */

void starter_comment(FILE *to, const char *s)
{
	char text[4 * NAME_MOST];

	fputs(plain_text(text, sizeof(text), s), to);
}

/* ASCII only, whatever the locale. */
static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool starter_is_plain(const char *s)
{
	while (is_alnum(*s) || *s == '_')
		s++;
	return !*s;
}

bool starter_is_quotable(const char *s)
{
	const char *p = s;

	while (*p && (is_alnum(*p) || strchr("_-.+=/@", *p)))
		p++;
	return p > s && !*p;
}

/* ---- the types ---- */

static int by_name(const void *a, const void *b)
{
	const struct etype *x = *(const struct etype *const *)a;
	const struct etype *y = *(const struct etype *const *)b;
	int c = etype_compare(x, y);

	return c ? c : x->idx < y->idx ? -1 : 1;
}

const struct etype **starter_types(struct catalog *c, const struct words *w, unsigned *n)
{
	unsigned count = catalog_count(c);
	const struct etype **types = mem_zalloc((count + 1) * sizeof(*types));

	*n = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct etype *t = catalog_at(c, i);

		if (t->known && t->demand->asked != WANT_NO && (!w || words_take(w, t)))
			types[(*n)++] = t;
	}
	qsort(types, *n, sizeof(*types), by_name);
	return types;
}

bool starter_readable(struct catalog *c, const struct etype *t, const char *name, struct notes *n,
		      FILE *to)
{
	struct err e;

	if (etype_resolve(c, t, &e) == 0 && t->known)
		return true;
	if (t->machine->path)
		err_path(&e, t->machine->path);
	note_err(n, NOTE_DAMAGE, &e);
	fprintf(to, "# %s: its format cannot be read\n\n", name);
	return false;
}

/* ---- named events ---- */

/* Stable events as types: a script is made only from their names and fields. */
struct stables {
	struct etype *v;
	unsigned n;
	size_t cap;
};

static void add_stable(struct stables *s, const struct stable_event *ev)
{
	struct etype t = {
		.system = ev->system,
		.name = ev->name,
		.fields = ev->desc.fields,
		.nfields = ev->desc.n,
		.known = true,
		.resolved = true,
		.stable = true,
	};

	for (unsigned i = 0; i < s->n; i++)
		if (!etype_compare(&s->v[i], &t))
			return;
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = t;
}

/* The stable events that W names and that can be made from TYPES. */
static struct stables stables_of(const struct words *w, const struct etype **types, unsigned n)
{
	struct stables s = { 0 };

	for (unsigned k = 0; k < n; k++) {
		const struct stable_event *ev;
		unsigned i = 0;
		int from;

		while ((ev = words_stable(w, types[k], &i, &from)))
			add_stable(&s, ev);
	}
	return s;
}

void starter_events_named(struct starter_events *s, struct catalog *c, const struct words *w)
{
	unsigned ntypes, nraw;
	const struct etype **types = starter_types(c, w, &ntypes);
	struct stables stables = stables_of(w, types, ntypes);

	*s = (struct starter_events){ .stables = stables.v };
	s->v = mem_zalloc((ntypes + stables.n + 1) * sizeof(*s->v));
	for (unsigned i = 0; i < ntypes; i++)
		if (words_take_raw(w, types[i]) &&
		    !(s->n && !etype_compare(s->v[s->n - 1], types[i])))
			s->v[s->n++] = types[i];
	nraw = s->n;
	for (unsigned i = 0; i < stables.n; i++) {
		unsigned k = 0;

		while (k < nraw && etype_compare(s->v[k], &stables.v[i]))
			k++;
		if (k == nraw)
			s->v[s->n++] = &stables.v[i];
	}
	free(types);
}

/* ---- no event is named ---- */

struct happened {
	const struct etype *type;
	uint64_t n;
};

static int most_first(const void *a, const void *b)
{
	const struct happened *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return etype_compare(x->type, y->type);
}

/* The events of C, the most frequent first; *N of them, to be freed. */
static struct happened *happened_in(struct catalog *c, const uint64_t *counts, size_t ncounts,
				    unsigned *n)
{
	unsigned ntypes;
	const struct etype **types = starter_types(c, NULL, &ntypes);
	struct happened *all = mem_zalloc((ntypes + 1) * sizeof(*all));

	*n = 0;
	for (unsigned i = 0; i < ntypes; i++) {
		if (!*n || etype_compare(all[*n - 1].type, types[i]))
			all[(*n)++].type = types[i];
		all[*n - 1].n += types[i]->idx < ncounts ? counts[types[i]->idx] : 0;
	}
	qsort(all, *n, sizeof(*all), most_first);
	free(types);
	return all;
}

static void list_happened(const struct happened *all, unsigned n, const char *prog,
			  const char *trace, FILE *to)
{
	unsigned i, some = 0;
	char name[2 * NAME_MOST];

	while (some < n && all[some].n)
		some++;
	fputs("#\n# The events of ", to);
	starter_comment(to, trace);
	fputs(some ? ", the most frequent first:\n#\n" : ": none was recorded.\n", to);
	for (i = 0; i < some && i < LISTED; i++) {
		snprintf(name, sizeof(name), "%s:%s", all[i].type->system, all[i].type->name);
		fprintf(to, "# %10" PRIu64 "  ", all[i].n);
		starter_comment(to, name);
		fputc('\n', to);
	}
	if (some > LISTED)
		fprintf(to, "# and %u more (%s -t)\n", some - LISTED, prog);
	fprintf(to, "#\n# A script for others: %s -g EVENT... ", prog);
	starter_comment(to, trace);
	fprintf(to, "\n# One with all events: %s -g all ", prog);
	starter_comment(to, trace);
	fputs("\n\n", to);
}

/* Most questions begin with these. */
static const char *const ASKED[][2] = {
	{ "sched", "sched_switch" },	 { "sched", "sched_waking" },
	{ "raw_syscalls", "sys_enter" }, { "block", "block_rq_issue" },
	{ "irq", "irq_handler_entry" },	 { "workqueue", "workqueue_execute_start" },
	{ "sched", "sched_wakeup" },
};

static bool is_chosen(const struct etype **chosen, unsigned n, const struct etype *t)
{
	for (unsigned i = 0; i < n; i++)
		if (chosen[i] == t)
			return true;
	return false;
}

/* At most HANDLED of ALL: those of ASKED, then the most frequent.  Returns how many. */
static unsigned choose(const struct happened *all, unsigned n, const struct etype **chosen)
{
	unsigned used = 0;

	for (unsigned k = 0; k < sizeof(ASKED) / sizeof(ASKED[0]); k++)
		for (unsigned i = 0; i < n && all[i].n && used < HANDLED; i++)
			if (!strcmp(all[i].type->system, ASKED[k][0]) &&
			    !strcmp(all[i].type->name, ASKED[k][1]))
				chosen[used++] = all[i].type;
	for (unsigned i = 0; i < n && used < HANDLED; i++)
		if ((all[i].n || !used) && !is_chosen(chosen, used, all[i].type))
			chosen[used++] = all[i].type;
	return used;
}

void starter_events_few(struct starter_events *s, struct catalog *c, const uint64_t *counts,
			size_t ncounts, const char *prog, const char *trace, FILE *to)
{
	unsigned nall;
	struct happened *all = happened_in(c, counts, ncounts, &nall);

	*s = (struct starter_events){ .v = mem_zalloc((HANDLED + 1) * sizeof(*s->v)) };
	s->n = choose(all, nall, s->v);
	list_happened(all, nall, prog, trace, to);
	free(all);
}

void starter_events_fini(struct starter_events *s)
{
	free(s->v);
	free(s->stables);
}
