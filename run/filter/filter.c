// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter: decides for each event whether it passes what the user asked for: CPUs, tasks, times,
 * instances, and (terms) expressions.
 */
#include "run/filter/filter.h"

#include "base/ascii.h"
#include "base/compare.h"
#include "base/mem.h"
#include "expr/expr.h"
#include "run/filter/cgroup_list.h"
#include "run/filter/comm_list.h"
#include "run/filter/terms.h"
#include "trace/machine.h"

#include <stdlib.h>
#include <string.h>

enum answer { ASK, YES, NO };

struct filter {
	uint64_t start, end;
	uint64_t *cpus; /* EXPR_CPUS bits, or NULL: all */
	int32_t *pids;	/* sorted */
	size_t npids, cap_pids;
	bool *met_pids;		     /* by index in pids: an event of that task was seen */
	struct comm_list *comms;     /* NULL: all */
	struct cgroup_list *cgroups; /* the same */
	uint64_t first, last;	     /* times of the events checked */
	char **instances;
	size_t ninstances, cap_instances;
	uint8_t *buffers; /* enum answer by number of the buffer */
	size_t cap_buffers;
	struct terms terms;
};

struct filter *filter_new(void)
{
	struct filter *f = mem_zalloc(sizeof(*f));

	f->end = f->first = UINT64_MAX;
	terms_init(&f->terms);
	return f;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	terms_fini(&f->terms);
	for (size_t i = 0; i < f->ninstances; i++)
		free(f->instances[i]);
	free(f->instances);
	free(f->buffers);
	free(f->cpus);
	free(f->pids);
	free(f->met_pids);
	comm_list_free(f->comms);
	cgroup_list_free(f->cgroups);
	free(f);
}

/* ---- the user's terms ---- */

int filter_cpus(struct filter *f, const char *list, struct err *e)
{
	size_t bad;

	if (!f->cpus)
		f->cpus = mem_zalloc(EXPR_CPUS / 8);
	if (cpulist_parse(list, strlen(list), f->cpus, &bad) < 0)
		return expr_complain(e, list, bad,
				     "invalid list of CPUs: expected 0,2-5, with numbers below %d",
				     EXPR_CPUS);
	return 0;
}

int filter_pids(struct filter *f, const char *list, struct err *e)
{
	const char *s = list;

	for (;;) {
		const char *at = s;
		int64_t v = 0;

		while (ascii_digit(*s) && v <= INT32_MAX)
			v = v * 10 + (*s++ - '0');
		if (s == at || v > INT32_MAX)
			return expr_complain(e, list, at - list,
					     "a list of pids reads 12,34 (--comm takes names)");
		f->pids = mem_grow(f->pids, &f->cap_pids, f->npids + 1, sizeof(*f->pids));
		f->pids[f->npids++] = v;
		if (!*s)
			break;
		if (*s != ',')
			return expr_complain(e, list, s - list, "a list of pids reads 12,34");
		s++;
	}
	qsort(f->pids, f->npids, sizeof(*f->pids), compare_i32);
	for (size_t i = 0, n = f->npids; i < n; i++) {
		if (!i)
			f->npids = 0;
		if (!i || f->pids[i] != f->pids[f->npids - 1])
			f->pids[f->npids++] = f->pids[i];
	}
	free(f->met_pids);
	f->met_pids = mem_zalloc(f->npids);
	return 0;
}

int filter_comms(struct filter *f, const char *list, struct err *e)
{
	if (!f->comms)
		f->comms = comm_list_new();
	return comm_list_add(f->comms, list, e);
}

int filter_cgroup(struct filter *f, const char *path, struct err *e)
{
	if (!f->cgroups)
		f->cgroups = cgroup_list_new();
	return cgroup_list_add(f->cgroups, path, e);
}

int filter_instance(struct filter *f, const char *name, struct err *e)
{
	f->instances = mem_grow(f->instances, &f->cap_instances, f->ninstances + 1,
				sizeof(*f->instances));
	f->instances[f->ninstances++] = mem_strdup(name);
	return 0;
}

void filter_times(struct filter *f, uint64_t start, uint64_t end)
{
	f->start = start;
	f->end = end;
}

bool filter_window(const struct filter *f, uint64_t *start, uint64_t *end)
{
	*start = f->start;
	*end = f->end;
	return f->start || f->end != UINT64_MAX;
}

bool filter_has_time(const struct filter *f, uint64_t ts)
{
	return ts >= f->start && ts <= f->end;
}

void filter_base(struct filter *f, const uint64_t *base)
{
	f->terms.names.base = base;
}

void filter_other_names(struct filter *f,
			bool (*other)(void *arg, const char *system, const char *event), void *arg)
{
	f->terms.other = other;
	f->terms.other_arg = arg;
}

void filter_types(struct filter *f, bool (*takes)(void *arg, const struct etype *t), void *arg)
{
	f->terms.takes = takes;
	f->terms.takes_arg = arg;
}

int filter_expr(struct filter *f, const char *text, struct err *e)
{
	return terms_add(&f->terms, text, e);
}

