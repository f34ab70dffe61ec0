// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool: the output that makes a trace.dat.  While it records, FILE.zed holds the metadata, names
 * and formats, and the pages (spool_pages); at the end they are put together as FILE.
 */
#include "record/file/spool.h"

#include "base/mem.h"
#include "base/mono.h"
#include "base/outfile.h"
#include "trace/cgroups/cgroup_log.h"
#include "trace/comms/comm_log.h"
#include "trace/maps/map_limit.h"
#include "record/count.h"
#include "record/file/preamble.h"
#include "record/file/spool_dir.h"
#include "record/file/spool_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FORMATS (64u << 20) /* bytes of formats that come while it records */

/* What is known of tasks, with its times: kept on the disk until the end. */
struct task_log {
	int fd; /* -1: none has come */
	size_t len;
	bool full; /* no more is written */
};

struct spool {
	struct output base; /* must be first */
	struct spool_opts o;
	char *path, *dir;
	char *shown, *shown_dir; /* the same for messages */
	int dirfd, comms, null;
	struct task_log names, cgroups, maps;
	struct map_limit maps_limit;
	unsigned ncpus;
	struct spool_map map;
	uint32_t page_size, page_head;
	int32_t self; /* meta's */
	struct spool_pages pages;
	char *formats;
	size_t formats_len, formats_cap;
	struct spool_result result;
	bool failed, whole, done; /* whole: all pages were stored */
};

static struct spool *spool_of(struct output *o)
{
	return (struct spool *)o;
}

/* Did E happen because the disk is full, and is there room now? */
static bool has_room_now(const struct spool *s, const struct err *e)
{
	return err_is_full(e) && s->o.room && s->o.room(s->o.arg);
}

/* Writing failed: what is there stays. */
static int give_up(struct spool *s, struct err *e)
{
	s->failed = true;
	err_path(e, s->shown_dir);
	if (!s->base.bytes)
		return -1;
	return spooldir_hint(e,
			     " (everything before is kept: free some space, then run zedtrace "
			     "--recover %s)",
			     s->shown_dir);
}

/* ---- the beginning ---- */

static int check_target(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s is not a regular file: name another, or write a stream with -o "
			       "- (and redirect it)",
			       path);
	return 0;
}

static int make_dir(struct spool *s, struct err *e)
{
	if (mkdir(s->dir, SPOOL_DIR_MODE) < 0) {
		int fd;

		if (errno != EEXIST)
			return err_sys(e, ERR_NO_OFF, "cannot make %s%s", s->shown_dir,
				       errno == ENOENT ?
					       " (its directory does not exist: create it with "
					       "mkdir, or name another file with -o)" :
					       "");
		fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && spooldir_lock(fd)) {
			close(fd);
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "%s: another recording is writing to it: name another file "
				       "with -o",
				       s->shown_dir);
		}
		if (fd >= 0)
			close(fd);
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s is left over from an unfinished recording: make a trace.dat of "
			       "it with zedtrace --recover %s, or remove it",
			       s->shown_dir, s->shown_dir);
	}
	s->dirfd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->dirfd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot open %s", s->shown_dir);
	spooldir_lock(s->dirfd);
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void spool_free(struct spool *s)
{
	spoolpages_close(&s->pages);
	close_fd(&s->comms);
	close_fd(&s->names.fd);
	close_fd(&s->cgroups.fd);
	close_fd(&s->maps.fd);
	close_fd(&s->null);
	close_fd(&s->dirfd);
	map_limit_fini(&s->maps_limit);
	spooldir_map_fini(&s->map);
	free(s->formats);
	free(s->path);
	free(s->dir);
	free(s->shown);
	free(s->shown_dir);
	free(s);
}

static int cpu_count(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	struct spool *s = arg;
	uint32_t n;

	if (id == DAT_CPUCOUNT && size >= 4) {
		/* In either byte order: only an estimate of the number of regions. */
		memcpy(&n, payload, 4);
		if (n <= DAT_MAX_CPUS && n > s->ncpus)
			s->ncpus = n;
	}
	return 0;
}

bool spool_packs(const struct spool_opts *o)
{
	return o->codec == CODEC_NONE && !o->plain;
}

