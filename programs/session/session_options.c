// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_options: the options of a tracing session, and how their values are read: for zedtrace,
 * and for zedperl --live.
 */
#include "programs/session/session_options.h"

#include "base/ascii.h"
#include "base/cpulist.h"
#include "base/mem.h"
#include "kernel/cgroup_files.h"
#include "kernel/procs.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* "12,34": existing processes, by the numbers of /proc, added to *PIDS. */
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
				       "'%s' is not a list of process numbers: 12,34", text);
		if (!procs_start(pid))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "there is no process %" PRIu64 " (ps -e lists them)", pid);
		*pids = mem_grow(*pids, cap, *n + 1, sizeof(**pids));
		(*pids)[(*n)++] = pid;
		if (!*s++)
			return 0;
	}
}

/* ---- what the kernel chooses ---- */

static int choose_filter(struct cli *c, const char *value, struct err *e)
{
	texts_add(&c->session->filters, value);
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
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is not a list of CPUs: 0,2-5",
			       value);
	return 0;
}

const struct cli_chooser SESSION_CHOOSER = {
	{ [CLI_FILTER] = choose_filter, [CLI_PIDS] = choose_pids, [CLI_CPUS] = choose_cpus }
};

/* ---- options ---- */

static int set_exclude(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	struct session_words *w = c->session;

	return parse_pids(value, &w->exclude, &w->nexclude, &w->cap_exclude, e);
}

/* Without a list: for the event that it follows, or for all. */
static int set_stack(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	struct session_words *w = c->session;

	if (value && *value == '=')
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': -T takes no value: --stack%s does",
			       value, value);
	if (!value && !(c->spec->command && c->words.nargs))
		w->stacks = true;
	else
		texts_add(&w->stack_words, value ? value : c->words.memory[c->words.nargs - 1]);
	return 0;
}

#define WORDS(type, member) OPT_##type(session_words, member)
#define SETS .traits = CLI_SETS

const struct cli_opt SESSION_OPTIONS[] = {
	{ "duration", 'd', "TIME", "end after TIME: 2.5 (seconds), 500ms",
	  WORDS(DURATION, duration), .least = 1,
	  .beyond = " records nothing; without -d Ctrl-C ends" },
	{ "children", 'c', NULL,
	  "with -P: also events of the tasks that these create; with a\n"
	  "command: only of it and the tasks that it creates",
	  WORDS(FLAG, children), SETS },
	{ "stack", 'T', "[=EVENTS]",
	  "record the kernel's stack with all events; after an EVENT, with\n"
	  "that one; or with EVENTS",
	  OPT_CALL(set_stack), SETS },
	{ "user-stack", 0, NULL, "record the program's stack with all events",
	  WORDS(FLAG, user_stacks), SETS },
	{ "clock", 'C', "CLOCK", "stamp with CLOCK (default mono)", WORDS(TEXT, clock), SETS },
	{ "buffer", 'b', "SIZE",
	  "memory for each CPU, 16M (default: the kernel's); a\n"
	  "number without a unit is in KiB",
	  WORDS(KB, buffer_kb), SETS },
	{ "subbuf", 's', "SIZE", "size of a sub-buffer, 16K (default: the kernel's, a page)",
	  WORDS(KB, subbuf_kb), SETS },
	{ "slack", 0, "TIME", "how late an event may come: others are held back so long (20ms)",
	  WORDS(DURATION, slack), .most = 10000000000,
	  .beyond = ": events would be held back longer than 10 s" },
	{ "max-rate", 0, "N", "over N events a second: switch the busiest one off for a while",
	  OPT_COUNT(session_words, budget.rate, INT64_MAX), SETS },
	{ "max-cpu", 0, "PERCENT", "the same while the program takes more of a CPU",
	  OPT_NUMBER(session_words, budget.cpu, 100), SETS },
	{ "exclude", 0, "PID",
	  "keep this process out of syscalls and raw_syscalls, as the\n"
	  "program itself and the reader of its pipe are",
	  OPT_CALL(set_exclude), SETS },
	{ .name = NULL },
};

const struct cli_rule SESSION_RULES[] = {
	{ 0, "children", CLI_NEEDS, "pid COMMAND",
	  "needs a task or a command to follow: -P PID -c, or -c EVENT... -- COMMAND" },
	{ .these = NULL },
};

void session_words_fini(struct session_words *w)
{
	texts_fini(&w->filters);
	free(w->pids);
	free(w->exclude);
	texts_fini(&w->stack_words);
	event_names_fini(&w->stack_names);
	memset(w, 0, sizeof(*w));
}

int session_words_mean(struct session_words *w, struct command *command,
		       const struct event_names *events, struct session_opts *o, struct err *e)
{
	if (w->stack_words.n)
		TRY(event_names_init(&w->stack_names, events->stable, e));
	for (size_t i = 0; i < w->stack_words.n; i++)
		TRY(event_names_add_list(&w->stack_names, w->stack_words.v[i], "--stack", e));
	if (events->printk)
		note_say(o->notes, NOTE_WARN,
			 "what the kernel's trace_printk writes (ftrace:bprint, ftrace:bputs) goes "
			 "to the top instance: it is out of reach");
	o->events = (const char *const *)events->v;
	o->nevents = events->n;
	o->markers = events->markers;
	o->stacks = w->stacks;
	o->user_stacks = w->user_stacks;
	/* With those for all events they would come twice. */
	o->stack_events = (const char *const *)w->stack_names.v;
	o->nstack_events = w->stacks ? 0 : w->stack_names.n;
	if (w->children && command->pid)
		o->child = (struct session_child){ command->pid, command_mark, command };
	o->filters = w->filters.v;
	o->nfilters = w->filters.n;
	o->pids = w->pids;
	o->npids = w->npids;
	o->children = w->children || w->cgroup;
	o->cpus = w->cpus;
	o->clock = w->clock;
	o->buffer_kb = w->buffer_kb;
	o->subbuf_kb = w->subbuf_kb;
	o->percent = SESSION_PERCENT;
	return 0;
}

static void add_task(void *arg, pid_t tid)
{
	struct session_words *w = arg;

	w->pids = mem_grow(w->pids, &w->cap_pids, w->npids + 1, sizeof(*w->pids));
	w->pids[w->npids++] = tid;
}

int session_words_cgroup(struct session_words *w, const char *path, struct err *e)
{
	int hierarchy = cgroup_hierarchy();
	size_t before = w->npids;

	if (*path != '/')
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' is not the path of a cgroup: it begins with '/', as in "
			       "/proc/PID/cgroup",
			       path);
	if (hierarchy < 0)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "in this cgroup namespace the kernel's paths of cgroups are "
			       "unknown: run it outside, or name processes (--pid)");
	cgroup_tasks(path, hierarchy, add_task, w);
	w->cgroup = true;
	if (w->npids > before)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "no task is in the cgroup '%s' or below it (systemd-cgls, or "
		       "/proc/PID/cgroup, shows where they are)",
		       path);
}

int session_words_exclude(const struct session_words *w, struct session *s, struct err *e)
{
	for (size_t i = 0; i < w->nexclude; i++)
		TRY(session_exclude(s, w->exclude[i], e));
	return 0;
}
