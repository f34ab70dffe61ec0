// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_files: reads from /proc where tasks are in the tree of cgroups, and chooses the tree.
 */
#include "kernel/cgroup_files.h"

#include "base/ascii.h"
#include "kernel/procs.h"
#include "trace/cgroups/cgroup_path.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The inode of the initial cgroup namespace: PROC_CGROUP_INIT_INO in the kernel's proc_ns.h. */
#define INITIAL_INODE 0xeffffffbu

#define FILE_MAX (64u << 10) /* bytes of a task's file: a dozen lines, mostly short */
#define DELETED " (deleted)"

/* Is "cpu" one of LIST, which ends at END and has commas between? */
static bool has_cpu(const char *list, const char *end)
{
	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		const char *to = comma ? comma : end;

		if (to - list == 3 && !memcmp(list, "cpu", 3))
			return true;
		list = to + 1;
	}
	return false;
}

const char *cgroup_line(const char *text, int hierarchy, int *id, size_t *len)
{
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *list, *path;
		long number;
		char *after;

		end = line + strcspn(line, "\n");
		if (!ascii_digit(*line))
			continue;
		number = strtol(line, &after, 10);
		if (*after != ':')
			continue;
		list = after + 1;
		path = memchr(list, ':', (size_t)(end - list));
		if (!path || path[1] != '/')
			continue;
		if (hierarchy >= 0 ? number != hierarchy : !has_cpu(list, path))
			continue;
		if (id)
			*id = (int)number;
		path++;
		*len = (size_t)(end - path);
		if (*len > sizeof(DELETED) - 1 &&
		    !memcmp(end - (sizeof(DELETED) - 1), DELETED, sizeof(DELETED) - 1))
			*len -= sizeof(DELETED) - 1;
		return path;
	}
	return NULL;
}

/* The file of PID into TEXT, of FILE_MAX bytes; false: the task has ended. */
static bool read_file(pid_t pid, char *text)
{
	char name[64];
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	do {
		len += (size_t)n;
		n = read(fd, text + len, FILE_MAX - 1 - len);
	} while (n > 0);
	close(fd);
	text[len] = '\0';
	return n == 0 && len > 0;
}

bool cgroup_of_task(pid_t pid, int hierarchy, char path[CGROUP_FILES_PATH])
{
	char text[FILE_MAX];
	const char *found;
	size_t len;

	if (!read_file(pid, text))
		return false;
	found = cgroup_line(text, hierarchy, NULL, &len);
	if (!found || len >= CGROUP_FILES_PATH)
		return false;
	memcpy(path, found, len);
	path[len] = '\0';
	return true;
}

struct below {
	const char *root;
	size_t len;
	int hierarchy;
	void (*give)(void *arg, pid_t tid);
	void *arg;
};

static void give_if_below(void *arg, pid_t tid)
{
	const struct below *b = arg;
	char path[CGROUP_FILES_PATH];

	if (cgroup_of_task(tid, b->hierarchy, path) && cgroup_path_is_in(path, b->root, b->len))
		b->give(b->arg, tid);
}

void cgroup_tasks(const char *root, int hierarchy, void (*give)(void *arg, pid_t tid), void *arg)
{
	struct below b = { root, cgroup_path_len(root), hierarchy, give, arg };

	procs_tasks(give_if_below, &b);
}

/* ---- the choice ---- */

struct choice {
	bool outside; /* of the root of v2 */
	int cpu;      /* the hierarchy of that controller; -1: none */
	char text[FILE_MAX];
};

static bool look_at(void *arg, pid_t pid)
{
	struct choice *c = arg;
	const char *path;
	size_t len;

	if (!read_file(pid, c->text))
		return true;
	path = cgroup_line(c->text, 0, NULL, &len);
	c->outside = path && len > 1;
	if (c->cpu < 0)
		cgroup_line(c->text, -1, &c->cpu, &len);
	return !c->outside;
}

int cgroup_hierarchy(void)
{
	struct choice c = { .cpu = -1 };
	struct stat st;

	/* A kernel before 4.6 has no such namespaces. */
	if (stat("/proc/self/ns/cgroup", &st) == 0 ? st.st_ino != INITIAL_INODE :
						     access("/proc/self/cgroup", R_OK) < 0)
		return -1;
	procs_processes(look_at, &c);
	return c.outside || c.cpu < 0 ? 0 : c.cpu;
}
