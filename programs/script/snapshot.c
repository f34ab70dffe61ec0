// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snapshot: keeps the newest events of a live run in the kernel, for Zed::snapshot.
 */
#include "programs/script/snapshot.h"

#include "base/mem.h"
#include "programs/session/own.h"
#include "record/flight/flight.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SNAPSHOT "snapshot.dat" /* names those without a name */

struct live_flight {
	struct session *session;
	struct flight *flight; /* NULL: not started */
	struct poll_hook hook;
	uint64_t window;
	struct notes *notes;
};

/* The run's session has reported it, and its filter chooses what the script sees. */
static bool do_without(void *arg, const char *filter, const struct err *why)
{
	return true;
}

static void look(void *arg)
{
	struct live_flight *f = arg;

	if (f->flight)
		flight_tend(f->flight);
}

static int fds(void *arg, struct pollfd *fds, int room, int *ms)
{
	struct live_flight *f = arg;

	return f->flight ? (int)flight_fds(f->flight, fds, (unsigned)room) : 0;
}

struct live_flight *liveflight_open(const struct session_opts *o, const struct session_words *w,
				    const struct amount *keep, struct notes *n, struct err *e)
{
	struct live_flight *f = mem_zalloc(sizeof(*f));
	struct session_opts mine = *o;

	mine.beside = SESSION_FLIGHT;
	mine.buffer_kb = amount_flight_kb(keep, o->buffer_kb);
	mine.refused = do_without;
	f->hook = (struct poll_hook){ .look = look, .fds = fds, .arg = f };
	f->window = keep->ns;
	f->notes = n;
	f->session = session_open(&mine, e);
	if (f->session && session_exclude_self(f->session, e) >= 0 &&
	    session_words_exclude(w, f->session, e) >= 0)
		return f;
	liveflight_close(f);
	return NULL;
}

int liveflight_start(struct live_flight *f, struct err *e)
{
	const struct flight_opts o = {
		.session = f->session, .path = SNAPSHOT, .window = f->window, .notes = f->notes
	};

	f->flight = flight_open(&o, e);
	return f->flight ? 0 : -1;
}

struct poll_hook *liveflight_hook(struct live_flight *f)
{
	return &f->hook;
}

int liveflight_write(struct live_flight *f, const char *name, char *path, size_t size,
		     struct err *e)
{
	struct flight_result r;
	char own[100];

	if (!f->flight)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "the run has not begun");
	/* Before anything is read from the buffers. */
	if (name && (!*name || !strcmp(name, "-")))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is not the name of a file%s", name,
			       *name ? ": one that is called so is ./-" : "");
	TRY(flight_write(f->flight, name, &r, e));
	snprintf(path, size, "%s", r.path);
	note_say(f->notes, NOTE_INFO, "%s: %" PRIu64 " event%s of the last %.3f s", r.path,
		 r.events, plural(r.events), (double)r.span / 1e9);
	if (own_matters(r.own, r.traced))
		note_say(f->notes, NOTE_INFO, "%s: of these, %s", r.path,
			 own_text(own, sizeof(own), "", r.own, "zedperl"));
	if (r.short_of)
		note_say(f->notes, NOTE_WARN,
			 "%s: the buffers had no room for more: larger ones, -b, for %.6g s",
			 r.path, (double)f->window / 1e9);
	return 0;
}

void liveflight_close(struct live_flight *f)
{
	if (!f)
		return;
	flight_close(f->flight);
	if (f->session)
		session_close(f->session);
	free(f);
}
