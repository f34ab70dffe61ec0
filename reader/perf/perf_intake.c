// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_intake: cuts a perf.data into records.  Bytes come from a file or a pipe into one block;
 * those of packed records are unpacked into a second one; a record may span the end of one packed
 * record and the start of the next.  A block in which records wait is left to them when it is full.
 */
#include "reader/perf/perf_intake.h"

#include "base/bytes.h"
#include "base/pack/codec.h"

#include <inttypes.h>
#include <string.h>

#define ROOM (512u << 10)	   /* bytes read, and unpacked, at once */
#define ROOM_LEAST (128u << 10)	   /* holds the largest record and some more */
#define ROOM_ALL (64u << 20)	   /* for all files read at once, or ROOM_LEAST for each */
#define WINDOW 27		   /* log2 of zstd's window; 27 is its own limit */
#define WINDOW_LEAST 19		   /* that of perf's default level */
#define WINDOW_ALL 30		   /* for all files, or WINDOW_LEAST for each */
#define UNPACKER_COST (192u << 10) /* bytes that zstd takes in addition */

/*
 * Packed records unpack to at most this many times their size, plus an allowance: real ones 5 to 20
 * times.  There is at most one record for each packed byte: real ones take at least 3.
 */
#define UNPACK_RATIO 256
#define UNPACK_FREE (8u << 20)
#define RECORDS_FREE (64u << 10)

/* A COMPRESSED2 of more bytes than its size field can express: its first piece has the maximum. */
#define PIECE_MAX (RECORD_MAX - 16)

void intake_init(struct intake *t, const struct input *in, struct intake_blocks *blocks,
		 bool big_endian, uint64_t off, uint64_t end)
{
	*t = (struct intake){
		.in = in,
		.blocks = blocks,
		.big_endian = big_endian,
		.off = off,
		.next = off,
		.end = in->piped || end < in->size ? end : in->size,
		.room = ROOM,
		.window = WINDOW,
	};
	if (t->next > t->end)
		t->end = t->next;
}

void intake_share(struct intake *t, unsigned n, uint64_t *memory)
{
	t->memory = memory;
	t->room = ROOM_ALL / n < ROOM_LEAST ? ROOM_LEAST : ROOM_ALL / n;
	if (t->room > ROOM)
		t->room = ROOM;
	t->window = WINDOW_ALL;
	while (t->window > WINDOW_LEAST && (1u << WINDOW_ALL >> t->window) < n)
		t->window--;
	if (t->window > WINDOW)
		t->window = WINDOW;
}

void intake_fini(struct intake *t)
{
	if (t->raw.block)
		blocks_leave(t->blocks, t->raw.block);
	if (t->plain.block)
		blocks_leave(t->blocks, t->plain.block);
	unpacker_free(t->unpacker);
}

/* ---- bytes ---- */

static size_t left(const struct bytes_left *b)
{
	return b->len - b->pos;
}

static uint8_t *rest(const struct bytes_left *b)
{
	return b->block->bytes + b->pos;
}

static bool is_shared(const struct bytes_left *b)
{
	return b->block->users > 1;
}

/* Make room after the rest of B, in a block of ROOM bytes: another one if records wait in this. */
static void make_room(struct intake *t, struct bytes_left *b, size_t room)
{
	size_t n = left(b);

	if (is_shared(b)) {
		struct intake_block *next = blocks_get(t->blocks, room);

		memcpy(next->bytes, rest(b), n);
		blocks_leave(t->blocks, b->block);
		b->block = next;
	} else if (b->pos) {
		memmove(b->block->bytes, rest(b), n);
	}
	b->len = n;
	b->pos = 0;
}

/* Up to LEN bytes at the input's position: PULL_OK with *GOT of them. */
static enum pull fetch(struct intake *t, uint8_t *buf, size_t len, size_t *got, struct err *e)
{
	ssize_t n;

	*got = 0;
	if (len > t->end - t->next)
		len = t->end - t->next;
	if (!len)
		return PULL_EOF;
	n = input_next(t->in, buf, len, t->next, t->wait, e);
	if (n < 0)
		return n == INPUT_WAIT ? PULL_WAIT : PULL_ERR;
	*got = n;
	t->next += n;
	return n ? PULL_OK : PULL_EOF;
}

/* The first block: no larger than the file. */
static void get_room(struct intake *t)
{
	if (!t->in->piped && t->room > t->end - t->next)
		t->room = t->end - t->next;
	t->raw.block = blocks_get(t->blocks, t->room);
}

static enum pull fill_more(struct intake *t, size_t need, struct err *e)
{
	if (!t->raw.block)
		get_room(t);
	while (left(&t->raw) < need) {
		enum pull rc;
		size_t n;

		if (t->next == t->end)
			return PULL_EOF;
		if (t->room - t->raw.pos < need || t->raw.len == t->room)
			make_room(t, &t->raw, t->room);
		rc = fetch(t, t->raw.block->bytes + t->raw.len, t->room - t->raw.len, &n, e);
		if (rc != PULL_OK)
			return rc;
		t->raw.len += n;
	}
	return PULL_OK;
}

