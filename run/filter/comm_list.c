// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_list: the task names that are asked for.  As long as no name changes, an event costs one
 * look-up of its task.
 */
#include "run/filter/comm_list.h"

#include "base/glob.h"
#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN 512 /* a power of two */

struct pattern {
	char *glob;
	bool met;
};

/* The cached answer for one task; tasks of the same place replace each other. */
struct known {
	const struct comms *comms; /* NULL: none yet */
	uint64_t changes;
	int32_t pid;
	bool takes;
};

struct comm_list {
	struct pattern *v;
	size_t n, cap;
	uint64_t factor; /* of seed_hash() */
	struct known known[KNOWN];
};

struct comm_list *comm_list_new(void)
{
	struct comm_list *l = mem_zalloc(sizeof(*l));

	l->factor = seed_new() | 1;
	return l;
}

void comm_list_free(struct comm_list *l)
{
	if (!l)
		return;
	while (l->n)
		free(l->v[--l->n].glob);
	free(l->v);
	free(l);
}

int comm_list_add(struct comm_list *l, const char *text, struct err *e)
{
	for (const char *s = text;; s++) {
		size_t len = strcspn(s, ",");

		if (!len)
			return err_set(
				e, ERR_USAGE, ERR_NO_OFF,
				"'%.80s': a name is empty: a list of names reads sh,kworker*",
				text);
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
		l->v[l->n++] = (struct pattern){ .glob = mem_strndup(s, len) };
		s += len;
		if (!*s)
			return 0;
	}
}

bool comm_list_takes(const struct comm_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (glob_match(l->v[i].glob, name))
			return true;
	return false;
}

/* The same, and mark the matching patterns as met. */
static bool meet(struct comm_list *l, const char *name)
{
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		if (!glob_match(l->v[i].glob, name))
			continue;
		any = l->v[i].met = true;
	}
	return any;
}

bool comm_list_takes_task(struct comm_list *l, struct comms *c, int32_t pid)
{
	struct known *k = &l->known[seed_hash(l->factor, (uint32_t)pid) & (KNOWN - 1)];
	const char *name;
	bool takes;

	if (k->comms == c && k->pid == pid && k->changes == c->changes)
		return k->takes;
	name = comms_name(c, pid);
	takes = meet(l, name);
	/* Looking up the name may have changed names. */
	if (comms_holds(c, name))
		*k = (struct known){ c, c->changes, pid, takes };
	return takes;
}

const char *comm_list_at(const struct comm_list *l, size_t i)
{
	return i < l->n ? l->v[i].glob : NULL;
}

const char *comm_list_unmet(const struct comm_list *l, size_t *i)
{
	while (*i < l->n) {
		const struct pattern *p = &l->v[(*i)++];

		if (!p->met)
			return p->glob;
	}
	return NULL;
}
