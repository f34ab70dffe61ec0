// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs: finds the tracefs of the running system, reads and writes its files, and matches
 * patterns with the events that it lists.
 */
#include "reader/kernel/tracefs.h"

#include "base/glob.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOUNT_IT "mount -t tracefs nodev /sys/kernel/tracing"

static char *file_text(const char *path, size_t *len)
{
	size_t cap = 0, n = 0;
	char *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC), saved;

	if (fd < 0)
		return NULL;
	for (;;) {
		ssize_t got;

		/* These files have no size, and each read may generate a piece of them. */
		text = mem_grow(text, &cap, n + 65537, 1);
		got = read(fd, text + n, cap - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			saved = errno;
			free(text);
			close(fd);
			errno = saved;
			return NULL;
		}
		n += got;
		if (!got)
			break;
		if (n > TRACEFS_MAX_TEXT) {
			free(text);
			close(fd);
			errno = EFBIG;
			return NULL;
		}
	}
	close(fd);
	text[n] = '\0';
	if (len)
		*len = n;
	return text;
}

/* What to do about errno, for a path of tracefs. */
static const char *hint(void)
{
	if (errno != EACCES && errno != EPERM)
		return "";
	return geteuid() ? " (run it as root: sudo ...)" : " (the kernel's policy forbids it)";
}

char *tracefs_text(const char *dir, const char *name, size_t *len, struct err *e)
{
	char path[1024], *text;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	text = file_text(path, len);
	if (!text) {
		err_sys(e, ERR_NO_OFF, "cannot read it%s", hint());
		err_path(e, path);
	}
	return text;
}

int tracefs_write(const char *dir, const char *name, const char *text, struct err *e)
{
	size_t len = strlen(text);
	char path[1024];
	ssize_t n = -1;
	int fd, saved;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC);
	if (fd >= 0) {
		do
			n = write(fd, text, len);
		while (n < 0 && errno == EINTR);
		saved = errno;
		close(fd);
		errno = n >= 0 && (size_t)n < len ? EIO : saved;
	}
	if (fd >= 0 && n >= 0 && (size_t)n == len)
		return 0;
	err_sys(e, ERR_NO_OFF, "cannot write \"%.80s\" to it%s", text, hint());
	return err_path(e, path);
}

/* ---- the mount ---- */

/* Undo "\\040" in PATH, which is how /proc/mounts writes blanks and backslashes. */
static void unescape(char *path)
{
	char *out = path;

	for (; *path; path++)
		if (*path == '\\' && path[1] >= '0' && path[1] <= '3' && path[2] >= '0' &&
		    path[2] <= '7' && path[3] >= '0' && path[3] <= '7') {
			*out++ = (path[1] - '0') << 6 | (path[2] - '0') << 3 | (path[3] - '0');
			path += 3;
		} else {
			*out++ = *path;
		}
	*out = '\0';
}

/*
 * The mount point of a file system of TYPE, with SUB appended, if that exists.  Without the rights
 * to see it, it counts as existing.
 */
static bool mounted(const char *mounts, const char *type, const char *sub, char *root, size_t size)
{
	const char *next;

	for (const char *p = mounts; *p; p = next) {
		char dir[512], fs[64];
		struct stat st;

		next = p + strcspn(p, "\n");
		if (*next)
			next++;
		if (sscanf(p, "%*s %511s %63s", dir, fs) != 2 || strcmp(fs, type))
			continue;
		unescape(dir);
		if ((size_t)snprintf(root, size, "%s%s", dir, sub) < size &&
		    (stat(root, &st) == 0 || errno == EACCES || errno == EPERM))
			return true;
	}
	return false;
}

/* Does ROOT look like a tracefs that we may use? */
static int check_root(const char *root, struct err *e)
{
	char path[1024];
	struct stat st;

	snprintf(path, sizeof(path), "%s/events", root);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (access(path, R_OK | X_OK) == 0)
			return 0;
		err_sys(e, ERR_NO_OFF, "cannot look into it%s", hint());
		return err_path(e, path);
	}
	if (errno == EACCES || errno == EPERM)
		err_sys(e, ERR_NO_OFF, "cannot look into it%s", hint());
	else
		err_set(e, ERR_SYS, ERR_NO_OFF,
			"is no tracefs: it has no events/ (mount one with: " MOUNT_IT ")");
	return err_path(e, root);
}

int tracefs_find(char *root, size_t size, struct err *e)
{
	const char *named = getenv("ZED_TRACEFS");
	char *mounts, *systems;
	bool found, built;

	if (named && *named) {
		if ((size_t)snprintf(root, size, "%s", named) >= size)
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "ZED_TRACEFS names too long a "
				       "path");
		return check_root(root, e);
	}
	mounts = file_text("/proc/mounts", NULL);
	found = mounts && (mounted(mounts, "tracefs", "", root, size) ||
			   mounted(mounts, "debugfs", "/tracing", root, size));
	free(mounts);
	if (found)
		return check_root(root, e);
	systems = file_text("/proc/filesystems", NULL);
	built = !systems || strstr(systems, "tracefs\n");
	free(systems);
	if (!built)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "this kernel has no tracefs: it was built "
			       "without tracing (CONFIG_FTRACE)");
	return err_set(e, ERR_SYS, ERR_NO_OFF, "tracefs is not mounted: as root, " MOUNT_IT);
}

