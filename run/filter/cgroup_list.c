// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_list: the cgroups that are asked for.  A path stands for the tree below it.
 */
#include "run/filter/cgroup_list.h"

#include "base/mem.h"
#include "trace/cgroups/cgroup_path.h"

#include <stdlib.h>

struct tree {
	char *path; /* of its root, without a slash at the end: "" for all */
	size_t len;
	bool met;
};

struct cgroup_list {
	struct tree *v;
	size_t n, cap;
};

struct cgroup_list *cgroup_list_new(void)
{
	return mem_zalloc(sizeof(struct cgroup_list));
}

void cgroup_list_free(struct cgroup_list *l)
{
	if (!l)
		return;
	while (l->n)
		free(l->v[--l->n].path);
	free(l->v);
	free(l);
}

int cgroup_list_add(struct cgroup_list *l, const char *path, struct err *e)
{
	size_t len = cgroup_path_len(path);

	if (*path != '/')
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%.80s' is not the path of a cgroup: it begins with '/', as in "
			       "/proc/PID/cgroup",
			       path);
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct tree){ .path = mem_strndup(path, len), .len = len };
	return 0;
}

bool cgroup_list_takes_task(struct cgroup_list *l, struct machine *m, uint64_t now, int32_t pid)
{
	const char *path = machine_cgroup(m, now, pid);
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		if (!cgroup_path_is_in(path, l->v[i].path, l->v[i].len))
			continue;
		any = l->v[i].met = true;
	}
	return any;
}

static const char *shown(const struct tree *t)
{
	return t->len ? t->path : "/";
}

const char *cgroup_list_at(const struct cgroup_list *l, size_t i)
{
	return i < l->n ? shown(&l->v[i]) : NULL;
}

const char *cgroup_list_unmet(const struct cgroup_list *l, size_t *i)
{
	while (*i < l->n) {
		const struct tree *t = &l->v[(*i)++];

		if (!t->met)
			return shown(t);
	}
	return NULL;
}
