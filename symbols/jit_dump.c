// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit_dump: jit-PID.dump, where a process writes each function that it compiles: which one was at
 * an address at a time.
 */
#include "symbols/jit_dump.h"

#include "base/mem.h"
#include "base/mono.h"
#include "symbols/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* jitdump-specification.txt; numbers are in the byte order of the machine that wrote them. */
#define MAGIC 0x4A695444u
#define VERSION 1
#define FLAG_CYCLES 1 /* times are of the CPU's counter */

struct jit_head {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t ts, flags;
};

struct jit_record {
	uint32_t type, size;
	uint64_t ts;
};

enum { CODE_LOAD = 0, CODE_MOVE = 1, CODE_CLOSE = 3 };

struct jit_load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
	/* the name, a NUL, the code */
};

struct jit_move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

#define LOOK_BACK_MOST 4096 /* functions that are looked at for one address */
#define TIME_EVERY 4096	    /* records between two looks at the clock */

/* A file while it is read. */
struct jit_reader {
	struct jit_dump *d;
	FILE *file;
	bool swap;
	uint64_t left; /* bytes of the current record */
};

static uint32_t u32(const struct jit_reader *r, uint32_t v)
{
	return r->swap ? __builtin_bswap32(v) : v;
}

static uint64_t u64(const struct jit_reader *r, uint64_t v)
{
	return r->swap ? __builtin_bswap64(v) : v;
}

/* The next N bytes of the record into P.  False: it, or the file, has fewer. */
static bool take(struct jit_reader *r, void *p, size_t n)
{
	if (r->left < n)
		return false;
	r->left -= n;
	if (fread(p, 1, n, r->file) == n)
		return true;
	r->d->cut = true;
	return false;
}

/* ---- records ---- */

/*
 * The name of the record, up to its NUL, to the names; false: it is invalid, or there is no room.
 */
static bool take_name(struct jit_reader *r, size_t *at)
{
	struct jit_dump *d = r->d;
	size_t len = 0;
	int c = 0;

	if (d->names_len > JIT_NAMES_MOST) {
		d->too_many = true;
		return false;
	}
	d->names = mem_grow(d->names, &d->names_cap, d->names_len + JIT_NAME_MOST + 1, 1);
	while (r->left && (c = getc(r->file)) > 0) {
		r->left--;
		if (len < JIT_NAME_MOST)
			d->names[d->names_len + len++] = (char)c;
	}
	if (c != 0 || !r->left) {
		d->cut |= c == EOF;
		return false;
	}
	r->left--;
	if (!len)
		return false;
	d->names[d->names_len + len] = '\0';
	*at = d->names_len;
	d->names_len += len + 1;
	return true;
}

static void add(struct jit_dump *d, const struct jit_function *f)
{
	if (d->n == JIT_FUNCTIONS_MOST) {
		d->too_many = true;
		return;
	}
	d->v = mem_grow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
	d->v[d->n++] = *f;
}

static bool code_load(struct jit_reader *r, uint64_t ts)
{
	struct jit_load c;
	struct jit_function f = { .from = ts, .to = UINT64_MAX };

	if (!take(r, &c, sizeof(c)) || !take_name(r, &f.name))
		return r->d->too_many;
	f.start = u64(r, c.address);
	f.index = u64(r, c.index);
	/* Code that is not in the record is not of this size. */
	if (u64(r, c.size) > r->left || !u64(r, c.size) || u64(r, c.size) > UINT64_MAX - f.start)
		return false;
	f.end = f.start + u64(r, c.size);
	add(r->d, &f);
	return true;
}

/*
 * The function of INDEX that was at FROM last; they are in the order of the file until it is read.
 */
static struct jit_function *loaded(struct jit_dump *d, uint64_t index, uint64_t from)
{
	for (size_t i = d->n, n = 0; i && n < LOOK_BACK_MOST; n++)
		if (d->v[--i].index == index && d->v[i].start == from)
			return &d->v[i];
	return NULL;
}

static bool code_move(struct jit_reader *r, uint64_t ts)
{
	struct jit_function *was, f;
	struct jit_move c;

	if (!take(r, &c, sizeof(c)))
		return false;
	was = loaded(r->d, u64(r, c.index), u64(r, c.from));
	if (!was || !u64(r, c.size) || u64(r, c.size) > UINT64_MAX - u64(r, c.to))
		return false;
	f = *was;
	if (was->to > ts)
		was->to = ts;
	f.start = u64(r, c.to);
	f.end = f.start + u64(r, c.size);
	f.from = ts;
	f.to = UINT64_MAX;
	add(r->d, &f);
	return true;
}

