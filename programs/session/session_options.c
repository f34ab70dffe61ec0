// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_options: what a user says of a tracing session, and how its values are read: for
 * zedtrace, and for zedperl --live.
 */
#include "programs/session/session_options.h"

#include "base/ascii.h"
#include "base/cpulist.h"
#include "base/mem.h"
#include "kernel/procs.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLACK 10000000000ull /* ns */

int session_size(const char *text, uint64_t unit, uint64_t *out, struct err *e)
{
	static const char SUFFIXES[] = "KMG";
	const char *s = text, *suffix;
	uint64_t n = 0;
	bool bad = !ascii_digit(*s);

	for (; ascii_digit(*s); s++)
		bad |= __builtin_mul_overflow(n, 10ull, &n) ||
		       __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n);
	if (*s) {
		suffix = strchr(SUFFIXES, toupper((unsigned char)*s));
		bad |= !suffix || s[1];
		unit = suffix ? 1024ull << (10 * (suffix - SUFFIXES)) : 1;
	}
	if (bad || __builtin_mul_overflow(n, unit, out) || !*out)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' is no size: write a number, with K, M or G behind it", text);
	return 0;
}

int session_kb(const char *text, unsigned *out, struct err *e)
{
	uint64_t bytes;

	TRY(session_size(text, 1024, &bytes, e));
	if (bytes / 1024 > INT_MAX)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is more than there can be", text);
	*out = bytes / 1024;
	return 0;
}

/* "12,34": processes that are there, added to *PIDS. */
static int parse_pids(const char *text, pid_t **pids, size_t *n, size_t *cap, struct err *e)
{
	const char *s = text;

	for (;;) {
		uint64_t pid = 0;
		const char *from = s;

		for (; ascii_digit(*s) && pid <= INT_MAX; s++)
			pid = pid * 10 + (*s - '0');
		if (s == from || !pid || pid > INT_MAX || (*s && *s != ','))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "'%s' is no list of process numbers: 12,34", text);
		if (!procs_start(pid))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "there is no process %" PRIu64 " (ps -e lists them)", pid);
		*pids = mem_grow(*pids, cap, *n + 1, sizeof(**pids));
		(*pids)[(*n)++] = pid;
		if (!*s++)
			return 0;
	}
}

/* ---- what the kernel is to choose ---- */

static int choose_filter(struct cli *c, const char *value, struct err *e)
{
	struct session_words *w = c->session;

	w->filters = mem_grow(w->filters, &w->cap_filters, w->nfilters + 1, sizeof(*w->filters));
	w->filters[w->nfilters++] = value;
	return 0;
}

static int choose_pids(struct cli *c, const char *value, struct err *e)
{
	struct session_words *w = c->session;

	return parse_pids(value, &w->pids, &w->npids, &w->cap_pids, e);
}

static int choose_cpus(struct cli *c, const char *value, struct err *e)
{
	uint64_t bits[CPULIST_MAX / 64] = { 0 };
	size_t bad = 0;

	c->session->cpus = value;
	if (!*value || cpulist_parse(value, strlen(value), bits, &bad) < 0)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no list of CPUs: 0,2-5", value);
	return 0;
}

const struct cli_chooser SESSION_CHOOSER = { choose_filter, choose_pids, choose_cpus };

/* ---- options ---- */

static int set_children(struct cli *c, const char *value, struct err *e)
{
	c->session->children = true;
	return 0;
}

static int set_clock(struct cli *c, const char *value, struct err *e)
{
	c->session->clock = value;
	return 0;
}

static int set_exclude(struct cli *c, const char *value, struct err *e)
{
	struct session_words *w = c->session;

	return parse_pids(value, &w->exclude, &w->nexclude, &w->cap_exclude, e);
}

static int set_buffer(struct cli *c, const char *value, struct err *e)
{
	return session_kb(value, &c->session->buffer_kb, e);
}

static int set_subbuf(struct cli *c, const char *value, struct err *e)
{
	return session_kb(value, &c->session->subbuf_kb, e);
}

static int set_duration(struct cli *c, const char *value, struct err *e)
{
	struct session_words *w = c->session;

	TRY(times_duration(value, &w->duration, e));
	return w->duration ? 0 :
			     err_set(e, ERR_USAGE, ERR_NO_OFF,
				     "0 seconds record nothing; without -d Ctrl-C ends");
}

/* Without a list: of the event that it stands behind, or of all. */
static int set_stack(struct cli *c, const char *value, struct err *e)
{
	struct session_words *w = c->session;

	if (value && *value == '=')
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': -T takes no value: --stack%s does",
			       value, value);
	if (!value && !(c->spec->command && c->nargs)) {
		w->stacks = true;
		return 0;
	}
	w->stack_words = mem_grow(w->stack_words, &w->cap_stack_words, w->nstack_words + 1,
				  sizeof(*w->stack_words));
	w->stack_words[w->nstack_words++] = value ? value : c->words[c->nargs - 1];
	return 0;
}

static int set_user_stack(struct cli *c, const char *value, struct err *e)
{
	c->session->user_stacks = true;
	return 0;
}

