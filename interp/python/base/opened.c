/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opened: the inputs of zed.open(), and which of their events it chooses.
 */
#include "interp/python/base/opened.h"

#include "base/mem.h"
#include "index/index.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READER "zedsyms" /* reads ELF files: names of functions of programs */

/* ---- words ---- */

void open_texts_add(struct open_texts *t, const char *text, size_t len)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = mem_strndup(text, len);
}

static void texts_fini(struct open_texts *t)
{
	while (t->n)
		free(t->v[--t->n]);
	free(t->v);
}

void open_words_fini(struct open_words *w)
{
	texts_fini(&w->paths);
	texts_fini(&w->events);
	texts_fini(&w->where);
	texts_fini(&w->stable);
	free(w->start.text);
	free(w->end.text);
	free(w->cpus);
	free(w->pids);
	free(w->tasks);
	memset(w, 0, sizeof(*w));
}

/* ---- messages ---- */

static void add_message(struct open_messages *m, const char *text)
{
	if (m->n >= OPEN_MESSAGES) {
		m->more++;
		return;
	}
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n++] = mem_strdup(text);
}

/* What zedperl prints with -v only is left out. */
static void take_note(void *arg, enum note_level level, const char *text)
{
	struct opened *o = arg;

	if (level != NOTE_INFO)
		add_message(&o->messages, text);
}

void opened_say(struct opened *o, const char *fmt, ...)
{
	char text[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_message(&o->messages, text);
}

char *opened_message(struct opened *o)
{
	struct open_messages *m = &o->messages;
	char *first;

	if (m->more) {
		uint64_t more = m->more;

		m->more = 0;
		free(m->v[--m->n]);
		opened_say(o, "%llu further messages are not shown", (unsigned long long)more + 1);
	}
	if (!m->n)
		return NULL;
	first = m->v[0];
	memmove(m->v, m->v + 1, --m->n * sizeof(*m->v));
	return first;
}

/* ---- programs beside this one ---- */

/*
 * zedsyms: beside the program or the module, above it (a checkout), or where both are installed.
 * NULL: it is not there.
 */
static char *find_reader(void)
{
	static const char *const AT[] = { "", "../", "../libexec/zedperl/",
					  "../../../libexec/zedperl/" };
	char own[4096], path[4200];
	const char *slash;
	Dl_info self;
	ssize_t n;

	if (!dladdr((const void *)opened_new, &self) || !self.dli_fname)
		return NULL;
	snprintf(own, sizeof(own), "%s", self.dli_fname);
	/* Of a program that is the name by which it was called. */
	if (!strstr(own, ".so") && (n = readlink("/proc/self/exe", own, sizeof(own) - 1)) > 0)
		own[n] = '\0';
	slash = strrchr(own, '/');
	for (size_t i = 0; slash && i < sizeof(AT) / sizeof(AT[0]); i++) {
		int len = snprintf(path, sizeof(path), "%.*s%s" READER, (int)(slash + 1 - own), own,
				   AT[i]);

		if (len > 0 && (size_t)len < sizeof(path) && access(path, X_OK) == 0)
			return mem_strdup(path);
	}
	return NULL;
}

/* ---- which events ---- */

static bool is_pid(const char *s, size_t len)
{
	return len && len < 20 && strspn(s, "0123456789") == len &&
	       strtoull(s, NULL, 10) <= INT32_MAX;
}

/* filter_pids(), with errors that name the argument for tasks, not an option of a command line. */
static int set_pids(struct filter *f, const char *list, struct err *e)
{
	for (const char *s = list;; s++) {
		size_t len = strcspn(s, ",");

		if (!is_pid(s, len))
			return err_set(
				e, ERR_USAGE, ERR_NO_OFF,
				"'%.*s' is not a pid: a list reads 12,34 (tasks takes names)",
				len < 80 ? (int)len : 80, s);
		s += len;
		if (!*s)
			return filter_pids(f, list, e);
	}
}

static int set_filter(struct filter *f, const struct open_words *w, struct err *e)
{
	if (w->cpus && filter_cpus(f, w->cpus, e) < 0)
		return err_within(e, "cpus");
	if (w->pids && set_pids(f, w->pids, e) < 0)
		return err_within(e, "pids");
	if (w->tasks && filter_comms(f, w->tasks, e) < 0)
		return err_within(e, "tasks");
	for (size_t i = 0; i < w->where.n; i++)
		if (filter_expr(f, w->where.v[i], e) < 0)
			return err_within(e, "where");
	return 0;
}

/* The time T, if it was given, into *TS, which is the open end otherwise. */
static int set_time(struct opened *o, const struct open_time *t, const char *name, uint64_t *ts,
		    struct err *e)
{
	struct time_word w = { .kind = TIME_SHOWN, .ns = t->ns, .ticks = t->ns, .bare = true };
	uint64_t open = *ts;
	bool records;

	if (!t->given)
		return 0;
	if (t->text && times_word(t->text, &w, e) < 0)
		return err_within(e, "%s", name);
	if (times_resolve(&w, &o->pump, ts, &records, e) < 0)
		return err_within(e, "%s", name);
	if (!records)
		*ts = open;
	return 0;
}

static int set_times(struct opened *o, const struct open_words *w, struct err *e)
{
	char start[48], end[48];
	struct period all;

	if (w->relative && period_all(&o->pump, &all, e) < 0)
		o->pump.relative = true;
	else if (w->relative && period_any(&all))
		o->pump.run.base = all.first;
	TRY(set_time(o, &w->start, "start", &o->start, e));
	TRY(set_time(o, &w->end, "end", &o->end, e));
	if (o->start > o->end) {
		times_text(&o->pump, o->start, start, sizeof(start));
		times_text(&o->pump, o->end, end, sizeof(end));
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "start %s is after end %s: no event can pass", start, end);
	}
	filter_times(o->pump.filter, o->start, o->end);
	return 0;
}