int filter_compile(struct filter *f, struct catalog *c, struct notes *n, struct err *e)
{
	return terms_compile(&f->terms, c, n, e);
}

static bool asks_for_tasks(const struct filter *f)
{
	return f->npids || f->comms || f->cgroups;
}

bool filter_empty(const struct filter *f)
{
	return filter_only_times(f) && !f->start && f->end == UINT64_MAX;
}

bool filter_only_times(const struct filter *f)
{
	return terms_empty(&f->terms) && !f->cpus && !asks_for_tasks(f) && !f->ninstances;
}

/* ---- checking an event ---- */

bool filter_takes_type(const struct filter *f, const struct etype *t)
{
	return terms_take_type(&f->terms, t);
}

bool filter_has_cpus(const struct filter *f)
{
	return f->cpus;
}

bool filter_takes_cpu(const struct filter *f, int cpu)
{
	if (!f->cpus)
		return true;
	return cpu >= 0 && cpu < EXPR_CPUS && f->cpus[cpu / 64] >> cpu % 64 & 1;
}

bool filter_takes_instance(const struct filter *f, const char *name)
{
	for (size_t i = 0; i < f->ninstances; i++)
		if (!strcmp(f->instances[i], name))
			return true;
	return !f->ninstances;
}

static bool takes_buffer(struct filter *f, const struct origin *from)
{
	size_t was = f->cap_buffers;

	if (from->buffer >= was) {
		f->buffers = mem_grow(f->buffers, &f->cap_buffers, (size_t)from->buffer + 1, 1);
		memset(f->buffers + was, ASK, f->cap_buffers - was);
	}
	if (f->buffers[from->buffer] == ASK)
		f->buffers[from->buffer] = filter_takes_instance(f, from->instance) ? YES : NO;
	return f->buffers[from->buffer] == YES;
}

/* Pids, names and cgroups are all checked: each list records by itself what was met. */
static bool takes_task(struct filter *f, const struct event *ev)
{
	struct machine *m = ev->type->machine;
	bool named = !f->comms || comm_list_takes_task(f->comms, m->comms, ev->pid);
	bool inside = filter_takes_cgroup(f, m, ev->ts, ev->pid);
	const int32_t *pid;

	if (!f->npids)
		return named && inside;
	pid = bsearch(&ev->pid, f->pids, f->npids, sizeof(*f->pids), compare_i32);
	if (!pid)
		return false;
	f->met_pids[pid - f->pids] = true;
	return named && inside;
}

/* Is EV within the times, CPUs and tasks that are asked for? */
static inline bool is_asked(struct filter *f, const struct event *ev)
{
	if (ev->ts < f->first)
		f->first = ev->ts;
	if (ev->ts > f->last)
		f->last = ev->ts;
	if (ev->ts < f->start || ev->ts > f->end || !filter_takes_cpu(f, ev->cpu))
		return false;
	return !asks_for_tasks(f) || takes_task(f, ev);
}

bool filter_pass_kind(struct filter *f, const struct event *ev)
{
	if (f->ninstances && !takes_buffer(f, ev->from))
		return false;
	return terms_pass(&f->terms, ev);
}

bool filter_pass(struct filter *f, const struct event *ev)
{
	return is_asked(f, ev) && filter_pass_kind(f, ev);
}

bool filter_pid(const struct filter *f, size_t i, int32_t *pid)
{
	if (i >= f->npids)
		return false;
	*pid = f->pids[i];
	return true;
}

bool filter_has_comms(const struct filter *f)
{
	return f->comms;
}

const char *filter_comm(const struct filter *f, size_t i)
{
	return f->comms ? comm_list_at(f->comms, i) : NULL;
}

bool filter_takes_comm(const struct filter *f, const char *name)
{
	return !f->comms || comm_list_takes(f->comms, name);
}

bool filter_met(const struct filter *f, uint64_t *first, uint64_t *last)
{
	*first = f->first;
	*last = f->last;
	return f->first <= f->last;
}

bool filter_unmet_pid(const struct filter *f, size_t *i, int32_t *pid)
{
	while (*i < f->npids) {
		size_t at = (*i)++;

		if (f->met_pids[at])
			continue;
		*pid = f->pids[at];
		return true;
	}
	return false;
}

const char *filter_unmet_comm(const struct filter *f, size_t *i)
{
	return f->comms ? comm_list_unmet(f->comms, i) : NULL;
}

const char *filter_unmet_cgroup(const struct filter *f, size_t *i)
{
	return f->cgroups ? cgroup_list_unmet(f->cgroups, i) : NULL;
}

bool filter_has_cgroups(const struct filter *f)
{
	return f->cgroups;
}

const char *filter_cgroup_at(const struct filter *f, size_t i)
{
	return f->cgroups ? cgroup_list_at(f->cgroups, i) : NULL;
}

bool filter_takes_cgroup(const struct filter *f, struct machine *m, uint64_t now, int32_t pid)
{
	return !f->cgroups || cgroup_list_takes_task(f->cgroups, m, now, pid);
}

bool filter_has_expr(const struct filter *f)
{
	return f->terms.list;
}
