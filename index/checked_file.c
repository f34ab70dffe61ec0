// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * checked_file: sections of items in a file that is hashed in blocks, so that a part of it can
 * be read, and checked, by itself.
 */
#include "index/checked_file.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "zedindex"
#define VERSION 3
#define ORDER 0x01020304u /* as the machine writes it */
#define DATA 1024	  /* bytes: where the sections begin */
#define BLOCK (64u << 10) /* bytes hashed at once */
#define SECTIONS_MOST 24
#define NO_BLOCK UINT64_MAX

struct checked_section {
	uint64_t off, n; /* bytes of the file; items */
	uint64_t size;	 /* bytes of an item */
};

/* The file begins with it. */
struct checked_head {
	char magic[8];
	uint32_t version, order;
	uint64_t end;  /* of the sections; the hashes of their blocks follow */
	uint64_t sums; /* a hash of these */
	struct checked_section sections[SECTIONS_MOST];
	uint64_t sum; /* of all before it */
};

struct checked_file {
	int fd;
	struct checked_head head;
	uint64_t *sums; /* of blocks */
	size_t nsums, cap_sums;
	uint8_t *block; /* the one that is written, or that was read last ... */
	uint64_t at;	/* ... and its number; NO_BLOCK: none was */
	size_t have;	/* bytes of it */
	unsigned now;	/* the section that is written */
	bool failed;
	struct err err;
};

_Static_assert(sizeof(struct checked_head) <= DATA, "the head has room");

