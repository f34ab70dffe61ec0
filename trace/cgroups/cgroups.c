// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroups: the present cgroups of tasks, from records with times.  Nothing is done for an event
 * until a cgroup is asked for; then all records up to its time are applied.
 */
#include "trace/cgroups/cgroups.h"

#include "base/mem.h"
#include "trace/cgroups/cgroup_table.h"

#include <stdlib.h>

#define MAX_WAITING (1u << 18)
#define MAX_WAITING_BYTES (32u << 20) /* of their paths */

struct pending_cgroup {
	uint64_t ts, seq;
	char *path;
	int32_t pid, like;
	uint16_t len;
};

struct cgroups {
	struct cgroups_source source;
	unsigned users;
	struct cgroup_table *present; /* NULL: the log was not asked for yet */
	const uint8_t *log;
	size_t log_len, log_at;	     /* the unread part begins at log_at */
	uint64_t log_due;	     /* the time of its next record; UINT64_MAX: there is none */
	struct pending_cgroup *heap; /* those of cgroups_add(), the earliest on top */
	size_t heap_cap, nheap, heap_bytes;
	uint64_t seq, unknown;
	bool known;	      /* there was a record */
	const char *replayed; /* cgroups_replay(), or NULL */
	int32_t replayed_pid;
};

struct cgroups *cgroups_new(const struct cgroups_source *source)
{
	struct cgroups *c = mem_zalloc(sizeof(*c));

	c->source = *source;
	c->users = 1;
	return c;
}

struct cgroups *cgroups_share(struct cgroups *c)
{
	c->users++;
	return c;
}

void cgroups_free(struct cgroups *c)
{
	if (!c || --c->users)
		return;
	cgroup_table_free(c->present);
	for (size_t i = 0; i < c->nheap; i++)
		free(c->heap[i].path);
	free(c->heap);
	free(c);
}

/* ---- records that wait for their time ---- */

static bool before(const struct pending_cgroup *a, const struct pending_cgroup *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

static void push(struct cgroups *c, uint64_t ts, const struct cgroup_record *r)
{
	struct pending_cgroup new = {
		.ts = ts, .seq = c->seq++, .pid = r->pid, .like = r->like, .len = r->len
	};
	size_t i = c->nheap++;

	new.path = r->len ? mem_strndup(r->path, r->len) : NULL;
	c->heap_bytes += r->len;
	c->heap = mem_grow(c->heap, &c->heap_cap, c->nheap, sizeof(*c->heap));
	while (i && before(&new, &c->heap[(i - 1) / 2])) {
		c->heap[i] = c->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	c->heap[i] = new;
}

static struct pending_cgroup pop(struct cgroups *c)
{
	struct pending_cgroup first = c->heap[0], last = c->heap[--c->nheap];
	size_t i = 0;

	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= c->nheap)
			break;
		if (k + 1 < c->nheap && before(&c->heap[k + 1], &c->heap[k]))
			k++;
		if (!before(&c->heap[k], &last))
			break;
		c->heap[i] = c->heap[k];
		i = k;
	}
	c->heap[c->nheap].path = NULL; /* it is in FIRST, or moves */
	if (c->nheap)
		c->heap[i] = last;
	c->heap_bytes -= first.len;
	return first;
}

static bool has_too_many(const struct cgroups *c)
{
	return c->nheap > MAX_WAITING || c->heap_bytes > MAX_WAITING_BYTES;
}

/* ---- time ---- */

static uint64_t time_of(const struct cgroups *c, uint64_t stamp)
{
	return stamp && c->source.shown ? c->source.shown(c->source.arg, stamp) : stamp;
}

/* Apply the log's records up to NOW. */
static void read_log(struct cgroups *c, uint64_t now)
{
	struct cgroup_record r;

	if (now < c->log_due)
		return;
	for (size_t at = c->log_at; cgroup_log_next(c->log, c->log_len, &at, &r); c->log_at = at) {
		c->log_due = time_of(c, r.ts);
		if (c->log_due > now)
			return;
		cgroup_table_apply(c->present, &r);
	}
	c->log_due = UINT64_MAX;
}

/* Ask for the log, unless that has been done; apply what is valid at NOW. */
static void advance(struct cgroups *c, uint64_t now)
{
	if (!c->present) {
		c->present = cgroup_table_new();
		c->log = c->source.log(c->source.arg, &c->log_len);
		c->known = c->log_len > 0;
	}
	read_log(c, now);
	while (c->nheap && (c->heap[0].ts <= now || has_too_many(c))) {
		struct pending_cgroup w = pop(c);

		cgroup_table_apply(c->present, &(struct cgroup_record){ .pid = w.pid,
									.like = w.like,
									.len = w.len,
									.path = w.path });
		free(w.path);
	}
}

void cgroups_add(struct cgroups *c, uint64_t now, const struct cgroup_record *r)
{
	uint64_t ts = time_of(c, r->ts);

	c->known = true;
	push(c, r->ts ? ts : now, r);
	advance(c, now);
}

/* ---- asking ---- */

const char *cgroups_path(struct cgroups *c, uint64_t now, int32_t pid)
{
	const char *path;

	if (c->replayed && pid == c->replayed_pid)
		return c->replayed;
	advance(c, now);
	path = pid ? cgroup_table_path(c->present, pid) : c->known ? "/" : NULL;
	c->unknown += !path;
	return path;
}

bool cgroups_are_read(const struct cgroups *c)
{
	return c->present;
}

void cgroups_replay(struct cgroups *c, int32_t pid, const char *path)
{
	c->replayed = path;
	c->replayed_pid = pid;
}

const char *cgroups_replayed(const struct cgroups *c, int32_t *pid)
{
	*pid = c->replayed_pid;
	return c->replayed;
}

bool cgroups_known(struct cgroups *c)
{
	advance(c, 0);
	return c->known;
}

uint64_t cgroups_unknown(const struct cgroups *c)
{
	return c->unknown;
}