/* Fill the block to NEED bytes: PULL_EOF if there are no more. */
static inline enum pull fill(struct intake *t, size_t need, struct err *e)
{
	return left(&t->raw) >= need ? PULL_OK : fill_more(t, need, e);
}

static void use(struct intake *t, size_t n)
{
	t->raw.pos += n;
	t->off += n;
}

int intake_behind(struct intake *t, uint8_t *buf, uint64_t len, struct err *e)
{
	bool wait = t->wait;
	uint64_t n = left(&t->raw);
	enum pull rc = PULL_OK;
	uint64_t from = t->off;
	size_t got;

	t->wait = true;
	if (n > len)
		n = len;
	if (buf)
		memcpy(buf, rest(&t->raw), n);
	use(t, n);
	if (!buf && !t->in->piped && n < len) {
		/* Skipped bytes need not be read. */
		uint64_t more = len - n < t->end - t->next ? len - n : t->end - t->next;

		t->next += more;
		t->off += more;
		n += more;
	}
	while (n < len && rc == PULL_OK) {
		if (buf) {
			rc = fetch(t, buf + n, len - n, &got, e);
		} else {
			make_room(t, &t->raw, t->room);
			rc = fetch(t, t->raw.block->bytes, len - n < t->room ? len - n : t->room,
				   &got, e);
		}
		n += got;
		t->off += got;
	}
	t->wait = wait;
	if (rc == PULL_EOF)
		return err_set(e, ERR_FORMAT, from,
			       "the file ends here, and %" PRIu64 " byte%s of a record's data are "
			       "missing",
			       len - n, plural(len - n));
	return rc == PULL_ERR ? -1 : 0;
}

/* ---- packed records ---- */

static enum pull bad_stream(struct intake *t)
{
	t->packed_bad = true;
	t->packed_len = 0;
	t->packed_pieces = 0;
	t->more = false;
	t->plain.pos = t->plain.len = 0;
	return PULL_ERR;
}

static int start_unpacking(struct intake *t, struct err *e)
{
	t->plain_room = t->room < ROOM_LEAST ? ROOM_LEAST : t->room;
	if (t->memory && *t->memory < t->plain_room + UNPACKER_COST)
		return err_set(e, ERR_FORMAT, t->packed_off,
			       "too many files with compressed records, and too little in each: "
			       "those of this one are left out");
	if (t->memory)
		*t->memory -= t->plain_room + UNPACKER_COST;
	t->unpacker = unpacker_new(CODEC_ZSTD);
	unpacker_window(t->unpacker, t->window);
	t->plain.block = blocks_get(t->blocks, t->plain_room);
	return 0;
}

/* Unpack the rest of the current packed record, up to the room there is. */
static enum pull unpack(struct intake *t, struct err *e)
{
	const uint8_t *src = t->packed;
	size_t len = t->packed_len;
	int64_t n;
	bool end;

	if (!t->unpacker && start_unpacking(t, e) < 0)
		return bad_stream(t);
	if (!is_shared(&t->plain) || t->plain.len == t->plain_room)
		make_room(t, &t->plain, t->plain_room);
	n = unpacker_stream(t->unpacker, &src, &len, t->plain.block->bytes + t->plain.len,
			    t->plain_room - t->plain.len, &end, t->packed_off, e);
	if (n < 0)
		return bad_stream(t);
	t->packed_bytes += t->packed_len - len;
	t->plain_bytes += n;
	t->plain.len += n;
	t->more = t->plain.len == t->plain_room;
	/* No input used and no output made: it needs bytes of the next record. */
	if (len == t->packed_len && !n)
		len = 0;
	t->packed += t->packed_len - len;
	t->packed_len = len;
	if (t->plain_bytes > UNPACK_FREE &&
	    (t->plain_bytes - UNPACK_FREE) / UNPACK_RATIO > t->packed_bytes) {
		err_set(e, ERR_FORMAT, t->packed_off,
			"compressed records make over %u times their size: left out from here on",
			UNPACK_RATIO);
		return bad_stream(t);
	}
	return PULL_OK;
}

static void set_packed(struct intake *t, const uint8_t *p, size_t len, uint64_t off)
{
	t->packed = p;
	t->packed_len = t->packed_bad ? 0 : len;
	t->packed_off = off;
}

/* The next piece of a COMPRESSED2 of several pieces, which are packed records. */
static enum pull next_piece(struct intake *t, struct err *e)
{
	uint64_t off = t->off;
	enum pull rc = fill(t, 16, e);
	uint16_t size;

