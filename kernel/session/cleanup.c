// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cleanup: finds the tracing instances of processes that no longer run, by the names of the
 * instances, and removes them.
 */
#include "kernel/procs.h"
#include "kernel/session/session_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENDING_MS 2000 /* time for a process killed just now to close its files */

/*
 * The suffixes that a name may have.  Returns the one that TEXT is, else what makes it a foreign
 * name.
 */
static const char *suffix_of(const char *text)
{
	static const char *const all[] = { "", SESSION_NAMES, SESSION_WHEN, SESSION_FLIGHT,
					   SESSION_FLIGHT_NAMES };

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(text, all[i]))
			return all[i];
	return "?";
}

/* Is NAME one of ours?  "zed.PID.START", "zed.PID.START.names" and so on, and nothing else. */
static bool parse_name(const char *name, pid_t *pid, uint64_t *start)
{
	unsigned long long p, t;
	char again[64], *end;

	if (strncmp(name, SESSION_PREFIX, strlen(SESSION_PREFIX)))
		return false;
	p = strtoull(name + strlen(SESSION_PREFIX), &end, 10);
	if (*end != '.' || !p || p > INT32_MAX)
		return false;
	t = strtoull(end + 1, &end, 10);
	/*
	 * If printing the numbers gives a different text, it is not ours: signs, blanks, leading
	 * zeros.
	 */
	snprintf(again, sizeof(again), SESSION_PREFIX "%llu.%llu%s", p, t, suffix_of(end));
	*pid = (pid_t)p;
	*start = t;
	return !strcmp(name, again);
}

static int ours(const struct dirent *d)
{
	uint64_t start;
	pid_t pid;

	return parse_name(d->d_name, &pid, &start);
}

/* Is the owner alive?  One that was just killed still has the instance open: wait. */
static bool owner_lives(pid_t pid, uint64_t start)
{
	enum procs_life life = procs_life(pid, start);

	for (unsigned ms = 0; life == PROCS_ENDING && ms < ENDING_MS; ms += 5) {
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
		life = procs_life(pid, start);
	}
	return life != PROCS_GONE;
}

static bool clean_up(const char *parent, const char *name,
		     void (*tell)(void *arg, const char *line), void *arg)
{
	char line[400], dir[600];
	bool removed = false;
	uint64_t start;
	pid_t pid;

	if (!parse_name(name, &pid, &start))
		return false;
	snprintf(dir, sizeof(dir), "%s/%s", parent, name);
	if (owner_lives(pid, start)) {
		snprintf(line, sizeof(line), "%s: in use by process %d", name, (int)pid);
	} else if (session_remove(dir)) {
		snprintf(line, sizeof(line), "removed %s", name);
		removed = true;
	} else {
		snprintf(line, sizeof(line), "%s: not removed: %s", name,
			 errno == EBUSY ?
				 "its process has ended, but another one has its files open" :
				 strerror(errno));
	}
	if (tell)
		tell(arg, line);
	return removed;
}

int session_cleanup(void (*tell)(void *arg, const char *line), void *arg, struct err *e)
{
	char root[256], path[300];
	struct dirent **list;
	int removed = 0, n;

	TRY(tracefs_find(root, sizeof(root), e));
	snprintf(path, sizeof(path), "%s/instances", root);
	n = scandir(path, &list, ours, alphasort);
	if (n < 0) {
		err_sys(e, ERR_NO_OFF, "cannot look for instances%s",
			errno == EACCES ? " (run it as root: sudo ...)" : "");
		return err_path(e, path);
	}
	for (int i = 0; i < n; i++) {
		removed += clean_up(path, list[i]->d_name, tell, arg);
		free(list[i]);
	}
	free(list);
	return removed;
}
