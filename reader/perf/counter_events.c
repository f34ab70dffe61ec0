// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counter_events: events without a format: cycles, page faults and other counters.  Their samples
 * become records with a field for each recorded part: numbers of 8 bytes, then arrays.
 */
#include "base/mem.h"
#include "trace/chain.h"
#include "trace/field.h"
#include "reader/perf/sample.h"
#include "reader/perf/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The numbers of a sample, in the order of the fields. */
enum number {
	N_IP,
	N_PID,
	N_TID,
	N_ADDR,
	N_PERIOD,
	N_WEIGHT,
	N_DATA_SRC,
	N_TRANSACTION,
	N_PHYS_ADDR,
	N_CGROUP,
	N_DATA_PAGE_SIZE,
	N_CODE_PAGE_SIZE,
	NNUMBERS,
};

static const struct {
	const char *name, *type;
	uint64_t bits; /* present if the sample has one of these; 0: always */
} numbers[NNUMBERS] = {
	[N_IP] = { "ip", "u64", 1ull << SAMPLE_IP },
	[N_PID] = { "pid", "s32", 1ull << SAMPLE_TID },
	[N_TID] = { "tid", "s32", 1ull << SAMPLE_TID },
	[N_ADDR] = { "addr", "u64", 1ull << SAMPLE_ADDR },
	[N_PERIOD] = { "period", "u64", 0 },
	[N_WEIGHT] = { "weight", "u64", 1ull << SAMPLE_WEIGHT | 1ull << SAMPLE_WEIGHT_STRUCT },
	[N_DATA_SRC] = { "data_src", "u64", 1ull << SAMPLE_DATA_SRC },
	[N_TRANSACTION] = { "transaction", "u64", 1ull << SAMPLE_TRANSACTION },
	[N_PHYS_ADDR] = { "phys_addr", "u64", 1ull << SAMPLE_PHYS_ADDR },
	[N_CGROUP] = { "cgroup", "u64", 1ull << SAMPLE_CGROUP },
	[N_DATA_PAGE_SIZE] = { "data_page_size", "u64", 1ull << SAMPLE_DATA_PAGE_SIZE },
	[N_CODE_PAGE_SIZE] = { "code_page_size", "u64", 1ull << SAMPLE_CODE_PAGE_SIZE },
};

/* Then arrays: their offset and length, two u32 (FIELD_SPAN), are among the numbers. */
enum array { A_VALUES, A_CHAIN, A_RAW, NARRAYS };

static const struct {
	const char *name, *type;
	uint8_t kind, elem, bit;
} arrays[NARRAYS] = {
	[A_VALUES] = { "values", "u64", FIELD_ARRAY, 8, SAMPLE_READ },
	[A_CHAIN] = { "callchain", "u64", FIELD_ARRAY, 8, SAMPLE_CALLCHAIN },
	[A_RAW] = { "raw", "u8", FIELD_BYTES, 1, SAMPLE_RAW },
};

static bool has_number(const struct perf_attr *a, unsigned i)
{
	return !numbers[i].bits || a->sample_type & numbers[i].bits;
}

void perf_count_fields(struct perf_attr *a)
{
	struct field *fields;
	unsigned n = 0;

	if (a->fields)
		return;
	fields = mem_zalloc((NNUMBERS + NARRAYS) * sizeof(*fields));
	for (unsigned i = 0; i < NNUMBERS; i++) {
		bool is_signed = i == N_PID || i == N_TID;

		if (!has_number(a, i))
			continue;
		fields[n] = (struct field){
			.name = numbers[i].name,
			.type = numbers[i].type,
			.off = 8 * n,
			.size = is_signed ? 4 : 8,
			.elem = is_signed ? 4 : 8,
			.kind = is_signed ? FIELD_INT : FIELD_UINT,
			.is_signed = is_signed,
		};
		n++;
	}
	for (unsigned i = 0; i < NARRAYS; i++) {
		if (!HAS(a, arrays[i].bit))
			continue;
		fields[n] = (struct field){
			.name = arrays[i].name,
			.type = arrays[i].type,
			.off = 8 * n,
			.size = 8,
			.elem = arrays[i].elem,
			.kind = arrays[i].kind,
			.loc = FIELD_SPAN,
			.dim = "",
		};
		n++;
	}
	a->fields = fields;
	a->nfields = n;
}