static int write_meta(struct spool *s, const struct meta *m, struct err *e)
{
	TRY(write_at(s->pages.data, m->p, m->len, 0, e));
	if (!s->o.unsynced && fsync(s->pages.data) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot write");
	return spooldir_map_write(s->dirfd, &s->map, e);
}

/* M is what FILE begins with. */
static int begin_files(struct spool *s, const struct meta *m, struct err *e)
{
	struct dat7_head h;
	uint64_t done_off;

	TRY(dat7_look(m->p, m->len, &h, &done_off, e));
	if (m->page_size != h.page_size)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "sub-buffers of %u byte%s, but the metadata say %u", m->page_size,
			       plural(m->page_size), h.page_size);
	s->page_size = m->page_size;
	s->page_head = m->page_head;
	s->self = m->self;
	s->ncpus = s->o.ncpus ? s->o.ncpus : 1;
	TRY(dat7_each_option(m->p, m->len, cpu_count, s, e));
	TRY(spoolpages_open(&s->pages, s->dirfd, s->ncpus,
			    s->o.codec == CODEC_NONE && !s->o.max_size, e));
	if (s->o.max_size && s->o.ring) {
		uint64_t share = s->o.max_size / s->ncpus / s->page_size * s->page_size;

		/* With a single page, half of the time nothing would be left. */
		s->pages.ring = share < 2ull * s->page_size ? 2ull * s->page_size : share;
	}
	s->pages.page_size = s->page_size;
	s->pages.room = s->o.room;
	s->pages.arg = s->o.arg;
	s->pages.first = assemble_first(s->pages.data, m->len, s->page_size);
	s->map.meta_len = m->len;
	s->map.ring = s->pages.ring;
	snprintf(s->map.clock, sizeof(s->map.clock), "%s", m->clock ? m->clock : "local");
	while (write_meta(s, m, e) < 0)
		if (!has_room_now(s, e))
			return -1;
	if (!s->o.unsynced)
		fsync(s->dirfd);
	s->comms = spooldir_create(s->dirfd, "comms", O_WRONLY | O_APPEND);
	return s->comms < 0 ? err_sys(e, ERR_NO_OFF, "comms: cannot make") : 0;
}

static int spool_begin(struct output *o, const struct meta *m, struct err *e)
{
	struct spool *s = spool_of(o);
	struct meta packed = *m;
	int rc;

	packed.p = spool_packs(&s->o) ? preamble_pack(m->p, m->len, &packed.len) : NULL;
	rc = begin_files(s, packed.p ? &packed : m, e);
	free(packed.p);
	return rc < 0 ? give_up(s, e) : 0;
}

/* ---- pages ---- */

/* How many of LEN bytes are still allowed; reports once if not all are. */
static size_t allowed(struct spool *s, size_t len)
{
	uint64_t left;

	if (!s->o.max_size || s->o.ring)
		return len;
	left = s->o.max_size > s->base.bytes ? s->o.max_size - s->base.bytes : 0;
	left = left / s->page_size * s->page_size;
	if (len <= left)
		return len;
	if (!s->result.limited)
		note_say(s->o.notes, NOTE_WARN,
			 "%s: the limit of %" PRIu64 " bytes is reached: nothing more is recorded",
			 s->shown, s->o.max_size);
	s->result.limited = true;
	return (size_t)left;
}

/* Discard LEN bytes of PIPE that exceed the limit. */
static int drain_pipe(struct spool *s, int pipe, size_t len, struct err *e)
{
	if (s->null < 0)
		s->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	while (len) {
		ssize_t n = splice(pipe, NULL, s->null, NULL, len, SPLICE_F_MOVE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(e, ERR_NO_OFF, "cannot empty the pipe");
		len -= (size_t)n;
	}
	return 0;
}

static int take_pipe(struct spool *s, int cpu, int pipe, size_t len, struct err *e)
{
	size_t want = allowed(s, len);
	int rc = spoolpages_splice(&s->pages, cpu, pipe, want, e);

	s->base.bytes = s->pages.bytes;
	TRY(rc);
	return want < len ? drain_pipe(s, pipe, len - want, e) : 0;
}

static int spool_splice(struct output *o, int cpu, int pipe, size_t len, struct err *e)
{
	struct spool *s = spool_of(o);

	return take_pipe(s, cpu, pipe, len, e) < 0 ? give_up(s, e) : 0;
}

static int take_page(struct spool *s, int cpu, const uint8_t *page, uint32_t page_size,
		     struct err *e)
{
	int rc;

	if (page_size != s->page_size)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "a sub-buffer of %u byte%s, but the others have %u", page_size,
			       plural(page_size), s->page_size);
	if (!allowed(s, page_size))
		return 0;
	rc = spoolpages_write(&s->pages, cpu, page, page_size, e);
	s->base.bytes = s->pages.bytes;
	return rc;
}

