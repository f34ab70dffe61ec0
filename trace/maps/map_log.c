// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map_log: what processes have mapped, as bytes: writes, reads and checks them.
 */
#include "trace/maps/map_log.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <string.h>

/* The places in a record's head, and in the fixed part of a file. */
enum { AT_LEN = 0, AT_PID = 4, AT_FROM = 8, AT_SEEN = 16, AT_NUMBER = 24 };
enum { FILE_MAJOR = 0, FILE_MINOR = 4, FILE_INODE = 8, FILE_ID_LEN = 16 };

static uint8_t *add(struct map_log_buf *b, const struct map_record *r, size_t len)
{
	uint8_t *p;

	b->p = mem_grow(b->p, &b->cap, b->len + MAP_LOG_HEAD + len, 1);
	p = b->p + b->len;
	bytes_put(p + AT_LEN, len, 4, false);
	bytes_put(p + AT_PID, (uint32_t)r->pid, 4, false);
	bytes_put(p + AT_FROM, r->from, 8, false);
	bytes_put(p + AT_SEEN, r->seen, 8, false);
	bytes_put(p + AT_NUMBER, r->number, 4, false);
	b->len += MAP_LOG_HEAD + len;
	return p + MAP_LOG_HEAD;
}

void map_log_put(struct map_log_buf *b, const struct map_record *r)
{
	uint8_t *p = add(b, r, r->len);

	if (r->len)
		memcpy(p, r->p, r->len);
}

void map_log_put_file(struct map_log_buf *b, uint32_t number, const struct map_file *f)
{
	const struct map_record r = { .number = number };
	size_t path = f->path_len < MAP_LOG_PATH ? f->path_len : MAP_LOG_PATH;
	uint8_t *p = add(b, &r, MAP_LOG_FILE + f->id_len + path);

	bytes_put(p + FILE_MAJOR, f->major, 4, false);
	bytes_put(p + FILE_MINOR, f->minor, 4, false);
	bytes_put(p + FILE_INODE, f->inode, 8, false);
	p[FILE_ID_LEN] = f->id_len;
	if (f->id_len)
		memcpy(p + MAP_LOG_FILE, f->id, f->id_len);
	memcpy(p + MAP_LOG_FILE + f->id_len, f->path, path);
}

void map_log_entry_put(uint8_t p[MAP_LOG_ENTRY], const struct map_entry *entry)
{
	bytes_put(p, entry->start, 8, false);
	bytes_put(p + 8, entry->end, 8, false);
	bytes_put(p + 16, entry->off, 8, false);
	bytes_put(p + 24, entry->base, 8, false);
	bytes_put(p + 32, entry->file, 4, false);
}

void map_log_file(const struct map_record *r, struct map_file *f)
{
	uint8_t id_len = r->p[FILE_ID_LEN];

	*f = (struct map_file){ .major = bytes_u32(r->p + FILE_MAJOR, false),
				.minor = bytes_u32(r->p + FILE_MINOR, false),
				.inode = bytes_u64(r->p + FILE_INODE, false),
				.id = r->p + MAP_LOG_FILE,
				.id_len = id_len,
				.path_len = (uint16_t)(r->len - MAP_LOG_FILE - id_len),
				.path = (const char *)r->p + MAP_LOG_FILE + id_len };
}

void map_log_entry(const struct map_record *r, uint32_t i, struct map_entry *out)
{
	const uint8_t *p = r->p + (size_t)i * MAP_LOG_ENTRY;

	*out = (struct map_entry){ .start = bytes_u64(p, false),
				   .end = bytes_u64(p + 8, false),
				   .off = bytes_u64(p + 16, false),
				   .base = bytes_u64(p + 24, false),
				   .file = bytes_u32(p + 32, false) };
}

static bool is_valid_file(const struct map_record *r)
{
	struct map_file f;

	if (r->from || r->seen || r->len <= MAP_LOG_FILE ||
	    r->len > MAP_LOG_FILE + MAP_LOG_ID + MAP_LOG_PATH || r->p[FILE_ID_LEN] > MAP_LOG_ID ||
	    r->len - MAP_LOG_FILE <= r->p[FILE_ID_LEN])
		return false;
	map_log_file(r, &f);
	return f.path_len <= MAP_LOG_PATH && !memchr(f.path, '\0', f.path_len);
}

/* Mappings by address, none in another: so each is found by a binary search. */
static bool is_valid_look(const struct map_record *r)
{
	uint64_t end = 0;

	if (r->len % MAP_LOG_ENTRY || r->len > MAP_LOG_ENTRIES * MAP_LOG_ENTRY ||
	    r->from > r->seen || r->number > INT32_MAX || (r->number && r->len))
		return false;
	for (uint32_t i = 0; i < map_log_count(r); i++) {
		struct map_entry x;

		map_log_entry(r, i, &x);
		if (x.start < end || x.end <= x.start || x.base > x.start)
			return false;
		end = x.end;
	}
	return true;
}

bool map_log_next(const uint8_t *p, size_t len, size_t *at, struct map_record *r)
{
	const uint8_t *q = p + *at;

	if (len - *at < MAP_LOG_HEAD || len - *at - MAP_LOG_HEAD < bytes_u32(q + AT_LEN, false))
		return false;
	*r = (struct map_record){ .pid = (int32_t)bytes_u32(q + AT_PID, false),
				  .number = bytes_u32(q + AT_NUMBER, false),
				  .from = bytes_u64(q + AT_FROM, false),
				  .seen = bytes_u64(q + AT_SEEN, false),
				  .p = q + MAP_LOG_HEAD,
				  .len = bytes_u32(q + AT_LEN, false) };
	/* The rest is invalid, too. */
	if (r->pid < 0 || !(r->pid ? is_valid_look(r) : is_valid_file(r)))
		return false;
	*at += MAP_LOG_HEAD + (size_t)r->len;
	return true;
}

size_t map_log_whole(const uint8_t *p, size_t len)
{
	struct map_record r;
	size_t at = 0;

	while (map_log_next(p, len, &at, &r))
		;
	return at;
}
