// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map_table: the looks at what processes had mapped, by process and time.  A process that is like
 * another shares its mappings.
 */
#include "trace/maps/map_table.h"

#include "base/hash_index.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct known_file {
	char *path; /* NULL: there is none of this number */
	uint8_t id[MAP_LOG_ID], id_len;
	uint32_t major, minor;
	uint64_t inode;
};

struct mapped_span {
	uint64_t start, end, off;
	uint32_t file;
};

/* By address. */
struct mapped_spans {
	unsigned refs, n;
	struct mapped_span v[];
};

struct maps_look {
	uint64_t from, seen;
	struct mapped_spans *spans; /* NULL: not known */
	uint32_t number;	    /* its own, from 1 */
};

struct process_looks {
	int32_t pid;
	unsigned n;
	size_t cap;
	struct maps_look *v; /* by from, then by seen */
	uint64_t until;	     /* it is not known from then on, as a look was dropped */
};

struct map_table {
	struct known_file *files; /* by number */
	size_t cap_files;
	uint32_t nfiles;
	struct process_looks *v;
	size_t cap;
	struct hash_index by_pid; /* of V */
	uint32_t nlooks, nspans;
};

struct map_table *map_table_new(void)
{
	struct map_table *t = mem_zalloc(sizeof(*t));

	index_begin(&t->by_pid);
	return t;
}

static void let_go(struct mapped_spans *s)
{
	if (s && !--s->refs)
		free(s);
}

void map_table_free(struct map_table *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->nfiles; i++)
		free(t->files[i].path);
	for (uint32_t i = 0; i < t->by_pid.n; i++) {
		for (unsigned k = 0; k < t->v[i].n; k++)
			let_go(t->v[i].v[k].spans);
		free(t->v[i].v);
	}
	index_fini(&t->by_pid);
	free(t->files);
	free(t->v);
	free(t);
}

bool map_table_is_empty(const struct map_table *t)
{
	return !t->nlooks;
}

/* ---- adding ---- */

/* A recorder never gives a number to another file: if it comes again, it is the same. */
static bool add_file(struct map_table *t, const struct map_record *r)
{
	struct known_file *to;
	struct map_file f;

	if (r->number >= MAP_TABLE_FILES)
		return false;
	t->files = mem_grow(t->files, &t->cap_files, r->number + 1u, sizeof(*t->files));
	while (t->nfiles <= r->number)
		t->files[t->nfiles++] = (struct known_file){ NULL };
	to = &t->files[r->number];
	if (to->path)
		return true;
	map_log_file(r, &f);
	*to = (struct known_file){ .path = mem_strndup(f.path, f.path_len),
				   .id_len = f.id_len,
				   .major = f.major,
				   .minor = f.minor,
				   .inode = f.inode };
	memcpy(to->id, f.id, f.id_len);
	return true;
}

static struct process_looks *process_of(const struct map_table *t, int32_t pid)
{
	uint32_t hash = index_hash(&t->by_pid, (uint32_t)pid);
	uint32_t slot = index_home(&t->by_pid, hash), i;

	while (index_next(&t->by_pid, hash, &slot, &i))
		if (t->v[i].pid == pid)
			return &t->v[i];
	return NULL;
}

/* The same, made if there is none. */
static struct process_looks *process_at(struct map_table *t, int32_t pid)
{
	struct process_looks *p = process_of(t, pid);
	uint32_t n = t->by_pid.n;

	if (p)
		return p;
	t->v = mem_grow(t->v, &t->cap, n + 1u, sizeof(*t->v));
	t->v[n] = (struct process_looks){ .pid = pid, .until = UINT64_MAX };
	index_add(&t->by_pid, index_hash(&t->by_pid, (uint32_t)pid), n);
	return &t->v[n];
}

static struct mapped_spans *spans_of(struct map_table *t, const struct map_record *r)
{
	uint32_t n = map_log_count(r);
	struct mapped_spans *s = mem_alloc(sizeof(*s) + n * sizeof(*s->v));

	s->refs = 1;
	s->n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct map_entry x;

		map_log_entry(r, i, &x);
		s->v[i] = (struct mapped_span){ x.start, x.end, x.off, x.file };
	}
	t->nspans += n;
	return s;
}

