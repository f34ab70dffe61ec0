// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attrs: the events of a recording, and an index from the ids in its records to them.  What is
 * common to all samples of an event, such as where their times, CPUs and tasks are, is determined
 * here once.
 */
#include "reader/perf/attrs/attrs.h"

#include "base/mem.h"
#include "trace/field.h"

#include <stdlib.h>
#include <string.h>

/* struct perf_event_attr, offsets in bytes; shorter ones are older, and missing fields are 0. */
enum {
	AT_TYPE = 0,
	AT_SIZE = 4,
	AT_CONFIG = 8,
	AT_PERIOD = 16,
	AT_SAMPLE_TYPE = 24,
	AT_READ_FORMAT = 32,
	AT_FLAGS = 40,
	AT_BRANCH = 72,
	AT_REGS_USER = 80,
	AT_CLOCKID = 92,
	AT_REGS_INTR = 96,
	ATTR_MIN = 64,
	ATTR_MAX = 256, /* the bytes that are used */
};

/* Bits of the flags. */
enum { FLAG_INHERIT = 1, FLAG_FREQ = 10, FLAG_SAMPLE_ID_ALL = 18, FLAG_USE_CLOCKID = 25 };

#define RECORD_HEAD 8

/* A big-endian compiler allocates bit fields from the top: mirrored within each byte. */
static bool flag(const uint8_t *attr, bool big_endian, unsigned bit)
{
	return attr[AT_FLAGS + bit / 8] >> (big_endian ? 7 - bit % 8 : bit % 8) & 1;
}

/* The offset of BIT in a sample, if present, after the words of BEFORE. */
static uint16_t place(const struct perf_attr *a, unsigned bit, uint64_t before)
{
	if (!HAS(a, bit))
		return NOWHERE;
	return RECORD_HEAD + 8 * __builtin_popcountll(a->sample_type & before);
}

#define BIT(b) (1ull << SAMPLE_##b)

/* The parts of a sample come in this order; each of these has 8 bytes. */
static void find_places(struct perf_attr *a)
{
	uint64_t before = BIT(IDENTIFIER);

	a->at.ip = place(a, SAMPLE_IP, before);
	a->at.tid = place(a, SAMPLE_TID, before |= BIT(IP));
	a->at.time = place(a, SAMPLE_TIME, before |= BIT(TID));
	a->at.addr = place(a, SAMPLE_ADDR, before |= BIT(TIME));
	a->at.id = place(a, SAMPLE_ID, before |= BIT(ADDR));
	a->at.stream_id = place(a, SAMPLE_STREAM_ID, before |= BIT(ID));
	a->at.cpu = place(a, SAMPLE_CPU, before |= BIT(STREAM_ID));
	a->at.period = place(a, SAMPLE_PERIOD, before |= BIT(CPU));
	before |= BIT(PERIOD);
	a->fixed = RECORD_HEAD + 8 * __builtin_popcountll(a->sample_type & before);
	if (HAS(a, SAMPLE_IDENTIFIER))
		a->at.id = RECORD_HEAD;
}

/* The trailer of other records is TID TIME ID STREAM_ID CPU IDENTIFIER, counted from its end. */
static void find_ends(struct perf_attr *a)
{
	uint64_t behind = BIT(IDENTIFIER);

	a->end_cpu = a->end_time = a->end_tid = NOWHERE;
	if (!a->sample_id_all)
		return;
	if (HAS(a, SAMPLE_CPU))
		a->end_cpu = 8 * (1 + __builtin_popcountll(a->sample_type & behind));
	behind |= BIT(CPU) | BIT(STREAM_ID) | BIT(ID);
	if (HAS(a, SAMPLE_TIME))
		a->end_time = 8 * (1 + __builtin_popcountll(a->sample_type & behind));
	behind |= BIT(TIME);
	if (HAS(a, SAMPLE_TID))
		a->end_tid = 8 * (1 + __builtin_popcountll(a->sample_type & behind));
}

