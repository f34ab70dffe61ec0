// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flight: keeps the newest events in the kernel, and writes them to a file when asked.
 */
#include "record/flight/flight.h"

#include "base/mem.h"
#include "base/mono.h"
#include "record/cpu_pages.h"
#include "record/file/preamble.h"
#include "record/session_meta.h"
#include "record/flight/names_past.h"
#include "record/counts.h"
#include "ring/record_count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define COMMIT_SIZE 0x07ffffffu /* of a sub-buffer's commit word (format.md 4.1) */

struct flight {
	struct flight_opts o;
	struct spool_opts file; /* without its path */
	struct parts parts;
	struct meta meta;
	struct names_past *names;
	struct counts counts;
	uint64_t since;	 /* CLOCK_MONOTONIC ns: when tracing continued */
	uint64_t *older; /* events of each CPU that the window left out of the file */
};

/* Computed once, and not while tracing is paused for a file. */
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
	f->older = mem_zalloc((f->counts.n + 1) * sizeof(*f->older));
	f->names = namespast_new(o->session, o->maps, o->notes);
	if (parts_init(&f->parts, o->path, &o->keep, e) < 0 ||
	    meta_read(&f->meta, o->session, o->date, o->notes, e) < 0) {
		flight_close(f);
		return NULL;
	}
	f->parts.notes = o->notes;
	f->parts.made = o->made;
	f->parts.arg = o->arg;
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
	free(f->older);
	free(f);
}

int flight_renew(struct flight *f, struct err *e)
{
	struct meta old = f->meta;

	f->meta = (struct meta){ .p = NULL };
	if (meta_read(&f->meta, f->o.session, f->o.date, f->o.notes, e) < 0) {
		meta_fini(&f->meta);
		f->meta = old;
		return -1;
	}
	f->meta.watched = old.watched;
	meta_fini(&old);
	pack(f);
	return 0;
}

void flight_progress(const struct flight *f, uint64_t *events, uint64_t *lost)
{
	*events = *lost = 0;
	for (unsigned i = 0; i < f->counts.n; i++) {
		struct cpu_stats st;
		struct err none;

		if (session_stats(f->o.session, f->counts.cpus[i], &st, NULL, &none) < 0)
			continue;
		*events += st.entries;
		*lost += st.commit_overrun + st.dropped;
	}
}

void flight_tend(struct flight *f)
{
	namespast_tend(f->names);
	parts_keep_free(&f->parts);
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

/* ---- what is young enough ---- */

/*
 * An output in front of another one: it passes on only those sub-buffers that have an event recent
 * enough, and records how far back these reach.
 */
struct newest {
	struct output base; /* must be first; ops: splice and page only */
	struct output *to;  /* borrowed */
	uint32_t page_size, page_head;
	uint8_t *page;
	uint64_t since;		/* sub-buffers whose last event is earlier are left out */
	uint64_t first;		/* time of the first one passed on; UINT64_MAX: none */
	uint64_t events, older; /* events passed on; left out ... */
	uint64_t *older_of;	/* ... of each CPU, by number */
	size_t older_cap;
	uint64_t own; /* events passed on that our own process caused ... */
	int32_t self; /* ... which has this number there */
};

static void count_older(struct newest *n, int cpu, unsigned events)
{
	size_t old = n->older_cap;

	if (cpu < 0)
		return;
	if ((size_t)cpu >= old) {
		n->older_of = mem_grow(n->older_of, &n->older_cap, (size_t)cpu + 1,
				       sizeof(*n->older_of));
		memset(n->older_of + old, 0, (n->older_cap - old) * sizeof(*n->older_of));
	}
	n->older_of[cpu] += events;
}

static int judge(struct newest *n, int cpu, const uint8_t *p, uint32_t used, struct err *e)
{
	uint32_t data = bytes_u32(p + (BIG_ENDIAN_HERE ? n->page_head - 4 : 8), BIG_ENDIAN_HERE) &
			COMMIT_SIZE;
	uint64_t first, last, own = 0;
	unsigned events;
	int rc;

	memcpy(&first, p, sizeof(first));
	last = first;
	if (data > n->page_size - n->page_head)
		data = n->page_size - n->page_head;
	events = records_count_of(p + n->page_head, data, BIG_ENDIAN_HERE, &last, (uint32_t)n->self,
				  n->self ? &own : NULL);
	if (last < n->since) {
		n->older += events;
		count_older(n, cpu, events);
		return 0;
	}
	if (first < n->first)
		n->first = first;
	n->events += events;
	n->own += own;
	rc = n->to->ops->page(n->to, cpu, p, used, n->page_size, e);
	n->base.bytes = n->to->bytes;
	return rc;
}

static int newest_page(struct output *o, int cpu, const uint8_t *p, uint32_t used,
		       uint32_t page_size, struct err *e)
{
	return judge((struct newest *)o, cpu, p, used, e);
}

static int newest_splice(struct output *o, int cpu, int pipe, size_t len, struct err *e)
{
	struct newest *n = (struct newest *)o;

	for (; len >= n->page_size; len -= n->page_size) {
		for (size_t have = 0; have < n->page_size;) {
			ssize_t got = read(pipe, n->page + have, n->page_size - have);

			if (got < 0 && errno == EINTR)
				continue;
			if (got <= 0)
				return err_sys(e, ERR_NO_OFF, "cannot read from the pipe");
			have += (size_t)got;
		}
		TRY(judge(n, cpu, n->page, n->page_size, e));
	}
	return 0;
}

static void newest_init(struct newest *n, struct output *to, const struct session *s,
			uint64_t since)
{
	static const struct output_ops ops = { .splice = newest_splice, .page = newest_page };

	*n = (struct newest){ .base = { .ops = &ops, .stop = to->stop, .notes = to->notes },
			      .to = to,
			      .page_size = session_page_size(s),
			      .page_head = session_page_head(s),
			      .self = session_self(s),
			      .since = since,
			      .first = UINT64_MAX };
	n->page = mem_alloc(n->page_size);
}

static void newest_fini(struct newest *n)
{
	free(n->page);
	free(n->older_of);
	*n = (struct newest){ .page = NULL };
}

/* ---- a file ---- */

/* Tracing is off; everything recent enough at NOW goes to OUT. */
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
	for (unsigned i = 0; i < f->counts.n; i++) {
		size_t cpu = (size_t)f->counts.cpus[i];

		f->older[i] = cpu < newest.older_cap ? newest.older_of[cpu] : 0;
	}
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
	for (unsigned i = 0; i < numbers.ncpus; i++) {
		r->overwritten += numbers.cpus[i].overrun;
		/* They were not to be in the file: no CPU lacks them. */
		f->counts.stats[i] = session_stats_add(f->counts.stats[i], "left out", f->older[i]);
	}
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
	 * The window ends now: other tracers may delay the kernel, and a busy disk the file, for
	 * longer than the window.
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
		parts_whole(&f->parts, name, r->events, NULL, 0);
	free(name);
	return rc;
}
