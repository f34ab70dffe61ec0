// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live: opens a tracing session as a source: its formats as types, its CPUs as streams, and /proc
 * and tracefs for the names, symbols and other texts of the machine.
 */
#include "reader/live/live.h"

#include "base/mem.h"
#include "base/mono.h"
#include "reader/live/pipe_feed.h"
#include "kernel/procs.h"
#include "kernel/session/others.h"
#include "kernel/session/watch.h"
#include "kernel/tracefs.h"
#include "ring/clock.h"
#include "ring/ring.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * Maximum bytes queued in our memory, for one CPU and for all CPUs.  A CPU in a storm of system
 * calls produces 280 MB a second, and while another CPU is silent, 20 ms of slack and the time of
 * poll() have to pass.
 */
#define AHEAD (32u << 20)
#define ALL_AHEAD (256u << 20)
#define MAX_FORMAT (1u << 20)	/* real ones have at most about 20 KiB */
#define COMMS_AGE 1000000000ull /* ns: saved_cmdlines is not read more often */
#define IDLE_MS 250		/* nothing to do until something arrives */
#define BUSY_MS 10		/* events are here, and more may arrive at any time */
#define HELD_MS 4		/* ... but not more wake-ups than this to deliver one */
#define WATCH_EVERY 2000000ull	/* ns: reading names costs a system call for each CPU */

/*
 * One instance while it is read.  Parts with functions of their own (session, watch, others,
 * live_time) are structs; the rest is this file's.
 */
struct live {
	struct source base; /* must be first */
	struct session *session;
	struct catalog *catalog;
	struct notes *notes;
	struct idmap ids;
	struct clock clock; /* nothing to correct */
	struct page_layout layout;
	struct buffer buffer;
	struct origin *origins; /* of the streams, as are feeds and fds */
	struct feed **feeds;
	int *fds;
	struct cpu_stats *before; /* of each stream's CPU when we attached to another's instance */
	struct live_time time;
	char **formats; /* the types point into these */
	size_t nformats, cap_formats;
	char *texts[NTEXT];
	size_t text_lens[NTEXT];
	bool asked[NTEXT];
	char *comms;	   /* saved_cmdlines, last version read */
	uint64_t comms_at; /* wall ns */
	bool off_said;
	struct others *others; /* other users of our instance */
	struct watch *watch;   /* all names with times; NULL: only some, from /proc */
	struct stream
		watermark_stream; /* no event is delivered before the names of its time are known */
	struct origin watermark_from;
	uint64_t watched_at; /* wall ns; 0: not yet */
};

/* ---- types ---- */

/* events/NAME, a format or header_page: of the instance, else of the root. */
static char *event_text(struct live *l, const char *name, size_t *len, struct err *e)
{
	char path[512];
	char *text;

	snprintf(path, sizeof(path), "events/%s", name);
	text = tracefs_text(session_dir(l->session), path, len, e);
	return text ? text : tracefs_text(session_root(l->session), path, len, e);
}

static int add_type(struct live *l, const char *system, const char *name, struct err *e)
{
	struct etype *t;
	char path[400];
	size_t len;
	char *text;

	snprintf(path, sizeof(path), "%s/%s/format", system, name);
	text = event_text(l, path, &len, e);
	if (!text)
		return -1;
	if (len > MAX_FORMAT) {
		free(text);
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the format of %s:%s has %zu bytes",
			       system, name, len);
	}
	t = catalog_add(l->catalog, &l->base.machine, system, text, len, e);
	if (!t) {
		free(text);
		return err_within(e, "the format of %s:%s", system, name);
	}
	l->formats = mem_grow(l->formats, &l->cap_formats, l->nformats + 1, sizeof(*l->formats));
	l->formats[l->nformats++] = text;
	idmap_add(&l->ids, t);
	return 0;
}

