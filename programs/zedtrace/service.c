// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service: what a recorder that is left running is asked, and what it reports about itself.
 */
#include "programs/zedtrace/service.h"

#include "base/mem.h"
#include "base/mono.h"
#include "base/outbuf.h"
#include "base/sd_notify.h"
#include "programs/zedtrace/control_socket.h"
#include "programs/zedtrace/signals.h"
#include "record/recorder.h"
#include "text/utf8_text.h"

#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define SECOND 1000000000ull
#define LOOK_EVERY SECOND /* at clients that are late */

struct service {
	struct control *control; /* NULL: none */
	uint64_t watchdog;	 /* between two signs of life, ns; 0: none is expected */
	uint64_t next_sign, next_look;
	uint64_t before_ns, before_events; /* at the last status: for the rate since */
};

struct service *service_open(struct cli *c, const struct zedtrace *z)
{
	bool several = z->rotate.bytes || z->rotate.ns || z->flight.bytes || z->flight.ns;
	struct service *s = mem_zalloc(sizeof(*s));

	if (several)
		signals_catch_request();
	if (z->unattended.config)
		signals_catch_reload();
	if (several || z->unattended.config)
		s->control = control_open(&c->run.notes);
	s->watchdog = sd_notify_watchdog() / 2;
	return s;
}

void service_close(struct service *s)
{
	if (!s)
		return;
	control_close(s->control);
	free(s);
}

void service_ready(struct service *s)
{
	sd_notify_send("READY=1\nSTATUS=recording");
	s->next_sign = mono_ns() + s->watchdog;
}

void service_ending(struct service *s)
{
	sd_notify_send("STOPPING=1\nSTATUS=completing the last file");
}

unsigned service_fds(const struct service *s, struct pollfd *fds, unsigned max, uint64_t *until)
{
	if (s->watchdog && *until > s->next_sign)
		*until = s->next_sign;
	return control_fds(s->control, fds, max);
}

unsigned service_look(struct service *s, bool ready, uint64_t now)
{
	unsigned asked = 0, came;

	if (s->watchdog && now >= s->next_sign) {
		sd_notify_send("WATCHDOG=1");
		s->next_sign = now + s->watchdog;
	}
	if (ready || now >= s->next_look) {
		s->next_look = now + LOOK_EVERY;
		came = control_look(s->control, now);
		if (came & (CONTROL_STATUS | CONTROL_JSON))
			asked |= SERVICE_STATUS;
		if (came & CONTROL_SNAPSHOT)
			asked |= SERVICE_SNAPSHOT;
	}
	if (signals_requested())
		asked |= SERVICE_SIGNAL;
	if (signals_reload()) {
		char text[80];

		snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now / 1000);
		sd_notify_send(text);
		asked |= SERVICE_RELOAD;
	}
	return asked;
}

/* ---- the status as text ---- */

/* Events a second since the status before, or since the start. */
static uint64_t rate(struct service *s, const struct service_status *st, uint64_t *ns)
{
	uint64_t more = st->events > s->before_events ? st->events - s->before_events : 0;

	*ns = st->ns > s->before_ns ? st->ns - s->before_ns : 0;
	/* Two questions in a moment: of a time that means something. */
	if (*ns < SECOND / 10) {
		*ns = st->ns;
		more = st->events;
	} else {
		s->before_ns = st->ns;
		s->before_events = st->events;
	}
	return *ns ? (uint64_t)((double)more * 1e9 / (double)*ns) : 0;
}

static void write_text(struct outbuf *o, const struct service_status *st, uint64_t a_second,
		       uint64_t ns)
{
	out_printf(o, "%d: %s for %" PRIu64 " s: %" PRIu64 " event%s, ", (int)getpid(), st->state,
		   (uint64_t)(st->ns / SECOND), st->events, plural(st->events));
	if (!st->kept)
		out_printf(o, "%" PRIu64 " a second (of the last %.1f s), ", a_second,
			   (double)ns / 1e9);
	out_printf(o, "%" PRIu64 " lost, ", st->lost);
	if (!st->kept)
		out_printf(o, "%" PRIu64 " KiB, ", st->bytes / 1024);
	if (st->last)
		out_printf(o, "%u file%s, the last %s", st->files, plural(st->files), st->last);
	else
		out_printf(o, "to %s", st->output);
	if (st->failed)
		out_printf(o, "; --exec failed for %u file%s", st->failed, plural(st->failed));
}

static void add_name(struct outbuf *o, const char *key, const char *value)
{
	out_printf(o, ",\"%s\":", key);
	if (!value) {
		out_str(o, "null");
		return;
	}
	out_char(o, '"');
	utf8_json(o, value, strlen(value));
	out_char(o, '"');
}

static void write_json(struct outbuf *o, const struct service_status *st, uint64_t a_second)
{
	out_printf(o, "{\"pid\":%d,\"state\":\"%s\",\"seconds\":%.3f,\"events\":%" PRIu64,
		   (int)getpid(), st->state, (double)st->ns / 1e9, st->events);
	if (!st->kept)
		out_printf(o, ",\"events_per_second\":%" PRIu64 ",\"bytes\":%" PRIu64, a_second,
			   st->bytes);
	out_printf(o, ",\"lost\":%" PRIu64 ",\"files\":%u", st->lost, st->files);
	add_name(o, "output", st->output);
	add_name(o, "last", st->last);
	if (st->execs)
		out_printf(o, ",\"exec_failed\":%u", st->failed);
	out_char(o, '}');
}

/* PATH for who asks, in another folder than ours; NULL stays.  Into BUF, returned. */
static const char *absolute(const char *path, char buf[2 * PATH_MAX])
{
	char here[PATH_MAX];

	if (!path || *path == '/' || !getcwd(here, sizeof(here)))
		return path;
	snprintf(buf, 2 * PATH_MAX, "%s/%s", here, path);
	return buf;
}

void service_status(struct service *s, const struct service_status *st)
{
	char output[2 * PATH_MAX], last[2 * PATH_MAX];
	struct outbuf text = { 0 }, json = { 0 };
	struct service_status whole = *st;
	uint64_t ns, a_second = rate(s, st, &ns);

	if (!st->remote)
		whole.output = absolute(st->output, output);
	whole.last = absolute(st->last, last);
	write_text(&text, &whole, a_second, ns);
	out_plain(&text, 0, 0);
	write_json(&json, &whole, a_second);
	control_answer(s->control, CONTROL_STATUS, true, out_end(&text));
	control_answer(s->control, CONTROL_JSON, true, out_end(&json));
	outbuf_fini(&text);
	outbuf_fini(&json);
}

void service_snapshot(struct service *s, bool ok, const char *text)
{
	char file[2 * PATH_MAX];

	control_answer(s->control, CONTROL_SNAPSHOT, ok, ok ? absolute(text, file) : text);
}

void service_reloaded(struct service *s)
{
	sd_notify_send("READY=1\nSTATUS=recording");
}