size_t perf_count_period(const struct perf_attr *a)
{
	size_t off = 0;

	for (unsigned i = 0; i < N_PERIOD; i++)
		off += has_number(a, i) ? 8 : 0;
	return off;
}

uint32_t perf_count_size(const struct perf_attr *a, const struct sample *s)
{
	return 8 * a->nfields + 8 * (s->nvalues + s->nchain) + s->nraw;
}

static uint64_t fixed_part(const struct sample *s, uint16_t at, unsigned size, bool swap)
{
	return at == NOWHERE ? 0 : field_load(s->fixed + at, size, swap);
}

static uint64_t number_of(const struct perf_attr *a, const struct sample *s, unsigned i, bool swap)
{
	switch (i) {
	case N_IP:
		return fixed_part(s, a->at.ip, 8, swap);
	case N_PID:
		return fixed_part(s, a->at.tid, 4, swap);
	case N_TID:
		return fixed_part(s, a->at.tid + 4, 4, swap);
	case N_ADDR:
		return fixed_part(s, a->at.addr, 8, swap);
	case N_PERIOD:
		if (s->count)
			return s->count->period;
		return a->at.period == NOWHERE ? a->period : fixed_part(s, a->at.period, 8, swap);
	case N_WEIGHT:
		return s->weight;
	case N_DATA_SRC:
		return s->data_src;
	case N_TRANSACTION:
		return s->transaction;
	case N_PHYS_ADDR:
		return s->phys_addr;
	case N_CGROUP:
		return s->cgroup;
	case N_DATA_PAGE_SIZE:
		return s->data_page;
	default:
		return s->code_page;
	}
}

static void put_words(uint8_t *dst, const uint8_t *src, unsigned n, unsigned step, bool swap)
{
	for (unsigned i = 0; i < n; i++)
		field_store(dst + 8 * (size_t)i, 8, false,
			    field_load(src + (size_t)step * i, 8, swap));
}

/* The addresses of a call chain without marks; returns their size in bytes. */
static uint32_t put_chain(uint8_t *dst, const struct sample *s, bool swap)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nchain; i++) {
		uint64_t address = field_load(s->chain + 8 * (size_t)i, 8, swap);

		if (!chain_is_mark(address))
			field_store(dst + 8 * (size_t)n++, 8, false, address);
		i += chain_has_cookie(address);
	}
	return 8 * n;
}

void perf_count_record(const struct perf_attr *a, const struct sample *s, bool swap, uint8_t *dst)
{
	uint32_t at = 8 * a->nfields, len;
	uint8_t *p = dst;

	for (unsigned i = 0; i < NNUMBERS; i++) {
		uint32_t size = i == N_PID || i == N_TID ? 4 : 8;

		if (!has_number(a, i))
			continue;
		if (size == 4)
			field_store(p + 4, 4, false, 0);
		field_store(p, size, false, number_of(a, s, i, swap));
		p += 8;
	}
	for (unsigned i = 0; i < NARRAYS; i++) {
		if (!HAS(a, arrays[i].bit))
			continue;
		if (i == A_CHAIN) {
			len = put_chain(dst + at, s, swap);
		} else if (i == A_VALUES) {
			len = 8 * s->nvalues;
			put_words(dst + at, s->values, s->nvalues, s->value_step, swap);
		} else {
			len = s->nraw;
			if (len)
				memcpy(dst + at, s->raw, len);
		}
		field_store(p, 4, false, at);
		field_store(p + 4, 4, false, len);
		at += len;
		p += 8;
	}
	/* Where marks were. */
	memset(dst + at, 0, perf_count_size(a, s) - at);
}

const char *perf_count_name(const struct perf_attr *a, char *buf, size_t size)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
	};

	if (a->type == PERF_HARDWARE && a->config < sizeof(hardware) / sizeof(hardware[0]))
		return hardware[a->config];
	if (a->type == PERF_SOFTWARE && a->config < sizeof(software) / sizeof(software[0]))
		return software[a->config];
	snprintf(buf, size, "type_%u_config_%" PRIx64, a->type, a->config);
	return buf;
}
