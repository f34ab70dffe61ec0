// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * identity: recognizes a trace when a job that was run twice gives its state twice.
 */
#include "programs/zedperl/identity.h"

#include "base/bytes.h"
#include "base/io.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDS 65536  /* bytes of a file's beginning and end that are hashed */
#define MAX_DEPTH 8 /* of a directory: as readers look into them */
#define MAX_FILES 262144
#define FILE_ENDS 4096 /* bytes of the beginning and the end of each file in it */

static uint64_t hash_part(const struct source *s, uint64_t h, uint64_t off)
{
	uint8_t buf[4096];
	struct err e;
	ssize_t n;

	for (uint64_t end = off + ENDS; off < end; off += n) {
		n = input_read_some(&s->in, buf, sizeof(buf), off, &e);
		if (n <= 0)
			break;
		h = bytes_hash(h, buf, n);
	}
	return h;
}

/* The system as the trace describes it, and its clock. */
static uint64_t hash_system(struct source *s)
{
	const char *clock = source_clock(s), *text;
	uint64_t h = 0;
	size_t len = 0;

	text = machine_raw(&s->machine, TEXT_UNAME, &len);
	h = bytes_hash(h, text, len);
	return bytes_hash(h, clock ? clock : "", clock ? strlen(clock) + 1 : 1);
}

/* The recorder's number of S, and what the files of a rotation, which share it, differ in. */
static uint64_t hash_recording(struct source *s)
{
	size_t len = 0;
	const char *text = machine_raw(&s->machine, TEXT_CPUSTAT, &len);

	return bytes_hash(bytes_hash(0, &s->trace_id, sizeof(s->trace_id)), text, len);
}

/* ---- directories ---- */

/* The sum over the files does not depend on the order in which a directory lists them. */
struct folder_hash {
	uint64_t sum;
	unsigned left; /* files that are still looked at */
};

/* The regular file NAME in the directory AT; H: of its path. */
static void add_file(struct folder_hash *t, int at, const char *name, uint64_t h)
{
	int fd = openat(at, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	uint8_t buf[FILE_ENDS];
	ssize_t n;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		uint64_t size = st.st_size, end = size > sizeof(buf) ? size - sizeof(buf) : 0;

		h = bytes_hash(h, &size, sizeof(size));
		n = io_pread(fd, buf, sizeof(buf), 0);
		h = bytes_hash(h, buf, n > 0 ? n : 0);
		n = end ? io_pread(fd, buf, sizeof(buf), end) : 0;
		h = bytes_hash(h, buf, n > 0 ? n : 0);
		t->sum += h;
	}
	close(fd);
}

static void add_folder(struct folder_hash *t, int at, const char *name, uint64_t h, unsigned depth)
{
	DIR *dir = io_folder(at, name, depth ? O_NOFOLLOW : 0);
	struct dirent *d;
	struct stat st;

	while (dir && t->left && (d = readdir(dir))) {
		uint64_t path = bytes_hash(h, d->d_name, strlen(d->d_name) + 1);

		if (d->d_name[0] == '.' ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		t->left--;
		if (!S_ISDIR(st.st_mode))
			add_file(t, dirfd(dir), d->d_name, path);
		else if (depth < MAX_DEPTH)
			add_folder(t, dirfd(dir), d->d_name, path, depth + 1);
	}
	if (dir)
		closedir(dir);
}

/* The names, sizes and ends of the files in the directory PATH. */
static uint64_t hash_folder(const char *path)
{
	struct folder_hash t = { .left = MAX_FILES };

	add_folder(&t, AT_FDCWD, path, 0, 0);
	return t.sum;
}

void identity_of(struct source *s, const struct pump_stats *st, uint64_t chosen, unsigned part,
		 unsigned parts, char *out, size_t size)
{
	uint64_t h;
	char which[48] = "", of[24] = "";

	if (parts)
		snprintf(of, sizeof(of), "+%u.%u", part, parts);
	if (chosen)
		snprintf(which, sizeof(which), "-%016" PRIx64 "%s", chosen, of);
	else
		snprintf(which, sizeof(which), "%s", of);
	if (s->trace_id) {
		snprintf(out, size, "t%016" PRIx64 "%s", hash_recording(s), which);
		return;
	}
	h = hash_system(s);
	if (s->in.is_dir || s->dir) {
		h ^= hash_folder(s->dir ? s->dir : s->in.path);
		snprintf(out, size, "d%016" PRIx64 "%s", h, which);
		return;
	}
	if (s->in.piped) {
		h = bytes_hash(h, &st->first_ts, sizeof(st->first_ts));
		h = bytes_hash(h, &st->last_ts, sizeof(st->last_ts));
		h = bytes_hash(h, &st->records, sizeof(st->records));
		snprintf(out, size, "r%016" PRIx64 "%s", h, which);
		return;
	}
	h = bytes_hash(h, &s->in.size, sizeof(s->in.size));
	h = hash_part(s, h, 0);
	h = hash_part(s, h, s->in.size > 2 * ENDS ? s->in.size - ENDS : ENDS);
	snprintf(out, size, "f%016" PRIx64 "%s", h, which);
}
