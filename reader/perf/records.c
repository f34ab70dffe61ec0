// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records: handles each type of record: samples, task names and losses go into the order, perf's
 * own records take effect at once.  Unknown records are skipped.
 */
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MISC_BPF_FILTER (1u << 15) /* LOST_SAMPLES: dropped by a BPF filter */
#define MISC_DATA_MAP (1u << 13)   /* MMAP, MMAP2: not code */
#define UPDATE_NAME 2		   /* EVENT_UPDATE: the name of an event */
#define ID_INDEX_LEN 32		   /* an entry: u64 id, index, CPU, tid */
#define THREAD_LEN 24		   /* an entry: u64 tid, 16 bytes of name */
#define ANY_TASK UINT64_MAX	   /* as a tid: an event of all tasks (perf record -a, -C) */

/* ---- types ---- */

/*
 * A tracepoint that is only counted is not the tracepoint's event: its name, with its system, has
 * to be valid as that of a sub.
 */
static void tracepoint_name(const struct perf *f, const struct perf_attr *a, char *name,
			    size_t size)
{
	const struct etype *t = a->config < 65536 ? f->ids.types[a->config] : NULL;

	if (t && t->known)
		snprintf(name, size, "%s_%s", t->system, t->name);
	else if (a->name)
		snprintf(name, size, "%s", a->name);
	else
		perf_count_name(a, name, size);
	for (char *p = name; *p; p++)
		if (*p == ':')
			*p = '_';
}

const struct etype *perf_count_type(struct perf *f, struct perf_attr *a, struct perf_attr *layout)
{
	char name[PERF_MAX_NAME + 1];
	const char *shown = name;
	const void **t;

	if (a->type == PERF_TRACEPOINT)
		tracepoint_name(f, a, name, sizeof(name));
	else if (a->name)
		snprintf(name, sizeof(name), "%.*s", (int)attrs_plain_name(&f->attrs, a), a->name);
	else
		shown = perf_count_name(a, name, sizeof(name));
	perf_count_fields(layout);
	/* Another event may have the same name and parts: usually that of another kind of CPU. */
	t = perf_names_at(&f->attrs.types, shown, strlen(shown), layout->sample_type);
	if (!*t)
		*t = catalog_add_fields(f->catalog, &f->base.machine, "perf", shown, 0,
					layout->fields, layout->nfields, 8 * layout->nfields);
	return *t;
}

const struct etype *perf_type_of(struct perf *f, struct perf_attr *a)
{
	const struct etype *t;

	if (a->etype)
		return a->etype;
	if (a->type != PERF_TRACEPOINT) {
		a->etype = perf_count_type(f, a, a);
		return a->etype;
	}
	/* No kernel has such a number. */
	if (a->config >= 65536) {
		a->etype = catalog_add_unknown(f->catalog, &f->base.machine, (unsigned)a->config);
		return a->etype;
	}
	t = f->ids.types[a->config];
	if (!t || !t->resolved)
		t = idmap_meet(&f->ids, a->config);
	/* In a pipe, the format may still follow. */
	if (t->known)
		a->etype = t;
	return t;
}

/* ---- trailers ---- */

/* The event that the trailer of R belongs to. */
static const struct perf_attr *trailer_of(const struct perf *f, const struct record *r)
{
	const struct perf_attrs *s = &f->attrs;
	const struct perf_attr *a;

	if (!s->n)
		return NULL;
	if (s->n == 1 || s->id_end == NOWHERE || r->size < RECORD_HEAD_LEN + s->id_end)
		return s->v[0];
	a = attrs_find(s, perf_u64(f, r->p + r->size - s->id_end));
	return a ? a : s->v[0];
}

/* The time in the trailer of R, whose own part has LEAST bytes; 0: none. */
static uint64_t trailer_time(const struct perf *f, const struct perf_attr *a,
			     const struct record *r, unsigned least)
{
	const uint8_t *p = record_from_end(r, a->end_time, least);

	return p ? perf_u64(f, p) : 0;
}

/* R waits for TS; without a time it takes effect at once.  A: its event, or NULL. */
static void wait_for(struct perf *f, struct perf_file *t, const struct record *r,
		     const struct perf_attr *a, uint64_t ts)
{
	if (!ts || ts == UINT64_MAX) {
		perf_effect(f, &(struct due){ *r, a, ts });
		return;
	}
	if (ts > t->newest)
		t->newest = ts;
	order_add(&f->due.order, r, a, ts);
}

static enum pull too_short(const struct record *r, struct err *e)
{
	return err_set(e, ERR_FORMAT, r->off, "a record of type %u with %u byte%s: too short",
		       r->type, r->size, plural(r->size));
}

/* ---- tasks and losses ---- */

static enum pull take_comm(struct perf *f, struct perf_file *t, const struct record *r,
			   struct err *e)
{
	const struct perf_attr *a = trailer_of(f, r);