static int spool_page(struct output *o, int cpu, const uint8_t *p, uint32_t used,
		      uint32_t page_size, struct err *e)
{
	struct spool *s = spool_of(o);

	return take_page(s, cpu, p, page_size, e) < 0 ? give_up(s, e) : 0;
}

/* ---- names and formats ---- */

static int spool_comms(struct output *o, const char *text, size_t len, struct err *e)
{
	struct spool *s = spool_of(o);

	/*
	 * For recovery only: end() gets them all.  A full disk will be noticed when pages are
	 * written.
	 */
	if (write(s->comms, text, len) < 0)
		close_fd(&s->comms);
	return 0;
}

/* Write LEN bytes of whole records. */
static int write_log(struct spool *s, struct task_log *l, const uint8_t *p, size_t len,
		     struct err *e)
{
	while (write_at(l->fd, p, len, l->len, e) < 0)
		if (!has_room_now(s, e))
			return -1;
	l->len += len;
	return 0;
}

static void say_full(struct spool *s, const char *name, uint32_t max, const char *without)
{
	note_say(s->o.notes, NOTE_INFO, "%s: %s of tasks: the limit of %u bytes is reached: %s",
		 s->shown_dir, name, max, without);
}

/*
 * Add LEN bytes of whole records to L, whose file NAME may have MAX bytes.  WITHOUT says what
 * results if the rest is missing.
 */
static void add_log(struct spool *s, struct task_log *l, const char *name, uint32_t max,
		    const uint8_t *p, size_t len, const char *without)
{
	struct err e;

	if (l->fd < 0)
		l->fd = spooldir_create(s->dirfd, name, O_RDWR);
	if (l->fd < 0 || l->full)
		return;
	if (len > max - l->len) {
		l->full = true;
		say_full(s, name, max, without);
	} else if (write_log(s, l, p, len, &e) < 0) {
		l->full = true;
		note_say(s->o.notes, NOTE_WARN, "%s: %s of tasks cannot be written: %s",
			 s->shown_dir, name, without);
	}
}

/* An incomplete record is left out, so that those of later calls are found. */
static int spool_names(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct spool *s = spool_of(o);
	struct comm_record r;
	size_t whole = 0;

	while (comm_log_next(p, len, &whole, &r))
		;
	add_log(s, &s->names, "names", COMM_LOG_MAX, p, whole,
		"tasks that begin from now on have only their last name");
	return 0;
}

static int spool_cgroups(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct spool *s = spool_of(o);

	add_log(s, &s->cgroups, "cgroups", CGROUP_LOG_MAX, p, cgroup_log_whole(p, len),
		"those of tasks that begin from now on are not known");
	return 0;
}

static int spool_maps(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	static const char without[] = "stacks of programs that begin from now on have no names";
	struct spool *s = spool_of(o);
	struct map_log_buf fits = { NULL };
	bool was_full = s->maps_limit.full;

	map_limit_take(&s->maps_limit, p, len, &fits);
	if (fits.len)
		add_log(s, &s->maps, "maps", UINT32_MAX, fits.p, fits.len, without);
	if (s->maps_limit.full && !was_full)
		say_full(s, "maps", MAP_LOG_MAX, without);
	free(fits.p);
	return 0;
}

static int spool_format(struct output *o, const char *system, const char *text, size_t len,
			struct err *e)
{
	struct spool *s = spool_of(o);
	size_t n = strlen(system) + 1, all = n + len + 1;
	char *to;
	int fd;

