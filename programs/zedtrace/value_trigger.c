// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * value_trigger: the values of --when that are computed from two events: a run of its own over an
 * instance that has these two, in a thread.
 */
#include "programs/zedtrace/value_trigger.h"

#include "base/mem.h"
#include "reader/live/live.h"
#include "run/filter/filter.h"
#include "run/pump.h"
#include "run/synthetic/synthetic.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BUFFER_KB 4096 /* of a CPU: for a second of a busy one */

/* What needs no --synthetic: how long a task that was woken waited for a CPU. */
static const char WAIT_CPU[] = "wait:cpu start=sched:waking end=sched:switch "
			       "match='start.pid == end.next_pid' delay='end.ts - start.ts' "
			       "pid=end.next_pid comm=end.next_comm";

/* "wait:cpu delay > 5ms": an event's name, and what is to hold for it. */
struct condition {
	char *system;
	const char *name;      /* in SYSTEM's memory */
	struct filter *filter; /* NULL: it always holds */
};

struct value_trigger {
	struct zedtrace *z;
	struct notes *notes;
	struct condition *v;
	unsigned n;
	struct pump pump;
	struct synthetic *synthetic;
	struct session *session; /* of the pump's source */
	struct stage *stage;
	pthread_t thread;
	bool runs;
	int stop, fd;
};

/* ---- names and definitions ---- */

/* The bytes of the event's name in TEXT; the condition may follow after a blank, or ": ". */
static size_t name_length(const char *text)
{
	size_t len = strcspn(text, " \t");

	return len && text[len - 1] == ':' ? len - 1 : len;
}

/* Does the definition DEF make the event that TEXT begins with? */
static bool defines(const char *def, const char *text)
{
	size_t len = name_length(text);

	def += strspn(def, " \t\r\n");
	return len == strcspn(def, " \t\r\n") && !memcmp(def, text, len);
}

/* The definition of the event that TEXT begins with; NULL: there is none. */
static const char *definition_of(const struct zedtrace *z, const char *text)
{
	for (unsigned i = 0; i < z->synthetic.n; i++)
		if (defines(z->synthetic.v[i], text))
			return z->synthetic.v[i];
	return defines(WAIT_CPU, text) ? WAIT_CPU : NULL;
}

bool valuetrigger_takes(const struct zedtrace *z, const char *text)
{
	return definition_of(z, text) != NULL;
}

/* The value of " KEY=" in the definition DEF, without quotes, to be freed; NULL: it has none. */
static char *value_of(const char *def, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = def; *p; p++) {
		char quote = p[0] == '\'' || p[0] == '"' ? p[0] : '\0';

		if (quote && strchr(p + 1, quote))
			p = strchr(p + 1, quote); /* what is quoted is no key */
		if (p == def || !strchr(" \t\r\n", p[-1]) || strncmp(p, key, len) || p[len] != '=')
			continue;
		p += len + 1;
		quote = *p == '\'' || *p == '"' ? *p : '\0';
		return quote ? mem_strndup(p + 1, strcspn(p + 1, (char[]){ quote, '\0' })) :
			       mem_strndup(p, strcspn(p, " \t\r\n"));
	}
	return NULL;
}

/* Add the events that DEF is made of to NAMES. */
static int add_events(struct event_names *names, const char *def, struct err *e)
{
	static const char *const keys[] = { "start", "end", "abort" };
	int rc = 0;

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]) && rc >= 0; i++) {
		char *list = value_of(def, keys[i]);

		if (list)
			rc = event_names_add_list(names, list, keys[i], e);
		free(list);
	}
	return rc < 0 ? -1 : 0;
}

/* ---- the instance and the run ---- */

static int open_session(struct value_trigger *t, struct err *e)
{
	struct session_opts o = { .buffer_kb = BUFFER_KB,
				  .beside = SESSION_VALUE,
				  .notes = t->notes };
	struct event_names names;
	int rc = 0;

	TRY(event_names_init(&names, t->z->stable, e));
	for (unsigned i = 0; i < t->z->when.n && rc == 0; i++) {
		const char *def = definition_of(t->z, t->z->when.v[i]);

		if (def)
			rc = add_events(&names, def, e);
	}
	o.events = (const char *const *)names.v;
	o.nevents = names.n;
	t->session = rc < 0 ? NULL : session_open(&o, e);
	event_names_fini(&names);
	return t->session ? 0 : -1;
}

static int open_run(struct value_trigger *t, struct err *e)
{
	const struct pump_opts o = { .source = { .notes = t->notes, .slack = t->z->words.slack },
				     .stop = &t->stop };
	struct source *s;

	TRY(open_session(t, e));
	pump_init(&t->pump, &o);
	s = live_open(t->session, t->pump.catalog, &o.source, e);
	t->session = s ? t->session : NULL;
	return s ? pump_add(&t->pump, s, e) : -1;
}

static int add_definitions(struct value_trigger *t, struct err *e)
{
	t->synthetic = synthetic_new(t->pump.catalog, t->z->stable, t->notes);
	for (unsigned i = 0; i < t->z->synthetic.n; i++)
		if (!synthetic_add_text(t->synthetic, t->z->synthetic.v[i], e))
			return err_within(e, "--synthetic");
	/* One of the user's takes its name. */
	for (unsigned i = 0; i < t->z->when.n; i++)
		if (definition_of(t->z, t->z->when.v[i]) == WAIT_CPU)
			return synthetic_add_text(t->synthetic, WAIT_CPU, e) ? 0 : -1;
	return 0;
}

