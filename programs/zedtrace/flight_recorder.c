// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flight_recorder: the flight recorder: waits for the event that makes it write the last moments.
 */
#include "programs/zedtrace/zedtrace.h"

#include "base/exec_queue.h"
#include "base/mem.h"
#include "base/mono.h"
#include "kernel/filter_text.h"
#include "kernel/tracefs.h"
#include "programs/session/command.h"
#include "programs/session/own.h"
#include "programs/stop.h"
#include "programs/zedtrace/recording_report.h"
#include "programs/zedtrace/reload.h"
#include "programs/zedtrace/service.h"
#include "programs/zedtrace/signals.h"
#include "programs/zedtrace/value_trigger.h"
#include "record/flight/flight.h"
#include "record/recorder.h"
#include "ring/record_count.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ull
#define LOOK_EVERY (SECOND / 4) /* at signals, and at the time of -d */
#define WRITE_EVERY SECOND	/* at most one file in this time, however many events ask for one */
#define TRIGGER_KB 64 /* of a CPU, for --when: what has no room was one event too many anyway */

/* ---- the events of --when ---- */

/*
 * They are in a small instance of their own, where the kernel filters them and wakes us as soon as
 * one has come.
 */
struct trigger {
	struct session *session;
	const int *cpus;
	unsigned ncpus;
	uint8_t *page;
};

/* Add the event of "SYS[:EVENT]: EXPR", or of just "SYS[:EVENT]". */
static int add_event(struct event_names *names, const char *text, const char ***filters,
		     unsigned *n, struct err *e)
{
	char *pattern, *expr;
	int rc;

	if (!strstr(text, ": "))
		return event_names_add(names, text, e);
	TRY(kfilter_split(text, &pattern, &expr, e));
	rc = event_names_add(names, pattern, e);
	free(pattern);
	free(expr);
	(*filters)[(*n)++] = text;
	return rc;
}

static int trigger_begin(struct trigger *t, struct zedtrace *z, struct notes *n, struct err *e)
{
	const char **filters = mem_zalloc((z->when.n + 1) * sizeof(*filters));
	struct session_opts o = { .buffer_kb = TRIGGER_KB, .beside = SESSION_WHEN, .notes = n };
	struct event_names names;
	int rc;

	rc = event_names_init(&names, z->stable, e);
	if (rc == 0) {
		for (size_t i = 0; i < z->when.n && rc >= 0; i++)
			if (!valuetrigger_takes(z, z->when.v[i]))
				rc = add_event(&names, z->when.v[i], &filters, &o.nfilters, e);
		o.events = (const char *const *)names.v;
		o.nevents = names.n;
		o.filters = filters;
		t->session = rc < 0 ? NULL : session_open(&o, e);
		event_names_fini(&names);
	}
	free(filters);
	if (!t->session)
		return err_within(e, "--when");
	t->ncpus = session_cpus(t->session, &t->cpus);
	t->page = mem_alloc(session_page_size(t->session));
	/* Wake at the first event. */
	TRY(tracefs_write(session_dir(t->session), "buffer_percent", "0", e));
	return session_exclude_self(t->session, e) < 0 ? -1 : 0;
}

static void trigger_close(struct trigger *t)
{
	if (!t)
		return;
	session_close(t->session);
	free(t->page);
	free(t);
}

/* What watches for the events of Z->when, once its session is started.  NULL with E. */
static struct trigger *trigger_open(struct zedtrace *z, struct notes *n, struct err *e)
{
	struct trigger *t = mem_zalloc(sizeof(*t));

	if (trigger_begin(t, z, n, e) == 0)
		return t;
	trigger_close(t);
	return NULL;
}

/* The descriptors on which poll() reports an event, at most MAX into FDS.  Returns how many. */
static unsigned trigger_fds(const struct trigger *t, struct pollfd *fds, unsigned max)
{
	unsigned n = t->ncpus < max ? t->ncpus : max;

	for (unsigned i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = session_fd(t->session, t->cpus[i]),
					  .events = POLLIN };
	return n;
}