	if (!a || r->size <= COMM_NAME)
		return too_short(r, e);
	wait_for(f, t, r, a, trailer_time(f, a, r, COMM_NAME));
	return PULL_OK;
}

static enum pull take_fork(struct perf *f, struct perf_file *t, const struct record *r,
			   struct err *e)
{
	if (r->size < FORK_TIME + 8)
		return too_short(r, e);
	wait_for(f, t, r, NULL, perf_u64(f, r->p + FORK_TIME));
	return PULL_OK;
}

/* Code only: call chains do not point to mapped data. */
static enum pull take_map(struct perf *f, struct perf_file *t, const struct record *r,
			  struct err *e)
{
	const struct perf_attr *a = trailer_of(f, r);
	unsigned name = r->type == RECORD_MMAP ? MMAP_NAME : MMAP2_NAME;

	if (!a || r->size <= name)
		return too_short(r, e);
	if (!(r->misc & MISC_DATA_MAP))
		wait_for(f, t, r, a, trailer_time(f, a, r, name));
	return PULL_OK;
}

static enum pull take_ksymbol(struct perf *f, struct perf_file *t, const struct record *r,
			      struct err *e)
{
	const struct perf_attr *a = trailer_of(f, r);

	if (!a || r->size <= KSYMBOL_NAME)
		return too_short(r, e);
	wait_for(f, t, r, a, trailer_time(f, a, r, KSYMBOL_NAME));
	return PULL_OK;
}

static enum pull take_lost(struct perf *f, struct perf_file *t, const struct record *r,
			   struct err *e)
{
	const struct perf_attr *a = trailer_of(f, r);

	if (r->size < 24)
		return too_short(r, e);
	wait_for(f, t, r, a, a ? trailer_time(f, a, r, RECORD_HEAD_LEN) : 0);
	return PULL_OK;
}

/*
 * The number of lost events: from the kernel in the middle of the file, or from perf at its end, as
 * a total without a time.  The total includes what LOST has reported.
 */
static enum pull take_lost_samples(struct perf *f, struct perf_file *t, const struct record *r,
				   struct err *e)
{
	const struct perf_attr *a = trailer_of(f, r);
	uint64_t lost, time = a ? trailer_time(f, a, r, 16) : 0;

	if (r->size < 16)
		return too_short(r, e);
	lost = perf_u64(f, r->p + 8);
	if (r->misc & MISC_BPF_FILTER)
		return PULL_OK;
	if (time) {
		wait_for(f, t, r, a, time);
		return PULL_OK;
	}
	if (lost > UINT64_MAX - f->losses.total)
		lost = UINT64_MAX - f->losses.total;
	f->losses.total += lost;
	return PULL_OK;
}

/* ---- perf's own ---- */

static enum pull take_attr(struct perf *f, const struct record *r, struct err *e)
{
	struct cursor c;
	uint32_t size;
	unsigned n;

	if (r->size < RECORD_HEAD_LEN + 64)
		return too_short(r, e);
	size = perf_u32(f, r->p + RECORD_HEAD_LEN + 4);
	if (size < 64)
		size = 64;
	if (size > r->size - (uint32_t)RECORD_HEAD_LEN)
		size = r->size - RECORD_HEAD_LEN;
	cursor_init(&c, r->p + RECORD_HEAD_LEN, size, r->off, f->form.big_endian);
	if (!attrs_add(&f->attrs, c, e))
		return PULL_ERR;
	n = (r->size - RECORD_HEAD_LEN - size) / 8;
	if (n > f->attrs.most_ids)
		f->attrs.most_ids = n;
	for (unsigned i = 0; i < n; i++)
		if (attrs_add_id(&f->attrs, perf_u64(f, r->p + RECORD_HEAD_LEN + size + 8 * i),
				 f->attrs.n - 1, e) < 0)
			return PULL_ERR;
	return PULL_OK;
}

/* The formats follow the record, as they may be longer than a record. */
static enum pull take_formats(struct perf *f, struct perf_file *t, const struct record *r,
			      struct err *e)
{
	struct err bad;
	uint8_t *p;
	uint32_t n;

	if (r->size < 12 || r->unpacked)
		return too_short(r, e);
	n = perf_u32(f, r->p + RECORD_HEAD_LEN);
	p = perf_text(f, n, r->off, e);
	if (intake_behind(&t->intake, p, n, p ? e : &bad) < 0 || !p)
		return PULL_ERR;
	return perf_formats(f, p, n, r->off + r->size, e) < 0 ? PULL_ERR : PULL_OK;
}

static enum pull pass_auxtrace(const struct perf *f, struct perf_file *t, const struct record *r,
			       struct err *e)
{
	if (r->size < 16 || r->unpacked)
		return too_short(r, e);
	return intake_behind(&t->intake, NULL, perf_u64(f, r->p + 8), e) < 0 ? PULL_ERR : PULL_OK;
}

/*
 * The task that an event was opened for.  An event of one task decides for all: tracking may be for
 * the whole machine at the same time.
 */
