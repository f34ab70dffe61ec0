// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_files: opens the data files of a CTF input when they are read.  A session that is rotated has
 * a file for each CPU, channel and chunk: thousands, of which few are read at a time.
 */
#include "base/mem.h"
#include "reader/ctf/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void ctf_files_close(struct ctf_packets *f)
{
	struct ctf *t = f->t;

	for (unsigned i = 0; i < t->nopen; i++)
		if (t->open[i] == f) {
			close(f->in.fd);
			f->in.fd = -1;
			t->open[i] = t->open[--t->nopen];
			return;
		}
}

/* Close the one that was opened first, more or less.  False: there is none. */
static bool close_one(struct ctf *t)
{
	if (!t->nopen)
		return false;
	t->oldest = (t->oldest + 1) % t->nopen;
	ctf_files_close(t->open[t->oldest]);
	return true;
}

/* Most of what this process may have open is for others. */
static unsigned most_open(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur / 4 >= CTF_MAX_OPEN)
		return CTF_MAX_OPEN;
	return r.rlim_cur / 4 ? (unsigned)(r.rlim_cur / 4) : 1;
}

/* Open it by its name below the input's directory; the path is that of F already. */
static int open_again(struct ctf_packets *f, struct input *in, struct err *e)
{
	const char *slash = strrchr(f->in.path, '/');
	char *name = input_below(f->trace->name, slash ? slash + 1 : f->in.path);
	int rc;

	do
		rc = input_open_below(in, f->t->base.in.fd, f->t->base.in.path, name, e);
	while (rc < 0 && (e->sys == EMFILE || e->sys == ENFILE) && close_one(f->t));
	free(name);
	return rc;
}

int ctf_files_open(struct ctf_packets *f, struct err *e)
{
	struct ctf *t = f->t;
	struct input in;
	int rc;

	if (f->in.fd >= 0 || f->live)
		return 0;
	if (t->nopen >= most_open())
		close_one(t);
	rc = open_again(f, &in, e);
	if (rc < 0)
		return -1;
	if (rc > 0)
		return err_set(e, ERR_SYS, ERR_NO_OFF, "is gone: it was there before");
	free(in.path);
	if (in.dev != f->in.dev || in.ino != f->in.ino) {
		close(in.fd);
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "is another file than before: it was replaced while it was read");
	}
	f->in.fd = in.fd;
	t->open[t->nopen++] = f;
	return 0;
}
