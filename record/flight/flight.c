// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flight: keeps the newest events in the kernel, and writes them to a file when asked.
 */
#include "record/flight/flight.h"

#include "base/mem.h"
#include "base/mono.h"
#include "record/cpu_pages.h"
#include "record/flight/newest.h"
#include "record/file/preamble.h"
#include "record/session_meta.h"
#include "record/flight/names_past.h"
#include "record/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flight {
	struct flight_opts o;
	struct spool_opts file; /* without its path */
	struct parts parts;
	struct meta meta;
	struct names_past *names;
	struct counts counts;
	uint64_t since; /* CLOCK_MONOTONIC ns: tracing went on */
};

/* Once, and not while tracing stands still for a file. */
static void pack(struct flight *f)
{
	size_t len;
	uint8_t *p = spool_packs(&f->file) ? preamble_pack(f->meta.p, f->meta.len, &len) : NULL;

	if (p) {
		free(f->meta.p);
		f->meta.p = p;
		f->meta.len = len;
	}
}

struct flight *flight_open(const struct flight_opts *o, struct err *e)
{
	struct flight *f = mem_zalloc(sizeof(*f));

	f->o = *o;
	f->file = (struct spool_opts){
		.codec = o->codec, .plain = o->plain, .unsynced = true, .notes = o->notes
	};
	if (o->window && !session_clock_is_cheap(o->session)) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"the age of an event is unknown with the clock %s: give a size, or use the "
			"clock mono",
			session_clock(o->session));
		free(f);
		return NULL;
	}
	counts_init(&f->counts, o->session, o->notes);
	f->file.ncpus = f->counts.n;
	f->names = namespast_new(o->session, o->notes);
	if (parts_init(&f->parts, o->path, o->keep, e) < 0 ||
	    meta_read(&f->meta, o->session, o->date, o->notes, e) < 0) {
		flight_close(f);
		return NULL;
	}
	pack(f);
	if (session_start(o->session, e) == 0) {
		f->since = mono_ns();
		f->meta.watched = namespast_watched(f->names);
		return f;
	}
	flight_close(f);
	return NULL;
}

void flight_close(struct flight *f)
{
	if (!f)
		return;
	namespast_free(f->names);
	meta_fini(&f->meta);
	counts_fini(&f->counts);
	parts_fini(&f->parts);
	free(f);
}

void flight_tend(struct flight *f)
{
	namespast_tend(f->names);
}

unsigned flight_fds(const struct flight *f, struct pollfd *fds, unsigned max)
{
	return namespast_fds(f->names, fds, max);
}

bool flight_has_events(const struct flight *f)
{
	struct cpu_stats st;
	struct err e;

	for (unsigned i = 0; i < f->counts.n; i++)
		if (session_stats(f->o.session, f->counts.cpus[i], &st, NULL, &e) < 0 || st.entries)
			return true;
	return false;
}

const struct parts *flight_parts(const struct flight *f)
{
	return &f->parts;
}

/* Tracing is off; everything that was young enough at NOW goes to OUT. */
static int empty(struct flight *f, struct output *out, uint64_t now, struct flight_result *r,
		 struct err *e)
{
	uint64_t since = 0;
	struct cpu_pages pages;
	struct newest newest;
	int rc;

	if (f->o.window && now > f->o.window)
		since = now - f->o.window;
	newest_init(&newest, out, f->o.session, since);
	rc = cpupages_init(&pages, f->o.session, &newest.base, f->o.notes, e);
	if (rc == 0)
		rc = cpupages_drain(&pages, e);
	cpupages_fini(&pages);
	r->events = newest.events;
	r->own = newest.own;
	r->older = newest.older;
	if (newest.first < now)
		r->span = now - newest.first;
	r->short_of = !r->older && newest.first != UINT64_MAX && newest.first > since;
	newest_fini(&newest);
	return rc;
}

static int end_file(struct flight *f, struct output *out, struct flight_result *r, struct err *e)
{
	struct recorder_result numbers;
	struct output_end end;
	int rc;

	counts_take(&f->counts, true, &numbers);
	for (unsigned i = 0; i < numbers.ncpus; i++)
		r->overwritten += numbers.cpus[i].overrun;
	end = (struct output_end){ .cpus = f->counts.cpus,
				   .stats = f->counts.stats,
				   .read = f->counts.read,
				   .ncpus = f->counts.n,
				   .events = r->events };
	recorder_result_fini(&numbers);
	rc = namespast_give(f->names, out, e);
	namespast_last(f->names, &end.comms, &end.comms_len);
	return rc ? rc : out->ops->end(out, &end, e);
}

static int write_file(struct flight *f, const char *path, struct flight_result *r, struct err *e)
{
	struct spool_opts file = f->file;
	uint64_t began = mono_ns(), now = 0;
	struct output *out = NULL;
	struct err later;
	int rc = -1;

	/*
	 * The window ends now: others that trace may keep the kernel, and a busy disk the file,
	 * longer than it is.
	 */
	if (session_clock_is_cheap(f->o.session))
		TRY(session_now(f->o.session, &now, e));
	/* Before it is overwritten. */
	TRY(session_stop(f->o.session, e));
	file.path = path;
	out = spool_new(&file, e);
	if (out) {
		out->stop = f->o.stop;
		out->notes = f->o.notes;
		rc = out->ops->begin(out, &f->meta, e);
		if (rc == 0)
			rc = empty(f, out, now, r, e);
	}
	if (session_start(f->o.session, rc ? &later : e) < 0 && !rc)
		rc = -1;
	r->traced = r->span ? r->span : began - f->since;
	f->since = mono_ns();
	r->still = f->since - began;
	if (rc == 0)
		rc = end_file(f, out, r, e);
	if (out)
		out->ops->close(out);
	return rc;
}

int flight_write(struct flight *f, const char *path, struct flight_result *r, struct err *e)
{
	char *name = path ? mem_strdup(path) : parts_next(&f->parts);
	int rc;

	*r = (struct flight_result){ 0 };
	snprintf(r->path, sizeof(r->path), "%s", name);
	rc = write_file(f, name, r, e);
	r->short_of &= f->o.window && r->overwritten;
	if (rc == 0 && !path)
		parts_whole(&f->parts, name);
	free(name);
	return rc;
}