static int choose(struct opened *o, const struct open_words *w, struct err *e)
{
	TRY(set_times(o, w, e));
	o->synthetic = synthetic_new(o->pump.catalog, o->stable, &o->notes);
	synthetic_time(o->synthetic, o->start, o->end);
	if (w->events.n)
		o->events = words_new();
	for (size_t i = 0; i < w->events.n; i++)
		if (words_add(o->events, w->events.v[i], e) < 0)
			return err_within(e, "events");
	if (o->events && words_bind(o->events, o->stable, o->pump.catalog, e) < 0)
		return err_within(e, "events");
	o->choice = (struct event_choice){ .pump = &o->pump,
					   .events = o->events,
					   .stable = o->stable,
					   .synthetic = o->synthetic };
	if (choice_compile(&o->choice, &o->notes, e) < 0)
		return err_within(e, "where");
	choice_want(&o->choice, NULL);
	return 0;
}

/* ---- the inputs ---- */

/* The indexes that are kept of them: of a part of their time only that is read. */
static void use_indexes(struct opened *o, const struct open_words *w)
{
	struct pump *p = &o->pump;

	if (!w->start.given && !w->end.given)
		return;
	o->indexes = mem_zalloc((p->nsources + 1) * sizeof(*o->indexes));
	o->nindexes = p->nsources;
	for (unsigned i = 0; i < p->nsources; i++) {
		struct trace_index **x = &o->indexes[i];

		*x = trace_index_find(p->sources[i]);
		if (*x && trace_index_jumps(*x))
			pump_jumps(p, i, trace_index_jumps(*x));
	}
}

/* What zedpython says of such an input, too: beside others, it has nothing to add. */
static int check_has_events(const struct pump *p, struct err *e)
{
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->nstreams || !source_has_text(p->sources[i]))
			return 0;
	if (!p->nsources)
		return 0;
	err_set(e, ERR_USAGE, ERR_NO_OFF,
		"holds the text of a latency tracer, not events: a script has nothing to handle; "
		"zedprint shows it");
	return err_path(e, p->sources[0]->in.path);
}

static int open_inputs(struct opened *o, const struct open_words *w, struct err *e)
{
	for (size_t i = 0; i < w->stable.n; i++)
		if (stable_add_path(o->stable, w->stable.v[i], e) < 0)
			return err_path(e, w->stable.v[i]);
	TRY(set_filter(o->pump.filter, w, e));
	for (size_t i = 0; i < w->paths.n; i++)
		TRY(pump_open(&o->pump, w->paths.v[i], e));
	TRY(check_has_events(&o->pump, e));
	use_indexes(o, w);
	return choose(o, w, e);
}

struct opened *opened_new(const struct open_words *w, struct err *e)
{
	struct opened *o = mem_zalloc(sizeof(*o));
	struct code_files_opts files = { .notes = &o->notes };
	struct pump_opts opts = { .strict = w->strict };

	o->notes.say = take_note;
	o->notes.arg = o;
	o->end = UINT64_MAX;
	files.reader = o->reader = find_reader();
	symbol_finder_init(&o->finder, &files);
	opts.source.notes = &o->notes;
	opts.source.finder = &o->finder.finder;
	o->stable = stable_new();
	pump_init(&o->pump, &opts);
	if (open_inputs(o, w, e) == 0)
		return o;
	opened_free(o);
	return NULL;
}

void opened_free(struct opened *o)
{
	char *text;

	if (!o)
		return;
	pump_fini(&o->pump);
	/* After the catalog, which borrows its texts. */
	synthetic_free(o->synthetic);
	words_free(o->events);
	stable_free(o->stable);
	for (unsigned i = 0; i < o->nindexes; i++)
		trace_index_close(o->indexes[i]);
	free(o->indexes);
	symbol_finder_fini(&o->finder);
	free(o->reader);
	while ((text = opened_message(o)))
		free(text);
	free(o->messages.v);
	free(o);
}

/* Can it be read from its beginning again? */
static bool is_kept(const struct source *s)
{
	struct stat st;

	if (s->in.piped || s->ops->fds || !strcmp(s->in.path, "-"))
		return false;
	return s->in.is_dir || s->dir || (fstat(s->in.fd, &st) == 0 && S_ISREG(st.st_mode));
}

bool opened_again(const struct opened *o)
{
	for (unsigned i = 0; i < o->pump.nsources; i++)
		if (!is_kept(o->pump.sources[i]))
			return false;
	/* A container (a folder that a server fills) gives other ones. */
	return !o->pump.ncontainers;
}

struct stage *opened_start(struct opened *o)
{
	return choice_synthetic(&o->choice, &o->pump.stage);
}
