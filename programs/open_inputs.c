// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open_inputs: opens the inputs behind the filter, says which file may have been meant by one that
 * is not there, and makes the exit status of how the run ended.  Shared by zedperl and zedprint.
 */
#include "programs/open_inputs.h"

#include "base/suffix.h"
#include "programs/chosen.h"
#include "programs/foreign.h"
#include "programs/indexes.h"
#include "programs/names.h"
#include "programs/options.h"
#include "programs/stop.h"
#include "programs/unmet.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MOST_NAMED 3 /* traces, where none is called what was asked for */

/* ---- what is opened ---- */

static bool add_live(struct cli *c)
{
	struct err e;
	struct source *s = c->run.open_live(c, &e);

	if (s && pump_add(&c->run.pump, s, &e) == 0)
		return true;
	cli_say_err(c, &e);
	return false;
}

/*
 * Each input keeps a descriptor, an LTT trace one for each of its files: allow as many as the
 * system does.  Children inherit the limit, which does no harm.
 */
static void raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* Out of descriptors: continuing would give an answer for only the first inputs. */
static bool is_exhausted(struct cli *c, unsigned opened, const struct err *e)
{
	struct rlimit l;

	if (e->kind != ERR_SYS || (e->sys != EMFILE && e->sys != ENFILE))
		return false;
	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		l.rlim_max = 0;
	cli_say(c,
		"only %u of %u inputs can be open at once: this process may have %llu files "
		"open (root, or a login session with a higher ulimit -Hn, can have more)",
		opened, c->words.inputs.n, (unsigned long long)l.rlim_max);
	return true;
}

/* ---- one that is not there ---- */

struct dir_names {
	struct dirent **of;
	int n, next;
};

static const char *next_name(void *arg)
{
	struct dir_names *l = arg;

	return l->next < l->n ? l->of[l->next++]->d_name : NULL;
}

static int is_shown(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void free_names(struct dir_names *l)
{
	while (l->n > 0)
		free(l->of[--l->n]);
	free(l->of);
}

/* The names that traces usually have, "a.dat, b.dat", into BUF. */
static void list_traces(const struct dir_names *l, char *buf, size_t size)
{
	unsigned found = 0;
	size_t len = 0;

	*buf = '\0';
	for (int i = 0; i < l->n && len < size; i++) {
		const char *name = l->of[i]->d_name;

		if (!suffix_is(name, ".dat") && !suffix_is(name, ".data"))
			continue;
		if (found++ == MOST_NAMED) {
			snprintf(buf + len, size - len, ", ...");
			return;
		}
		len += snprintf(buf + len, size - len, "%s%s", len ? ", " : "", name);
	}
}

/* No name is similar: list the traces in DIR, or say how to make one. */
static void say_how(struct cli *c, const struct dir_names *l, const char *dir)
{
	char list[4 * 260];

	list_traces(l, list, sizeof(list));
	if (l->n < 0)
		cli_say(c, "there is no folder %s either", dir);
	else if (*list)
		cli_say(c, "in %s there %s %s", *dir ? dir : "this folder",
			strchr(list, ',') ? "are" : "is", list);
	else
		cli_say(c, "a recording of one second is made by: zedtrace -d 1 sched (as root), "
			   "which writes trace.dat");
}

/* DIR is not a trace: which traces are in it. */
static void say_within(struct cli *c, const char *dir)
{
	struct dir_names l = { .n = 0 };
	char list[4 * 260];

	l.n = scandir(dir, &l.of, is_shown, alphasort);
	list_traces(&l, list, sizeof(list));
	if (*list)
		cli_say(c, "in %s there %s %s", dir, strchr(list, ',') ? "are" : "is", list);
	free_names(&l);
}

/* Report E, why PATH was not opened, and in a second line what may have been meant. */
static void say_unopened(struct cli *c, const char *path, const struct err *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *near;
	const char *instead = slash ? NULL : foreign_command(path);
	char *dir = mem_strdup(path);
	struct dir_names l = { .n = 0 };

	cli_say_err(c, e);
	dir[name - path] = '\0';
	if (e->kind == ERR_SYS && e->sys == ENOENT && !strcmp(e->path, path) &&
	    strcmp(path, "-") != 0 && *name) {
		l.n = scandir(*dir ? dir : ".", &l.of, is_shown, alphasort);
		near = nearest_name(name, next_name, &l);
		if (near && !strcmp(near, name))
			cli_say(c, "%s is a symbolic link to something that is not there", path);
		else if (instead)
			cli_say(c, "%s is not a command here: %s", path, instead);
		else if (!slash && strchr(path, ':'))
			cli_say(c, "an event is chosen by --event %s", path);
		else if (near)
			cli_say(c, "did you mean %s%s?", dir, near);
		else if (c->words.inputs.n == 1)
			say_how(c, &l, dir);
	}
	if (e->kind == ERR_UNKNOWN)
		say_within(c, path);
	free_names(&l);
	free(dir);
}

/* ---- the run ---- */

bool cli_open(struct cli *c, int *status)
{
	struct pump_opts o = {
		.strict = c->words.strict,
		.force_merge = c->words.force_merge,
		.apart = c->run.apart,
		.patience = c->words.wait,
		.stop = &cli_stop,
		.halt_first = true,
		.beat = &cli_beat,
	};
	struct err e;

	*status = CLI_USAGE;
	/* Before anything is opened: its errors come first. */
	if (!cli_stable(c))
		return false;
	raise_limit();
	names_begin(c);
	o.source = c->words.source;
	o.source.stop = &cli_stop;
	cli_began(c, &o);
	pump_init(&c->run.pump, &o);
	c->run.ready = true;
	if (c->run.guest)
		pump_guest(&c->run.pump, c->run.guest);
	filter_free(c->run.pump.filter);
	c->run.pump.filter = c->choice.filter;
	c->choice.filter = NULL;
	for (unsigned i = 0; i < c->words.inputs.n; i++) {
		if (pump_open(&c->run.pump, c->words.inputs.v[i], &e) == 0)
			continue;
		say_unopened(c, c->words.inputs.v[i], &e);
		c->run.failed++;
		if (e.kind == ERR_USAGE || c->words.strict || is_exhausted(c, i, &e))
			return false;
	}
	if (c->run.open_live && !add_live(c))
		return false;
	if (!c->words.inputs.n && !c->run.open_live)
		return true;
	if (!c->run.pump.nsources)
		return false;
	if (indexes_begin(c, &e) < 0) {
		cli_say_err(c, &e);
		return false;
	}
	return cli_choose(c);
}

/* Was a live input left before its end? */
static bool has_left(const struct cli *c)
{
	for (unsigned i = 0; i < c->run.pump.nsources; i++)
		if (c->run.pump.sources[i]->left)
			return true;
	return false;
}

int cli_finish(struct cli *c, enum run_end end, const struct err *e)
{
	cli_clear(c);
	if (end == RUN_FAILED)
		cli_say_err(c, e);
	if (end == RUN_DONE)
		cli_warn_unmatched(c);
	cli_warn_cgroups(c);
	names_report(c);
	if (c->words.stats)
		cli_say_stats(c);
	if (end == RUN_FAILED)
		return e->kind == ERR_USAGE ? CLI_USAGE : CLI_DAMAGE;
	if (end == RUN_SIGNALLED)
		return CLI_SIGNAL + cli_stop;
	if (has_left(c))
		return CLI_SIGNAL + (cli_stop ? cli_stop : SIGINT);
	return c->run.failed || c->run.notes.damage || c->run.pump.stats.damaged ? CLI_DAMAGE :
										   CLI_OK;
}