/* Without a format an event is unknown, which is reported at its first record. */
static void new_type(void *arg, const struct tracefs_event *ev)
{
	struct live *l = arg;
	struct err e;

	if (add_type(l, ev->system, ev->name, &e) < 0)
		note_err(l->notes, NOTE_WARN, &e);
}

/* ftrace's own events (trace_marker's print, ...) are only listed in their directory. */
static void add_own_types(struct live *l)
{
	char path[512];
	struct dirent *d;
	struct err e;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events/ftrace", session_root(l->session));
	dir = opendir(path);
	if (!dir)
		return;
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.' && d->d_type == DT_DIR)
			add_type(l, "ftrace", d->d_name, &e);
	closedir(dir);
}

static int read_layout(struct live *l, struct err *e)
{
	size_t len;
	char *text = event_text(l, "header_page", &len, e);
	int rc;

	if (!text)
		return -1;
	l->layout.big_endian = l->base.machine.big_endian;
	rc = header_page_parse(&l->layout, text, len, sizeof(long), e);
	free(text);
	if (rc < 0)
		return err_within(e, "events/header_page");
	l->layout.page_size = session_page_size(l->session);
	l->base.machine.long_size = l->layout.long_size;
	if (l->layout.data_off >= l->layout.page_size)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "events/header_page is invalid");
	return 0;
}

/* ---- what the machine knows ---- */

/*
 * "CPU: 0" and the kernel's statistics, for each CPU.  What other readers took is known once we
 * have read everything else.
 */
static char *cpu_stats(struct live *l, size_t *len)
{
	bool touched = others_say(l->others, l->notes);
	uint64_t by_others = 0;
	char *all = NULL;
	size_t cap = 0;

	*len = 0;
	for (unsigned i = 0; i < l->base.nstreams; i++) {
		const struct cpu_stats *before = &l->before[i];
		struct cpu_stats st;
		char head[32], *text;
		uint64_t read;
		struct err e;
		size_t n, k;

		if (session_stats(l->session, l->origins[i].cpu, &st, &text, &e) < 0) {
			note_err(l->notes, NOTE_WARN, &e);
			continue;
		}
		if (!session_is_ours(l->session)) {
			char *whole = text;

			text = session_stats_since(whole, &st, before, true);
			free(whole);
		}
		read = st.read - before->read;
		if (touched && l->time.stopped && read > l->base.streams[i]->seen &&
		    !l->base.streams[i]->unread) {
			text = others_in_stats(text, read - l->base.streams[i]->seen);
			by_others += read - l->base.streams[i]->seen;
		}
		n = snprintf(head, sizeof(head), "CPU: %d\n", l->origins[i].cpu);
		k = strlen(text);
		all = mem_grow(all, &cap, *len + n + k + 1, 1);
		memcpy(all + *len, head, n);
		memcpy(all + *len + n, text, k + 1);
		*len += n + k;
		free(text);
	}
	others_say_read(by_others, l->notes);
	return all;
}

static char *uname_text(size_t *len)
{
	struct utsname u;
	char line[400];

	if (uname(&u) < 0)
		return NULL;
	*len = snprintf(line, sizeof(line), "%s %s %s %s", u.sysname, u.nodename, u.release,
			u.machine);
	return mem_strdup(line);
}

static char *load(struct live *l, enum machine_text which, size_t *len)
{
	struct err e;
	char *text = NULL;

	switch (which) {
	case TEXT_KALLSYMS:
		text = session_kallsyms(l->session, len, &e);
		break;
	case TEXT_PRINTK:
		text = tracefs_text(session_root(l->session), "printk_formats", len, &e);
		break;
	case TEXT_CMDLINES:
		if (session_is_past(l->session))
			return NULL;
		text = tracefs_text(session_root(l->session), "saved_cmdlines", len, &e);
		break;
	case TEXT_UNAME:
		return uname_text(len);
	case TEXT_CPUSTAT:
		return cpu_stats(l, len);
	case NTEXT:
		return NULL;
	}
	/* Names and symbols are optional, not part of the trace. */
	if (!text)
		note_err(l->notes, NOTE_INFO, &e);
	return text;
}

