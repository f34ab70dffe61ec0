// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index: an index that is open: what is in the input, and where events were lost.
 */
#include "index/index_priv.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of an item of each section. */
static const uint32_t SIZES[INDEX_SECTIONS] = {
	[INDEX_HEAD] = sizeof(struct index_head),
	[INDEX_TEXTS] = 1,
	[INDEX_STREAMS] = sizeof(struct index_stream),
	[INDEX_PLACES] = sizeof(struct index_place),
	[INDEX_NAMES] = sizeof(struct index_name),
	[INDEX_LOSSES] = sizeof(struct index_loss),
	[INDEX_CPUS] = sizeof(struct index_cpu),
	[INDEX_TYPES] = sizeof(struct index_type),
	[INDEX_TASKS] = sizeof(struct index_task),
	[INDEX_CPU_CELLS] = sizeof(struct index_cpu_cell),
	[INDEX_TASK_CELLS] = sizeof(struct index_task_cell),
	[INDEX_CHECKS] = sizeof(struct index_check),
	[INDEX_STATES] = sizeof(struct index_state),
};

bool index_items(const struct trace_index *x, enum index_section s, uint64_t at, uint64_t n,
		 void *out)
{
	return checked_read(x->file, s, SIZES[s], at, n, out);
}

const void *index_section(const struct trace_index *x, enum index_section s, uint64_t *n)
{
	/* It is read at the first question, which changes nothing that is seen. */
	struct trace_index *own = (struct trace_index *)x;
	uint64_t count;

	if (!x->tried[s]) {
		own->tried[s] = true;
		count = checked_count(x->file, s, SIZES[s]);
		own->loaded[s] = mem_alloc(count * SIZES[s] + 1);
		if (index_items(x, s, 0, count, own->loaded[s])) {
			own->len[s] = count;
			((char *)own->loaded[s])[count * SIZES[s]] = '\0';
		}
	}
	*n = x->len[s];
	return *n ? x->loaded[s] : NULL;
}

static bool is_sane(const struct trace_index *x)
{
	const struct index_head *h = &x->head;

	return h->shift < 64 && h->task_shift < 64 && h->told.has_switches <= 1 &&
	       (uint64_t)h->ncells * h->told.ncpus <=
		       checked_count(x->file, INDEX_CPU_CELLS, SIZES[INDEX_CPU_CELLS]) &&
	       h->told.ncpus == checked_count(x->file, INDEX_CPUS, SIZES[INDEX_CPUS]) &&
	       h->told.nstreams == checked_count(x->file, INDEX_STREAMS, SIZES[INDEX_STREAMS]) &&
	       h->told.ntasks == checked_count(x->file, INDEX_TASKS, SIZES[INDEX_TASKS]) &&
	       h->told.ntypes == checked_count(x->file, INDEX_TYPES, SIZES[INDEX_TYPES]);
}

struct trace_index *trace_index_open(int fd, const struct source *s, struct err *e)
{
	struct checked_file *t = checked_open(fd, e);
	struct trace_index *x;
	struct index_key key;

	if (!t)
		return NULL;
	x = mem_zalloc(sizeof(*x));
	x->file = t;
	if (!index_items(x, INDEX_HEAD, 0, 1, &x->head) || !is_sane(x))
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "the index is damaged");
	else if (!index_key_of(s, &key) || memcmp(&key, &x->head.key, sizeof(key)) != 0)
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "the index is that of another trace");
	else if (x->head.told.nstreams != s->nstreams)
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "the index has other buffers than the trace");
	else {
		index_jumps_init(x);
		return x;
	}
	trace_index_close(x);
	return NULL;
}

void trace_index_close(struct trace_index *x)
{
	if (!x)
		return;
	for (unsigned i = 0; i < INDEX_SECTIONS; i++)
		free(x->loaded[i]);
	checked_close(x->file);
	free(x);
}

bool trace_index_check(const struct trace_index *x)
{
	return checked_check(x->file);
}

const struct trace_index_head *trace_index_head(const struct trace_index *x)
{
	return &x->head.told;
}

bool trace_index_cpu(const struct trace_index *x, unsigned i, struct trace_index_cpu *out)
{
	uint64_t n;
	const struct index_cpu *v = index_section(x, INDEX_CPUS, &n);

	if (i >= n)
		return false;
	*out = (struct trace_index_cpu){ (int)v[i].cpu, v[i].ends, v[i].events };
	return true;
}

bool trace_index_type(const struct trace_index *x, unsigned i, struct trace_index_type *out)
{
	uint64_t n, len;
	const struct index_type *v = index_section(x, INDEX_TYPES, &n);
	const char *texts = index_section(x, INDEX_TEXTS, &len);

	if (i >= n || v[i].system >= len || v[i].name >= len)
		return false;
	*out = (struct trace_index_type){ texts + v[i].system, texts + v[i].name, v[i].events };
	return true;
}

bool trace_index_task(const struct trace_index *x, uint32_t task, struct trace_index_task *out)
{
	uint64_t n;
	const struct index_task *v = index_section(x, INDEX_TASKS, &n);

	if (task >= n || v[task].comm[sizeof(v[task].comm) - 1])
		return false;
	*out = (struct trace_index_task){ .pid = v[task].pid,
					  .comm = v[task].comm,
					  .run = v[task].run,
					  .ready = v[task].ready,
					  .blocked = v[task].blocked };
	return true;
}

uint32_t trace_index_task_of(const struct trace_index *x, int32_t pid)
{
	uint64_t n;
	const struct index_task *v = index_section(x, INDEX_TASKS, &n);

	for (uint64_t i = 0; i < n; i++)
		if (v[i].pid == pid)
			return (uint32_t)i;
	return TRACE_INDEX_NO_TASK;
}

void trace_index_losses(const struct trace_index *x, uint64_t from, uint64_t to,
			bool (*each)(void *arg, const struct trace_index_loss *l), void *arg)
{
	uint64_t n;
	const struct index_loss *v = index_section(x, INDEX_LOSSES, &n);

	for (uint64_t i = 0; i < n; i++) {
		struct trace_index_loss l = { v[i].cpu, v[i].anywhere, v[i].lost, v[i].from,
					      v[i].to };
		bool open = l.from == TS_UNKNOWN;

		if (l.to >= from && (open || l.from <= to) && !each(arg, &l))
			return;
	}
}

bool trace_index_states(const struct trace_index *x, uint64_t ts, uint64_t *at,
			void (*each)(void *arg, const struct trace_index_state *s), void *arg)
{
	uint64_t n, i = 0;
	const struct index_check *v = index_section(x, INDEX_CHECKS, &n);
	struct index_state s;

	while (i < n && v[i].ts <= ts)
		i++;
	if (!i--)
		return false;
	*at = v[i].ts;
	for (uint32_t k = 0; k < v[i].n; k++) {
		if (!index_items(x, INDEX_STATES, v[i].first + k, 1, &s))
			return false;
		each(arg, &(struct trace_index_state){ s.task, s.cpu, (char)s.state, s.since });
	}
	return true;
}
