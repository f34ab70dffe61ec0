/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process: an event as the bytes that process_event gets from perf: its record, the attributes of
 * the event, and the numbers that perf has parsed from it.
 */
#include "interp/bind/process.h"

#include "trace/event_sample.h"
#include "trace/field.h"
#include "trace/machine.h"

#include <string.h>

/* struct perf_event_header. */
enum { HEAD_TYPE = 0, HEAD_MISC = 4, HEAD_SIZE = 6, HEAD_LEN = 8 };

#define RECORD_SAMPLE 9
#define MISC_KERNEL 1

/* struct perf_event_attr, as set by `perf record -e TRACEPOINT`. */
enum { ATTR_TYPE = 0, ATTR_SIZE = 4, ATTR_CONFIG = 8, ATTR_PERIOD = 16, ATTR_SAMPLE_TYPE = 24 };

#define TYPE_TRACEPOINT 2
#define SAMPLE_PARTS 0x587 /* IP TID TIME CPU PERIOD RAW */
#define SAMPLE_CHAIN 0x20

/* Offsets of struct perf_sample. */
enum {
	S_IP = 0,
	S_PID = 8,
	S_TID = 12,
	S_TIME = 16,
	S_ADDR = 24,
	S_ID = 32,
	S_STREAM_ID = 40,
	S_PERIOD = 48,
	S_WEIGHT = 56,
	S_TRANSACTION = 64,
	S_CPU = 88,
	S_RAW_SIZE = 92,
	S_DATA_SRC = 96,
	S_PHYS_ADDR = 104,
	S_DATA_PAGE_SIZE = 112,
	S_CODE_PAGE_SIZE = 120,
	S_CGROUP = 128,
};

#define DATA_SRC_NONE 0x05080021u /* nothing is known of the memory */

/* A buffer being filled. */
struct sample_bytes {
	SV *sv;
	uint8_t *p;
};

static struct sample_bytes make(pTHX_ size_t len)
{
	struct sample_bytes m = { .sv = newSV(len + 1) };

	SvPOK_only(m.sv);
	SvCUR_set(m.sv, len);
	m.p = (uint8_t *)SvPVX(m.sv);
	memset(m.p, 0, len + 1);
	return m;
}

static void put(struct sample_bytes *m, size_t off, uint32_t size, uint64_t v)
{
	field_store(m->p + off, size, false, v);
}

/* Swap N bytes at P, 8 at a time. */
static void turn(uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8)
		field_store(p + i, 8, false, field_load(p + i, 8, true));
}

static SV *record_of(pTHX_ const struct event_sample *s, bool swap)
{
	struct sample_bytes m = make(aTHX_ s->size);
	/* The word before the recorded data is its length. */
	size_t raw = s->raw_at ? s->raw_at - 4 : s->size;
	size_t behind = s->raw_at ? raw + ((4 + (size_t)s->nraw + 7) & ~(size_t)7) : s->size;

	memcpy(m.p, s->record, s->size);
	if (!swap)
		return m.sv;
	put(&m, HEAD_TYPE, 4, field_load(s->record + HEAD_TYPE, 4, true));
	put(&m, HEAD_MISC, 2, field_load(s->record + HEAD_MISC, 2, true));
	put(&m, HEAD_SIZE, 2, field_load(s->record + HEAD_SIZE, 2, true));
	turn(m.p + HEAD_LEN, raw - HEAD_LEN);
	if (behind < s->size)
		turn(m.p + behind, s->size - behind);
	return m.sv;
}

/* The number of SIZE bytes at AT of the sample, or NONE. */
static uint64_t part(const struct event_sample *s, uint16_t at, uint32_t size, bool swap,
		     uint64_t none)
{
	return at == EVENT_NOWHERE ? none : field_load(s->record + at, size, swap);
}

/* A number without a place in the sample itself is a field of the event made by the reader. */
static void put_field(struct sample_bytes *m, size_t off, const struct event *ev, const char *name)
{
	const struct field *f = ev->type->format_len ?
					NULL :
					field_find_in(ev->type->fields, ev->type->nfields, name);

	if (f)
		put(m, off, 8, field_scalar(f, ev));
}

