// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_table: a bounded table of the cgroups of tasks.  Most tasks share a few paths, so that
 * these are counted, and found by their text.
 */
#include "trace/cgroups/cgroup_table.h"

#include "base/hash_index.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define NO_PATH UINT32_MAX

struct cgroup_path {
	char *text;	/* NULL: free, and next_free is the next such one */
	uint32_t tasks; /* that are there */
	uint32_t next_free;
};

struct cgroup_task {
	int32_t pid;
	uint32_t path; /* of PATHS; NO_PATH: unknown */
};

struct cgroup_table {
	struct cgroup_path *paths;
	size_t cap_paths, bytes; /* of the texts */
	uint32_t npaths, free_path;
	struct hash_index by_text; /* of PATHS */
	struct cgroup_task *tasks; /* in the order in which they were added */
	size_t cap_tasks;
	uint32_t ntasks, oldest;  /* the next one to be replaced when the table is full */
	struct hash_index by_pid; /* of TASKS */
};

struct cgroup_table *cgroup_table_new(void)
{
	struct cgroup_table *t = mem_zalloc(sizeof(*t));

	t->free_path = NO_PATH;
	index_begin(&t->by_text);
	index_begin(&t->by_pid);
	return t;
}

void cgroup_table_free(struct cgroup_table *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->npaths; i++)
		free(t->paths[i].text);
	free(t->paths);
	free(t->tasks);
	index_fini(&t->by_text);
	index_fini(&t->by_pid);
	free(t);
}

/* ---- paths ---- */

static bool find_path(const struct cgroup_table *t, uint32_t hash, const char *text, size_t len,
		      uint32_t *i)
{
	uint32_t slot = index_home(&t->by_text, hash);

	while (index_next(&t->by_text, hash, &slot, i))
		if (!strncmp(t->paths[*i].text, text, len) && !t->paths[*i].text[len])
			return true;
	return false;
}

static uint32_t new_path(struct cgroup_table *t)
{
	uint32_t i = t->free_path;

	if (i != NO_PATH) {
		t->free_path = t->paths[i].next_free;
		return i;
	}
	t->paths = mem_grow(t->paths, &t->cap_paths, t->npaths + 1u, sizeof(*t->paths));
	return t->npaths++;
}

/* The path TEXT, with one more task. */
static uint32_t take_path(struct cgroup_table *t, const char *text, size_t len)
{
	uint32_t hash, i;

	if (!len)
		return NO_PATH;
	hash = index_hash_bytes(&t->by_text, text, len);
	if (find_path(t, hash, text, len, &i)) {
		t->paths[i].tasks++;
		return i;
	}
	if (len >= CGROUP_TABLE_BYTES - t->bytes)
		return NO_PATH;
	i = new_path(t);
	t->paths[i] = (struct cgroup_path){ .text = mem_strndup(text, len), .tasks = 1 };
	t->bytes += len + 1;
	index_add(&t->by_text, hash, i);
	return i;
}

static void drop_path(struct cgroup_table *t, uint32_t i)
{
	struct cgroup_path *p;
	size_t len;

	if (i == NO_PATH || --t->paths[i].tasks)
		return;
	p = &t->paths[i];
	len = strlen(p->text);
	index_remove(&t->by_text, index_hash_bytes(&t->by_text, p->text, len), i);
	t->bytes -= len + 1;
	free(p->text);
	*p = (struct cgroup_path){ .next_free = t->free_path };
	t->free_path = i;
}

/* ---- tasks ---- */

static uint32_t hash_of(const struct cgroup_table *t, int32_t pid)
{
	return index_hash(&t->by_pid, (uint32_t)pid);
}

static bool find_task(const struct cgroup_table *t, int32_t pid, uint32_t *i)
{
	uint32_t hash = hash_of(t, pid), slot = index_home(&t->by_pid, hash);

	while (index_next(&t->by_pid, hash, &slot, i))
		if (t->tasks[*i].pid == pid)
			return true;
	return false;
}

/* The entry of the task that was added first, without it. */
static uint32_t replace_oldest(struct cgroup_table *t)
{
	uint32_t i = t->oldest;

	t->oldest = i + 1 < t->ntasks ? i + 1 : 0;
	index_remove(&t->by_pid, hash_of(t, t->tasks[i].pid), i);
	drop_path(t, t->tasks[i].path);
	return i;
}

static struct cgroup_task *task_of(struct cgroup_table *t, int32_t pid)
{
	uint32_t i;

	if (find_task(t, pid, &i))
		return &t->tasks[i];
	if (t->ntasks < CGROUP_TABLE_MAX) {
		t->tasks = mem_grow(t->tasks, &t->cap_tasks, t->ntasks + 1u, sizeof(*t->tasks));
		i = t->ntasks++;
	} else {
		i = replace_oldest(t);
	}
	t->tasks[i] = (struct cgroup_task){ .pid = pid, .path = NO_PATH };
	index_add(&t->by_pid, hash_of(t, pid), i);
	return &t->tasks[i];
}

/* The path of the task LIKE, with one more task. */
static uint32_t take_path_of(struct cgroup_table *t, int32_t like)
{
	uint32_t i, path = find_task(t, like, &i) ? t->tasks[i].path : NO_PATH;

	if (path != NO_PATH)
		t->paths[path].tasks++;
	return path;
}

void cgroup_table_apply(struct cgroup_table *t, const struct cgroup_record *r)
{
	/* First: the task that gives way to a new one may be the one that it is like. */
	uint32_t path = r->like ? take_path_of(t, r->like) : take_path(t, r->path, r->len);
	struct cgroup_task *x = task_of(t, r->pid);
	uint32_t was = x->path;

	x->path = path;
	drop_path(t, was);
}

const char *cgroup_table_path(const struct cgroup_table *t, int32_t pid)
{
	uint32_t i;

	return find_task(t, pid, &i) && t->tasks[i].path != NO_PATH ?
		       t->paths[t->tasks[i].path].text :
		       NULL;
}

uint32_t cgroup_table_count(const struct cgroup_table *t)
{
	return t->ntasks;
}

void cgroup_table_log(const struct cgroup_table *t, struct cgroup_log_buf *log)
{
	int32_t *first = mem_zalloc((t->npaths + 1u) * sizeof(*first)); /* task of each path */

	for (uint32_t i = 0; i < t->ntasks; i++) {
		const struct cgroup_task *x = &t->tasks[i];
		struct cgroup_record r = { .pid = x->pid };

		if (x->path == NO_PATH)
			continue;
		r.like = first[x->path];
		if (!r.like) {
			first[x->path] = x->pid;
			r.path = t->paths[x->path].text;
			r.len = (uint16_t)strlen(r.path);
		}
		cgroup_log_put(log, &r);
	}
	free(first);
}

void cgroup_table_prune(struct cgroup_table *t, bool (*keep)(void *arg, int32_t pid), void *arg)
{
	uint32_t kept = 0;

	index_fini(&t->by_pid);
	index_begin(&t->by_pid);
	for (uint32_t i = 0; i < t->ntasks; i++) {
		if (!keep(arg, t->tasks[i].pid)) {
			drop_path(t, t->tasks[i].path);
			continue;
		}
		t->tasks[kept] = t->tasks[i];
		index_add(&t->by_pid, hash_of(t, t->tasks[kept].pid), kept);
		kept++;
	}
	t->ntasks = kept;
	t->oldest = 0;
}
