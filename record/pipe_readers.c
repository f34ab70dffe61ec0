// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipe_readers: names the processes that hold the reading end of our pipe.
 */
#include "record/pipe_readers.h"

#include "base/plain.h"
#include "kernel/procs.h"

#include <stdio.h>
#include <string.h>

#define MAX_READERS 8

const char *pipe_readers(int fd, char *buf, size_t size)
{
	pid_t pids[MAX_READERS];
	unsigned n = procs_pipe_readers(fd, pids, MAX_READERS);
	size_t len = 0;

	*buf = '\0';
	for (unsigned i = 0; i < n; i++) {
		char comm[16], name[64], one[96];

		if (!procs_comm(pids[i], comm))
			continue;
		snprintf(one, sizeof(one), "%s%s %d", len ? ", " : " (",
			 plain_text(name, sizeof(name), comm), (int)pids[i]);
		if (len + strlen(one) + 2 > size)
			break;
		len += (size_t)snprintf(buf + len, size - len, "%s", one);
	}
	if (len)
		snprintf(buf + len, size - len, ")");
	return buf;
}