	if (memchr(text, '\0', len) || s->formats_len + all > MAX_FORMATS)
		return 0;
	s->formats = mem_grow(s->formats, &s->formats_cap, s->formats_len + all, 1);
	to = s->formats + s->formats_len;
	memcpy(to, system, n);
	memcpy(to + n, text, len);
	to[n + len] = '\0';
	s->formats_len += all;
	fd = openat(s->dirfd, "formats", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		    SPOOL_FILE_MODE);
	if (fd < 0 || write(fd, to, all) < 0)
		note_say(s->o.notes, NOTE_INFO, "%s: formats: cannot write", s->shown_dir);
	if (fd >= 0)
		close(fd);
	return 0;
}

/* The first comparison counts, as for the streams of several clients. */
static int spool_clock(struct output *o, int64_t offset, uint64_t wrong, struct err *e)
{
	struct spool *s = spool_of(o);
	uint64_t day_wrong;
	int64_t day;

	if (!s->o.receives || s->map.wall.known)
		return 0;
	day = clock_ahead(CLOCK_REALTIME, CLOCK_MONOTONIC, &day_wrong);
	s->map.wall = dat_wall_of(offset, wrong, day, day_wrong);
	/* For recovery only: a full disk will be noticed when pages are written. */
	spooldir_map_write(s->dirfd, &s->map, e);
	return 0;
}

/* ---- the end ---- */

static int keep_plan(void *arg, const struct assembly *a, struct err *e)
{
	struct spool *s = arg;
	int rc;

	s->map.plan = a->v;
	s->map.nplan = a->n;
	rc = spooldir_map_write(s->dirfd, &s->map, e);
	s->map.plan = NULL;
	s->map.nplan = 0;
	return rc;
}

/* Make the file; NAME gets what it is called in the directory. */
static int put_together(struct spool *s, struct assembly *a, char name[16], struct err *e)
{
	int rc, fd;

	if (s->pages.shift) {
		snprintf(name, 16, "data.%d", s->pages.shift);
		rc = assemble_in_place(a, keep_plan, s, e);
		if (rc <= 0)
			return rc;
	}
	snprintf(name, 16, "out");
	fd = spooldir_create(s->dirfd, name, O_RDWR);
	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "out: cannot make");
	rc = assemble_copy(a, fd, e);
	close(fd);
	if (rc < 0)
		unlinkat(s->dirfd, name, 0);
	return rc;
}

/* What was written to L; to be freed. */
static uint8_t *read_log(const struct task_log *l, size_t *len)
{
	uint8_t *p = mem_alloc(l->len + 1);
	ssize_t n = 1;

	for (*len = 0; *len < l->len && n > 0; *len += n > 0 ? (size_t)n : 0)
		n = pread(l->fd, p + *len, l->len - *len, (off_t)*len);
	return p;
}

static int finish_file(struct spool *s, const struct output_end *end, struct err *e)
{
	struct assembly a = {
		.meta_fd = s->pages.data,
		.meta_len = s->map.meta_len,
		.page_size = s->page_size,
		.clock = s->map.clock,
		.codec = s->o.codec,
		.comms = end->comms,
		.comms_len = end->comms_len,
		.formats = s->formats,
		.formats_len = s->formats_len,
		.stat_cpus = end->cpus,
		.stats = end->stats,
		.nstats = end->ncpus,
		.wall = s->map.wall,
	};
	struct stat st;
	uint8_t *names = read_log(&s->names, &a.names_len);
	uint8_t *cgroups = read_log(&s->cgroups, &a.cgroups_len);
	uint8_t *maps = read_log(&s->maps, &a.maps_len);
	char name[16];
	int rc;

	a.names = names;
	a.cgroups = cgroups;
	a.maps = maps;
	spoolpages_extents(&s->pages, &a);
	s->base.own = spoolpages_own(&a, s->page_head, s->self);
	do
		rc = put_together(s, &a, name, e);
	while (rc < 0 && has_room_now(s, e));
	free(a.v);
	free(names);
	free(cgroups);
	free(maps);
	TRY(rc);
	TRY(spooldir_rename(s->dirfd, name, s->path, e));
	s->done = true;
	if (stat(s->path, &st) == 0)
		s->result.bytes = (uint64_t)st.st_size;
	return 0;
}