/* Has there been an event since the last call?  Does not wait. */
static bool trigger_look(struct trigger *t)
{
	uint32_t size = session_page_size(t->session), head = session_page_head(t->session);
	unsigned events = 0;

	for (unsigned i = 0; i < t->ncpus; i++) {
		int fd = session_fd(t->session, t->cpus[i]);
		unsigned pages = TRIGGER_KB * 1024u / size + 1;
		ssize_t n;

		while (fd >= 0 && pages-- && (n = read(fd, t->page, size)) > 0)
			events += records_in_page(t->page, (uint32_t)n, head);
	}
	return events;
}

/* ---- the flight ---- */

struct flight_run {
	struct cli *c;
	struct zedtrace *z;
	struct session *session;
	struct flight *flight;
	struct exec_queue *exec;     /* of --exec; NULL: not given */
	struct trigger *trigger;     /* --when with events of the kernel; NULL: none */
	struct value_trigger *value; /* ... with events made of two */
	struct command command;
	struct pollfd *fds;
	unsigned ncpus;
	struct service *service;
	bool asked;			   /* a file is to be written for --snapshot */
	bool reload;			   /* another set of events, once a file was written */
	uint64_t began, until, next_write; /* CLOCK_MONOTONIC, ns */
	const char *why;		   /* why a file is asked for; NULL: none is */
	bool failed;			   /* one could not be written, which was reported */
};

static int open_session(struct flight_run *r, struct err *e)
{
	struct zedtrace *z = r->z;
	struct session_opts o = { .notes = &r->c->run.notes };
	char beside[SIGNALS_PATH];
	const int *cpus;

	session_remove_dead(&r->c->run.notes);
	TRY(session_words_mean(&z->words, &r->command, &z->events, &o, e));
	o.tracer = z->tracer;
	o.buffer_kb = amount_flight_kb(&z->flight, z->words.buffer_kb);
	r->session = session_open(&o, e);
	if (!r->session)
		return -1;
	session_beside(r->session, beside, sizeof(beside));
	signals_leave(session_dir(r->session), beside);
	r->ncpus = session_cpus(r->session, &cpus);
	r->fds = mem_zalloc((2 * r->ncpus + 2 + RECORDER_GUEST_FDS) * sizeof(*r->fds));
	TRY(session_exclude_self(r->session, e));
	return session_words_exclude(&z->words, r->session, e);
}

static void made(void *arg, const char *path)
{
	execqueue_put(arg, path);
}

/* What waits for the events of --when, with their tracing off. */
static int open_triggers(struct flight_run *r, struct err *e)
{
	unsigned values = 0, all = r->z->when.n;

	for (unsigned i = 0; i < all; i++)
		values += valuetrigger_takes(r->z, r->z->when.v[i]);
	if (values < all) {
		r->trigger = trigger_open(r->z, &r->c->run.notes, e);
		if (!r->trigger)
			return -1;
		signals_leave_also(session_dir(r->trigger->session));
	}
	if (values) {
		r->value = valuetrigger_new(r->z, &r->c->run.notes, e);
		if (!r->value)
			return -1;
		signals_leave_also(valuetrigger_dir(r->value));
	}
	return 0;
}

static int begin(struct flight_run *r, struct err *e)
{
	struct zedtrace *z = r->z;
	struct flight_opts o = {
		.path = z->output ? z->output : DEFAULT_OUTPUT,
		.window = z->flight.ns,
		.keep = z->keep,
		.made = r->exec ? made : NULL,
		.arg = r->exec,
		.codec = z->codec,
		.plain = z->plain,
		.date = z->date,
		.maps = z->words.user_stacks && !z->no_maps,
		.stop = &cli_stop,
		.notes = &r->c->run.notes,
	};

	TRY(open_session(r, e));
	TRY(open_triggers(r, e));
	o.session = r->session;
	r->flight = flight_open(&o, e);
	if (!r->flight)
		return -1;
	/* Only now: an event before would ask for a file, and not be in it. */
	if (r->trigger)
		TRY(session_start(r->trigger->session, e));
	if (r->value)
		TRY(valuetrigger_start(r->value, e));
	r->began = mono_ns();
	r->until = z->words.duration ? r->began + z->words.duration : UINT64_MAX;
	service_ready(r->service);
	if (r->command.pid)
		command_go(&r->command);
	else if (isatty(STDERR_FILENO))
		fprintf(stderr, "recording... kill -USR1 %d writes a file, Ctrl-C ends\n",
			(int)getpid());
	return 0;
}

