// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dat_head: the beginning of a trace.dat v7 in memory, which is what recordings, streams and
 * clients start with: checks its header and walks its chain of options.
 */
#include "record/dat_head.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <string.h>

#define MAX_CHAIN 64 /* options sections */

/* The file header; leaves the cursor after it, *OPTIONS is the offset of the first options. */
static int look_head(struct cursor *c, struct dat7_head *h, uint64_t *options, struct err *e)
{
	const uint8_t *magic;
	const char *s;
	uint8_t order, longs;
	int codec;

	TRY(cursor_bytes(c, DAT_MAGIC_LEN, &magic, e));
	if (memcmp(magic, DAT_MAGIC, DAT_MAGIC_LEN))
		return err_set(e, ERR_FORMAT, 0, "not a trace.dat");
	TRY(cursor_str(c, &s, 16, e));
	if (strcmp(s, "7"))
		return err_set(e, ERR_UNKNOWN, DAT_MAGIC_LEN,
			       "a trace.dat of version %s: only version 7 can be continued", s);
	TRY(cursor_u8(c, &order, e));
	TRY(cursor_u8(c, &longs, e));
	if (order > 1 || (longs != 4 && longs != 8))
		return err_set(e, ERR_FORMAT, c->pos - 2,
			       "invalid byte order %u or long of %u byte%s", order, longs,
			       plural(longs));
	c->big_endian = order;
	h->big_endian = order;
	h->long_size = longs;
	TRY(cursor_u32(c, &h->page_size, e));
	if (!dat_page_size_ok(h->page_size))
		return err_set(e, ERR_FORMAT, c->pos - 4, "invalid page size: %u byte%s",
			       h->page_size, plural(h->page_size));
	TRY(cursor_str(c, &s, 32, e));
	codec = codec_find(s);
	if (codec < 0)
		return err_set(e, ERR_UNKNOWN, c->pos, "unknown compression \"%s\"", s);
	h->codec = codec;
	TRY(cursor_str(c, &s, 64, e));
	return cursor_u64(c, options, e);
}

/* What is called with each option. */
struct taker {
	int (*give)(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e);
	void *arg;
};

/* One options section at OFF; *DONE_OFF and *NEXT are those of its DONE. */
static int look_options(struct cursor c, uint64_t off, uint64_t *done_off, uint64_t *next,
			const struct taker *t, struct err *e)
{
	struct cursor in, payload;
	uint16_t id, flags;
	uint32_t len;
	uint64_t size;

	if (off > c.len)
		return err_set(e, ERR_FORMAT, c.len,
			       "the file ends here, before its options at 0x%" PRIx64, off);
	c.pos = off;
	TRY(cursor_u16(&c, &id, e));
	TRY(cursor_u16(&c, &flags, e));
	TRY(cursor_u32(&c, &len, e));
	TRY(cursor_u64(&c, &size, e));
	if (id != DAT_DONE || (flags & DAT7_PACKED))
		return err_set(e, ERR_FORMAT, off, "expected plain options here, found section %u",
			       id);
	TRY(cursor_sub(&c, size, &in, e));
	for (;;) {
		TRY(cursor_u16(&in, &id, e));
		TRY(cursor_u32(&in, &len, e));
		TRY(cursor_sub(&in, len, &payload, e));
		if (id == DAT_DONE)
			break;
		if (t)
			TRY(t->give(t->arg, id, payload.p, payload.len, e));
	}
	*done_off = payload.base;
	return cursor_u64(&payload, next, e);
}

static int look(const void *p, size_t len, struct dat7_head *h, uint64_t *done_off,
		const struct taker *t, struct err *e)
{
	struct cursor c;
	uint64_t next;

	cursor_init(&c, p, len, 0, false);
	TRY(look_head(&c, h, &next, e));
	if (!next)
		return err_set(e, ERR_FORMAT, c.pos - 8, "the metadata have no options");
	for (unsigned i = 0; next; i++) {
		if (i == MAX_CHAIN)
			return err_set(e, ERR_FORMAT, next, "endless chain of options");
		TRY(look_options(c, next, done_off, &next, t, e));
	}
	return 0;
}

int dat7_look(const void *p, size_t len, struct dat7_head *h, uint64_t *done_off, struct err *e)
{
	return look(p, len, h, done_off, NULL, e);
}

int dat7_each_option(const void *p, size_t len,
		     int (*give)(void *arg, unsigned id, const uint8_t *payload, size_t size,
				 struct err *e),
		     void *arg, struct err *e)
{
	struct taker t = { give, arg };
	struct dat7_head h;
	uint64_t done_off;

	return look(p, len, &h, &done_off, &t, e);
}