/* Where the ids of A's records are: in a sample, and from the end of others. */
static void find_id(const struct perf_attr *a, uint16_t *at, uint16_t *end)
{
	*at = *end = NOWHERE;
	if (HAS(a, SAMPLE_IDENTIFIER)) {
		*at = RECORD_HEAD;
		*end = 8;
	} else if (HAS(a, SAMPLE_ID)) {
		*at = RECORD_HEAD +
		      8 * __builtin_popcountll(a->sample_type &
					       (BIT(IP) | BIT(TID) | BIT(TIME) | BIT(ADDR)));
		*end = 8 * (1 + __builtin_popcountll(a->sample_type & (BIT(STREAM_ID) | BIT(CPU))));
	}
	if (!a->sample_id_all)
		*end = NOWHERE;
}

/* Store RAW, LEN bytes, in our byte order. */
static void keep_bytes(struct perf_attr *a, const uint8_t *raw, uint64_t len, bool big_endian)
{
	/* Its numbers by size: 8 bytes each, except for these of 4. */
	static const uint8_t words[] = { AT_TYPE, AT_SIZE, 48, 52, 88, AT_CLOCKID, 104, 116 };
	const bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	unsigned i;

	a->at.bytes = a->bytes;
	a->at.len = len < EVENT_ATTR_LEN ? EVENT_ATTR_LEN : (uint32_t)len;
	a->at.every = a->period;
	if (a->at.len > sizeof(a->bytes))
		a->at.len = sizeof(a->bytes);
	memcpy(a->bytes, raw, a->at.len);
	if (!swap)
		return;
	for (i = 0; i < sizeof(a->bytes); i += 8)
		field_store(a->bytes + i, 8, false, field_load(raw + i, 8, true));
	for (i = 0; i < sizeof(words); i++)
		field_store(a->bytes + words[i], 4, false, field_load(raw + words[i], 4, true));
	/* u32 aux_watermark, then u16 sample_max_stack; u32 aux_sample_size. */
	field_store(a->bytes + 108, 4, false, 0);
	field_store(a->bytes + 108, 2, false, field_load(raw + 108, 2, true));
	field_store(a->bytes + 112, 4, false, field_load(raw + 112, 4, true));
	/* Its flags keep their bytes, mirrored within each. */
	for (i = 0; i < 64; i++) {
		uint8_t *byte = a->bytes + AT_FLAGS + i / 8;

		if (i % 8 == 0)
			*byte = 0;
		*byte |= flag(raw, big_endian, i) << (big_endian ? i % 8 : 7 - i % 8);
	}
}

struct perf_attr *attrs_add(struct perf_attrs *s, struct cursor c, struct err *e)
{
	uint8_t raw[ATTR_MAX] = { 0 };
	uint64_t len = c.len < ATTR_MAX ? c.len : ATTR_MAX;
	struct perf_attr *a;
	uint16_t at, end;
	uint32_t size;
	bool big = c.big_endian;

	if (c.len < ATTR_MIN) {
		err_set(e, ERR_FORMAT, c.base,
			"the description of an event has %u bytes or more, and not %u", ATTR_MIN,
			(unsigned)c.len);
		return NULL;
	}
	if (s->n == PERF_MAX_ATTRS) {
		err_set(e, ERR_FORMAT, c.base, "more than %u events: the rest is left out",
			PERF_MAX_ATTRS);
		return NULL;
	}
	memcpy(raw, c.p, ATTR_MIN);
	size = bytes_u32(raw + AT_SIZE, big);
	if (!size)
		size = ATTR_MIN;
	if (size < len)
		len = size < ATTR_MIN ? ATTR_MIN : size;
	memcpy(raw, c.p, len);
	a = mem_zalloc(sizeof(*a));
	a->type = bytes_u32(raw + AT_TYPE, big);
	a->config = bytes_u64(raw + AT_CONFIG, big);
	a->period = bytes_u64(raw + AT_PERIOD, big);
	a->sample_type = bytes_u64(raw + AT_SAMPLE_TYPE, big);
	a->read_format = bytes_u64(raw + AT_READ_FORMAT, big);
	a->branch_sample_type = bytes_u64(raw + AT_BRANCH, big);
	a->regs_user = bytes_u64(raw + AT_REGS_USER, big);
	a->regs_intr = bytes_u64(raw + AT_REGS_INTR, big);
	a->clockid = (int32_t)bytes_u32(raw + AT_CLOCKID, big);
	a->by_freq = flag(raw, big, FLAG_FREQ);
	a->inherit = flag(raw, big, FLAG_INHERIT);
	a->sample_id_all = flag(raw, big, FLAG_SAMPLE_ID_ALL);
	a->use_clockid = flag(raw, big, FLAG_USE_CLOCKID);
	find_places(a);
	keep_bytes(a, raw, len, big);
	find_ends(a);
	find_id(a, &at, &end);
	if (!s->n) {
		s->id_at = at;
		s->id_end = end;
	}
	s->mixed |= at != s->id_at;
	/* One without the trailer would be first, and does not apply to the others. */
	if (s->id_end == NOWHERE)
		s->id_end = end;
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	a->number = s->n;
	s->v[s->n++] = a;
	return a;
}

