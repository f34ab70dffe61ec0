// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames: reads a zed stream, from a file or from a pipe that must not block, frame by frame,
 * checking the bounds of each.
 */
#include "reader/zedstream/frames.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/pack/codec.h"
#include "reader/zedstream/format.h"

#include <stdlib.h>
#include <string.h>

/* Read up to LEN of the next bytes: PULL_OK with *GOT of them. */
static enum pull fetch(struct frame_reader *r, void *buf, size_t len, size_t *got, struct err *e)
{
	ssize_t n = input_next(r->in, buf, len, r->off, r->wait, e);

	if (n < 0)
		return n == INPUT_WAIT ? PULL_WAIT : PULL_ERR;
	*got = n;
	r->off += n;
	return n ? PULL_OK : PULL_EOF;
}

int frame_reader_init(struct frame_reader *r, const struct input *in, struct err *e)
{
	uint8_t head[FRAMES_HEAD_LEN];
	unsigned version, flags;

	memset(r, 0, sizeof(*r));
	r->in = in;
	r->wait = true;
	/* input_open() has read at least this much of a pipe, if it had that much. */
	if (input_read(in, head, sizeof(head), 0, e) < 0)
		return -1;
	if (memcmp(head, FRAMES_MAGIC, FRAMES_MAGIC_LEN))
		return err_set(e, ERR_UNKNOWN, 0, "is not a zed stream");
	version = bytes_u16(head + 8, false);
	flags = bytes_u16(head + 10, false);
	r->max = bytes_u32(head + 12, false);
	if (!version || version > FRAMES_VERSION || flags)
		return err_set(e, ERR_UNKNOWN, 8,
			       "zed stream of version %u, flags 0x%x: only version %u is known "
			       "(made by a newer zedtrace? then a newer zedperl can read it)",
			       version, flags, FRAMES_VERSION);
	if (r->max < 16 || r->max > FRAMES_MAX)
		return err_set(e, ERR_FORMAT, 12,
			       "frames of up to %u bytes are announced, and 16 to %u are possible",
			       r->max, FRAMES_MAX);
	r->off = r->whole = FRAMES_HEAD_LEN;
	return 0;
}

void frame_reader_fini(struct frame_reader *r)
{
	free(r->cur.p);
	r->cur.p = NULL;
	unpacker_free(r->unpacker);
	r->unpacker = NULL;
}

#define WINDOW_LOG 23 /* of zstd: the maximum length of a payload */

/*
 * Replace the frame OUT by its unpacked contents.  If they cannot be unpacked, the frame is
 * unchanged, for the caller to skip.
 */
static void unpack(struct frame_reader *r, struct frame *out)
{
	uint32_t kind, len;
	struct err none;
	uint8_t *p;

	if (out->len < FRAMES_PACKED_HEAD)
		return;
	kind = bytes_u32(out->p, false);
	len = bytes_u32(out->p + 4, false);
	if ((kind != FRAME_META && kind != FRAME_PAGES) || !len || len > r->max)
		return;
	if (!r->unpacker) {
		r->unpacker = unpacker_new(CODEC_ZSTD);
		unpacker_window(r->unpacker, WINDOW_LOG);
	}
	p = mem_alloc(len);
	if (unpacker_block(r->unpacker, out->p + FRAMES_PACKED_HEAD, out->len - FRAMES_PACKED_HEAD,
			   p, len, out->off, &none) != (int64_t)len) {
		free(p);
		return;
	}
	free(out->p);
	*out = (struct frame){
		.kind = kind, .len = len, .size = out->size, .off = out->off, .p = p
	};
}

/* The header of a frame was read: make room for its payload. */
static int begin_payload(struct frame_reader *r, struct err *e)
{
	uint32_t len = bytes_u32(r->head + 4, false);

	if (len > r->max)
		return err_set(e, ERR_FORMAT, r->whole,
			       "frame of %u bytes, where at most %u are allowed: the stream is "
			       "damaged, and what follows cannot be found",
			       len, r->max);
	r->cur = (struct frame){
		.kind = bytes_u32(r->head, false), .len = len, .size = len, .off = r->whole
	};
	/* The header of the next frame is read together with it. */
	r->cur.p = mem_alloc((size_t)len + FRAMES_FRAME_LEN);
	r->have = 0;
	return 0;
}

/* Enough of a long payload was read: continue after it.  False: the file ends within it. */
static bool pass_rest(struct frame_reader *r, struct frame *out)
{
	uint64_t end = r->whole + FRAMES_FRAME_LEN + r->cur.len;

	if (end > r->in->size)
		return false;
	*out = r->cur;
	r->cur.p = NULL;
	r->whole = r->off = end;
	return true;
}

static void end_payload(struct frame_reader *r, struct frame *out)
{
	*out = r->cur;
	r->cur.p = NULL;
	r->whole += FRAMES_FRAME_LEN + out->len;
	r->head_have = r->have - out->len;
	memcpy(r->head, out->p + out->len, r->head_have);
	if (out->kind == FRAME_PACKED)
		unpack(r, out);
}

enum pull frame_next(struct frame_reader *r, struct frame *out, struct err *e)
{
	enum pull rc = PULL_OK;
	size_t n;

	while (!r->ended) {
		if (!r->cur.p && r->head_have == FRAMES_FRAME_LEN) {
			if (begin_payload(r, e) < 0) {
				rc = PULL_ERR;
				break;
			}
			r->head_have = 0;
		}
		if (r->cur.p && r->have >= r->cur.len) {
			end_payload(r, out);
			return PULL_OK;
		}
		if (r->cur.p && r->only && r->cur.len > r->only) {
			if (r->have == r->only && pass_rest(r, out))
				return PULL_OK;
			if (r->have == r->only)
				break;
			rc = fetch(r, r->cur.p + r->have, r->only - r->have, &n, e);
			if (rc == PULL_OK)
				r->have += n;
		} else if (r->cur.p) {
			rc = fetch(r, r->cur.p + r->have,
				   (size_t)r->cur.len + FRAMES_FRAME_LEN - r->have, &n, e);
			if (rc == PULL_OK)
				r->have += n;
		} else {
			rc = fetch(r, r->head + r->head_have, FRAMES_FRAME_LEN - r->head_have, &n,
				   e);
			if (rc == PULL_OK)
				r->head_have += n;
		}
		if (rc == PULL_WAIT)
			return rc;
		if (rc != PULL_OK)
			break;
	}
	r->ended = true;
	frame_reader_fini(r);
	return rc == PULL_OK ? PULL_EOF : rc;
}

int frame_pass(const struct frame *fr, struct err *e)
{
	if (!(fr->kind & FRAME_NEEDED))
		return 0;
	return err_set(e, ERR_UNKNOWN, fr->off,
		       "required frame of unknown kind 0x%x: made by a newer zedtrace (a newer "
		       "version of this program can read it)",
		       fr->kind);
}
