// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rotate: the output of long recordings: one spool after another, with the same metadata.
 */
#include "record/file/rotate.h"

#include "base/mem.h"
#include "base/mono.h"
#include "record/added_formats.h"
#include "record/file/preamble.h"
#include "record/file/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct file {
	struct output *spool; /* NULL: none */
	char *path;
	uint64_t *read; /* events of CPU i, set by next(), as are ... */
	size_t nread;
	uint64_t events; /* ... those of all CPUs */
};

struct rotate {
	struct output base; /* must be first */
	struct rotate_opts o;
	struct parts parts;
	struct meta meta; /* a copy */
	char *clock;
	struct added_formats formats;
	struct file old, now, coming; /* put together, being written, prepared */
	struct worker worker;
	/* For the worker, and its results: */
	struct output_end end; /* the old one's; a copy */
	int rc;
	struct err why;
	bool asked;	  /* rotate_now(): for another file */
	bool told;	  /* WHY has been returned */
	bool broke;	  /* the error of this file has been returned */
	uint64_t earlier; /* bytes of the files before */
	uint64_t until;	  /* CLOCK_MONOTONIC ns: when this file's time ends */
	uint64_t *read;	  /* events of CPU i in the completed files */
	size_t read_cap;
};

static struct rotate *rotate_of(struct output *o)
{
	return (struct rotate *)o;
}

static void file_close(struct file *f)
{
	if (f->spool)
		f->spool->ops->close(f->spool);
	free(f->path);
	free(f->read);
	*f = (struct file){ NULL };
}

/*
 * The disk is full: the oldest file gives way.  If there is none, the one that is put together may
 * soon be one.
 */
static bool make_room(void *arg)
{
	struct rotate *r = arg;

	if (parts_give_way(&r->parts))
		return true;
	if (worker_is_self(&r->worker) || !worker_busy(&r->worker))
		return false;
	worker_wait(&r->worker);
	return r->rc == 0;
}

static int file_open(struct rotate *r, struct file *f, struct err *e)
{
	struct spool_opts o = r->o.file;
	bool again;

	o.shown = NULL;
	o.room = make_room;
	o.arg = r;
	/* Another recording of this name may take the number at this moment. */
	do {
		free(f->path);
		o.path = f->path = parts_next(&r->parts);
		f->spool = spool_new(&o, e);
		again = !f->spool && ((e->kind == ERR_USAGE && parts_is_taken(f->path)) ||
				      (err_is_full(e) && make_room(r)));
	} while (again);
	if (!f->spool) {
		file_close(f);
		return -1;
	}
	f->spool->stop = r->base.stop;
	f->spool->notes = r->base.notes;
	return 0;
}

static void end_free(struct output_end *end)
{
	for (unsigned i = 0; end->stats && i < end->ncpus; i++)
		free(end->stats[i]);
	free((void *)end->stats);
	free((void *)end->cpus);
	free((void *)end->comms);
	*end = (struct output_end){ NULL };
}

static void end_copy(struct output_end *to, const struct output_end *from)
{
	char **stats = mem_zalloc((from->ncpus + 1) * sizeof(*stats));
	int *cpus = mem_alloc((from->ncpus + 1) * sizeof(*cpus));

	*to = *from;
	to->comms = from->comms ? mem_strndup(from->comms, from->comms_len) : NULL;
	memcpy(cpus, from->cpus, from->ncpus * sizeof(*cpus));
	for (unsigned i = 0; i < from->ncpus; i++)
		stats[i] = from->stats[i] ? mem_strdup(from->stats[i]) : NULL;
	to->cpus = cpus;
	to->stats = stats;
	to->read = NULL;
}

/* ---- the worker ---- */

static int finish_old(struct rotate *r, struct err *e)
{
	struct output *old = r->old.spool;

	if (!old)
		return 0;
	TRY(old->ops->end(old, &r->end, e));
	r->base.own += old->own;
	for (size_t i = 0; i < r->read_cap; i++)
		r->read[i] += r->old.read[i];
	parts_whole(&r->parts, r->old.path, r->old.events, r->old.read, r->old.nread);
	file_close(&r->old);
	end_free(&r->end);
	return 0;
}

/* Put the old file together, then prepare the next. */
static void turn_over(void *arg)
{
	struct rotate *r = arg;
	struct output *coming;

	r->rc = finish_old(r, &r->why);
	if (r->rc == 0)
		r->rc = file_open(r, &r->coming, &r->why);
	coming = r->coming.spool;
	if (r->rc == 0)
		r->rc = coming->ops->begin(coming, &r->meta, &r->why);
}

/* Wait for it.  -1 with E: the job failed. */
static int settle(struct rotate *r, struct err *e)
{
	worker_wait(&r->worker);
	if (r->rc < 0) {
		*e = r->why;
		r->told = true;
	}
	return r->rc;
}

/* Has it failed?  Does not wait. */
static int look(struct rotate *r, struct err *e)
{
	if (!worker_busy(&r->worker) && r->rc < 0) {
		*e = r->why;
		r->told = true;
		return -1;
	}
	return 0;
}