static int text_of(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	struct live *l = arg;

	/* The statistics are those at the end; all others are read once. */
	if (!l->asked[which]) {
		l->asked[which] = true;
		l->texts[which] = load(l, which, &l->text_lens[which]);
	}
	*p = l->texts[which] ? l->texts[which] : "";
	*len = l->texts[which] ? l->text_lens[which] : 0;
	return 0;
}

/* The name of PID in saved_cmdlines, which also has ended tasks. */
static bool saved_comm(struct live *l, int32_t pid, char buf[16])
{
	uint64_t now = mono_ns();
	char key[16];
	size_t n;

	if (!l->comms || now - l->comms_at >= COMMS_AGE) {
		struct err e;
		size_t len;

		free(l->comms);
		l->comms = tracefs_text(session_root(l->session), "saved_cmdlines", &len, &e);
		if (!l->comms)
			l->comms = mem_strdup("");
		l->comms_at = now;
	}
	n = snprintf(key, sizeof(key), "%d ", pid);
	for (const char *line = l->comms; *line;) {
		size_t k = strcspn(line, "\n");

		if (k > n && !memcmp(line, key, n)) {
			snprintf(buf, 16, "%.*s", (int)(k - n < 15 ? k - n : 15), line + n);
			return strcmp(buf, "<...>") != 0;
		}
		line += k + (line[k] == '\n');
	}
	return false;
}

static bool comm_of(void *arg, int32_t pid, char buf[16])
{
	struct live *l = arg;

	return !session_is_past(l->session) && (procs_comm(pid, buf) || saved_comm(l, pid, buf));
}

/* ---- names with their times ---- */

static void new_name(void *arg, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	comms_set(arg, ts, pid, name, len);
}

static void old_name(void *arg, pid_t pid, const char *name)
{
	comms_set(arg, 0, pid, name, strlen(name));
}

static enum pull next_watermark(struct stream *s, struct err *e)
{
	struct live *l = (struct live *)((char *)s - offsetof(struct live, watermark_stream));
	uint64_t wall = mono_ns(), watermark;
	bool last = l->time.stopped && wall >= l->time.stopped_at + LIVE_SETTLE;

	if (!last && l->watched_at && wall - l->watched_at < WATCH_EVERY)
		return PULL_WAIT;
	l->watched_at = wall;
	watermark = live_watermark(&l->time, wall);
	watch_read(l->watch, new_name, l->base.machine.comms);
	if (last) {
		watch_say_lost(l->watch, l->notes);
		return PULL_EOF;
	}
	if (watermark > s->watermark)
		s->watermark = watermark;
	return PULL_WAIT;
}

static const struct stream_ops watermark_ops = { .next = next_watermark };

/* Before tracing begins: read the current names of tasks, and watch for new ones. */
static void watch_names(struct live *l)
{
	l->watch = session_is_past(l->session) ? NULL : watch_open(l->session, l->notes);
	if (!l->watch)
		return;
	comms_expect_all(l->base.machine.comms);
	procs_each(old_name, l->base.machine.comms);
	l->watermark_from = (struct origin){ .path = l->base.in.path, .instance = l->buffer.name };
	l->watermark_stream = (struct stream){ .ops = &watermark_ops,
					       .from = &l->watermark_from,
					       .multiplexed = true };
	l->base.watermark_stream = &l->watermark_stream;
}

static const struct machine_ops texts = { .text = text_of, .comm = comm_of };

/* ---- the run ---- */

/*
 * About once a second: look for events of newly loaded modules, and for other processes that use
 * our instance.
 */
