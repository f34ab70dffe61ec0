// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preamble: the metadata that a recording starts with: finds its sections, packed or not, and
 * writes them again.
 */
#include "record/file/preamble.h"

#include "base/bytes.h"
#include "base/io.h"
#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int load_at(int fd, uint8_t *p, size_t len, uint64_t off, struct err *e)
{
	ssize_t n = io_pread(fd, p, len, off);

	if (n < 0)
		return err_sys(e, off, "cannot read");
	if ((size_t)n < len)
		return err_set(e, ERR_FORMAT, off + (uint64_t)n, "the file is truncated here");
	return 0;
}

int preamble_load(struct preamble *b, int fd, uint64_t len, struct err *e)
{
	memset(b, 0, sizeof(*b));
	if (len > DAT_MAX_META)
		return err_set(e, ERR_FORMAT, 0,
			       "%" PRIu64 " bytes of metadata: at most %u are read", len,
			       DAT_MAX_META);
	b->p = mem_alloc(len + 1);
	b->len = len;
	if (load_at(fd, b->p, b->len, 0, e) < 0 ||
	    dat7_look(b->p, b->len, &b->head, &b->done_off, e) < 0) {
		free(b->p);
		return err_within(e, "metadata");
	}
	return 0;
}

/* The payload C of a packed section (format.md 1.3). */
static int unpack(const struct preamble *b, struct cursor *c, struct cursor *out, uint8_t **own,
		  struct err *e)
{
	uint64_t off = c->base + c->pos;
	struct cursor in;
	struct unpacker *u;
	uint32_t packed, size;
	int64_t n;

	TRY(cursor_u32(c, &packed, e));
	TRY(cursor_u32(c, &size, e));
	TRY(cursor_sub(c, packed, &in, e));
	if (size > DAT_MAX_META)
		return err_set(e, ERR_FORMAT, off,
			       "%u bytes of metadata, unpacked: at most %u are read", size,
			       DAT_MAX_META);
	u = unpacker_new(b->head.codec);
	*own = mem_alloc((size_t)size + 1);
	n = unpacker_block(u, in.p, in.len, *own, size, off, e);
	unpacker_free(u);
	if (n >= 0 && n != size)
		n = err_set(e, ERR_FORMAT, off,
			    "expected %u bytes of unpacked metadata, got %" PRIi64, size, n);
	if (n < 0) {
		free(*own);
		*own = NULL;
		return -1;
	}
	cursor_init(out, *own, size, 0, b->head.big_endian);
	return 0;
}

int preamble_section(const struct preamble *b, const uint8_t *payload, size_t size,
		     struct cursor *out, uint8_t **own, struct err *e)
{
	struct cursor c, in;
	uint64_t off, len;
	uint16_t id, flags;
	uint32_t name;

	*own = NULL;
	if (size < 8)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "option without an offset of a section");
	off = bytes_u64(payload, b->head.big_endian);
	if (off > b->len)
		return err_set(e, ERR_FORMAT, off, "section beyond the end of the metadata");
	cursor_init(&c, b->p, b->len, 0, b->head.big_endian);
	c.pos = off;
	TRY(cursor_u16(&c, &id, e));
	TRY(cursor_u16(&c, &flags, e));
	TRY(cursor_u32(&c, &name, e));
	TRY(cursor_u64(&c, &len, e));
	if (!(flags & DAT7_PACKED))
		return cursor_sub(&c, len, out, e);
	if (b->head.codec == CODEC_NONE)
		return err_set(e, ERR_FORMAT, off,
			       "section %u is compressed, but the file header names no compression",
			       id);
	TRY(cursor_sub(&c, len, &in, e));
	return unpack(b, &in, out, own, e);
}

struct repack {
	const struct preamble *b;
	struct dat7_writer *w;
	size_t bytes; /* this many, as several options may point to one section */
};

/* Options with the offset of a section that is not in the beginning. */
static bool is_elsewhere(unsigned id)
{
	return id == DAT_BUFFER || id == DAT_STRINGS || id == DAT_BUFFER_TEXT ||
	       id == DAT_BTF_FILE || id == DAT_MODULES;
}

static int repack_option(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	static const char *const names[] = { "headers",	 "ftrace events", "events format",
					     "kallsyms", "printk",	  "command lines" };
	struct repack *r = arg;
	struct cursor c;
	uint8_t *own;
	int rc;

	if (is_elsewhere(id))
		return err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "option %u points to a section that cannot be rewritten", id);
	if (id < DAT_HEADER_INFO || id > DAT_CMDLINES) {
		dat7_option(r->w, id, payload, size);
		return 0;
	}
	TRY(preamble_section(r->b, payload, size, &c, &own, e));
	r->bytes += c.len;
	if (r->bytes > DAT_MAX_META)
		rc = err_set(e, ERR_FORMAT, ERR_NO_OFF, "more than %u bytes of metadata, unpacked",
			     DAT_MAX_META);
	else
		rc = dat7_section(r->w, id, names[id - DAT_HEADER_INFO], c.p, c.len, e);
	free(own);
	return rc;
}

int preamble_repack(const struct preamble *b, struct dat7_writer *w, struct err *e)
{
	struct repack r = { .b = b, .w = w };

	TRY(dat7_each_option(b->p, b->len, repack_option, &r, e));
	return dat7_options(w, e);
}

uint8_t *preamble_pack(const uint8_t *p, size_t len, size_t *packed_len)
{
	struct preamble b = { .p = (uint8_t *)p, .len = len };
	struct dat7_writer *w = NULL;
	struct dat7_head h;
	uint8_t *packed = NULL;
	struct err e;
	int fd, rc = -1;

	if (dat7_look(p, len, &b.head, &b.done_off, &e) < 0 || b.head.codec != CODEC_NONE)
		return NULL;
	fd = memfd_create("packed-meta", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	h = b.head;
	h.codec = CODEC_ZSTD;
	w = dat7_writer_new(fd, &h, &e);
	/* The recording waits for it. */
	if (w)
		dat7_writer_soon(w);
	if (w && preamble_repack(&b, w, &e) == 0) {
		*packed_len = dat7_end(w);
		packed = mem_alloc(*packed_len + 1);
		rc = load_at(fd, packed, *packed_len, 0, &e);
	}
	dat7_writer_free(w);
	close(fd);
	if (rc < 0) {
		free(packed);
		return NULL;
	}
	return packed;
}