static void say(struct flight_run *r, const struct flight_result *f)
{
	char span[64] = "", own[100];

	if (f->span)
		snprintf(span, sizeof(span), " of the last %" PRIu64 ".%03u s",
			 (uint64_t)(f->span / SECOND), (unsigned)(f->span % SECOND / 1000000));
	cli_say(r->c, "%s: %s: %" PRIu64 " event%s%s; tracing was off for %.1f ms", f->path, r->why,
		f->events, plural(f->events), span, (double)f->still / 1e6);
	if (own_matters(f->own, f->traced))
		cli_say(r->c, "%s: of these, %s", f->path,
			own_text(own, sizeof(own), "", f->own, "zedtrace"));
	if (f->short_of)
		cli_say(r->c, "%s: the buffers had no room for more: larger ones, -b, for %.6g s",
			f->path, (double)r->z->flight.ns / 1e9);
}

/* For --snapshot, if that asked. */
static void answer(struct flight_run *r, bool ok, const char *text)
{
	if (r->asked)
		service_snapshot(r->service, ok, text);
	r->asked = false;
}

/*
 * An unattended recorder continues when one file cannot be written: at the next the disk may have
 * room again.  -1 with E: it can no longer record.
 */
static int write_file(struct flight_run *r, struct err *e)
{
	struct flight_result f;

	if (flight_write(r->flight, NULL, &f, e) == 0) {
		say(r, &f);
		answer(r, true, f.path);
	} else if (session_is_on(r->session)) {
		cli_say_err(r->c, e);
		answer(r, false, "the file could not be written: its messages say why");
		r->failed = true;
	} else {
		return -1;
	}
	r->why = NULL;
	r->next_write = mono_ns() + WRITE_EVERY;
	return 0;
}

static void tell_status(struct flight_run *r)
{
	const struct parts *p = flight_parts(r->flight);
	struct service_status st = {
		.state = "keeping the newest events",
		.output = r->z->output ? r->z->output : DEFAULT_OUTPUT,
		.ns = mono_ns() - r->began,
		.kept = true,
		.files = p->whole,
		.last = p->last,
		.execs = r->exec,
		.failed = r->exec ? execqueue_failed(r->exec) : 0,
	};

	flight_progress(r->flight, &st.events, &st.lost);
	service_status(r->service, &st);
}

/* What ASKED of enum service_asked needs; a file is written by the loop. */
static void attend(struct flight_run *r, unsigned asked)
{
	if (asked & SERVICE_STATUS)
		tell_status(r);
	if (asked & SERVICE_SIGNAL)
		r->why = "SIGUSR1";
	if (asked & SERVICE_SNAPSHOT) {
		r->why = "--snapshot";
		r->asked = true;
	}
	if (asked & SERVICE_RELOAD) {
		r->reload = true;
		if (flight_has_events(r->flight))
			r->why = "reload";
	}
}

/* Other events: those before are in a file, as nothing describes them any more. */
static void reload(struct flight_run *r)
{
	struct err e;

	r->reload = false;
	if (reload_begin(r->c, r->z, r->session, r->command.pid)) {
		while (session_change_step(r->session, NULL, NULL))
			;
		if (flight_renew(r->flight, &e) < 0)
			note_err(&r->c->run.notes, NOTE_DAMAGE, &e);
		reload_end(r->c, r->z, r->session);
	}
	service_reloaded(r->service);
}

