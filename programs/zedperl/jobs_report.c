// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jobs_report: what the user sees of the processes of -j: with --each their output, else their
 * messages and failures, and what the exit status is.
 */
#include "base/mem.h"
#include "programs/zedperl/fleet/tell.h"
#include "programs/zedperl/jobs_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define ENDS_ITSELF " (a script that calls POSIX::_exit or exec ends before it)"

void jobs_print_results(struct jobs *j)
{
	for (; j->said < j->n; j->said++) {
		const struct job *job = &j->v[j->said];
		char buf[65536], *path;
		size_t n;
		FILE *f;

		if (job->is != JOB_DONE && job->is != JOB_FAILED)
			return;
		path = job_path(job, ".out");
		f = fopen(path, "re");
		free(path);
		progress_clear(&j->progress);
		fputs(j->said ? "\n==> " : "==> ", stdout);
		cli_puts(stdout, j->list.v[job->first].path);
		fputs(" <==\n", stdout);
		while (f && (n = fread(buf, 1, sizeof(buf), f)) > 0)
			fwrite(buf, 1, n, stdout);
		if (f)
			fclose(f);
		job_remove(job, ".out");
	}
}

void jobs_say(struct jobs *j, const struct job *job, const char *first)
{
	char *path = job_said(job);

	if (first)
		said_failure(j->c, path, first);
	else
		said_file(&j->said_lines, path);
	free(path);
}

/* Print the messages of a part's process, except those that earlier ones also had. */
static void say_part(struct jobs *j, const struct job *job)
{
	char *path = job_said(job);

	said_part(&j->said_lines, path);
	free(path);
}

static void say_failure(struct jobs *j, const struct job *job)
{
	const char *path = j->list.v[job->first].path;
	size_t size = strlen(path) + 32 + sizeof(ENDS_ITSELF);
	char *first = mem_alloc(size);

	if (job->killed)
		snprintf(first, size, "%s: was killed (signal %d)", path, job->status - 128);
	else if (!job->status)
		snprintf(first, size, "%s: has left no %s%s", path,
			 j->z->fleet.each ? "whole answer" : "state", ENDS_ITSELF);
	else
		snprintf(first, size, "%s: failed (%d)", path, job->status);
	jobs_say(j, job, first);
	free(first);
}

int jobs_say_uncompiled(struct jobs *j)
{
	bool said = false;

	for (size_t i = 0; i < j->n; i++) {
		if (!said && j->v[i].told == TELL_UNCOMPILED) {
			jobs_say(j, &j->v[i], NULL);
			said = true;
		}
		job_remove(&j->v[i], ".err");
		job_remove(&j->v[i], JOB_SAID);
		job_remove(&j->v[i], ".out");
		job_remove(&j->v[i], ".end");
	}
	return 255;
}

void jobs_remove_rest(const struct jobs *j, const struct job *job)
{
	if (j->z->fleet.folder_is_ours || job->is != JOB_DONE || !job->status)
		job_remove(job, ".err");
	job_remove(job, JOB_SAID);
	job_remove(job, ".out");
	job_remove(job, ".end");
}

/* If the disk is full, the processes cannot report that themselves. */
static void say_full(struct jobs *j)
{
	struct statvfs st;

	if (statvfs(j->z->fleet.folder, &st) == 0 && !st.f_bavail)
		cli_say(j->c, "%s: no space is left for the states%s", j->z->fleet.folder,
			j->z->fleet.folder_is_ours ? " (set TMPDIR to a directory with room)" : "");
}

int jobs_finish(struct jobs *j)
{
	struct zedperl *z = j->z;
	int status = CLI_OK;

	z->fleet.files = mem_zalloc((j->n + 1) * sizeof(*z->fleet.files));
	for (size_t i = 0; i < j->n; i++)
		if (j->v[i].is == JOB_DONE && !j->v[i].part) {
			char *path = job_said(&j->v[i]);

			said_add(&j->said_lines, path, j->v[i].n);
			free(path);
		}
	for (size_t i = 0; i < j->n; i++) {
		struct job *job = &j->v[i];

		if (job->is == JOB_FAILED && (!j->no_process || job->tries))
			say_failure(j, job);
		else if (job->part)
			say_part(j, job);
		else if (job->is == JOB_DONE)
			jobs_say(j, job, NULL);
		j->damaged += job->is == JOB_DONE && job->status;
		if (job->is == JOB_DONE && !z->fleet.each)
			z->fleet.files[z->fleet.nfiles++] = job_path(job, ".state");
	}
	if (j->failed || j->damaged)
		say_full(j);
	for (size_t i = 0; i < j->n; i++)
		jobs_remove_rest(j, &j->v[i]);
	if (j->failed)
		cli_say(j->c, "%u of %u traces failed", j->failed, j->list.n);
	if (j->damaged)
		cli_say(j->c, "%u trace%s read with damage", j->damaged,
			j->damaged == 1 ? " was" : "s were");
	if (j->failed || j->damaged)
		status = CLI_DAMAGE;
	if (!z->fleet.each && !z->fleet.nfiles)
		status = CLI_USAGE;
	return status;
}