static int set_slack(struct cli *c, const char *value, struct err *e)
{
	TRY(times_duration(value, &c->session->slack, e));
	if (c->session->slack <= MAX_SLACK)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': events would be held back longer than 10 s",
		       value);
}

const struct cli_opt SESSION_OPTIONS[] = {
	{ "duration", 'd', "TIME", "end after TIME: 2.5 (seconds), 500ms", CLI_SET(set_duration) },
	{ "children", 'c', NULL,
	  "with -P: also events of the tasks that these create; with a\n"
	  "command: only of it and the tasks that it creates",
	  CLI_SET(set_children) },
	{ "stack", 'T', "[=EVENTS]",
	  "record the kernel's stack with all events; after an EVENT, with\n"
	  "that one; or with EVENTS",
	  CLI_SET(set_stack) },
	{ "user-stack", 0, NULL, "record the program's stack with all events",
	  CLI_SET(set_user_stack) },
	{ "clock", 'C', "CLOCK", "stamp with CLOCK (default mono)", CLI_SET(set_clock) },
	{ "buffer", 'b', "SIZE",
	  "memory for each CPU, 16M (default: the kernel's); a\n"
	  "number without a unit is in KiB",
	  CLI_SET(set_buffer) },
	{ "subbuf", 's', "SIZE", "size of a sub-buffer, 16K (default: the kernel's, a page)",
	  CLI_SET(set_subbuf) },
	{ "slack", 0, "TIME",
	  "how late an event may be seen, for which others are held back\n"
	  "(default 20ms)",
	  CLI_SET(set_slack) },
	{ "exclude", 0, "PID",
	  "keep this process out of syscalls and raw_syscalls, as the\n"
	  "program itself and the reader of its pipe are",
	  CLI_SET(set_exclude) },
	{ .name = NULL },
};

void session_words_fini(struct session_words *w)
{
	free(w->filters);
	free(w->pids);
	free(w->exclude);
	free(w->stack_words);
	event_names_fini(&w->stack_names);
	memset(w, 0, sizeof(*w));
}

const char *session_words_given(const struct session_words *w)
{
	return w->duration		    ? "-d" :
	       w->children		    ? "-c" :
	       w->clock			    ? "-C" :
	       w->buffer_kb		    ? "-b" :
	       w->subbuf_kb		    ? "-s" :
	       w->slack != UINT64_MAX	    ? "--slack" :
	       w->nexclude		    ? "--exclude" :
	       w->user_stacks		    ? "--user-stack" :
	       w->stacks || w->nstack_words ? "--stack" :
					      NULL;
}

const char *session_words_set(const struct session_words *w)
{
	return w->nfilters		    ? "-F" :
	       w->npids			    ? "-P" :
	       w->children		    ? "-c" :
	       w->cpus			    ? "--cpu" :
	       w->clock			    ? "-C" :
	       w->buffer_kb		    ? "-b" :
	       w->subbuf_kb		    ? "-s" :
	       w->nexclude		    ? "--exclude" :
	       w->user_stacks		    ? "--user-stack" :
	       w->stacks || w->nstack_words ? "--stack" :
					      NULL;
}

uint64_t session_words_slack(const struct session_words *w)
{
	return w->slack == UINT64_MAX ? SESSION_SLACK : w->slack;
}

int session_words_check(const struct session_words *w, bool command, struct err *e)
{
	if (!w->children || w->npids || command)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "-c needs a task or a command to follow: -P PID -c, or -c EVENT... -- "
		       "COMMAND");
}

int session_words_mean(struct session_words *w, pid_t command, const struct event_names *events,
		       struct session_opts *o, struct err *e)
{
	if (w->nstack_words)
		TRY(event_names_init(&w->stack_names, events->stable, e));
	for (size_t i = 0; i < w->nstack_words; i++)
		if (event_names_add_list(&w->stack_names, w->stack_words[i], "--stack", e) < 0)
			return -1;
	if (events->printk)
		note_say(o->notes, NOTE_WARN,
			 "what the kernel's trace_printk writes (ftrace:bprint, ftrace:bputs) goes "
			 "to the top instance: it is out of reach");
	o->events = (const char *const *)events->v;
	o->nevents = events->n;
	o->markers = events->markers;
	o->stacks = w->stacks;
	o->user_stacks = w->user_stacks;
	/* With those of all events they would come twice. */
	o->stack_events = (const char *const *)w->stack_names.v;
	o->nstack_events = w->stacks ? 0 : w->stack_names.n;
	if (w->children && command) {
		w->pids = mem_grow(w->pids, &w->cap_pids, w->npids + 1, sizeof(*w->pids));
		w->pids[w->npids++] = command;
	}
	o->filters = w->filters;
	o->nfilters = w->nfilters;
	o->pids = w->pids;
	o->npids = w->npids;
	o->children = w->children;
	o->cpus = w->cpus;
	o->clock = w->clock;
	o->buffer_kb = w->buffer_kb;
	o->subbuf_kb = w->subbuf_kb;
	o->percent = SESSION_PERCENT;
	return 0;
}

int session_words_exclude(const struct session_words *w, struct session *s, struct err *e)
{
	for (size_t i = 0; i < w->nexclude; i++)
		TRY(session_exclude(s, w->exclude[i], e));
	return 0;
}