/* How many of P's looks are at programs that began up to FROM, and of that time only up to SEEN. */
static unsigned looks_up_to(const struct process_looks *p, uint64_t from, uint64_t seen)
{
	unsigned lo = 0, hi = p->n;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;
		const struct maps_look *l = &p->v[mid];

		if (l->from < from || (l->from == from && l->seen <= seen))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The look at P's program of the time TS that is the last one by then, or else its first. */
static const struct maps_look *look_at(const struct process_looks *p, uint64_t ts)
{
	unsigned n = looks_up_to(p, ts, UINT64_MAX);
	uint64_t from = n ? p->v[n - 1].from : 0;

	if (!n || ts >= p->until)
		return NULL;
	n = looks_up_to(p, from, ts);
	return n && p->v[n - 1].from == from ? &p->v[n - 1] : &p->v[n];
}

/* What the parent had when R's process began. */
static struct mapped_spans *share_spans(const struct map_table *t, const struct map_record *r)
{
	const struct process_looks *parent = process_of(t, (int32_t)r->number);
	const struct maps_look *l = parent ? look_at(parent, r->from) : NULL;

	if (!l || !l->spans)
		return NULL;
	l->spans->refs++;
	return l->spans;
}

/* There is no room for R: its process is not known from then on. */
static void drop_look(struct map_table *t, const struct map_record *r)
{
	struct process_looks *p = process_of(t, r->pid);
	unsigned n = p ? looks_up_to(p, r->from, r->seen) : 0;
	/* A program that is known had by then what it was last seen with. */
	uint64_t ts = n && p->v[n - 1].from == r->from ? r->seen : r->from;

	if (p && ts < p->until)
		p->until = ts;
}

static bool add_look(struct map_table *t, const struct map_record *r)
{
	bool fits = map_log_count(r) <= MAP_TABLE_SPANS - t->nspans;
	struct mapped_spans *spans = NULL;
	struct process_looks *p;
	unsigned at;

	/* Before the process, which takes memory, too. */
	if (t->nlooks == MAP_TABLE_LOOKS) {
		drop_look(t, r);
		return false;
	}
	p = process_at(t, r->pid);
	at = looks_up_to(p, r->from, r->seen);
	if (p->n - at > MAP_TABLE_LATE)
		return false;
	if (r->number)
		spans = share_spans(t, r);
	else if (r->len && fits)
		spans = spans_of(t, r);
	p->v = mem_grow(p->v, &p->cap, p->n + 1u, sizeof(*p->v));
	memmove(p->v + at + 1, p->v + at, (p->n - at) * sizeof(*p->v));
	p->n++;
	p->v[at] = (struct maps_look){ r->from, r->seen, spans, ++t->nlooks };
	return fits;
}

bool map_table_apply(struct map_table *t, const struct map_record *r)
{
	return r->pid ? add_look(t, r) : add_file(t, r);
}

/* ---- asking ---- */

/* If TS is between L and another look at the same program, that one; else NULL. */
static const struct maps_look *look_after(const struct process_looks *p, const struct maps_look *l,
					  uint64_t ts)
{
	return ts >= l->seen && l + 1 < p->v + p->n && l[1].from == l->from ? l + 1 : NULL;
}

static const struct mapped_span *span_at(const struct maps_look *l, uint64_t address)
{
	const struct mapped_spans *s = l ? l->spans : NULL;
	unsigned lo = 0, hi = s ? s->n : 0;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (s->v[mid].end > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return s && lo < s->n && s->v[lo].start <= address ? &s->v[lo] : NULL;
}

static bool is_same(const struct mapped_span *a, const struct mapped_span *b)
{
	return a->file == b->file && a->off - a->start == b->off - b->start;
}

bool map_table_find(const struct map_table *t, int32_t pid, uint64_t ts, uint64_t address,
		    struct map_found *out)
{
	const struct process_looks *p = process_of(t, pid);
	const struct maps_look *l = p ? look_at(p, ts) : NULL;
	const struct mapped_span *x = span_at(l, address);
	const struct mapped_span *y = l ? span_at(look_after(p, l, ts), address) : NULL;
	const struct known_file *f;

	if (x && y && !is_same(x, y))
		return false;
	x = x ? x : y;
	if (!x || x->file >= t->nfiles || !t->files[x->file].path)
		return false;
	f = &t->files[x->file];
	*out = (struct map_found){ .path = f->path,
				   .id = f->id,
				   .id_len = f->id_len,
				   .major = f->major,
				   .minor = f->minor,
				   .inode = f->inode,
				   .off = address - x->start + x->off };
	return true;
}

uint64_t map_table_generation(const struct map_table *t, int32_t pid, uint64_t ts)
{
	const struct process_looks *p = process_of(t, pid);
	const struct maps_look *l = p ? look_at(p, ts) : NULL,
			       *next = l ? look_after(p, l, ts) : NULL;

	return l ? (uint64_t)(next ? next->number : 0) << 32 | l->number : 0;
}
