// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tell: what a process of -j reports besides an exit status, as all values of that are a script's.
 */
#include "programs/zedperl/fleet/tell.h"

#include <fcntl.h>
#include <unistd.h>
#include <string.h>

static pid_t job; /* this process, if it is one */

bool tell_begin(const char *name)
{
	/* Processes started by the script do not inherit it. */
	if (name && !strcmp(name, TELL_NAME) && fcntl(TELL_FD, F_SETFD, FD_CLOEXEC) == 0)
		job = getpid();
	return job;
}

void tell_that(enum tell what)
{
	char byte = (char)what;

	/* If that fails, only the status is reported. */
	if (job && job == getpid() && write(TELL_FD, &byte, 1) != 1)
		job = 0;
}

enum tell tell_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char byte = 0;

	if (fd < 0)
		return TELL_NOTHING;
	if (read(fd, &byte, 1) != 1)
		byte = 0;
	close(fd);
	return byte == TELL_UNCOMPILED || byte == TELL_KEEPS || byte == TELL_WHOLE ||
			       byte == TELL_OVER ?
		       (enum tell)byte :
		       TELL_NOTHING;
}
