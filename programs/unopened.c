// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unopened: an input that is not there: which file may have been meant, or how to get one.
 */
#include "programs/unopened.h"

#include "base/glob.h"
#include "base/mem.h"
#include "programs/foreign.h"
#include "programs/options.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMED 3

struct names {
	struct dirent **of;
	int n, next;
};

static const char *next_name(void *arg)
{
	struct names *l = arg;

	return l->next < l->n ? l->of[l->next++]->d_name : NULL;
}

static int is_shown(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len > tail && !strcmp(name + len - tail, suffix);
}

/* The names that traces usually have, "a.dat, b.dat", into BUF. */
static void list_traces(const struct names *l, char *buf, size_t size)
{
	unsigned found = 0;
	size_t len = 0;

	*buf = '\0';
	for (int i = 0; i < l->n && len < size; i++) {
		const char *name = l->of[i]->d_name;

		if (!ends_in(name, ".dat") && !ends_in(name, ".data"))
			continue;
		if (found++ == MOST_NAMED) {
			snprintf(buf + len, size - len, ", ...");
			return;
		}
		len += snprintf(buf + len, size - len, "%s%s", len ? ", " : "", name);
	}
}

/* No name is similar: which traces are in DIR, or how one is made. */
static void say_how(struct cli *c, const struct names *l, const char *dir)
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

void cli_say_unopened(struct cli *c, const char *path, const struct err *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *near;
	const char *instead = slash ? NULL : foreign_command(path);
	char *dir = mem_strdup(path);
	struct names l = { .n = 0 };

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
	while (l.n > 0)
		free(l.of[--l.n]);
	free(l.of);
	free(dir);
}
