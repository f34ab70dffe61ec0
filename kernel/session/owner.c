// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * owner: the lock by which the owner of an instance shows that it is alive.
 */
#include "kernel/session/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open DIR and lock it as HOW says (flock(2)); -1 with errno. */
static int lock_dir(const char *dir, int how)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc, why;

	if (fd < 0)
		return -1;
	do
		rc = flock(fd, how);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

bool owner_begin(const char *dir, int *lock)
{
	struct stat locked, now;

	/* A cleaner may be faster, and has the lock while it removes the directory. */
	*lock = lock_dir(dir, LOCK_EX);
	if (stat(dir, &now) == 0 &&
	    (*lock < 0 || (fstat(*lock, &locked) == 0 && locked.st_ino == now.st_ino)))
		return true;
	if (*lock >= 0)
		close(*lock);
	*lock = -1;
	return false;
}

int owner_share(const char *dir)
{
	return lock_dir(dir, LOCK_SH | LOCK_NB);
}

int owner_none(const char *dir)
{
	return lock_dir(dir, LOCK_EX | LOCK_NB);
}