/* ---- events ---- */

int tracefs_event_order(const void *a, const void *b)
{
	const struct tracefs_event *x = a, *y = b;
	int c = strcmp(x->system, y->system);

	return c ? c : strcmp(x->name, y->name);
}

int tracefs_events(struct tracefs_events *l, const char *dir, struct err *e)
{
	size_t cap = 0;
	char *next;

	memset(l, 0, sizeof(*l));
	l->text = tracefs_text(dir, "available_events", NULL, e);
	if (!l->text)
		return -1;
	for (char *p = l->text; *p; p = next) {
		char *end = p + strcspn(p, "\n"), *colon;

		next = *end ? end + 1 : end;
		*end = '\0';
		colon = strchr(p, ':');
		if (!colon || colon == p || !colon[1])
			continue;
		*colon = '\0';
		l->v = mem_grow(l->v, &cap, l->n + 1, sizeof(*l->v));
		l->v[l->n++] = (struct tracefs_event){ p, colon + 1 };
	}
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), tracefs_event_order);
	return 0;
}

void tracefs_events_fini(struct tracefs_events *l)
{
	free(l->v);
	free(l->text);
	memset(l, 0, sizeof(*l));
}

/* NAME in the form that a Perl sub can have (zedperl-scripts(7)). */
static void perl_name(const char *name, bool package, char *out, size_t size)
{
	size_t n = 0;

	if (package && *name >= '0' && *name <= '9')
		out[n++] = '_';
	for (; *name && n + 1 < size; name++)
		out[n++] = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
					   (*name >= '0' && *name <= '9') ?
				   *name :
				   '_';
	out[n] = '\0';
}

static bool part_matches(const char *pattern, const char *name, bool package)
{
	char perl[300];

	if (glob_match(pattern, name))
		return true;
	perl_name(name, package, perl, sizeof(perl));
	return strcmp(perl, name) && glob_match(pattern, perl);
}

/* The names to compare with a mistyped one: systems, or the events of one. */
struct near {
	const struct tracefs_events *l;
	unsigned next;
	const char *system; /* NULL: systems */
};

static const char *next_name(void *arg)
{
	struct near *n = arg;

	while (n->next < n->l->n) {
		const struct tracefs_event *ev = &n->l->v[n->next++];

		if (n->system && !strcmp(ev->system, n->system))
			return ev->name;
		if (!n->system && (n->next == 1 || strcmp(ev->system, ev[-1].system)))
			return ev->system;
	}
	return NULL;
}

/* What SYSTEM and NAME (NULL: none was given) may have meant, into OUT; or "". */
static void find_near(const struct tracefs_events *l, const char *system, const char *name,
		      char *out, size_t size)
{
	struct near systems = { .l = l }, events = { .l = l };
	const char *found = NULL;

	*out = '\0';
	for (unsigned i = 0; i < l->n; i++) {
		/* "sched_switch" alone: the event without its system. */
		if (!strcmp(l->v[i].name, name ? name : system)) {
			snprintf(out, size, "%s:%s", l->v[i].system, l->v[i].name);
			return;
		}
		if (!strcmp(l->v[i].system, system))
			events.system = l->v[i].system;
	}
	if (!events.system) {
		events.system = nearest_name(system, next_name, &systems);
		if (!name) {
			snprintf(out, size, "%s", events.system ? events.system : "");
			return;
		}
	}
	if (events.system && name)
		found = nearest_name(name, next_name, &events);
	if (found)
		snprintf(out, size, "%s:%s", events.system, found);
}

int tracefs_match(const struct tracefs_events *l, const char *pattern, bool *chosen, struct err *e)
{
	char system[300], name[300] = "*", near[620];
	size_t len = strcspn(pattern, ":");
	const char *rest = pattern + len;
	int n = 0;

	if (*rest)
		rest += rest[1] == ':' ? 2 : 1;
	if (!len || len >= sizeof(system) || strlen(rest) >= sizeof(name) ||
	    (pattern[len] && !*rest))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%.80s' names no event: write SUBSYSTEM "
			       "or SUBSYSTEM:EVENT (zedtrace -t lists them)",
			       pattern);
	snprintf(system, sizeof(system), "%.*s", (int)len, pattern);
	if (*rest)
		snprintf(name, sizeof(name), "%s", rest);
	for (unsigned i = 0; i < l->n; i++)
		if (part_matches(system, l->v[i].system, true) &&
		    part_matches(name, l->v[i].name, false)) {
			chosen[i] = true;
			n++;
		}
	if (n)
		return n;
	find_near(l, system, *rest ? name : NULL, near, sizeof(near));
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "this kernel has no event '%.80s'%s%s%s "
		       "(zedtrace -t lists them)",
		       pattern, *near ? "; did you mean " : "", near, *near ? "?" : "");
}
