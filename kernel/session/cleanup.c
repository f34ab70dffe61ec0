// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cleanup: finds the tracing instances whose owners no longer run, by their locks and names, and
 * removes them.
 */
#include "kernel/procs.h"
#include "kernel/session/owner.h"
#include "kernel/session/session_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ENDING_MS 2000	     /* time for a process killed just now to close its files */
#define KEEP "ZED_KEEP_DEAD" /* in the environment: a start removes nothing */

/*
 * The suffixes that a name may have: of a session, and of an instance beside that.  Returns TEXT if
 * it is one, else what makes it a foreign name.
 */
static const char *suffix_of(const char *text)
{
	static const char *const of[] = { SESSION_WHEN, SESSION_VALUE, SESSION_FLIGHT };
	static const char *const beside[] = { "", SESSION_NAMES, SESSION_THREADS };
	const char *rest = text;

	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]) && rest == text; i++)
		if (!strncmp(text, of[i], strlen(of[i])))
			rest += strlen(of[i]);
	for (unsigned i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
		if (!strcmp(rest, beside[i]))
			return text;
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

/*
 * As owner_none(), of an instance whose name has PID and START; the errno into *WHY.  One that was
 * made just now may not be locked yet; so if that process runs, it is the owner.  (In another PID
 * namespace it has other numbers, and if two processes have the same, the instance stays.)
 */
static int dead_instance(const char *dir, pid_t pid, uint64_t start, int *why)
{
	int lock = owner_none(dir);

	*why = errno;
	if (lock >= 0 && procs_life(pid, start) == PROCS_LIVES) {
		close(lock);
		lock = -1;
		*why = EWOULDBLOCK;
	}
	return lock;
}

/* The same; an owner that was just killed still has its files open: wait for it. */
static int dead_or_dying(const char *dir, pid_t pid, uint64_t start, int *why)
{
	int lock = dead_instance(dir, pid, start, why);

	for (unsigned ms = 0; lock < 0 && *why == EWOULDBLOCK && ms < ENDING_MS &&
			      procs_life(pid, start) == PROCS_ENDING;
	     ms += 5) {
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
		lock = dead_instance(dir, pid, start, why);
	}
	return lock;
}

/* The instance NAME, of process PID, which began at START, is not removed: the errno WHY. */
static void say_kept(char *line, size_t size, const char *name, pid_t pid, uint64_t start, int why)
{
	if (why == ENOENT)
		snprintf(line, size, "%s: has just been removed by its process", name);
	else if (why != EWOULDBLOCK)
		snprintf(line, size, "%s: not removed: %s", name,
			 why == EBUSY ?
				 "its process has ended, but another one has its files open" :
				 strerror(why));
	else if (procs_life(pid, start) == PROCS_LIVES)
		snprintf(line, size, "%s: in use by process %d", name, (int)pid);
	else
		snprintf(line, size,
			 "%s: in use by a process of another PID namespace, where it is %d, or by "
			 "one that process %d forked",
			 name, (int)pid, (int)pid);
}

struct sweep {
	char dir[300]; /* instances/ */
	struct dirent **list;
	int n; /* -1: with E */
};

static int sweep_begin(struct sweep *w, struct err *e)
{
	char root[256];

	w->n = -1;
	TRY(tracefs_find(root, sizeof(root), e));
	snprintf(w->dir, sizeof(w->dir), "%s/instances", root);
	w->n = scandir(w->dir, &w->list, ours, alphasort);
	if (w->n >= 0)
		return 0;
	err_sys(e, ERR_NO_OFF, "cannot look for instances%s",
		errno == EACCES ? " (run it as root: sudo ...)" : "");
	return err_path(e, w->dir);
}

static void sweep_end(struct sweep *w)
{
	for (int i = 0; i < w->n; i++)
		free(w->list[i]);
	free(w->list);
}

/*
 * Remove the I-th if its owner has ended.  PATIENT: wait for processes that are about to end, or to
 * close a file.  True: removed; else LINE says why not.
 */
static bool sweep_one(const struct sweep *w, int i, bool patient, char *line, size_t size)
{
	const char *name = w->list[i]->d_name;
	bool removed = false;
	uint64_t start = 0;
	char dir[600];
	pid_t pid = 0;
	int lock, why = 0;

	parse_name(name, &pid, &start);
	snprintf(dir, sizeof(dir), "%s/%s", w->dir, name);
	lock = patient ? dead_or_dying(dir, pid, start, &why) :
			 dead_instance(dir, pid, start, &why);
	if (lock >= 0) {
		removed = session_remove(dir, patient ? SESSION_PATIENCE_MS : 0);
		why = errno;
		close(lock);
	}
	if (!removed)
		say_kept(line, size, name, pid, start, why);
	return removed;
}

int session_cleanup(void (*tell)(void *arg, const char *line), void *arg, struct err *e)
{
	struct sweep w;
	char line[400];
	int removed = 0;

	TRY(sweep_begin(&w, e));
	for (int i = 0; i < w.n; i++) {
		if (sweep_one(&w, i, true, line, sizeof(line))) {
			snprintf(line, sizeof(line), "removed %.300s", w.list[i]->d_name);
			removed++;
		}
		tell(arg, line);
	}
	sweep_end(&w);
	return removed;
}

void session_remove_dead(struct notes *n)
{
	const char *keep = getenv(KEEP);
	struct sweep w;
	char line[400];
	struct err none;

	/* What is wrong with tracefs, the session says. */
	if ((keep && *keep) || sweep_begin(&w, &none) < 0)
		return;
	for (int i = 0; i < w.n; i++)
		if (sweep_one(&w, i, false, line, sizeof(line)))
			note_say(n, NOTE_WARN,
				 "removed %.300s, which went on tracing: its process ended without "
				 "removing it",
				 w.list[i]->d_name);
		else
			note_say(n, NOTE_INFO, "%s", line);
	sweep_end(&w);
}

/* The events that wait in the buffers of the instance DIR. */
static uint64_t events_in(const char *dir)
{
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);
	static const char key[] = "entries: ";
	uint64_t all = 0;
	struct err none;
	char name[64];

	for (long cpu = 0; cpu < ncpus; cpu++) {
		const char *at;
		char *text;

		snprintf(name, sizeof(name), "per_cpu/cpu%ld/stats", cpu);
		text = tracefs_text(dir, name, NULL, &none);
		at = text ? strstr(text, key) : NULL;
		if (at)
			all += strtoull(at + strlen(key), NULL, 10);
		free(text);
	}
	return all;
}

/* What is beside a session's instance has no events of the user's. */
static bool is_beside(const char *name)
{
	return strstr(name, SESSION_NAMES) || strstr(name, SESSION_THREADS);
}

void session_each_dead(void (*each)(void *arg, const char *name, uint64_t events), void *arg)
{
	struct sweep w;
	struct err none;

	if (sweep_begin(&w, &none) < 0)
		return;
	for (int i = 0; i < w.n; i++) {
		const char *name = w.list[i]->d_name;
		uint64_t start = 0, events;
		char dir[600];
		pid_t pid = 0;
		int lock, why;

		parse_name(name, &pid, &start);
		snprintf(dir, sizeof(dir), "%s/%s", w.dir, name);
		lock = is_beside(name) ? -1 : dead_or_dying(dir, pid, start, &why);
		if (lock < 0)
			continue;
		events = events_in(dir);
		close(lock);
		if (events)
			each(arg, name, events);
	}
	sweep_end(&w);
}