static void look_around(void *arg)
{
	struct live *l = arg;
	struct err e;
	bool on;

	if (l->time.stopped)
		return;
	if (session_rescan(l->session, new_type, l, &e) < 0)
		note_err(l->notes, NOTE_INFO, &e);
	others_say(l->others, l->notes);
	on = session_is_on(l->session);
	if (!on && !l->off_said && !session_is_ours(l->session))
		note_say(l->notes, NOTE_WARN, "tracing is off in %s", session_dir(l->session));
	else if (!on && !l->off_said)
		note_say(l->notes, NOTE_WARN,
			 "another process switched tracing off: no event comes "
			 "until  echo 1 > %s/tracing_on",
			 session_dir(l->session));
	l->off_said = !on;
}

/*
 * The poll() timeout.  While an event is held back: until nothing earlier can arrive.  Otherwise
 * poll() reports the first event; the work done every second (look_around) only needs IDLE_MS.
 */
static int wait_ms(const struct live *l)
{
	uint64_t held = l->base.held, now, due;
	struct err e;

	if (l->time.stopped)
		return 1;
	if (held == UINT64_MAX)
		return IDLE_MS;
	if (!l->time.cheap || session_now(l->session, &now, &e) < 0)
		return BUSY_MS;
	due = held + l->time.slack;
	if (due <= now)
		return 1;
	if (due - now >= BUSY_MS * 1000000ull)
		return BUSY_MS;
	due = (due - now) / 1000000 + 1;
	return due > HELD_MS ? (int)due : HELD_MS;
}

static int live_fds(struct source *s, struct pollfd *fds, int max)
{
	struct live *l = (struct live *)s;
	bool more = false;
	int n = 0;

	for (unsigned i = 0; i < s->nstreams; i++) {
		if (s->streams[i]->unread)
			continue;
		if (livefeed_drain(l->feeds[i]) && n < max)
			fds[n++] = (struct pollfd){ .fd = l->fds[i], .events = POLLIN };
		more |= livefeed_has(l->feeds[i]);
	}
	s->wait_ms = more ? 0 : wait_ms(l);
	if (!session_set_percent(l->session, s->wait_ms == IDLE_MS ? 0 : SESSION_PERCENT) &&
	    s->wait_ms == IDLE_MS)
		s->wait_ms = BUSY_MS;
	/* A storm of new tasks that are not recorded. */
	if (s->wait_ms == IDLE_MS && l->watch)
		n += (int)watch_fds(l->watch, fds + n, (unsigned)(max - n));
	return n;
}

static void stop_live(struct source *s)
{
	struct live *l = (struct live *)s;
	struct err e;

	if (l->time.stopped)
		return;
	if (session_stop(l->session, &e) < 0)
		note_err(l->notes, NOTE_WARN, &e);
	if (!session_is_ours(l->session) && session_now(l->session, &l->time.until, &e) < 0)
		note_err(l->notes, NOTE_WARN, &e);
	l->time.stopped = true;
	l->time.stopped_at = mono_ns();
}

uint64_t live_own(const struct source *s, uint64_t *events, uint64_t *until)
{
	const struct live *l = (const struct live *)s;
	uint64_t own = 0;

	*events = 0;
	*until = l->time.stopped ? l->time.stopped_at : mono_ns();
	for (unsigned i = 0; i < s->nstreams; i++) {
		own += livefeed_own(l->feeds[i]);
		*events += s->streams[i]->seen;
	}
	return own;
}

static void close_live(struct source *s)
{
	struct live *l = (struct live *)s;

	source_fini(s);
	watch_close(l->watch);
	others_close(l->others);
	session_close(l->session);
	idmap_fini(&l->ids);
	for (size_t i = 0; i < l->nformats; i++)
		free(l->formats[i]);
	free(l->formats);
	for (unsigned i = 0; i < NTEXT; i++)
		free(l->texts[i]);
	free(l->comms);
	free(l->origins);
	free(l->feeds);
	free(l->fds);
	free(l->before);
	buffer_fini(&l->buffer);
	free(l);
}

