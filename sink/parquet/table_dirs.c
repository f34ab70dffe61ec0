// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_dirs: the directories of tables.
 */
#include "sink/parquet/table_dirs.h"

#include "sink/parquet/name.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PRIVATE 0700 /* as for traces */
#define DAY_SECONDS 86400

static int check_empty(const struct table_place *p, struct err *e)
{
	const struct dirent *d;
	bool empty = true;
	DIR *dir = opendir(p->dir);

	if (!dir)
		return err_sys(e, ERR_NO_OFF, "cannot list it");
	while (empty && (d = readdir(dir)))
		empty = !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..");
	closedir(dir);
	if (empty)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "the directory is not empty: name a new one (--partition adds to those of "
		       "other runs)");
}

int place_begin(struct table_place *p, struct err *e)
{
	int rc = 0;

	if (mkdir(p->dir, PRIVATE) == 0)
		p->made = true;
	else if (errno != EEXIST)
		rc = err_sys(e, ERR_NO_OFF, "cannot create the directory");
	else if (!p->by_machine && !p->by_day)
		rc = check_empty(p, e);
	return rc < 0 ? err_path(e, p->dir) : 0;
}

static int make(struct outbuf *o, struct err *e)
{
	if (mkdir(out_end(o), PRIVATE) == 0 || errno == EEXIST)
		return 0;
	err_sys(e, ERR_NO_OFF, "cannot create the directory");
	return err_path(e, o->p);
}

static void put_day(struct outbuf *o, int64_t day)
{
	time_t t = (time_t)(day * DAY_SECONDS);
	struct tm tm;

	if (day < 0 || !gmtime_r(&t, &tm))
		out_str(o, PLACE_UNKNOWN);
	else
		out_printf(o, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
}

int place_path(const struct table_place *p, struct outbuf *o, const char *name, const char *machine,
	       int64_t day, struct err *e)
{
	o->len = 0;
	out_str(o, p->dir);
	out_char(o, '/');
	out_str(o, name);
	if (!p->by_machine && !p->by_day) {
		out_str(o, ".parquet");
		out_end(o);
		return 0;
	}
	TRY(make(o, e));
	if (p->by_machine) {
		out_str(o, "/machine=");
		if (machine)
			name_file(o, machine);
		else
			out_str(o, PLACE_UNKNOWN);
		TRY(make(o, e));
	}
	if (p->by_day) {
		out_str(o, "/day=");
		put_day(o, day);
		TRY(make(o, e));
	}
	out_char(o, '/');
	out_str(o, p->run);
	out_str(o, ".parquet");
	out_end(o);
	return 0;
}

void place_undo(const struct table_place *p, const char *path)
{
	size_t least = strlen(p->dir);
	char *at = mem_strdup(path), *slash;

	while ((slash = strrchr(at, '/')) && (size_t)(slash - at) >= least) {
		*slash = '\0';
		if (((size_t)(slash - at) == least && !p->made) || rmdir(at) < 0)
			break;
	}
	free(at);
}

void place_fini(struct table_place *p)
{
	free(p->run);
	p->run = NULL;
}