	if (rc != PULL_OK)
		return rc;
	size = bytes_u16(rest(&t->raw) + 6, t->big_endian);
	if (size < 16 || size > t->packed_pieces) {
		t->ended = true;
		return err_set(e, ERR_FORMAT, off,
			       "a piece of a compressed record with %u bytes: what follows cannot "
			       "be found",
			       size);
	}
	rc = fill(t, size, e);
	if (rc != PULL_OK)
		return rc;
	set_packed(t, rest(&t->raw) + 16, size - 16u, off);
	t->packed_pieces -= size;
	use(t, size);
	return PULL_OK;
}

/*
 * The COMPRESSED2 whose header was read.  SIZE: as stated; wrong if the record is too large for it.
 */
static enum pull take_compressed2(struct intake *t, uint16_t size, struct err *e)
{
	uint64_t off = t->off, n, first;
	enum pull rc = fill(t, 16, e);
	size_t whole = size;

	if (rc != PULL_OK)
		return rc;
	n = bytes_u64(rest(&t->raw) + 8, t->big_endian);
	first = n;
	if (n > INT64_MAX) {
		t->ended = true;
		return err_set(e, ERR_FORMAT, off,
			       "a compressed record of %" PRIu64 " bytes: what "
			       "follows cannot be found",
			       n);
	}
	if (n + 16 > size) {
		if (first > PIECE_MAX)
			first = PIECE_MAX;
		whole = 16 + first;
	}
	rc = fill(t, whole, e);
	if (rc != PULL_OK)
		return rc;
	set_packed(t, rest(&t->raw) + 16, first, off);
	t->packed_pieces = n - first;
	use(t, whole);
	return PULL_OK;
}

/* ---- records ---- */

static void read_head(const struct intake *t, const struct bytes_left *b, struct record *r)
{
	const uint8_t *p = rest(b);

	r->type = bytes_u32(p, t->big_endian);
	r->misc = bytes_u16(p + 4, t->big_endian);
	r->size = bytes_u16(p + 6, t->big_endian);
	r->p = p;
	r->block = b->block;
}

/* A record from the unpacked bytes; PULL_EOF: no complete one. */
static enum pull next_plain(struct intake *t, struct record *r, struct err *e)
{
	if (left(&t->plain) < RECORD_HEAD_LEN)
		return PULL_EOF;
	read_head(t, &t->plain, r);
	r->off = t->packed_off;
	r->unpacked = true;
	if (r->size < RECORD_HEAD_LEN || r->type == RECORD_COMPRESSED ||
	    r->type == RECORD_COMPRESSED2) {
		err_set(e, ERR_FORMAT, t->packed_off,
			"a record of type %u and %u byte%s among compressed ones: the rest of them "
			"is left out",
			r->type, r->size, plural(r->size));
		return bad_stream(t);
	}
	if (left(&t->plain) < r->size)
		return PULL_EOF;
	t->plain.pos += r->size;
	if (++t->plain_records > RECORDS_FREE &&
	    t->plain_records - RECORDS_FREE > t->packed_bytes) {
		err_set(e, ERR_FORMAT, t->packed_off,
			"compressed records make more records than they have bytes: left out from "
			"here on");
		return bad_stream(t);
	}
	return PULL_OK;
}

/* The input ends where a record should begin. */
static enum pull at_end(struct intake *t)
{
	t->ended = true;
	t->cut = left(&t->raw) != 0 || t->packed_pieces || left(&t->plain) != 0;
	return PULL_EOF;
}

enum pull intake_next(struct intake *t, struct record *r, struct err *e)
{
	enum pull rc;

	for (;;) {
		rc = next_plain(t, r, e);
		if (rc != PULL_EOF)
			return rc;
		if (t->packed_len || t->more) {
			if (unpack(t, e) == PULL_ERR)
				return PULL_ERR;
			continue;
		}
		if (t->ended)
			return PULL_EOF;
		if (t->packed_pieces) {
			rc = next_piece(t, e);
			if (rc == PULL_OK)
				continue;
			break;
		}
		rc = fill(t, RECORD_HEAD_LEN, e);
		if (rc != PULL_OK)
			break;
		read_head(t, &t->raw, r);
		r->off = t->off;
		r->unpacked = false;
		if (r->type == RECORD_COMPRESSED2) {
			rc = take_compressed2(t, r->size, e);
			if (rc != PULL_OK)
				break;
			continue;
		}
		if (r->size < RECORD_HEAD_LEN) {
			t->ended = true;
			return err_set(e, ERR_FORMAT, t->off,
				       "a record of type %u with %u byte%s: what follows cannot be "
				       "found",
				       r->type, r->size, plural(r->size));
		}
		rc = fill(t, r->size, e);
		if (rc != PULL_OK)
			break;
		r->p = rest(&t->raw);
		r->block = t->raw.block;
		use(t, r->size);
		if (r->type != RECORD_COMPRESSED)
			return PULL_OK;
		set_packed(t, r->p + RECORD_HEAD_LEN, r->size - RECORD_HEAD_LEN, r->off);
	}
	if (rc == PULL_ERR)
		t->ended = true;
	return rc == PULL_EOF ? at_end(t) : rc;
}