/* "wait:cpu delay > 5ms" as a filter takes it: "wait:cpu: delay > 5ms". */
static int add_condition(struct value_trigger *t, const char *text, struct err *e)
{
	size_t len = name_length(text), rest = len + (text[len] == ':');
	const char *expr = text + rest + strspn(text + rest, " \t");
	struct condition *c = &t->v[t->n++];
	char *colon, *filter;
	int rc;

	c->system = mem_strndup(text, len);
	colon = strchr(c->system, ':');
	if (!colon)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is not SYSTEM:EVENT", c->system);
	*colon = '\0';
	c->name = colon + 1 + (colon[1] == ':');
	if (!*expr)
		return 0;
	filter = mem_alloc(strlen(text) + sizeof(": "));
	snprintf(filter, strlen(text) + sizeof(": "), "%s:%s: %s", c->system, c->name, expr);
	c->filter = filter_new();
	rc = filter_expr(c->filter, filter, e);
	free(filter);
	return rc < 0 ? -1 : filter_compile(c->filter, t->pump.catalog, t->notes, e);
}

static bool is_of(const struct condition *c, const struct etype *type)
{
	return !strcmp(c->name, type->name) && !strcmp(c->system, type->system);
}

static bool shows(void *arg, const struct etype *type)
{
	const struct value_trigger *t = arg;

	for (unsigned i = 0; i < t->n; i++)
		if (is_of(&t->v[i], type))
			return true;
	return false;
}

/* One that holds is enough. */
static bool passes(void *arg, const struct event *ev)
{
	struct value_trigger *t = arg;

	for (unsigned i = 0; i < t->n; i++)
		if (is_of(&t->v[i], ev->type) &&
		    (!t->v[i].filter || filter_pass(t->v[i].filter, ev)))
			return true;
	return false;
}

static int begin(struct value_trigger *t, struct err *e)
{
	const struct synthetic_gate gate = { .shows = shows, .passes = passes, .arg = t };

	t->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot make an eventfd");
	TRY(open_run(t, e));
	TRY(add_definitions(t, e));
	t->v = mem_zalloc((t->z->when.n + 1) * sizeof(*t->v));
	for (unsigned i = 0; i < t->z->when.n; i++)
		if (valuetrigger_takes(t->z, t->z->when.v[i]))
			TRY(add_condition(t, t->z->when.v[i], e));
	t->pump.in_order = true;
	t->stage = synthetic_stage(t->synthetic, &t->pump.stage, &gate);
	return 0;
}

struct value_trigger *valuetrigger_new(struct zedtrace *z, struct notes *n, struct err *e)
{
	struct value_trigger *t = mem_zalloc(sizeof(*t));

	t->z = z;
	t->notes = n;
	t->fd = -1;
	if (begin(t, e) == 0)
		return t;
	err_within(e, "--when");
	valuetrigger_free(t);
	return NULL;
}

/* ---- the thread ---- */

static void *watch(void *arg)
{
	static const uint64_t one = 1;
	struct value_trigger *t = arg;
	enum next got = NEXT_IDLE;
	struct item it;
	struct err e;

	while (got != NEXT_END && got != NEXT_FAILED) {
		got = stage_next(t->stage, &it, &e);
		if (got == NEXT_EVENT && write(t->fd, &one, sizeof(one)) < 0)
			continue; /* it is reported already */
	}
	if (got == NEXT_FAILED)
		note_err(t->notes, NOTE_DAMAGE, &e);
	return NULL;
}

int valuetrigger_start(struct value_trigger *t, struct err *e)
{
	sigset_t all, was;

	TRY(session_start(t->session, e));
	/* Signals are for the main thread, whose waits they interrupt. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	t->runs = pthread_create(&t->thread, NULL, watch, t) == 0;
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return t->runs ? 0 : err_set(e, ERR_SYS, ERR_NO_OFF, "--when: cannot start a thread");
}

static void say_lost(const struct value_trigger *t)
{
	uint64_t n = t->pump.stats.losses.events;

	if (n)
		note_say(t->notes, NOTE_WARN,
			 "--when: %" PRIu64 " event%s lost before a value could be made of them: "
			 "one may have been missed",
			 n, n == 1 ? " was" : "s were");
}

void valuetrigger_free(struct value_trigger *t)
{
	if (!t)
		return;
	t->stop = SIGTERM;
	if (t->runs)
		pthread_join(t->thread, NULL);
	if (t->runs)
		say_lost(t);
	for (unsigned i = 0; t->v && i < t->n; i++) {
		filter_free(t->v[i].filter);
		free(t->v[i].system);
	}
	free(t->v);
	if (t->pump.catalog)
		pump_fini(&t->pump);
	/* After the catalog, which borrows its texts. */
	synthetic_free(t->synthetic);
	if (t->fd >= 0)
		close(t->fd);
	free(t);
}

const char *valuetrigger_dir(const struct value_trigger *t)
{
	return session_dir(t->session);
}

int valuetrigger_fd(const struct value_trigger *t)
{
	return t->fd;
}

bool valuetrigger_look(struct value_trigger *t)
{
	uint64_t count;

	return read(t->fd, &count, sizeof(count)) == sizeof(count);
}