/* Wait until something happens that may ask for a file, or end the run. */
static void wait_for(struct flight_run *r)
{
	uint64_t now = mono_ns(), until = now + LOOK_EVERY;
	unsigned n = flight_fds(r->flight, r->fds, r->ncpus), own;
	bool ready = false;
	struct timespec t;

	/* While a file has to wait, further events make no difference. */
	if (r->trigger && !r->why)
		n += trigger_fds(r->trigger, r->fds + n, r->ncpus);
	if (r->value && !r->why)
		r->fds[n++] = (struct pollfd){ .fd = valuetrigger_fd(r->value), .events = POLLIN };
	for (unsigned i = 0; i < n; i++)
		if (r->fds[i].revents & (POLLERR | POLLHUP | POLLNVAL))
			r->fds[i].fd = -1;
	own = service_fds(r->service, r->fds + n, RECORDER_GUEST_FDS, &until);
	until = until > now ? until - now : 0;
	t = (struct timespec){ (time_t)(until / SECOND), (long)(until % SECOND) };
	if (ppoll(r->fds, n + own, &t, NULL) > 0)
		for (unsigned i = 0; i < own; i++)
			ready |= r->fds[n + i].revents != 0;
	flight_tend(r->flight);
	attend(r, service_look(r->service, ready, mono_ns()));
}

static bool ended(struct flight_run *r)
{
	return cli_stop || mono_ns() >= r->until || (r->command.pid && command_over(&r->command));
}

static int fly(struct flight_run *r, struct err *e)
{
	while (!ended(r)) {
		wait_for(r);
		if ((r->trigger && trigger_look(r->trigger)) ||
		    (r->value && valuetrigger_look(r->value)))
			r->why = "--when";
		if (r->why && mono_ns() >= r->next_write)
			TRY(write_file(r, e));
		if (r->reload && !r->why)
			reload(r);
	}
	service_ending(r->service);
	if (!r->z->when.n && flight_has_events(r->flight))
		r->why = "the end";
	return r->why ? write_file(r, e) : 0;
}

static void take_down(struct flight_run *r)
{
	char files[REPORT_FILES];

	service_close(r->service);
	if (r->flight) {
		report_parts(flight_parts(r->flight), files, sizeof(files));
		if (*files)
			cli_say(r->c, "files: %s", files);
		else if (!r->why && !r->failed)
			cli_say(r->c, "no file was written: nothing asked for one");
	}
	trigger_close(r->trigger);
	valuetrigger_free(r->value);
	flight_close(r->flight);
	if (r->session)
		session_close(r->session);
	signals_leave("", "");
	free(r->fds);
}

int zedtrace_flight(struct cli *c, struct zedtrace *z)
{
	struct flight_run r = { .c = c, .z = z };
	int status = CLI_OK, rc;
	struct err e;

	if (zedtrace_events(c, z, &e) < 0) {
		cli_say_err(c, &e);
		return CLI_USAGE;
	}
	if (c->words.command) {
		signals_catch_child();
		rc = command_begin(&r.command, c, false);
		if (rc)
			return rc;
	}
	signals_catch();
	rc = zedtrace_exec(c, z, &r.exec);
	if (rc) {
		command_drop(&r.command);
		return rc;
	}
	r.service = service_open(c, z);
	if (begin(&r, &e) < 0 || fly(&r, &e) < 0) {
		cli_say_err(c, &e);
		status = r.flight ? CLI_DAMAGE : CLI_USAGE;
	}
	if (!status && r.failed)
		status = CLI_DAMAGE;
	take_down(&r);
	execqueue_end(r.exec, ZEDTRACE_EXEC_LIMIT);
	if (r.command.pid)
		status = command_end(&r.command, c, status);
	if (!status && c->run.notes.damage)
		status = CLI_DAMAGE;
	command_drop(&r.command);
	return status;
}
