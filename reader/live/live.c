// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live: opens a tracing session as a source: its formats as types, its CPUs as streams; and what
 * happens while it is read: waiting, new events, the end.
 */
#include "reader/live/live.h"

#include "base/mem.h"
#include "base/mono.h"
#include "reader/live/live_priv.h"
#include "kernel/session/others.h"
#include "kernel/session/watch.h"
#include "kernel/tracefs.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Maximum bytes queued in our memory, for one CPU and for all CPUs.  A CPU in a storm of system
 * calls produces 280 MB a second, and while another CPU is silent, 20 ms of slack and the time of
 * poll() have to pass.
 */
#define AHEAD (32u << 20)
#define ALL_AHEAD (256u << 20)
#define MAX_FORMAT (1u << 20)	/* real ones have at most about 20 KiB */
#define IDLE_MS 400		/* nothing to do until something arrives */
#define BUSY_MS 10		/* it cannot be known that an event has come, or is due */
#define HELD_MS 3		/* events that are due one soon after the other go together ... */
#define STEADY_NS 1000000000ull /* ... and in a slack's time, once they have come for so long */
#define NAMES_MS 50		/* the kernel's buffers for names hold those of twice as long */

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
	l->layout.big_endian = l->base.machine.big_endian;
	TRY(tracefs_layout(session_dir(l->session), &l->layout, e));
	l->layout.page_size = session_page_size(l->session);
	l->base.machine.long_size = l->layout.long_size;
	if (l->layout.data_off >= l->layout.page_size)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "events/header_page is invalid");
	return 0;
}

/* ---- the run ---- */

/*
 * What the kernel counts as lost on each CPU, and what others have read, for figures while we read
 * (trace/loss.h).
 */
static void look_at_losses(struct live *l)
{
	for (unsigned i = 0; i < l->base.nstreams; i++) {
		struct stream *s = l->base.streams[i];
		const struct cpu_stats *before = &l->before[i];
		uint64_t lost;
		struct cpu_stats st;
		struct err none;

		if (s->unread || others_stats(l->others, l->session, l->origins[i].cpu,
					      &l->totals[i], &st, NULL, &none) < 0)
			continue;
		lost = st.overrun - before->overrun + st.commit_overrun - before->commit_overrun +
		       st.dropped - before->dropped;
		if (l->touched)
			lost += livefeed_others(l->feeds[i]);
		if (lost > s->counted)
			s->counted = lost;
		livefeed_expect(l->feeds[i], s->counted, st.read - before->read);
	}
}

/*
 * About once a second: look for events of newly loaded modules, and for other processes that use
 * our instance; and what was lost.
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
	/* First: who reads the message may make the kernel count anew at once. */
	look_at_losses(l);
	l->touched = others_say(l->others, l->notes);
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

/* At least LEAST, and no longer than where nothing is to be done. */
static int within(uint64_t ms, int least)
{
	return ms < (uint64_t)least ? least : ms < IDLE_MS ? (int)ms : IDLE_MS;
}

static int slack_ms(const struct live *l)
{
	return within(l->time.slack / 1000000, HELD_MS);
}

/* Has anything been read since the last wait? */
static bool has_come(struct live *l)
{
	uint64_t done = 0, before = l->done;

	for (unsigned i = 0; i < l->base.nstreams; i++)
		done += l->feeds[i]->done;
	l->done = done;
	return done != before;
}

/* Until the event that is held back is due, as nothing earlier can arrive then. */
static int held_ms(const struct live *l)
{
	bool steady = mono_ns() - l->quiet_at > STEADY_NS;
	uint64_t now, due = l->base.held + l->time.slack;
	struct err e;

	if (!l->time.cheap || session_now(l->session, &now, &e) < 0)
		return steady ? within(BUSY_MS, slack_ms(l)) : BUSY_MS;
	/* Only a CPU that has not told how far it is holds it back. */
	if (due <= now)
		return 1;
	return within((due - now) / 1000000 + 1, steady ? slack_ms(l) : HELD_MS);
}

/*
 * The poll() timeout.  *QUIET: there is nothing here, so that poll() is to report the first event;
 * what is done every second (look_around) only needs IDLE_MS.  Otherwise poll() is to report a
 * storm.  Events that were read and are not held back (they were only counted, or are not needed)
 * are followed by others, which may collect for a slack.
 */
static int wait_ms(struct live *l, bool *quiet)
{
	bool came = has_come(l);

	*quiet = !came && l->base.held == UINT64_MAX && !l->time.stopped;
	if (*quiet)
		l->quiet_at = mono_ns();
	if (l->time.stopped)
		return 1;
	if (l->base.held != UINT64_MAX)
		return held_ms(l);
	return came ? slack_ms(l) : IDLE_MS;
}

static int live_fds(struct source *s, struct pollfd *fds, int max)
{
	struct live *l = (struct live *)s;
	bool more = false, quiet;
	int n = 0, ms;

	for (unsigned i = 0; i < s->nstreams; i++) {
		if (s->streams[i]->unread)
			continue;
		if (livefeed_drain(l->feeds[i]) && n < max)
			fds[n++] = (struct pollfd){ .fd = l->fds[i], .events = POLLIN };
		/* What is queued for later than the event that is held back waits for that, too. */
		more |= livefeed_has(l->feeds[i]) && s->streams[i]->watermark < s->held;
	}
	ms = wait_ms(l, &quiet);
	quiet &= !more;
	s->wait_ms = more ? 0 : ms;
	if (!session_set_percent(l->session, quiet ? 0 : SESSION_PERCENT) && quiet)
		s->wait_ms = BUSY_MS;
	/* A storm of new tasks that are not recorded. */
	if (s->wait_ms > NAMES_MS && l->watch)
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

void live_sample(const struct source *s,
		 void (*see)(void *arg, int cpu, const uint8_t *p, uint32_t len), void *arg)
{
	const struct live *l = (const struct live *)s;

	for (unsigned i = 0; i < s->nstreams; i++) {
		uint32_t len;
		const uint8_t *p = livefeed_newest(l->feeds[i], &len);

		if (p)
			see(arg, l->origins[i].cpu, p, len);
	}
}

static void close_live(struct source *s)
{
	struct live *l = (struct live *)s;

	source_fini(s);
	taskcgroups_free(l->cgroups);
	live_maps_fini(l);
	free(l->moves.p);
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
	free(l->totals);
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
	l->totals = mem_zalloc((n + 1) * sizeof(*l->totals));
	l->buffer.cpus = mem_zalloc((n + 1) * sizeof(*l->buffer.cpus));
	for (unsigned i = 0; i < n; i++) {
		int fd = session_fd(l->session, cpus[i]);
		unsigned k = s->nstreams;

		if (fd < 0)
			continue;
		l->fds[k] = fd;
		if (!ours)
			session_stats(l->session, cpus[i], &l->before[k], NULL, &none);
		l->totals[k].last = l->before[k];
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
		livefeed_count_others(l->feeds[k], &s->streams[k]->seen);
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
	machine_init(&s->machine, &LIVE_MACHINE, l, o->notes);
	s->machine.path = s->in.path;
	s->machine.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	idmap_init(&l->ids, c, &s->machine, o->notes);
	live_time_init(&l->time, session, o->slack, o->notes);
	l->quiet_at = mono_ns();
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
	if (session_exclude_self(session, e) < 0)
		note_err(l->notes, NOTE_WARN, e);
	l->others = others_open(session);
	live_watch_names(l);
	return s;
fail:
	close_live(s);
	return NULL;
}
