// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_meta: the metadata of a session, read from tracefs and /proc, as the beginning of a
 * trace.dat v7.
 */
#include "record/session_meta.h"

#include "base/compare.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/mono.h"
#include "kernel/tracefs.h"
#include "record/dat_write.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define PATH_LEN 512
#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A payload that is being built. */
struct text {
	char *p;
	size_t len, cap;
};

static void add(struct text *t, const void *p, size_t len)
{
	t->p = mem_grow(t->p, &t->cap, t->len + len + 1, 1);
	if (len)
		memcpy(t->p + t->len, p, len);
	t->len += len;
}

static void add_u32(struct text *t, uint32_t v)
{
	add(t, &v, sizeof(v));
}

static void add_u64(struct text *t, uint64_t v)
{
	add(t, &v, sizeof(v));
}

/* A number that is known only now. */
static void put_u32(struct text *t, size_t at, uint32_t v)
{
	memcpy(t->p + at, &v, sizeof(v));
}

/* DIR/NAME after its size.  False with E. */
static bool add_file(struct text *t, const char *dir, const char *name, struct err *e)
{
	size_t len;
	char *s = tracefs_text(dir, name, &len, e);

	if (!s)
		return false;
	add_u64(t, len);
	add(t, s, len);
	free(s);
	return true;
}

struct maker {
	struct session *s;
	bool date;
	struct notes *notes;
	struct dat7_writer *w;
};

static int header_info(struct maker *m, struct err *e)
{
	struct text t = { 0 };
	char dir[PATH_LEN];
	int rc = -1;

	snprintf(dir, sizeof(dir), "%s/events", session_dir(m->s));
	add(&t, "header_page", 12);
	if (add_file(&t, dir, "header_page", e)) {
		add(&t, "header_event", 13);
		if (add_file(&t, dir, "header_event", e))
			rc = dat7_section(m->w, DAT_HEADER_INFO, "headers", t.p, t.len, e);
	}
	free(t.p);
	return rc;
}

/* The names in DIR that have a format, sorted; to be freed, each and all. */
static char **format_dirs(const char *dir, unsigned *n)
{
	char **v = NULL, path[PATH_LEN + 300];
	struct dirent *d;
	size_t cap = 0;
	DIR *dp = opendir(dir);

	*n = 0;
	while (dp && (d = readdir(dp))) {
		snprintf(path, sizeof(path), "%s/%s/format", dir, d->d_name);
		if (d->d_name[0] == '.' || !io_may(path, R_OK))
			continue;
		v = mem_grow(v, &cap, *n + 1u, sizeof(*v));
		v[(*n)++] = mem_strdup(d->d_name);
	}
	if (dp)
		closedir(dp);
	if (*n)
		qsort(v, *n, sizeof(*v), compare_text);
	return v;
}

/* The events that the kernel's own tracers write: readers need them for prints and stacks. */
static int ftrace_events(struct maker *m, struct err *e)
{
	struct text t = { 0 };
	char dir[PATH_LEN], name[PATH_LEN], **v;
	unsigned n, have = 0;
	int rc;

	snprintf(dir, sizeof(dir), "%s/events/ftrace", session_dir(m->s));
	v = format_dirs(dir, &n);
	add_u32(&t, 0);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/format", v[i]);
		if (add_file(&t, dir, name, e))
			have++;
		else
			note_err(m->notes, NOTE_WARN, e);
		free(v[i]);
	}
	free(v);
	put_u32(&t, 0, have);
	rc = dat7_section(m->w, DAT_FTRACE_EVENTS, "ftrace events", t.p, t.len, e);
	free(t.p);
	return rc;
}

/* Formats of the events that are recorded, by system. */
static int event_formats(struct maker *m, struct err *e)
{
	const struct tracefs_event *ev;
	unsigned n, systems = 0, events = 0;
	struct text t = { 0 };
	char dir[PATH_LEN], name[PATH_LEN];
	size_t count_at = 0;
	int rc;

	ev = session_events(m->s, &n);
	snprintf(dir, sizeof(dir), "%s/events", session_dir(m->s));
	add_u32(&t, 0);
	for (unsigned i = 0; i < n; i++) {
		/* These are in the section of ftrace events. */
		if (!strcmp(ev[i].system, "ftrace"))
			continue;
		if (!systems || strcmp(ev[i].system, ev[i - 1].system)) {
			if (systems)
				put_u32(&t, count_at, events);
			systems++;
			events = 0;
			add(&t, ev[i].system, strlen(ev[i].system) + 1);
			count_at = t.len;
			add_u32(&t, 0);
		}
		snprintf(name, sizeof(name), "%s/%s/format", ev[i].system, ev[i].name);
		if (add_file(&t, dir, name, e))
			events++;
		else /* an event that was removed just now: the kernel has emptied its buffers */
			note_err(m->notes, e->sys == ENOENT ? NOTE_INFO : NOTE_DAMAGE, e);
	}
	if (systems)
		put_u32(&t, count_at, events);
	put_u32(&t, 0, systems);
	rc = dat7_section(m->w, DAT_EVENT_FORMATS, "events format", t.p, t.len, e);
	free(t.p);
	return rc;
}

/* Does kallsyms have addresses?  Without the right to see them all are zero. */
static bool has_addresses(const char *s)
{
	for (; *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : "")
		if (strspn(s, "0") < strspn(s, "0123456789abcdef"))
			return true;
	return false;
}

