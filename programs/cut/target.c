// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target: a file that gets its name only when it is complete.
 */
#include "programs/cut/target.h"

#include "base/mem.h"
#include "base/outfile.h"
#include "programs/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Would PATH overwrite an input? */
static bool is_input(const struct cli *c, const struct stat *st)
{
	struct stat in;

	for (unsigned i = 0; i < c->run.pump.nsources; i++)
		if (stat(c->run.pump.sources[i]->in.path, &in) == 0 && in.st_dev == st->st_dev &&
		    in.st_ino == st->st_ino)
			return true;
	return false;
}

static int open_in_place(struct target *t, const char *path, struct err *e)
{
	t->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (t->fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot write to it");
	t->own = true;
	return 0;
}

/* In a directory that others can write to, a link of theirs would choose what is overwritten. */
static bool is_ours(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 || !S_ISLNK(st.st_mode) || st.st_uid == geteuid();
}

/*
 * A new file beside PATH (beside its target, if PATH is a link of ours): private, as traces are, or
 * with the permissions of our own file that it replaces.
 */
static int open_beside(struct target *t, const char *path, const struct stat *old, struct err *e)
{
	bool keep = old && old->st_uid == geteuid();

	if (!is_ours(path))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "is a symbolic link of another user: name its target");
	t->path = old ? realpath(path, NULL) : mem_strdup(path);
	if (!t->path)
		return err_sys(e, ERR_NO_OFF, "cannot resolve the symbolic link");
	t->fd = outfile_beside(t->path, &t->temp, e);
	if (t->fd < 0)
		return -1;
	t->own = true;
	if (fchmod(t->fd, keep ? old->st_mode & 0666 : 0600) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot set the mode of the new file");
	return 0;
}

int target_open(struct target *t, struct cli *c, const char *path, bool in_place,
		const char *option, struct err *e)
{
	struct stat st;

	*t = (struct target){ .fd = -1 };
	if (stat(path, &st) < 0)
		return errno == ENOENT ? open_beside(t, path, NULL, e) :
					 err_sys(e, ERR_NO_OFF, "cannot write it");
	if (is_input(c, &st))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s would overwrite what it reads: name another file", option);
	if (S_ISREG(st.st_mode))
		return open_beside(t, path, &st, e);
	if (in_place)
		return open_in_place(t, path, e);
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "not a regular file: %s needs to seek in its output, so name a file",
		       option);
}

int target_close(struct target *t, bool keep, struct err *e)
{
	int rc = 0;

	if (t->own && close(t->fd) < 0 && keep)
		rc = err_sys(e, ERR_NO_OFF, "cannot write it");
	if (t->temp && keep && rc == 0 && rename(t->temp, t->path) < 0)
		rc = err_sys(e, ERR_NO_OFF, "cannot rename the new file into place");
	if (t->temp && (!keep || rc < 0))
		unlink(t->temp);
	free(t->temp);
	free(t->path);
	return rc;
}