static const struct source_ops live_source = {
	.name = "live trace",
	.fds = live_fds,
	.stop = stop_live,
	.close = close_live,
};

/* A stream for each CPU that can be read. */
static void add_streams(struct live *l, const int *cpus, unsigned n)
{
	struct source *s = &l->base;
	uint32_t ahead = ALL_AHEAD / (n ? n : 1) < AHEAD ? ALL_AHEAD / (n ? n : 1) : AHEAD;
	bool ours = session_is_ours(l->session);
	struct err none;

	s->streams = mem_zalloc((n + 1) * sizeof(*s->streams));
	l->origins = mem_zalloc((n + 1) * sizeof(*l->origins));
	l->feeds = mem_zalloc((n + 1) * sizeof(*l->feeds));
	l->fds = mem_zalloc((n + 1) * sizeof(*l->fds));
	l->before = mem_zalloc((n + 1) * sizeof(*l->before));
	l->buffer.cpus = mem_zalloc((n + 1) * sizeof(*l->buffer.cpus));
	for (unsigned i = 0; i < n; i++) {
		int fd = session_fd(l->session, cpus[i]);
		unsigned k = s->nstreams;

		if (fd < 0)
			continue;
		l->fds[k] = fd;
		if (!ours)
			session_stats(l->session, cpus[i], &l->before[k], NULL, &none);
		l->origins[k] = (struct origin){ .path = s->in.path,
						 .instance = l->buffer.name,
						 .cpu = cpus[i] };
		l->buffer.cpus[k].cpu = cpus[i];
		l->feeds[k] = livefeed_new(&l->time, cpus[i], fd, ours ? NULL : &l->before[k],
					   l->layout.page_size, ahead);
		s->streams[k] = ring_stream(&(struct ring_opts){ .feed = l->feeds[k],
								 .layout = l->layout,
								 .clock = &l->clock,
								 .ids = &l->ids,
								 .from = &l->origins[k],
								 .seq = k });
		s->nstreams++;
	}
	l->buffer.ncpus = s->nstreams;
}

struct source *live_open(struct session *session, struct catalog *c, const struct source_opts *o,
			 struct err *e)
{
	struct live *l = mem_zalloc(sizeof(*l));
	struct source *s = &l->base;
	const struct tracefs_event *events;
	const int *cpus;
	unsigned n;

	l->session = session;
	l->catalog = c;
	l->notes = o->notes;
	s->ops = &live_source;
	s->in = (struct input){ .path = mem_strdup("live"), .fd = -1 };
	s->dialect = "tracefs";
	s->compression = "none";
	machine_init(&s->machine, &texts, l, o->notes);
	s->machine.path = s->in.path;
	s->machine.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	idmap_init(&l->ids, c, &s->machine, o->notes);
	live_time_init(&l->time, session, o->slack, o->notes);
	l->time.tick = look_around;
	l->time.arg = l;
	l->buffer.name = mem_strdup(session_name(session));
	l->buffer.clock = mem_strdup(session_clock(session));
	s->clock_is_ns = clock_in_seconds(l->buffer.clock);
	s->buffers = &l->buffer;
	s->nbuffers = 1;
	if (read_layout(l, e) < 0)
		goto fail;
	l->buffer.page_size = l->layout.page_size;
	events = session_events(session, &n);
	for (unsigned i = 0; i < n; i++)
		new_type(l, &events[i]);
	add_own_types(l);
	idmap_common(&l->ids);
	n = session_cpus(session, &cpus);
	s->cpu_count = n;
	add_streams(l, cpus, n);
	if (!s->nstreams) {
		err_set(e, ERR_SYS, ERR_NO_OFF, "no CPU's trace_pipe_raw could be opened");
		goto fail;
	}
	if (session_exclude(session, getpid(), e) < 0)
		note_err(l->notes, NOTE_WARN, e);
	l->others = others_open(session);
	watch_names(l);
	return s;
fail:
	close_live(s);
	return NULL;
}
