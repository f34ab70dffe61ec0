// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_meta: collects the metadata frames at the beginning of a zed stream in memory, and opens
 * them as a trace.dat without data.
 */
#include "reader/zedstream/zedstream_priv.h"

#include "base/io.h"
#include "base/mem.h"
#include "reader/zedstream/format.h"
#include "reader/zedstream/meta_store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_STORED (64u << 20) /* bytes; larger than any machine's: not kept in our memory */

/* Append a piece of the metadata to FD, which has *LEN bytes. */
static int keep_meta(int fd, const struct frame *fr, uint64_t *len, struct err *e)
{
	if (fr->len > FRAMES_MAX_META - *len)
		return err_set(e, ERR_FORMAT, fr->off, "metadata of more than %u bytes",
			       FRAMES_MAX_META);
	if (!io_write(fd, fr->p, fr->len))
		return err_sys(e, fr->off, "cannot keep the metadata in memory");
	*len += fr->len;
	return 0;
}

static int read_ready(const struct frame *fr, uint32_t longest, uint64_t meta, uint32_t *page_size,
		      char **clock, struct err *e)
{
	struct cursor c;
	const char *name;
	uint64_t told;

	cursor_init(&c, fr->p, fr->len, fr->off + FRAMES_FRAME_LEN, false);
	TRY(cursor_u64(&c, &told, e));
	TRY(cursor_u32(&c, page_size, e));
	TRY(cursor_str(&c, &name, 64, e));
	if (told != meta)
		return err_set(e, ERR_FORMAT, fr->off,
			       "there should be %" PRIu64 " byte%s of metadata, and %" PRIu64
			       " %s come",
			       told, plural(told), meta, meta == 1 ? "has" : "have");
	if (!dat_page_size_ok(*page_size) || *page_size > longest - 4)
		return err_set(e, ERR_FORMAT, fr->off, "sub-buffers of %u byte%s are not possible",
			       *page_size, plural(*page_size));
	*clock = mem_strdup(name);
	return 0;
}

/* Read everything up to READY: the metadata go to the file FD. */
static int read_meta(struct frame_reader *r, int fd, uint64_t *len, uint32_t *page_size,
		     char **clock, bool *watched, struct err *e)
{
	for (;;) {
		struct frame fr = { 0 };
		enum pull got = frame_next(r, &fr, e);
		int rc = 0;

		if (got == PULL_EOF)
			return err_set(e, ERR_FORMAT, r->whole,
				       "the stream ends within its metadata (recorder killed?)");
		if (got != PULL_OK)
			return -1;
		if (fr.kind == FRAME_META)
			rc = keep_meta(fd, &fr, len, e);
		else if (fr.kind == FRAME_READY)
			rc = read_ready(&fr, r->max, *len, page_size, clock, e);
		else if (fr.kind == FRAME_NAMES)
			*watched = true;
		else if (fr.kind == FRAME_PACKED)
			rc = err_set(e, ERR_FORMAT, fr.off,
				     "a packed frame of the metadata cannot be unpacked");
		else if (fr.kind <= FRAME_END)
			rc = err_set(e, ERR_FORMAT, fr.off,
				     "frame of kind %u before the end of the metadata", fr.kind);
		else
			rc = frame_pass(&fr, e);
		free(fr.p);
		if (rc < 0)
			return -1;
		if (fr.kind == FRAME_READY)
			return 0;
	}
}

struct dat *framemeta_open(struct frame_reader *r, struct catalog *c, const struct source_opts *o,
			   uint32_t *page_size, char **clock, bool *watched, struct err *e)
{
	size_t n = strlen(r->in->path) + sizeof(" (its metadata)");
	struct input in = { .fd = memfd_create("zed-meta", MFD_CLOEXEC) };

	if (in.fd < 0) {
		err_sys(e, ERR_NO_OFF, "cannot keep the metadata in memory");
		return NULL;
	}
	if (read_meta(r, in.fd, &in.size, page_size, clock, watched, e) < 0) {
		close(in.fd);
		return NULL;
	}
	if (o->store && in.size <= MAX_STORED)
		in.held = metastore_add(o->store, in.fd, in.size);
	if (in.held) {
		close(in.fd);
		in.fd = -1;
	}
	in.path = mem_alloc(n);
	snprintf(in.path, n, "%s (its metadata)", r->in->path);
	if (!dat_source.probe(&in)) {
		input_close(&in);
		err_set(e, ERR_FORMAT, FRAMES_HEAD_LEN,
			"its metadata are not the beginning of a trace.dat");
		return NULL;
	}
	return dat_open(&in, c, o, false, e);
}
