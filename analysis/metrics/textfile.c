/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * textfile: the metrics in a file for node-exporter's textfile collector, replaced as a whole.
 */
#include "analysis/metrics/textfile.h"

#include "base/outfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *name, const char *path, const struct outbuf *text,
		     struct err *e)
{
	TRY(write_at(fd, text->p, text->len, 0, e));
	if (fchmod(fd, 0644) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot make it readable");
	if (rename(name, path) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot rename the new file into place");
	return 0;
}

int metrics_file_write(const char *path, const struct outbuf *text, struct err *e)
{
	char *name;
	int fd = outfile_beside(path, &name, e), rc;

	if (fd < 0)
		return err_path(e, path);
	rc = write_all(fd, name, path, text, e);
	if (close(fd) < 0 && rc == 0)
		rc = err_sys(e, ERR_NO_OFF, "cannot write");
	if (rc < 0) {
		unlink(name);
		err_path(e, path);
	}
	free(name);
	return rc;
}
