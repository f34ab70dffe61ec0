// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_file: a table's file, open only while something is written to it.
 */
#include "base/parquet/table_file.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void file_init(struct parquet_file *f, const char *path)
{
	*f = (struct parquet_file){ .path = mem_strdup(path), .fd = -1 };
}

int file_open(struct parquet_file *f, struct err *e)
{
	f->fd = f->temp ? open(f->temp, O_RDWR | O_CLOEXEC | O_NOFOLLOW) :
			  outfile_beside(f->path, &f->temp, e);
	if (f->fd >= 0)
		return 0;
	if (f->temp)
		err_sys(e, ERR_NO_OFF, "cannot write any further");
	return err_path(e, f->path);
}

int file_close(struct parquet_file *f, struct err *e)
{
	int fd = f->fd;

	f->fd = -1;
	if (close(fd) == 0)
		return 0;
	err_sys(e, ERR_NO_OFF, "cannot write it");
	return err_path(e, f->path);
}

int file_put(struct parquet_file *f, const void *p, size_t len, struct err *e)
{
	if (write_at(f->fd, p, len, f->size, e) < 0)
		return err_path(e, f->path);
	f->size += len;
	return 0;
}

int file_get(struct parquet_file *f, void *p, size_t len, uint64_t off, struct err *e)
{
	ssize_t n = io_pread(f->fd, p, len, off);

	if (n == (ssize_t)len)
		return 0;
	errno = n < 0 ? errno : EIO;
	err_sys(e, off, "cannot read back what was written");
	return err_path(e, f->path);
}

int file_name(struct parquet_file *f, struct err *e)
{
	if (rename(f->temp, f->path) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot rename the new file into place");
		return err_path(e, f->path);
	}
	free(f->temp);
	f->temp = NULL;
	return 0;
}

void file_fini(struct parquet_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->temp)
		unlink(f->temp);
	free(f->temp);
	free(f->path);
}
