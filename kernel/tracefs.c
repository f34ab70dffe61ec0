// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs: finds the tracefs of the running system, and reads and writes its files.
 */
#include "kernel/tracefs.h"

#include "base/io.h"
#include "ring/header_page.h"

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
	size_t n;

	/* Each read may return only a piece of them. */
	return io_text(open(path, O_RDONLY | O_CLOEXEC), TRACEFS_MAX_TEXT, len ? len : &n);
}

/* What to do about errno, for a path of tracefs. */
static const char *hint(void)
{
	if (errno != EACCES && errno != EPERM)
		return "";
	return geteuid() ? " (run it as root: sudo ...; or see RIGHTS in zedtrace(1))" :
			   " (the kernel's policy forbids it)";
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

int tracefs_layout(const char *dir, struct page_layout *l, struct err *e)
{
	size_t len;
	char *text = tracefs_text(dir, "events/header_page", &len, e);
	int rc;

	if (!text)
		return -1;
	rc = header_page_parse(l, text, len, sizeof(long), e);
	free(text);
	return rc < 0 ? err_within(e, "events/header_page") : 0;
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
		if (io_may(path, R_OK | X_OK))
			return 0;
		err_sys(e, ERR_NO_OFF, "cannot list it%s", hint());
		return err_path(e, path);
	}
	if (errno == EACCES || errno == EPERM)
		err_sys(e, ERR_NO_OFF, "cannot list it%s", hint());
	else
		err_set(e, ERR_SYS, ERR_NO_OFF,
			"not a tracefs mount: no events/ directory (mount one with: " MOUNT_IT ")");
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
				       "the path in ZED_TRACEFS is too long");
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