/* Detects damage; not for hostile data.  LEN is a multiple of 8, or the rest counts as 0. */
static uint64_t hash(const void *p, size_t len)
{
	const uint8_t *b = p;
	uint64_t h = 0x9e3779b97f4a7c15u ^ len, word;

	for (size_t i = 0; i < len; i += sizeof(word)) {
		word = 0;
		memcpy(&word, b + i, len - i < sizeof(word) ? len - i : sizeof(word));
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	return h;
}

static uint64_t hash_head(const struct checked_head *h)
{
	return hash(h, offsetof(struct checked_head, sum));
}

static struct checked_file *new_file(int fd)
{
	struct checked_file *t = mem_zalloc(sizeof(*t));

	t->fd = fd;
	t->block = mem_alloc(BLOCK);
	return t;
}

static void free_file(struct checked_file *t)
{
	free(t->sums);
	free(t->block);
	free(t);
}

/* ---- writing ---- */

struct checked_file *checked_create(int fd)
{
	struct checked_file *t = new_file(fd);

	memcpy(t->head.magic, MAGIC, sizeof(t->head.magic));
	t->head.version = VERSION;
	t->head.order = ORDER;
	t->head.end = DATA;
	return t;
}

static void write_out(struct checked_file *t, const void *p, size_t len, uint64_t off)
{
	t->failed = t->failed || write_at(t->fd, p, len, off, &t->err) < 0;
}

static void end_block(struct checked_file *t)
{
	if (!t->have)
		return;
	t->sums = mem_grow(t->sums, &t->cap_sums, t->nsums + 1, sizeof(*t->sums));
	t->sums[t->nsums++] = hash(t->block, t->have);
	write_out(t, t->block, t->have, t->head.end - t->have);
	t->have = 0;
}

static void put_bytes(struct checked_file *t, const uint8_t *p, uint64_t len)
{
	while (len) {
		size_t n = BLOCK - t->have < len ? BLOCK - t->have : len;

		memcpy(t->block + t->have, p, n);
		t->have += n;
		t->head.end += n;
		p += n;
		len -= n;
		if (t->have == BLOCK)
			end_block(t);
	}
}

void checked_begin(struct checked_file *t, unsigned s, uint32_t size)
{
	static const uint8_t zeroes[8];

	put_bytes(t, zeroes, -t->head.end & 7);
	t->now = s;
	t->head.sections[s] = (struct checked_section){ .off = t->head.end, .size = size };
}

void checked_put(struct checked_file *t, const void *items, uint64_t n)
{
	struct checked_section *s = &t->head.sections[t->now];

	s->n += n;
	put_bytes(t, items, n * s->size);
}

int checked_finish(struct checked_file *t, struct err *e)
{
	bool failed;

	end_block(t);
	t->head.sums = hash(t->sums, t->nsums * sizeof(*t->sums));
	write_out(t, t->sums, t->nsums * sizeof(*t->sums), t->head.end);
	t->head.sum = hash_head(&t->head);
	write_out(t, &t->head, sizeof(t->head), 0);
	failed = t->failed;
	*e = t->err;
	free_file(t);
	return failed ? -1 : 0;
}

/* ---- reading ---- */

static int damaged(struct err *e)
{
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the index is damaged");
}

static int read_head(struct checked_file *t, struct err *e)
{
	struct checked_head *h = &t->head;
	struct stat st;

	if (fstat(t->fd, &st) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot read the index");
	if (!S_ISREG(st.st_mode) || io_pread(t->fd, h, sizeof(*h), 0) != sizeof(*h) ||
	    memcmp(h->magic, MAGIC, sizeof(h->magic)) != 0)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "not an index");
	if (h->version != VERSION || h->order != ORDER)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the index is one of another version, or of another machine");
	if (h->sum != hash_head(h) || h->end < DATA || h->end > (uint64_t)st.st_size)
		return damaged(e);
	t->nsums = (h->end - DATA + BLOCK - 1) / BLOCK;
	if ((uint64_t)st.st_size - h->end != t->nsums * sizeof(*t->sums))
		return damaged(e);
	return 0;
}

static int read_sums(struct checked_file *t, struct err *e)
{
	size_t len = t->nsums * sizeof(*t->sums);

	t->sums = mem_alloc(len + 1);
	if (io_pread(t->fd, t->sums, len, t->head.end) != (ssize_t)len ||
	    hash(t->sums, len) != t->head.sums)
		return damaged(e);
	return 0;
}

/* Of all that a hash does not say: a section is within the file. */
static int check_sections(const struct checked_file *t, struct err *e)
{
	for (unsigned i = 0; i < SECTIONS_MOST; i++) {
		const struct checked_section *s = &t->head.sections[i];

		if (!s->size && !s->n)
			continue;
		if (!s->size || s->off < DATA || s->off > t->head.end || s->off % 8 ||
		    s->n > (t->head.end - s->off) / s->size)
			return damaged(e);
	}
	return 0;
}

struct checked_file *checked_open(int fd, struct err *e)
{
	struct checked_file *t = new_file(fd);

	t->at = NO_BLOCK;
	if (read_head(t, e) == 0 && read_sums(t, e) == 0 && check_sections(t, e) == 0)
		return t;
	checked_close(t);
	return NULL;
}

void checked_close(struct checked_file *t)
{
	if (!t)
		return;
	close(t->fd);
	free_file(t);
}

uint64_t checked_count(const struct checked_file *t, unsigned s, uint32_t size)
{
	return t->head.sections[s].size == size ? t->head.sections[s].n : 0;
}

/* Have block N read and checked. */
static bool get_block(struct checked_file *t, uint64_t n)
{
	uint64_t off = DATA + n * BLOCK, left = t->head.end - off;
	size_t len = left < BLOCK ? left : BLOCK;

	if (t->at == n)
		return true;
	t->at = NO_BLOCK;
	if (io_pread(t->fd, t->block, len, off) != (ssize_t)len ||
	    hash(t->block, len) != t->sums[n])
		return false;
	t->at = n;
	t->have = len;
	return true;
}

bool checked_read(struct checked_file *t, unsigned s, uint32_t size, uint64_t at, uint64_t n,
		  void *out)
{
	uint64_t count = checked_count(t, s, size), off, left;
	uint8_t *to = out;

	if (at > count || n > count - at)
		return false;
	off = t->head.sections[s].off - DATA + at * size;
	for (left = n * size; left;) {
		uint64_t within = off % BLOCK;
		size_t take = BLOCK - within < left ? BLOCK - within : left;

		if (!get_block(t, off / BLOCK))
			return false;
		memcpy(to, t->block + within, take);
		to += take;
		off += take;
		left -= take;
	}
	return true;
}

bool checked_check(struct checked_file *t)
{
	for (size_t i = 0; i < t->nsums; i++)
		if (!get_block(t, i))
			return false;
	return true;
}