/* ---- output_ops ---- */

static int rotate_begin(struct output *o, const struct meta *m, struct err *e)
{
	struct rotate *r = rotate_of(o);

	r->meta = *m;
	r->meta.p = spool_packs(&r->o.file) ? preamble_pack(m->p, m->len, &r->meta.len) : NULL;
	if (!r->meta.p) {
		r->meta.p = mem_alloc(m->len + 1);
		memcpy(r->meta.p, m->p, m->len);
	}
	r->meta.clock = r->clock = m->clock ? mem_strdup(m->clock) : NULL;
	r->now.spool->stop = o->stop;
	r->now.spool->notes = o->notes;
	TRY(r->now.spool->ops->begin(r->now.spool, &r->meta, e));
	r->until = r->o.time ? mono_ns() + r->o.time : UINT64_MAX;
	turn_over(r);
	return settle(r, e);
}

static int taken(struct rotate *r, int rc, struct err *e)
{
	r->base.bytes = r->earlier + r->now.spool->bytes;
	r->broke |= rc < 0;
	return rc ? rc : look(r, e);
}

static int rotate_splice(struct output *o, int cpu, int pipe, size_t len, struct err *e)
{
	struct rotate *r = rotate_of(o);

	return taken(r, r->now.spool->ops->splice(r->now.spool, cpu, pipe, len, e), e);
}

static int rotate_page(struct output *o, int cpu, const uint8_t *p, uint32_t used,
		       uint32_t page_size, struct err *e)
{
	struct rotate *r = rotate_of(o);

	return taken(r, r->now.spool->ops->page(r->now.spool, cpu, p, used, page_size, e), e);
}

static int rotate_comms(struct output *o, const char *text, size_t len, struct err *e)
{
	struct output *now = rotate_of(o)->now.spool;

	return now->ops->comms(now, text, len, e);
}

static int rotate_names(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct output *now = rotate_of(o)->now.spool;

	return now->ops->names(now, p, len, e);
}

static int rotate_cgroups(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct output *now = rotate_of(o)->now.spool;

	return now->ops->cgroups(now, p, len, e);
}

static int rotate_maps(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct output *now = rotate_of(o)->now.spool;

	return now->ops->maps(now, p, len, e);
}

static int rotate_format(struct output *o, const char *system, const char *text, size_t len,
			 struct err *e)
{
	struct rotate *r = rotate_of(o);

	added_formats_add(&r->formats, system, text, len);
	return r->now.spool->ops->format(r->now.spool, system, text, len, e);
}

/* Other files on the disk can make this due at any time. */
static void tidy(void *arg)
{
	parts_keep_free(&((struct rotate *)arg)->parts);
}

static int rotate_check(struct output *o, struct err *e)
{
	struct rotate *r = rotate_of(o);
	int rc = r->now.spool->ops->check(r->now.spool, e);

	r->broke |= rc < 0;
	/* Removing a large file takes long: the worker does it when it has nothing else to do. */
	if (rc == 0 && r->o.keep.free && !worker_busy(&r->worker) && r->rc == 0)
		worker_do(&r->worker, tidy, r);
	return rc;
}

static bool rotate_due(struct output *o, uint64_t time)
{
	struct rotate *r = rotate_of(o);
	uint64_t room = 2 * o->turn * r->o.file.ncpus;
	bool due = r->asked || time >= r->until;

	/* The next check comes after another turn of all CPUs, and next() after one more. */
	if (r->o.size && r->now.spool->bytes && r->now.spool->bytes + room > r->o.size)
		due = true;
	return due && (!time || !worker_busy(&r->worker));
}

/* What each CPU had in the file that ends now. */
static uint64_t *count_read(struct rotate *r, const struct output_end *end)
{
	uint64_t *read;

	for (unsigned i = 0; i < end->ncpus; i++)
		if (end->cpus[i] >= 0)
			r->read = mem_grow_zeroed(r->read, &r->read_cap, (size_t)end->cpus[i] + 1,
						  sizeof(*r->read));
	read = mem_zalloc((r->read_cap + 1) * sizeof(*read));
	for (unsigned i = 0; end->read && i < end->ncpus; i++)
		if (end->cpus[i] >= 0)
			read[end->cpus[i]] = end->read[i];
	return read;
}

/* Events of the file that ENDs. */
static uint64_t events_of(const struct output_end *end)
{
	uint64_t n = 0;

	for (unsigned i = 0; end->read && i < end->ncpus; i++)
		n += end->read[i];
	return n;
}

static int rotate_next(struct output *o, const struct output_end *end, struct err *e)
{
	struct rotate *r = rotate_of(o);
	struct output *now;

	r->asked = false;
	TRY(settle(r, e));
	if (r->o.time)
		while (r->until <= mono_ns())
			r->until += r->o.time;
	r->earlier += r->now.spool->bytes;
	r->old = r->now;
	r->now = r->coming;
	r->coming = (struct file){ NULL };
	now = r->now.spool;
	end_copy(&r->end, end);
	r->old.read = count_read(r, end);
	r->old.nread = r->read_cap;
	r->old.events = events_of(end);
	worker_do(&r->worker, turn_over, r);
	return added_formats_give(&r->formats, now, e);
}