static int spool_check(struct output *o, struct err *e)
{
	struct spool *s = spool_of(o);
	bool linked = spoolpages_linked(&s->pages);

	if (linked && !spooldir_gone(s->dirfd, s->dir))
		return 0;
	s->failed = true;
	if (!linked)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "%s was removed while it was recorded: the recording ends, and "
			       "nothing of that file is left",
			       s->shown_dir);
	return err_set(e, ERR_SYS, ERR_NO_OFF,
		       "%s was renamed while it was recorded: the recording ends (zedtrace "
		       "--recover DIR makes a trace.dat of the renamed directory)",
		       s->shown_dir);
}

static int spool_end(struct output *o, const struct output_end *end, struct err *e)
{
	struct spool *s = spool_of(o);
	struct count c;

	if (s->failed)
		return err_set(e, ERR_SYS, ERR_NO_OFF, "%s: it could not be written", s->shown_dir);
	TRY(spool_check(o, e));
	s->whole = true;
	if (finish_file(s, end, e) < 0)
		return spoolpages_linked(&s->pages) ? give_up(s, e) : spool_check(o, e);
	s->result.limited |= s->pages.wrapped;
	if (s->result.limited && count_file(&c, s->path, NULL, e) == 0) {
		s->result.kept_events = c.events;
		s->result.ringed_events = end->events > c.events ? end->events - c.events : 0;
		count_fini(&c);
	}
	return 0;
}

/*
 * If FILE could not be made, the events are there all the same; what a limit cost, the end reports.
 */
static int64_t spool_found(struct output *o, int cpu)
{
	struct spool *s = spool_of(o);

	if (!spoolpages_linked(&s->pages))
		return 0;
	if (s->whole)
		return -1;
	return s->result.limited || s->pages.wrapped ?
		       -1 :
		       spoolpages_events(&s->pages, cpu, s->page_size, s->page_head);
}

static void spool_close(struct output *o)
{
	struct spool *s = spool_of(o);

	if (s->done || !s->base.bytes)
		spooldir_remove(s->dirfd, s->dir);
	else if (!s->failed) /* else the error says so */
		note_say(s->o.notes, NOTE_WARN,
			 "%s: %" PRIu64 " KiB that are not in %s are kept: run zedtrace --recover "
			 "%s",
			 s->shown_dir, s->base.bytes >> 10, s->shown, s->shown_dir);
	spool_free(s);
}

void spool_result(const struct output *o, struct spool_result *r)
{
	*r = ((const struct spool *)o)->result;
}

static char *with_suffix(const char *path)
{
	size_t len = strlen(path) + sizeof(SPOOL_SUFFIX);
	char *text = mem_alloc(len);

	snprintf(text, len, "%s%s", path, SPOOL_SUFFIX);
	return text;
}

struct output *spool_new(const struct spool_opts *o, struct err *e)
{
	static const struct output_ops ops = {
		.begin = spool_begin,
		.splice = spool_splice,
		.page = spool_page,
		.comms = spool_comms,
		.names = spool_names,
		.cgroups = spool_cgroups,
		.maps = spool_maps,
		.format = spool_format,
		.clock = spool_clock,
		.end = spool_end,
		.check = spool_check,
		.found = spool_found,
		.close = spool_close,
	};
	struct spool *s;

	if (check_target(o->path, e) < 0)
		return NULL;
	s = mem_zalloc(sizeof(*s));
	s->base.ops = &ops;
	s->base.takes_names = true;
	s->o = *o;
	s->path = mem_strdup(o->path);
	s->dir = with_suffix(o->path);
	s->shown = mem_strdup(o->shown ? o->shown : o->path);
	s->shown_dir = with_suffix(s->shown);
	s->dirfd = s->pages.data = s->comms = s->null = -1;
	s->names.fd = s->cgroups.fd = s->maps.fd = -1;
	if (make_dir(s, e) < 0) {
		spool_free(s);
		return NULL;
	}
	return &s->base;
}