/* Section ID with the u32 size and TEXT; NULL: left empty. */
static int sized_section(struct maker *m, unsigned id, const char *name, const char *text,
			 size_t len, struct err *e)
{
	struct text t = { 0 };
	int rc;

	add_u32(&t, text ? (uint32_t)len : 0);
	if (text)
		add(&t, text, len);
	rc = dat7_section(m->w, id, name, t.p, t.len, e);
	free(t.p);
	return rc;
}

static int kallsyms_section(struct maker *m, struct err *e)
{
	struct err why;
	size_t len = 0;
	char *s = session_kallsyms(m->s, &len, &why);
	int rc;

	if (!s)
		note_err(m->notes, NOTE_WARN, &why);
	if (s && !has_addresses(s)) {
		free(s);
		s = NULL;
		note_say(m->notes, NOTE_WARN,
			 "the kernel hides addresses in /proc/kallsyms: its functions stay numbers "
			 "(set sysctl kernel.kptr_restrict=1, and record again)");
	}
	rc = sized_section(m, DAT_KALLSYMS, "kallsyms", s, len, e);
	free(s);
	return rc;
}

static int printk_section(struct maker *m, struct err *e)
{
	struct err why;
	size_t len = 0;
	char *s = tracefs_text(session_root(m->s), "printk_formats", &len, &why);
	int rc;

	if (!s)
		note_err(m->notes, NOTE_INFO, &why);
	rc = sized_section(m, DAT_PRINTK, "printk", s, len, e);
	free(s);
	return rc;
}

/*
 * What to add to the clock for the time of day: the µs between two clocks, one of which is read
 * before and after the other; of several tries the one with the least time between.
 */
static int add_date(struct maker *m, struct err *e)
{
	uint64_t least = UINT64_MAX, offset = 0;
	char text[32];

	if (!session_clock_is_cheap(m->s))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "--date: the offset of the clock %s from the time of day is "
			       "unknown: use the clock mono",
			       session_clock(m->s));
	for (unsigned i = 0; i < 10; i++) {
		uint64_t from = clock_ns(CLOCK_REALTIME), now, to;

		TRY(session_now(m->s, &now, e));
		to = clock_ns(CLOCK_REALTIME);
		if (to < from || to - from >= least)
			continue;
		least = to - from;
		offset = from + least / 2 - now;
	}
	snprintf(text, sizeof(text), "0x%" PRIx64, offset / 1000);
	dat7_option(m->w, DAT_DATE, text, strlen(text) + 1);
	return 0;
}

static int options_section(struct maker *m, struct err *e)
{
	char *clocks, line[sizeof(struct utsname)], version[400];
	const int *cpus;
	unsigned n = session_cpus(m->s, &cpus);
	long conf = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t count = conf > 0 ? (uint32_t)conf : 1;
	struct utsname u;
	uint64_t id = 0;
	size_t len;

	if (m->date)
		TRY(add_date(m, e));
	clocks = tracefs_text(session_dir(m->s), "trace_clock", &len, e);
	if (!clocks)
		return -1;
	dat7_option(m->w, DAT_TRACECLOCK, clocks, len + 1);
	free(clocks);
	if (uname(&u) == 0) {
		snprintf(line, sizeof(line), "%s %s %s %s", u.sysname, u.nodename, u.release,
			 u.machine);
		dat7_option(m->w, DAT_UNAME, line, strlen(line) + 1);
	}
	snprintf(version, sizeof(version), "zedtrace, %s", session_settings(m->s));
	dat7_option(m->w, DAT_VERSION, version, strlen(version) + 1);
	for (unsigned i = 0; i < n; i++)
		if (cpus[i] >= 0 && (uint32_t)cpus[i] >= count)
			count = (uint32_t)cpus[i] + 1;
	dat7_option(m->w, DAT_CPUCOUNT, &count, sizeof(count));
	/* It only has to differ from those of other traces, and a trace can do without one. */
	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) == (ssize_t)sizeof(id))
		dat7_option(m->w, DAT_TRACEID, &id, sizeof(id));
	return dat7_options(m->w, e);
}

static int make_sections(struct maker *m, struct err *e)
{
	TRY(header_info(m, e));
	TRY(ftrace_events(m, e));
	TRY(event_formats(m, e));
	TRY(kallsyms_section(m, e));
	TRY(printk_section(m, e));
	return options_section(m, e);
}

static int read_back(struct meta *out, int fd, uint64_t size, struct err *e)
{
	out->p = mem_alloc(size + 1);
	out->len = size;
	if (io_pread(fd, out->p, size, 0) == (ssize_t)size)
		return 0;
	err_sys(e, ERR_NO_OFF, "cannot read the metadata back");
	meta_fini(out);
	return -1;
}

int meta_read(struct meta *out, struct session *s, bool date, struct notes *n, struct err *e)
{
	struct dat7_head h = {
		.big_endian = BIG_ENDIAN_HERE,
		.long_size = sizeof(long),
		.page_size = session_page_size(s),
		.codec = CODEC_NONE,
	};
	struct maker m = { .s = s, .date = date, .notes = n };
	int fd = memfd_create("zedtrace-meta", MFD_CLOEXEC), rc = -1;

	memset(out, 0, sizeof(*out));
	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot allocate space for the metadata");
	m.w = dat7_writer_new(fd, &h, e);
	if (m.w && make_sections(&m, e) == 0)
		rc = read_back(out, fd, dat7_end(m.w), e);
	if (rc == 0) {
		out->page_size = h.page_size;
		out->page_head = session_page_head(s);
		out->clock = session_clock(s);
		out->self = session_self(s);
	}
	dat7_writer_free(m.w);
	close(fd);
	return rc;
}

void meta_fini(struct meta *m)
{
	free(m->p);
	memset(m, 0, sizeof(*m));
}