/* If two files could not be put together, both are reported, as each has to be recovered. */
static int rotate_end(struct output *o, const struct output_end *end, struct err *e)
{
	struct rotate *r = rotate_of(o);
	bool told = r->told;
	struct err late;
	int failed = settle(r, &late), rc;

	/* The prepared file was not needed: it is empty, and is removed. */
	file_close(&r->coming);
	rc = r->now.spool->ops->end(r->now.spool, end, e);
	if (rc == 0) {
		o->own += r->now.spool->own;
		parts_whole(&r->parts, r->now.path, events_of(end), NULL, 0);
		file_close(&r->now);
	} else if (failed < 0 && !r->broke) {
		note_err(o->notes, NOTE_DAMAGE, e);
	}
	/* The recorder does not report what fails after another failure. */
	if (failed < 0 && !told && r->broke)
		note_err(o->notes, NOTE_DAMAGE, &late);
	if (failed < 0)
		*e = late;
	return failed < 0 ? -1 : rc;
}

static int64_t in_file(const struct file *f, int cpu)
{
	return f->spool ? f->spool->ops->found(f->spool, cpu) : 0;
}

/* Has another process removed F while it was written? */
static bool was_removed(const struct file *f)
{
	struct err none;

	return f->spool && f->spool->ops->check(f->spool, &none) < 0;
}

static int64_t rotate_found(struct output *o, int cpu)
{
	struct rotate *r = rotate_of(o);
	bool known = cpu >= 0 && (size_t)cpu < r->read_cap;
	int64_t now = in_file(&r->now, cpu), old, whole;

	worker_wait(&r->worker);
	old = in_file(&r->old, cpu);
	if (old < 0)
		old = known && r->old.read ? (int64_t)r->old.read[cpu] : 0;
	/* A completed file has all of its events; if the last one is complete, so are all. */
	if (now < 0 || !r->now.spool)
		return -1;
	whole = known ? (int64_t)r->read[cpu] : 0;
	/* Those that it has moved elsewhere at other times are whole. */
	if (was_removed(&r->old) || was_removed(&r->now))
		whole -= (int64_t)parts_missing(&r->parts, cpu);
	return whole + old + now;
}

static void rotate_close(struct output *o)
{
	struct rotate *r = rotate_of(o);

	worker_stop(&r->worker);
	file_close(&r->old);
	file_close(&r->now);
	file_close(&r->coming);
	end_free(&r->end);
	parts_fini(&r->parts);
	added_formats_fini(&r->formats);
	free(r->meta.p);
	free(r->clock);
	free(r->read);
	free(r);
}

const struct parts *rotate_parts(const struct output *o)
{
	return &((const struct rotate *)o)->parts;
}

void rotate_now(struct output *o)
{
	rotate_of(o)->asked = true;
}

const struct parts *rotate_settled(struct output *o)
{
	struct rotate *r = rotate_of(o);

	return r->asked || worker_busy(&r->worker) ? NULL : &r->parts;
}

/* How much a CPU may add between two calls of due(): little enough to keep to SIZE. */
static int choose_turn(struct rotate *r, struct err *e)
{
	uint64_t cpus = r->o.file.ncpus ? r->o.file.ncpus : 1, page = r->o.page_size;
	uint64_t least = ROTATE_LEAST * page * cpus;

	if (!r->o.size)
		return 0;
	if (r->o.size < least)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "files of %" PRIu64 " bytes are too small for %" PRIu64
			       " CPU%s: %" PRIu64 "K is the minimum",
			       r->o.size, cpus, plural(cpus), (least + 1023) / 1024);
	r->base.turn = r->o.size / (16 * cpus) / page * page;
	return 0;
}

struct output *rotate_new(const struct rotate_opts *o, struct err *e)
{
	static const struct output_ops ops = {
		.begin = rotate_begin,
		.splice = rotate_splice,
		.page = rotate_page,
		.comms = rotate_comms,
		.names = rotate_names,
		.cgroups = rotate_cgroups,
		.maps = rotate_maps,
		.format = rotate_format,
		.end = rotate_end,
		.next = rotate_next,
		.due = rotate_due,
		.check = rotate_check,
		.found = rotate_found,
		.close = rotate_close,
	};
	struct rotate *r = mem_zalloc(sizeof(*r));

	r->base.ops = &ops;
	r->base.takes_names = true;
	r->o = *o;
	worker_start(&r->worker);
	if (choose_turn(r, e) == 0 && parts_init(&r->parts, o->file.path, &o->keep, e) == 0) {
		r->parts.notes = o->file.notes;
		r->parts.made = o->made;
		r->parts.arg = o->arg;
		if (file_open(r, &r->now, e) == 0)
			return &r->base;
	}
	rotate_close(&r->base);
	return NULL;
}