/* What is left of the record. */
static bool skip(struct jit_reader *r)
{
	if (r->left && fseeko(r->file, (off_t)r->left, SEEK_CUR) < 0)
		return false;
	r->left = 0;
	return true;
}

/* False: the file ends here. */
static bool read_record(struct jit_reader *r)
{
	struct jit_record h;
	size_t n = fread(&h, 1, sizeof(h), r->file);
	uint64_t ts;
	bool good = true;

	if (n < sizeof(h)) {
		r->d->cut |= n > 0;
		return false;
	}
	/* A size that is too small would stop the walk, and what follows cannot be found. */
	if (u32(r, h.size) < sizeof(h)) {
		r->d->bad++;
		return false;
	}
	r->left = u32(r, h.size) - sizeof(h);
	ts = u64(r, h.ts);
	switch (u32(r, h.type)) {
	case CODE_LOAD:
		good = code_load(r, ts);
		break;
	case CODE_MOVE:
		good = code_move(r, ts);
		break;
	case CODE_CLOSE:
		return false;
	}
	r->d->bad += !good && !r->d->cut;
	return !r->d->cut && !r->d->too_many && skip(r);
}

/* ---- the table ---- */

static int by_start(const void *a, const void *b)
{
	const struct jit_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	/* Of the same time: in the order of their names in the file. */
	return x->name < y->name ? -1 : x->name > y->name;
}

static void sort(struct jit_dump *d)
{
	uint64_t reach = 0;

	if (!d->n)
		return;
	qsort(d->v, d->n, sizeof(*d->v), by_start);
	d->reach = mem_alloc(d->n * sizeof(*d->reach));
	for (size_t i = 0; i < d->n; i++) {
		if (d->v[i].end > reach)
			reach = d->v[i].end;
		d->reach[i] = reach;
	}
}

static enum jit_answer read_head(struct jit_reader *r, int32_t pid)
{
	struct jit_head h;

	if (fread(&h, 1, sizeof(h), r->file) != sizeof(h))
		return JIT_INVALID;
	r->swap = h.magic == __builtin_bswap32(MAGIC);
	if ((h.magic != MAGIC && !r->swap) || u32(r, h.version) != VERSION ||
	    u32(r, h.size) < sizeof(h) || u32(r, h.pid) != (uint32_t)pid)
		return JIT_INVALID;
	if (u64(r, h.flags) & FLAG_CYCLES)
		return JIT_OTHER_CLOCK;
	r->left = u32(r, h.size) - sizeof(h);
	return skip(r) ? JIT_READ : JIT_INVALID;
}

enum jit_answer jit_dump_read(struct jit_dump *d, int fd, int32_t pid)
{
	struct jit_reader r = { .d = d };
	uint64_t end = mono_ns() + JIT_FILE_NS;
	enum jit_answer answer;

	r.file = place_is_ours(fd) ? fdopen(fd, "r") : NULL;
	if (!r.file) {
		close(fd);
		return JIT_FOREIGN;
	}
	answer = read_head(&r, pid);
	for (unsigned n = 1; answer == JIT_READ && read_record(&r); n++) {
		if (n < JIT_RECORDS_MOST && (n % TIME_EVERY || mono_ns() < end))
			continue;
		d->too_many = true;
		break;
	}
	fclose(r.file);
	sort(d);
	return answer;
}

/* How many functions begin at ADDRESS or before it. */
static size_t begun(const struct jit_dump *d, uint64_t address)
{
	size_t lo = 0, hi = d->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->v[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct jit_function *jit_dump_at(const struct jit_dump *d, uint64_t address, uint64_t ts)
{
	const struct jit_function *found = NULL;
	size_t i = begun(d, address);

	for (unsigned n = 0; i && d->reach[i - 1] > address; n++) {
		const struct jit_function *f = &d->v[--i];

		/* A later one may be hidden in the rest: none rather than a wrong one. */
		if (n == LOOK_BACK_MOST)
			return NULL;
		if (f->end <= address || f->from > ts || f->to <= ts)
			continue;
		if (!found || f->from > found->from)
			found = f;
	}
	return found;
}

void jit_dump_fini(struct jit_dump *d)
{
	free(d->v);
	free(d->reach);
	free(d->names);
	memset(d, 0, sizeof(*d));
}
