// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock: converts ring-buffer stamps to displayed times, by the options of a trace.dat.
 */
#include "ring/clock.h"

#include "base/ascii.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool clock_in_seconds(const char *clock)
{
	static const char *const ns[] = {
		"local", "global",   "uptime",	  "perf",	   "tsc2nsec", "tai",
		"mono",	 "mono_raw", "monotonic", "monotonic-raw", "",
	};

	for (unsigned i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
		if (!strcmp(clock, ns[i]))
			return true;
	return false;
}

static uint64_t tsc_to_ns(const struct clock *c, uint64_t ts)
{
	uint64_t lo = ts & 0xffffffff, hi = ts >> 32;
	uint64_t r = (lo * c->mult) >> c->shift;

	if (hi)
		r += (hi * c->mult) << (32 - c->shift);
	return r;
}

static uint64_t shift_time(const struct clock *c, const struct clock_cpu *cpu, uint64_t ts)
{
	const struct clock_sample *a = cpu->v, *b;
	int64_t off, d;
	unsigned i;

	if (cpu->n == 1)
		return ts + (uint64_t)a->offset;
	if (cpu->n == 2 || ts <= (uint64_t)cpu->v[0].time) {
		i = 0;
	} else if (ts >= (uint64_t)cpu->v[cpu->n - 1].time) {
		i = cpu->n - 2;
	} else {
		unsigned lo = 0, hi = cpu->n - 1;

		while (hi - lo > 1) {
			unsigned mid = lo + (hi - lo) / 2;

			if ((uint64_t)cpu->v[mid].time <= ts)
				lo = mid;
			else
				hi = mid;
		}
		i = lo;
	}
	a = &cpu->v[i];
	b = &cpu->v[i + 1];
	off = a->offset;
	if (c->interpolate) {
		/* Samples are sorted and distinct: d > 0, unless it wrapped. */
		d = (int64_t)((uint64_t)b->time - (uint64_t)a->time);
		if (d > 0) {
			int64_t num = (int64_t)((ts - (uint64_t)a->time) * ((uint64_t)b->offset -
									    (uint64_t)a->offset) +
						(uint64_t)d / 2);
			off = (int64_t)((uint64_t)off + (uint64_t)(num / d));
		}
	}
	return ((ts * (uint64_t)a->scaling) >> a->fraction) + (uint64_t)off;
}

uint64_t clock_apply(const struct clock *c, int cpu, uint64_t ts)
{
	if (c->raw)
		return ts;
	if (cpu >= 0 && (unsigned)cpu < c->ncpus && c->cpus[cpu].n)
		ts = shift_time(c, &c->cpus[cpu], ts);
	if (c->mult)
		ts = tsc_to_ns(c, ts);
	return ts + (uint64_t)c->offset;
}

uint64_t clock_watermark(const struct clock *c, int cpu, uint64_t watermark)
{
	uint64_t shown;

	if (!watermark || watermark == UINT64_MAX)
		return watermark;
	shown = clock_apply(c, cpu, watermark);
	return !c->raw && c->offset < 0 && shown > INT64_MAX ? 0 : shown;
}

bool clock_is_offset(const struct clock *c, int cpu)
{
	return c->raw || (!c->mult && !(cpu >= 0 && (unsigned)cpu < c->ncpus && c->cpus[cpu].n));
}

/*
 * A number as text: decimal, 0x hex or 0 octal, signed.  2^63 and above are read in full (trap 22
 * of format.md: stock saturates).
 */
static int parse_number(struct cursor *c, uint64_t *out, struct err *e)
{
	const char *p = (const char *)c->p, *end = p + c->len, *first;
	unsigned base = 10;
	bool minus = false;
	uint64_t v = 0;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p < end && (*p == '-' || *p == '+'))
		minus = *p++ == '-';
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
		base = 16;
		p += 2;
	} else if (end - p > 1 && p[0] == '0') {
		base = 8;
	}
	for (first = p; p < end; p++) {
		unsigned d = 99;

		if (ascii_digit(*p))
			d = *p - '0';
		else if ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'f')
			d = (*p | 0x20) - 'a' + 10;
		if (d >= base)
			break;
		v = v * base + d;
	}
	if (p == first)
		return err_set(e, ERR_FORMAT, c->base, "a number is expected here");
	*out = minus ? 0 - v : v;
	return 0;
}

int clock_date(struct clock *c, struct cursor payload, struct err *e)
{
	uint64_t us;

	TRY(parse_number(&payload, &us, e));
	c->offset = (int64_t)((uint64_t)c->offset + us * 1000);
	return 0;
}

