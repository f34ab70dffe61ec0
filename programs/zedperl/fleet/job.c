// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * job: a process of zedperl -j, by the files that it leaves.
 */
#include "programs/zedperl/fleet/job.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *job_path(const struct job *job, const char *ending)
{
	size_t size = strlen(job->folder) + strlen(job->name) + strlen(ending) + 2;
	char *path = mem_alloc(size);

	snprintf(path, size, "%s/%s%s", job->folder, job->name, ending);
	return path;
}

static bool is_whole(const struct job *job)
{
	return job->is == JOB_DONE && !job->status;
}

char *job_said(const struct job *job)
{
	return job_path(job, is_whole(job) ? JOB_SAID : ".err");
}

void job_remove(const struct job *job, const char *ending)
{
	char *path = job_path(job, ending);

	unlink(path);
	free(path);
}

bool job_has(const struct job *job, const char *ending)
{
	char *path = job_path(job, ending);
	bool has = access(path, R_OK) == 0;

	free(path);
	return has;
}

void job_note_end(const struct job *job)
{
	char *from = job_path(job, ".err"), *to = job_path(job, JOB_SAID);

	/* In this order: as long as .end is there, .err by itself says nothing. */
	if (is_whole(job))
		rename(from, to);
	free(from);
	free(to);
	job_remove(job, ".end");
}

bool job_is_named(void *arg, const char *name, size_t len)
{
	const struct job *job = arg;

	return len == strlen(job->name) && !memcmp(job->name, name, len);
}
