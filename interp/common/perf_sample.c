// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_sample: an event as the bytes and numbers that process_event gets from perf: its record, the
 * attributes of the event, and what perf has parsed from it.
 */
#include "interp/common/perf_sample.h"

#include "trace/event_sample.h"
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

static void put(uint8_t *p, uint32_t size, uint64_t v)
{
	field_store(p, size, false, v);
}

static bool is_swapped(const struct event *ev)
{
	return ev->type->machine->swap;
}

/* ---- numbers ---- */

/* The number of SIZE bytes at AT of the sample, or NONE. */
static uint64_t part(const struct event *ev, uint16_t at, uint32_t size, uint64_t none)
{
	return at == EVENT_NOWHERE ? none :
				     field_load(ev->sample->record + at, size, is_swapped(ev));
}

/* A number without a place in the sample itself is a field of the event made by the reader. */
static void take_field(uint64_t *to, const struct event *ev, const char *name)
{
	const struct field *f = ev->type->format_len ?
					NULL :
					field_find_in(ev->type->fields, ev->type->nfields, name);

	if (f)
		*to = field_scalar(f, ev);
}

static void numbers_of_sample(const struct event *ev, struct perf_numbers *n)
{
	const struct event_sample *s = ev->sample;
	const struct event_attr *a = s->attr;

	n->ip = part(ev, a->ip, 8, 0);
	n->pid = part(ev, a->tid, 4, UINT32_MAX);
	n->tid = a->tid == EVENT_NOWHERE ? UINT32_MAX : part(ev, a->tid + 4, 4, 0);
	n->time = part(ev, a->time, 8, UINT64_MAX);
	n->addr = part(ev, a->addr, 8, 0);
	n->id = s->count ? s->count->id : part(ev, a->id, 8, UINT64_MAX);
	n->stream_id = part(ev, a->stream_id, 8, UINT64_MAX);
	n->period = s->count ? s->count->period : part(ev, a->period, 8, a->every);
	n->cpu = part(ev, a->cpu, 4, UINT32_MAX);
	n->raw_size = s->nraw;
	take_field(&n->weight, ev, "weight");
	take_field(&n->transaction, ev, "transaction");
	take_field(&n->data_src, ev, "data_src");
	take_field(&n->phys_addr, ev, "phys_addr");
	take_field(&n->data_page_size, ev, "data_page_size");
	take_field(&n->code_page_size, ev, "code_page_size");
	take_field(&n->cgroup, ev, "cgroup");
}

void perf_numbers_of(const struct event *ev, struct perf_numbers *out)
{
	memset(out, 0, sizeof(*out));
	out->data_src = DATA_SRC_NONE;
	if (ev->sample) {
		numbers_of_sample(ev, out);
		return;
	}
	out->pid = out->tid = (uint32_t)ev->pid;
	out->time = ev->ts;
	out->id = out->stream_id = UINT64_MAX;
	out->period = 1;
	out->cpu = (uint32_t)ev->cpu;
	out->raw_size = ev->size;
}

void perf_numbers_put(const struct perf_numbers *n, uint8_t to[PERF_NUMBERS_LEN])
{
	memset(to, 0, PERF_NUMBERS_LEN);
	put(to + S_IP, 8, n->ip);
	put(to + S_PID, 4, n->pid);
	put(to + S_TID, 4, n->tid);
	put(to + S_TIME, 8, n->time);
	put(to + S_ADDR, 8, n->addr);
	put(to + S_ID, 8, n->id);
	put(to + S_STREAM_ID, 8, n->stream_id);
	put(to + S_PERIOD, 8, n->period);
	put(to + S_WEIGHT, 8, n->weight);
	put(to + S_TRANSACTION, 8, n->transaction);
	put(to + S_CPU, 4, n->cpu);
	put(to + S_RAW_SIZE, 4, n->raw_size);
	put(to + S_DATA_SRC, 8, n->data_src);
	put(to + S_PHYS_ADDR, 8, n->phys_addr);
	put(to + S_DATA_PAGE_SIZE, 8, n->data_page_size);
	put(to + S_CODE_PAGE_SIZE, 8, n->code_page_size);
	put(to + S_CGROUP, 8, n->cgroup);
}