/* The length of NAME without its modifiers. */
static size_t plain_len(const char *name)
{
	static const char modifiers[] = "ukhGHpPSDIWebR";
	const char *colon = strrchr(name, ':');

	if (colon && colon > name && colon[1] && !colon[1 + strspn(colon + 1, modifiers)])
		return colon - name;
	return strlen(name);
}

static const char several[] = "";

size_t attrs_plain_name(struct perf_attrs *s, const struct perf_attr *a)
{
	size_t len = plain_len(a->name);

	return *perf_names_at(&s->plain, a->name, len, 0) == several ? strlen(a->name) : len;
}

void attrs_set_name(struct perf_attrs *s, struct perf_attr *a, const char *name, size_t len)
{
	const void **first;

	len = strnlen(name, len < PERF_MAX_NAME ? len : PERF_MAX_NAME);
	if (a->name || !len)
		return;
	a->name = mem_strndup(name, len);
	for (char *p = a->name; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			*p = '_';
	if (a->type == PERF_TRACEPOINT)
		return;
	first = perf_names_at(&s->plain, a->name, plain_len(a->name), 0);
	if (!*first)
		*first = a->name;
	else if (strcmp(*first, a->name) != 0)
		*first = several;
}

/* ---- ids ---- */

/* The entry of ID; NULL: none. */
static const struct attr_id *id_entry(const struct perf_attrs *s, uint64_t id)
{
	uint32_t hash = index_hash(&s->by_id, id), slot = index_home(&s->by_id, hash), i;

	while (index_next(&s->by_id, hash, &slot, &i))
		if (s->ids[i].id == id)
			return &s->ids[i];
	return NULL;
}

int attrs_add_id(struct perf_attrs *s, uint64_t id, unsigned i, struct err *e)
{
	uint32_t n = s->by_id.n;

	if (!id || id_entry(s, id))
		return 0;
	if (n == PERF_MAX_IDS)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "more than %u ids of events",
			       PERF_MAX_IDS);
	s->ids = mem_grow(s->ids, &s->cap_ids, n + 1, sizeof(*s->ids));
	s->ids[n] = (struct attr_id){ id, i };
	index_begin(&s->by_id);
	index_add(&s->by_id, index_hash(&s->by_id, id), n);
	return 0;
}

struct perf_attr *attrs_having(const struct perf_attrs *s, uint64_t id)
{
	const struct attr_id *x = id ? id_entry(s, id) : NULL;

	return x ? s->v[x->attr] : NULL;
}

struct perf_attr *attrs_find(const struct perf_attrs *s, uint64_t id)
{
	if (!s->n)
		return NULL;
	if (!id || s->n == 1)
		return s->v[0];
	return attrs_having(s, id);
}

void attrs_fini(struct perf_attrs *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		free(s->v[i]->name);
		free((void *)s->v[i]->fields);
		free(s->v[i]);
	}
	free(s->v);
	perf_names_fini(&s->plain);
	perf_names_fini(&s->types);
	index_fini(&s->by_id);
	free(s->ids);
}
