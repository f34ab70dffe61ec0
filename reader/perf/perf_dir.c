// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_dir: directories of perf record --threads: data, an ordinary file, and data.0 to data.N,
 * which consist of records only, each in order of time.
 */
#include "base/mem.h"
#include "reader/perf/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open NAME of the directory F.  -1: missing, or unreadable (then with E). */
static int open_part(const struct input *dir, const char *name, struct input *in, struct err *e)
{
	size_t len = strlen(dir->path) + strlen(name) + 2;
	int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	memset(in, 0, sizeof(*in));
	/* A link could lead to any file, of any owner. */
	if (fd < 0 && errno == ELOOP)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "its %s is a symbolic link, which is not followed", name);
	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot open its %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "%s in it is not a regular file", name);
	}
	in->fd = fd;
	in->size = st.st_size;
	in->dev = st.st_dev;
	in->ino = st.st_ino;
	in->path = mem_alloc(len);
	snprintf(in->path, len, "%s/%s", dir->path, name);
	in->failed = mem_zalloc(sizeof(*in->failed));
	return 0;
}

bool perf_dir_probe(const struct input *in)
{
	struct input data;
	struct err e;
	bool big, yes;

	if (!in->is_dir || open_part(in, "data", &data, &e) < 0)
		return false;
	yes = perf_head_probe(&data, &big);
	input_close(&data);
	return yes;
}

int perf_dir_open(struct perf *f, struct err *e)
{
	struct input data;

	TRY(open_part(&f->base.in, "data", &data, e));
	f->dir = f->base.in;
	f->form.is_dir = true;
	f->base.in = data;
	f->base.dir = f->dir.path;
	return 0;
}

void perf_dir_files(struct perf *f)
{
	char name[32];
	struct input in;
	struct err e;

	for (unsigned i = 0; i < PERF_MAX_FILES; i++) {
		struct perf_file *t;

		snprintf(name, sizeof(name), "data.%u", i);
		if (faccessat(f->dir.fd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			break;
		if (open_part(&f->dir, name, &in, &e) < 0) {
			err_path(&e, f->dir.path);
			note_err(f->notes, NOTE_DAMAGE, &e);
			continue;
		}
		t = f->in.files[f->in.nfiles++] = mem_zalloc(sizeof(*t));
		t->in = in;
		t->sorted = true;
		intake_init(&t->intake, &t->in, &f->due.blocks, f->form.big_endian, 0, UINT64_MAX);
		f->in.total += in.size;
	}
	f->in.unpackers = PERF_UNPACKERS_FREE;
	if (f->in.total < UINT64_MAX / PERF_UNPACKERS_RATIO - PERF_UNPACKERS_FREE)
		f->in.unpackers += PERF_UNPACKERS_RATIO * f->in.total;
	for (unsigned i = 0; i < f->in.nfiles; i++)
		intake_share(&f->in.files[i]->intake, f->in.nfiles, &f->in.unpackers);
}
