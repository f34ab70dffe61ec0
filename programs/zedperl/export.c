// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: zedperl --export, a file of the trace's stable events, which takes its name only when it
 * is whole.
 */
#include "programs/zedperl/export.h"

#include "base/mem.h"
#include "export/stable.h"
#include "programs/chosen.h"
#include "programs/run.h"
#include "programs/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that is written, and what it will be called when it is whole. */
struct target {
	int fd;
	bool own;	   /* to be closed */
	char *temp, *path; /* NULL: written in place (stdout, a device, a pipe) */
};

/* Would PATH overwrite what is being read? */
static bool is_input(const struct cli *c, const struct stat *st)
{
	struct stat in;

	for (unsigned i = 0; i < c->pump.nsources; i++)
		if (stat(c->pump.sources[i]->in.path, &in) == 0 && in.st_dev == st->st_dev &&
		    in.st_ino == st->st_ino)
			return true;
	return false;
}

/* Is an input an export already?  It has no raw events to make stable ones of. */
static bool has_exports(struct cli *c)
{
	for (unsigned i = 0; i < catalog_count(c->pump.catalog); i++) {
		const struct etype *t = catalog_at(c->pump.catalog, i);

		for (unsigned k = 0; t->stable && k < c->pump.nsources; k++)
			if (t->machine == &c->pump.sources[k]->machine) {
				cli_usage(c, false,
					  "%s: is an export already: name the trace that "
					  "it was made of (scripts read several exports together: "
					  "zedperl -i FILE -i FILE SCRIPT)",
					  c->pump.sources[k]->in.path);
				return true;
			}
	}
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

/* In a directory that others write to, a link of theirs would choose what is overwritten. */
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
	size_t size;

	if (!is_ours(path))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "is a link that somebody else made: name "
			       "what it points to");
	t->path = old ? realpath(path, NULL) : mem_strdup(path);
	if (!t->path)
		return err_sys(e, ERR_NO_OFF, "cannot find what it points to");
	size = strlen(t->path) + sizeof(".XXXXXX");
	t->temp = mem_alloc(size);
	snprintf(t->temp, size, "%s.XXXXXX", t->path);
	t->fd = mkostemp(t->temp, O_CLOEXEC);
	if (t->fd < 0) {
		free(t->temp);
		t->temp = NULL;
		return err_sys(e, ERR_NO_OFF, "cannot make a file there");
	}
	t->own = true;
	if (fchmod(t->fd, keep ? old->st_mode & 0666 : 0600) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot set the rights of the new file");
	return 0;
}

static int open_target(struct cli *c, struct target *t, const char *path, struct err *e)
{
	struct stat st;

	if (!strcmp(path, "-")) {
		t->fd = STDOUT_FILENO;
		if (!isatty(t->fd))
			return 0;
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "--export -: stable records are nothing "
			       "for a terminal: zedperl --export - TRACE >FILE");
	}
	if (stat(path, &st) < 0)
		return errno == ENOENT ? open_beside(t, path, NULL, e) :
					 err_sys(e, ERR_NO_OFF, "cannot write it");
	if (is_input(c, &st))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "--export would overwrite what it reads: "
			       "name another file");
	return S_ISREG(st.st_mode) ? open_beside(t, path, &st, e) : open_in_place(t, path, e);
}

/* KEEP: it is complete.  Otherwise, or if this fails, what was there before stays. */
static int close_target(struct target *t, bool keep, struct err *e)
{
	int rc = 0;

	if (t->own && close(t->fd) < 0 && keep)
		rc = err_sys(e, ERR_NO_OFF, "cannot write it");
	if (t->temp && keep && rc == 0 && rename(t->temp, t->path) < 0)
		rc = err_sys(e, ERR_NO_OFF, "cannot give the new file its name");
	if (t->temp && (!keep || rc < 0))
		unlink(t->temp);
	free(t->temp);
	free(t->path);
	return rc;
}

static void want_types(void *arg, const uint8_t *types)
{
	cli_want(arg, types);
}

int export_stable(struct cli *c, const struct stable *s, const char *path)
{
	struct target t = { .fd = -1 };
	struct stableout_opts o = {
		.stable = s,
		.notes = &c->notes,
		.path = path,
		.want = want_types,
		.arg = c,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	struct stableout *out;
	enum run_end end;
	struct err e, other;
	bool whole;
	int status;

	if (has_exports(c))
		return CLI_USAGE;
	if (open_target(c, &t, path, &e) < 0) {
		err_path(&e, path);
		cli_say_err(c, &e);
		close_target(&t, false, &other);
		return CLI_USAGE;
	}
	o.fd = t.fd;
	out = stableout_new(&o);
	cli_catch();
	end = pump_run(&c->pump, cli_synthetic(c, cli_limit(c, stableout_sink(out))), &e);
	status = cli_finish(c, end, &e);
	/* Stopped: --head has all that it wants. */
	whole = end == RUN_DONE || end == RUN_STOPPED;
	note_say(&c->notes, NOTE_INFO, "%s: %" PRIu64 " record%s of %u stable event%s", path,
		 stableout_records(out), plural(stableout_records(out)), stableout_events(out),
		 plural(stableout_events(out)));
	if (whole && !stableout_records(out))
		note_say(&c->notes, NOTE_WARN,
			 "%s: nothing is in it: no event of the trace makes "
			 "a stable one (zedperl --stable-check TRACE tells why)",
			 path);
	stableout_free(out);
	if (close_target(&t, whole, &e) == 0)
		return status;
	err_path(&e, path);
	cli_say_err(c, &e);
	return CLI_DAMAGE;
}
