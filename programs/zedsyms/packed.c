// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packed: unpacks a file that zstd has packed, into one that only this process has.
 */
#include "programs/zedsyms/packed.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/pack/codec.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE (1u << 17) /* as zstd's blocks */

static bool is_zstd(int fd)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char head[sizeof(magic)];

	return io_pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	       !memcmp(head, magic, sizeof(magic));
}

struct zstd_file {
	int from, to;
	struct unpacker *u;
	uint8_t *in, *out;
	uint64_t off, made;
};

/* One piece of the file; *END: it was the last one. */
static const char *unpack_piece(struct zstd_file *x, bool *end)
{
	ssize_t n = io_pread(x->from, x->in, PIECE, x->off);
	const uint8_t *src = x->in;
	size_t left = n > 0 ? (size_t)n : 0;
	struct err e;

	if (n <= 0)
		return "packed by zstd, and cut off";
	x->off += left;
	for (int64_t got = PIECE; !*end && (left || got == PIECE); x->made += (uint64_t)got) {
		got = unpacker_stream(x->u, &src, &left, x->out, PIECE, end, 0, &e);
		if (got < 0)
			return "packed by zstd, and damaged";
		if ((uint64_t)got > PACKED_MOST - x->made)
			return "packed by zstd, and too large";
		if (!io_write(x->to, x->out, (size_t)got))
			return "packed by zstd, and there is no room to unpack it";
	}
	return NULL;
}

int packed_open(int fd, const char **why)
{
	struct zstd_file x = { .from = fd };
	bool end = false;

	*why = NULL;
	if (fd < 0 || !is_zstd(fd))
		return fd;
	x.to = memfd_create("module", MFD_CLOEXEC);
	if (x.to < 0) {
		*why = "packed by zstd, and there is no room to unpack it";
		return -1;
	}
	x.u = unpacker_new(CODEC_ZSTD);
	x.in = mem_alloc(PIECE);
	x.out = mem_alloc(PIECE);
	while (!end && !*why)
		*why = unpack_piece(&x, &end);
	unpacker_free(x.u);
	free(x.in);
	free(x.out);
	close(fd);
	if (*why)
		close(x.to);
	return *why ? -1 : x.to;
}
