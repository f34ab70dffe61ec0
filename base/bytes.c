// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bytes: reads numbers and strings from memory; each read is bounds-checked.
 */
#include "base/bytes.h"

#include <inttypes.h>
#include <string.h>

uint16_t bytes_u16(const uint8_t *p, bool big_endian)
{
	return big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
}

uint32_t bytes_u32(const uint8_t *p, bool big_endian)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}

uint64_t bytes_u64(const uint8_t *p, bool big_endian)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap64(v);
}

void cursor_init(struct cursor *c, const void *p, uint64_t len, uint64_t base, bool big_endian)
{
	c->p = p;
	c->len = len;
	c->pos = 0;
	c->base = base;
	c->big_endian = big_endian;
}

static int need(struct cursor *c, uint64_t n, struct err *e)
{
	if (n > cursor_left(c))
		return err_set(e, ERR_FORMAT, c->base + c->pos,
			       "%" PRIu64 " byte%s needed and %" PRIu64 " %s left", n,
			       n == 1 ? " is" : "s are", cursor_left(c),
			       cursor_left(c) == 1 ? "is" : "are");
	return 0;
}

int cursor_u8(struct cursor *c, uint8_t *out, struct err *e)
{
	TRY(need(c, 1, e));
	*out = c->p[c->pos++];
	return 0;
}

int cursor_u16(struct cursor *c, uint16_t *out, struct err *e)
{
	TRY(need(c, 2, e));
	*out = bytes_u16(c->p + c->pos, c->big_endian);
	c->pos += 2;
	return 0;
}

int cursor_u32(struct cursor *c, uint32_t *out, struct err *e)
{
	TRY(need(c, 4, e));
	*out = bytes_u32(c->p + c->pos, c->big_endian);
	c->pos += 4;
	return 0;
}

int cursor_u64(struct cursor *c, uint64_t *out, struct err *e)
{
	TRY(need(c, 8, e));
	*out = bytes_u64(c->p + c->pos, c->big_endian);
	c->pos += 8;
	return 0;
}

int cursor_str(struct cursor *c, const char **out, uint64_t max, struct err *e)
{
	uint64_t left = cursor_left(c);
	uint64_t n = left < max ? left : max;
	const uint8_t *end = n ? memchr(c->p + c->pos, 0, n) : NULL;

	if (!end)
		return err_set(e, ERR_FORMAT, c->base + c->pos,
			       "unterminated string within %" PRIu64 " byte%s", n, plural(n));
	*out = (const char *)c->p + c->pos;
	c->pos = end + 1 - c->p;
	return 0;
}

int cursor_bytes(struct cursor *c, uint64_t len, const uint8_t **out, struct err *e)
{
	TRY(need(c, len, e));
	*out = c->p + c->pos;
	c->pos += len;
	return 0;
}

int cursor_sub(struct cursor *c, uint64_t len, struct cursor *out, struct err *e)
{
	uint64_t at = c->base + c->pos;
	const uint8_t *p;

	TRY(cursor_bytes(c, len, &p, e));
	cursor_init(out, p, len, at, c->big_endian);
	return 0;
}
