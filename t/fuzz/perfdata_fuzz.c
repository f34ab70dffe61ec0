// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfdata_fuzz: a perf.data, read and printed as the programs do.  The first byte says how it
 * comes: as a file or through a pipe, and whether what stands behind the two bytes of a length is
 * put into a compressed record, which no change of packed bytes would get into.
 */
#include "base/pack/codec.h"
#include "t/fuzz/fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { FORM_PIPE = 1, FORM_PACKED = 2 };

#define MOST 65536
#define RECORD_COMPRESSED 81
#define RECORD_MOST 65527 /* bytes behind a record's head */

static void number(uint8_t *to, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = v >> 8 * i;
}

/* DATA with what stands behind its first HEAD bytes packed; returns its length. */
static size_t pack(const uint8_t *data, size_t size, size_t head, uint8_t *to, size_t room)
{
	static struct packer *packer;
	static uint8_t packed[2 * MOST];
	struct err e;
	int64_t n;

	if (!packer)
		packer = packer_new(CODEC_ZSTD);
	memcpy(to, data, head);
	n = packer_block(packer, data + head, size - head, packed, sizeof(packed), &e);
	if (n < 0 || n > RECORD_MOST || head + 8 + n > room)
		return head;
	number(to + head, RECORD_COMPRESSED, 4);
	number(to + head + 4, 0, 2);
	number(to + head + 6, n + 8, 2);
	memcpy(to + head + 8, packed, n);
	return head + 8 + n;
}

static void as_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;
	struct drive d;

	if (fd < 0) {
		fd = memfd_create("fuzz", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		return;
	drive_run(path, DRIVE_TEXT | DRIVE_MACHINE, &d);
}

static void as_pipe(const uint8_t *data, size_t size)
{
	char path[64];
	struct drive d;
	int fds[2];

	if (pipe(fds) < 0)
		return;
	if (fcntl(fds[1], F_SETPIPE_SZ, 4 * MOST) >= 0 && fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0 &&
	    write(fds[1], data, size) == (ssize_t)size) {
		close(fds[1]);
		fds[1] = -1;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
		drive_run(path, DRIVE_TEXT | DRIVE_MACHINE, &d);
	}
	close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t made[3 * MOST];
	unsigned form;
	size_t head;

	if (size < 3 || size > MOST)
		return 0;
	form = data[0];
	head = data[1] | data[2] << 8;
	data += 3;
	size -= 3;
	if (form & FORM_PACKED) {
		size = pack(data, size, head < size ? head : size, made, sizeof(made));
		data = made;
	}
	if (form & FORM_PIPE)
		as_pipe(data, size);
	else
		as_file(data, size);
	return 0;
}