static void opened_for(struct perf *f, uint64_t tid)
{
	if (tid != ANY_TASK)
		f->base.tasks = RECORDED_CHOSEN;
	else if (f->base.tasks == RECORDED_UNKNOWN)
		f->base.tasks = RECORDED_ALL;
}

static enum pull take_id_index(struct perf *f, const struct record *r, struct err *e)
{
	uint64_t n;

	if (r->size < 16)
		return too_short(r, e);
	n = perf_u64(f, r->p + 8);
	if (n > (r->size - 16u) / ID_INDEX_LEN)
		n = (r->size - 16u) / ID_INDEX_LEN;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *entry = r->p + 16 + ID_INDEX_LEN * i;
		uint64_t cpu = perf_u64(f, entry + 16);

		if (cpu < PERF_MAX_CPUS && cpu >= f->about.cpus)
			f->about.cpus = cpu + 1;
		opened_for(f, perf_u64(f, entry + 24));
	}
	return PULL_OK;
}

static enum pull take_threads(struct perf *f, const struct record *r, struct err *e)
{
	uint64_t n;

	if (r->size < 16)
		return too_short(r, e);
	n = perf_u64(f, r->p + 8);
	if (n > (r->size - 16u) / THREAD_LEN)
		n = (r->size - 16u) / THREAD_LEN;
	for (uint64_t i = 0; i < n; i++)
		opened_for(f, perf_u64(f, r->p + 16 + THREAD_LEN * i));
	return PULL_OK;
}

static enum pull take_update(struct perf *f, const struct record *r, struct err *e)
{
	struct perf_attr *a;

	if (r->size < 24)
		return too_short(r, e);
	a = attrs_find(&f->attrs, perf_u64(f, r->p + 16));
	if (a && perf_u64(f, r->p + 8) == UPDATE_NAME)
		attrs_set_name(&f->attrs, a, (const char *)r->p + 24, r->size - 24u);
	return PULL_OK;
}

static enum pull take_build_id(struct perf *f, const struct record *r, struct err *e)
{
	struct cursor c;

	cursor_init(&c, r->p + RECORD_HEAD_LEN, r->size - RECORD_HEAD_LEN, r->off,
		    f->form.big_endian);
	return build_ids_entry(&f->about.build_ids, r->misc, c, e) < 0 ? PULL_ERR : PULL_OK;
}

static enum pull take_feature(struct perf *f, const struct record *r, struct err *e)
{
	struct cursor c;
	uint64_t number;

	if (r->size < 16)
		return too_short(r, e);
	number = perf_u64(f, r->p + 8);
	if (number >= FEATURE_BITS || r->size == 16)
		return PULL_OK;
	cursor_init(&c, r->p + 16, r->size - 16u, r->off, f->form.big_endian);
	if (perf_feature(f, number, c, e) == 0)
		return PULL_OK;
	err_within(e, "feature %u", (unsigned)number);
	return PULL_ERR;
}

/* All buffers have been emptied: what follows is later than anything before the last round. */
static void finish_round(struct perf *f)
{
	if (f->due.limit < f->due.round)
		f->due.limit = f->due.round;
	f->due.round = f->due.order.largest;
}

bool perf_is_head(const struct record *r)
{
	return r->type >= RECORD_USER && r->type != RECORD_FINISHED_ROUND && !r->unpacked;
}

enum pull perf_record(struct perf *f, struct perf_file *t, const struct record *r, struct err *e)
{
	switch (r->type) {
	case RECORD_SAMPLE:
		return perf_sample(f, t, r, e);
	case RECORD_COMM:
		return take_comm(f, t, r, e);
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return take_map(f, t, r, e);
	case RECORD_FORK:
	case RECORD_EXIT:
		return take_fork(f, t, r, e);
	case RECORD_KSYMBOL:
		return take_ksymbol(f, t, r, e);
	case RECORD_LOST:
		return take_lost(f, t, r, e);
	case RECORD_LOST_SAMPLES:
		return take_lost_samples(f, t, r, e);
	case RECORD_HEADER_ATTR:
		return take_attr(f, r, e);
	case RECORD_HEADER_TRACING_DATA:
		return take_formats(f, t, r, e);
	case RECORD_AUXTRACE:
		return pass_auxtrace(f, t, r, e);
	case RECORD_FINISHED_ROUND:
		if (!t->sorted)
			finish_round(f);
		return PULL_OK;
	case RECORD_ID_INDEX:
		return take_id_index(f, r, e);
	case RECORD_THREAD_MAP:
		return take_threads(f, r, e);
	case RECORD_EVENT_UPDATE:
		return take_update(f, r, e);
	case RECORD_HEADER_BUILD_ID:
		return take_build_id(f, r, e);
	case RECORD_HEADER_FEATURE:
		return take_feature(f, r, e);
	default:
		f->passed[r->type < PERF_RECORDS ? r->type : 0]++;
		return PULL_OK;
	}
}
