// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attend: what a recording does when it is asked for its status, another file, or a reload.
 */
#include "programs/zedtrace/attend.h"

#include "base/exec_queue.h"
#include "programs/zedtrace/reload.h"
#include "record/file/rotate.h"

#include <stdio.h>
#include <string.h>

/* False: a file is being put together. */
static bool know_files(struct attend *a)
{
	const struct parts *p = a->rotated ? rotate_settled(a->rotated) : NULL;

	if (!p)
		return false;
	a->files = p->whole;
	snprintf(a->last, sizeof(a->last), "%s", p->last ? p->last : "");
	return true;
}

static void tell_status(struct attend *a, const struct recorder *r)
{
	const struct zedtrace *z = a->zedtrace;
	struct service_status st = { .state = "recording", .output = DEFAULT_OUTPUT };
	struct recorder_progress p;

	recorder_progress(r, &p);
	know_files(a);
	if (z->host || z->output)
		st.output = z->host ? z->host : z->output;
	st.remote = z->host || !strcmp(st.output, "-");
	st.ns = p.ns;
	st.events = p.events;
	st.lost = p.lost;
	st.bytes = p.bytes;
	st.files = a->files;
	st.last = *a->last ? a->last : NULL;
	st.execs = a->exec;
	st.failed = a->exec ? execqueue_failed(a->exec) : 0;
	service_status(a->service, &st);
}

static void turn(struct attend *a)
{
	if (a->rotated) {
		rotate_now(a->rotated);
		a->turning = true;
		return;
	}
	service_snapshot(a->service, false,
			 "it writes one file: those with --rotate or --flight complete files while "
			 "they record");
}

static void begin_reload(struct attend *a)
{
	a->again = a->reloading;
	if (a->reloading)
		return;
	/* What was recorded with the settings before goes to a file of its own. */
	if (a->rotated)
		turn(a);
	a->reloading = reload_begin(a->cli, a->zedtrace, a->session, a->command);
	if (!a->reloading)
		service_reloaded(a->service);
}

static void look(void *arg, struct recorder *r, bool ready, uint64_t now)
{
	struct attend *a = arg;
	unsigned asked = service_look(a->service, ready, now);

	if (asked & SERVICE_STATUS)
		tell_status(a, r);
	if (asked & (SERVICE_SNAPSHOT | SERVICE_SIGNAL))
		turn(a);
	if (asked & SERVICE_RELOAD)
		begin_reload(a);
	if (a->turning && know_files(a)) {
		a->turning = false;
		service_snapshot(a->service, true, a->last);
	}
	if (a->reloading && !session_is_changing(a->session)) {
		a->reloading = false;
		reload_end(a->cli, a->zedtrace, a->session);
		service_reloaded(a->service);
		if (a->again)
			begin_reload(a);
	}
}

static unsigned fds(void *arg, struct pollfd *to, unsigned max, uint64_t *until)
{
	return service_fds(((struct attend *)arg)->service, to, max, until);
}

static void ends(void *arg)
{
	service_ending(((struct attend *)arg)->service);
}

void attend_init(struct attend *a)
{
	a->guest = (struct recorder_guest){ .fds = fds, .look = look, .ends = ends, .arg = a };
}