static SV *numbers_of(pTHX_ const struct event *ev, bool swap)
{
	const struct event_sample *s = ev->sample;
	const struct event_attr *a = s->attr;
	struct sample_bytes m = make(aTHX_ PROCESS_SAMPLE_LEN);

	put(&m, S_IP, 8, part(s, a->ip, 8, swap, 0));
	put(&m, S_PID, 4, part(s, a->tid, 4, swap, UINT32_MAX));
	put(&m, S_TID, 4, a->tid == EVENT_NOWHERE ? UINT32_MAX : part(s, a->tid + 4, 4, swap, 0));
	put(&m, S_TIME, 8, part(s, a->time, 8, swap, UINT64_MAX));
	put(&m, S_ADDR, 8, part(s, a->addr, 8, swap, 0));
	put(&m, S_ID, 8, part(s, a->id, 8, swap, UINT64_MAX));
	put(&m, S_STREAM_ID, 8, part(s, a->stream_id, 8, swap, UINT64_MAX));
	put(&m, S_PERIOD, 8, part(s, a->period, 8, swap, a->every));
	if (s->count) {
		put(&m, S_ID, 8, s->count->id);
		put(&m, S_PERIOD, 8, s->count->period);
	}
	put(&m, S_CPU, 4, part(s, a->cpu, 4, swap, UINT32_MAX));
	put(&m, S_RAW_SIZE, 4, s->nraw);
	put(&m, S_DATA_SRC, 8, DATA_SRC_NONE);
	put_field(&m, S_WEIGHT, ev, "weight");
	put_field(&m, S_TRANSACTION, ev, "transaction");
	put_field(&m, S_DATA_SRC, ev, "data_src");
	put_field(&m, S_PHYS_ADDR, ev, "phys_addr");
	put_field(&m, S_DATA_PAGE_SIZE, ev, "data_page_size");
	put_field(&m, S_CODE_PAGE_SIZE, ev, "code_page_size");
	put_field(&m, S_CGROUP, ev, "cgroup");
	return m.sv;
}

/* ---- an event of another source ---- */

static SV *made_record(pTHX_ const struct event *ev)
{
	size_t chain = ev->nchain ? 8 * (1 + (size_t)ev->nchain) : 0;
	size_t raw = (4 + (size_t)ev->size + 7) & ~(size_t)7, at = HEAD_LEN;
	size_t len = HEAD_LEN + 5 * (size_t)8 + chain + raw;
	struct sample_bytes m = make(aTHX_ len);

	put(&m, HEAD_TYPE, 4, RECORD_SAMPLE);
	put(&m, HEAD_MISC, 2, MISC_KERNEL);
	put(&m, HEAD_SIZE, 2, len <= UINT16_MAX ? len : UINT16_MAX);
	put(&m, at += 8, 4, (uint32_t)ev->pid);
	put(&m, at + 4, 4, (uint32_t)ev->pid);
	put(&m, at += 8, 8, ev->ts);
	put(&m, at += 8, 4, (uint32_t)ev->cpu);
	put(&m, at += 8, 8, 1);
	at += 8;
	if (chain) {
		put(&m, at, 8, ev->nchain);
		memcpy(m.p + at + 8, ev->chain, 8 * (size_t)ev->nchain);
		at += chain;
	}
	put(&m, at, 4, raw - 4);
	memcpy(m.p + at + 4, ev->data, ev->size);
	return m.sv;
}

static SV *made_attr(pTHX_ const struct event *ev)
{
	struct sample_bytes m = make(aTHX_ EVENT_ATTR_LEN);

	put(&m, ATTR_TYPE, 4, TYPE_TRACEPOINT);
	put(&m, ATTR_SIZE, 4, EVENT_ATTR_LEN);
	put(&m, ATTR_CONFIG, 8, ev->type->id);
	put(&m, ATTR_PERIOD, 8, 1);
	put(&m, ATTR_SAMPLE_TYPE, 8, SAMPLE_PARTS | (ev->nchain ? SAMPLE_CHAIN : 0));
	return m.sv;
}

static SV *made_numbers(pTHX_ const struct event *ev)
{
	struct sample_bytes m = make(aTHX_ PROCESS_SAMPLE_LEN);

	put(&m, S_PID, 4, (uint32_t)ev->pid);
	put(&m, S_TID, 4, (uint32_t)ev->pid);
	put(&m, S_TIME, 8, ev->ts);
	put(&m, S_ID, 8, UINT64_MAX);
	put(&m, S_STREAM_ID, 8, UINT64_MAX);
	put(&m, S_PERIOD, 8, 1);
	put(&m, S_CPU, 4, (uint32_t)ev->cpu);
	put(&m, S_RAW_SIZE, 4, ev->size);
	put(&m, S_DATA_SRC, 8, DATA_SRC_NONE);
	return m.sv;
}

void process_fill(pTHX_ SV **slots, const struct event *ev)
{
	const struct event_sample *s = ev->sample;
	bool swap = ev->type->machine->swap;
	SV *fresh[PROCESS_ARGS];

	if (s) {
		fresh[0] = record_of(aTHX_ s, swap);
		fresh[1] = newSVpvn((const char *)s->attr->bytes, s->attr->len);
		fresh[2] = numbers_of(aTHX_ ev, swap);
		fresh[3] = s->raw_at ? newSVpvn((const char *)s->record + s->raw_at, s->nraw) :
				       newSV(0);
	} else {
		fresh[0] = made_record(aTHX_ ev);
		fresh[1] = made_attr(aTHX_ ev);
		fresh[2] = made_numbers(aTHX_ ev);
		fresh[3] = newSVpvn((const char *)ev->data, ev->size);
	}
	/* Last: a destructor of an object that a script left there may run. */
	for (unsigned i = 0; i < PROCESS_ARGS; i++) {
		SV *was = slots[i];

		slots[i] = fresh[i];
		SvREFCNT_dec(was);
	}
}