/* ---- the record ---- */

/* Swap N bytes at P, 8 at a time. */
static void turn(uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8)
		field_store(p + i, 8, false, field_load(p + i, 8, true));
}

static void put_sample(const struct event_sample *s, bool swap, uint8_t *to)
{
	/* The word before the recorded data is its length. */
	size_t raw = s->raw_at ? s->raw_at - 4 : s->size;
	size_t after = s->raw_at ? raw + ((4 + (size_t)s->nraw + 7) & ~(size_t)7) : s->size;

	memcpy(to, s->record, s->size);
	if (!swap)
		return;
	put(to + HEAD_TYPE, 4, field_load(s->record + HEAD_TYPE, 4, true));
	put(to + HEAD_MISC, 2, field_load(s->record + HEAD_MISC, 2, true));
	put(to + HEAD_SIZE, 2, field_load(s->record + HEAD_SIZE, 2, true));
	turn(to + HEAD_LEN, raw - HEAD_LEN);
	if (after < s->size)
		turn(to + after, s->size - after);
}

/* The sizes of two parts of a record that perf record would have made. */
static size_t made_chain(const struct event *ev)
{
	return ev->nchain ? 8 * (1 + (size_t)ev->nchain) : 0;
}

static size_t made_raw(const struct event *ev)
{
	return (4 + (size_t)ev->size + 7) & ~(size_t)7;
}

size_t perf_record_len(const struct event *ev)
{
	return ev->sample ? ev->sample->size :
			    HEAD_LEN + 5 * (size_t)8 + made_chain(ev) + made_raw(ev);
}

static void put_made(const struct event *ev, uint8_t *to)
{
	size_t len = perf_record_len(ev), at = HEAD_LEN;

	memset(to, 0, len);
	put(to + HEAD_TYPE, 4, RECORD_SAMPLE);
	put(to + HEAD_MISC, 2, MISC_KERNEL);
	put(to + HEAD_SIZE, 2, len <= UINT16_MAX ? len : UINT16_MAX);
	/* After the IP, which is 0. */
	put(to + (at += 8), 4, (uint32_t)ev->pid);
	put(to + at + 4, 4, (uint32_t)ev->pid);
	put(to + (at += 8), 8, ev->ts);
	put(to + (at += 8), 4, (uint32_t)ev->cpu);
	put(to + (at += 8), 8, 1);
	at += 8;
	if (ev->nchain) {
		put(to + at, 8, ev->nchain);
		memcpy(to + at + 8, ev->chain, 8 * (size_t)ev->nchain);
		at += made_chain(ev);
	}
	put(to + at, 4, made_raw(ev) - 4);
	memcpy(to + at + 4, ev->data, ev->size);
}

void perf_record_put(const struct event *ev, uint8_t *to)
{
	if (ev->sample)
		put_sample(ev->sample, is_swapped(ev), to);
	else
		put_made(ev, to);
}

/* ---- its attributes, its data ---- */

size_t perf_attr_len(const struct event *ev)
{
	return ev->sample ? ev->sample->attr->len : EVENT_ATTR_LEN;
}

void perf_attr_put(const struct event *ev, uint8_t *to)
{
	if (ev->sample) {
		memcpy(to, ev->sample->attr->bytes, ev->sample->attr->len);
		return;
	}
	memset(to, 0, EVENT_ATTR_LEN);
	put(to + ATTR_TYPE, 4, TYPE_TRACEPOINT);
	put(to + ATTR_SIZE, 4, EVENT_ATTR_LEN);
	put(to + ATTR_CONFIG, 8, ev->type->id);
	put(to + ATTR_PERIOD, 8, 1);
	put(to + ATTR_SAMPLE_TYPE, 8, SAMPLE_PARTS | (ev->nchain ? SAMPLE_CHAIN : 0));
}

bool perf_raw_of(const struct event *ev, struct span *out)
{
	const struct event_sample *s = ev->sample;

	if (!s)
		*out = (struct span){ ev->data, ev->size };
	else if (s->raw_at)
		*out = (struct span){ s->record + s->raw_at, s->nraw };
	else
		*out = (struct span){ ev->data, 0 };
	return !s || s->raw_at;
}