int clock_offset(struct clock *c, struct cursor payload, struct err *e)
{
	uint64_t ns;

	TRY(parse_number(&payload, &ns, e));
	c->offset = (int64_t)((uint64_t)c->offset + ns);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct clock_sample *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Sort, and keep the first of equal times. */
static void order_samples(struct clock_cpu *cpu)
{
	unsigned n = 0;

	qsort(cpu->v, cpu->n, sizeof(*cpu->v), by_time);
	for (unsigned i = 0; i < cpu->n; i++)
		if (!n || cpu->v[i].time != cpu->v[n - 1].time)
			cpu->v[n++] = cpu->v[i];
	cpu->n = n;
}

static int read_samples(struct cursor *p, struct clock_cpu *cpu, struct err *e)
{
	uint64_t v;
	uint32_t n;

	TRY(cursor_u32(p, &n, e));
	if (n > cursor_left(p) / 24)
		return err_set(e, ERR_FORMAT, p->base + p->pos, "%u time sample%s not fit", n,
			       n == 1 ? " does" : "s do");
	cpu->v = mem_zalloc(((size_t)n + 1) * sizeof(*cpu->v));
	cpu->n = n;
	for (unsigned i = 0; i < n; i++) {
		TRY(cursor_u64(p, &v, e));
		cpu->v[i].time = v;
	}
	for (unsigned i = 0; i < n; i++) {
		TRY(cursor_u64(p, &v, e));
		cpu->v[i].offset = v;
	}
	for (unsigned i = 0; i < n; i++) {
		TRY(cursor_u64(p, &v, e));
		cpu->v[i].scaling = v;
	}
	return 0;
}

static void free_cpus(struct clock *c)
{
	for (unsigned i = 0; i < c->ncpus; i++)
		free(c->cpus[i].v);
	free(c->cpus);
	c->cpus = NULL;
	c->ncpus = 0;
}

/* The trailing block of fraction bits; missing in files of trace-cmd 2.9. */
static int read_fractions(struct cursor *p, struct clock *c, struct err *e)
{
	uint64_t v;

	for (unsigned cpu = 0; cpu < c->ncpus; cpu++)
		for (unsigned i = 0; i < c->cpus[cpu].n; i++) {
			/* Writers use the last CPU's count for all: missing ones count as 0. */
			if (cursor_left(p) < 8)
				return 0;
			TRY(cursor_u64(p, &v, e));
			if (v > 63)
				return err_set(e, ERR_FORMAT, p->base + p->pos,
					       "a time scale of 2^-%" PRIu64, v);
			c->cpus[cpu].v[i].fraction = v;
		}
	return 0;
}

int clock_time_shift(struct clock *c, struct cursor p, struct err *e)
{
	uint32_t flags, ncpus;
	uint64_t peer;
	int rc = 0;

	TRY(cursor_u64(&p, &peer, e));
	TRY(cursor_u32(&p, &flags, e));
	TRY(cursor_u32(&p, &ncpus, e));
	if (ncpus > cursor_left(&p) / 4)
		return err_set(e, ERR_FORMAT, p.base + p.pos, "time shifts of %u CPU%s do not fit",
			       ncpus, plural(ncpus));
	free_cpus(c);
	c->cpus = mem_zalloc(((size_t)ncpus + 1) * sizeof(*c->cpus));
	c->ncpus = ncpus;
	c->interpolate = flags & 1;
	for (unsigned i = 0; i < ncpus && rc == 0; i++)
		rc = read_samples(&p, &c->cpus[i], e);
	if (rc == 0)
		rc = read_fractions(&p, c, e);
	if (rc < 0) {
		free_cpus(c);
		return -1;
	}
	for (unsigned i = 0; i < ncpus; i++)
		order_samples(&c->cpus[i]);
	return 0;
}

int clock_tsc2nsec(struct clock *c, struct cursor p, struct err *e)
{
	uint32_t mult, shift;

	TRY(cursor_u32(&p, &mult, e));
	TRY(cursor_u32(&p, &shift, e));
	/* trace-cmd has ignored the offset that follows (8 bytes, in the RFC 4) since 2021. */
	TRY(cursor_left(&p) < 4 ? err_set(e, ERR_FORMAT, p.base, "the option is too short") : 0);
	if (shift > 32)
		return err_set(e, ERR_FORMAT, p.base, "a shift of %u is not possible", shift);
	c->mult = mult;
	c->shift = shift;
	return 0;
}

void clock_fini(struct clock *c)
{
	free_cpus(c);
}
