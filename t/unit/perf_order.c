// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_order: records wait in the blocks that they were read into, against a model that keeps each
 * of them and looks for the earliest.  Without it records would come out of order, altered by what
 * marks them, or from a block that was filled again, or a recording's blocks would never be reused.
 *
 * of: reader/perf/order.c reader/perf/intake_blocks.c
 */
#include "reader/perf/order.h"
#include "trace/field.h"
#include "t/lib/c/tap.h"

#define ROOM 4096
#define LARGEST 200
#define MAX_WAITING 4096
#define ID_AT 32 /* in each record, u64: its number */

enum { TIMED, TIMELESS, NATTRS };

/* A record that waits, as the model has it. */
struct waiting {
	uint64_t ts, seq, off;
	uint32_t type;
	uint16_t size;
	unsigned attr;
};

struct bench {
	struct perf_attr attr[NATTRS], *attrs[NATTRS];
	struct perf_attrs all;
	struct intake_blocks blocks;
	struct order order;
	struct intake_block *block; /* the one being filled, up to `pos` */
	size_t pos;
	uint64_t off, packed_off, largest, nrecords;
	struct waiting waiting[MAX_WAITING];
	unsigned n, wrong;
};

static unsigned some(unsigned n)
{
	return (unsigned)rand() % n;
}

static void begin(struct bench *b, bool swap)
{
	*b = (struct bench){ 0 };
	for (unsigned i = 0; i < NATTRS; i++) {
		b->attrs[i] = &b->attr[i];
		b->attr[i].number = i;
		b->attr[i].end_time = 8;
		b->attr[i].at.time = i == TIMED ? 8 : NOWHERE;
	}
	b->all.v = b->attrs;
	b->all.n = NATTRS;
	b->order.attrs = &b->all;
	b->order.blocks = &b->blocks;
	b->order.swap = swap;
	b->block = blocks_get(&b->blocks, ROOM);
}

/* Room for the next record, as the intake makes it. */
static uint8_t *room(struct bench *b)
{
	if (b->pos + LARGEST > ROOM) {
		if (b->block->users > 1) {
			blocks_leave(&b->blocks, b->block);
			b->block = blocks_get(&b->blocks, ROOM);
		}
		b->pos = 0;
	}
	return b->block->bytes + b->pos;
}

/* The bytes of the record W, without its time. */
static void fill(const struct bench *b, const struct waiting *w, uint8_t *p)
{
	const bool swap = b->order.swap;

	for (unsigned i = 0; i < w->size; i++)
		p[i] = (uint8_t)(31 * w->seq + i);
	field_store(p, 4, swap, w->type);
	field_store(p + 4, 2, swap, w->seq & 0xffff);
	field_store(p + 6, 2, swap, w->size);
	field_store(p + ID_AT, 8, swap, w->seq);
}

static void put_time(const struct bench *b, const struct waiting *w, uint8_t *p)
{
	unsigned at = w->type == RECORD_SAMPLE ? 8 :
		      w->type == RECORD_FORK   ? FORK_TIME :
						 w->size - 8u;

	if (w->type != RECORD_SAMPLE || w->attr == TIMED)
		field_store(p + at, 8, b->order.swap, w->ts);
}

/* Read a record of TS, which waits, or is passed over. */
static void read_one(struct bench *b, uint64_t ts, bool unpacked)
{
	static const uint32_t types[] = { RECORD_SAMPLE, RECORD_SAMPLE, RECORD_COMM, RECORD_FORK };
	uint8_t *p = room(b);
	struct waiting w = { .ts = ts, .seq = b->nrecords };
	struct record r = { .p = p, .block = b->block, .unpacked = unpacked };

	w.type = types[some(4)];
	w.attr = some(8) ? TIMED : TIMELESS;
	/* Not all are aligned. */
	w.size = (uint16_t)(48 + 8 * some(18) + (some(50) ? 0 : some(8)));
	if (!some(10))
		b->packed_off += w.size;
	w.off = unpacked ? b->packed_off : b->off;
	if (w.type == RECORD_SAMPLE && w.attr == TIMELESS)
		w.ts = b->largest;
	fill(b, &w, p);
	put_time(b, &w, p);
	b->pos += w.size;
	b->off += w.size;
	if (!some(20) || b->n == MAX_WAITING)
		return;
	r.type = w.type;
	r.misc = w.seq & 0xffff;
	r.size = w.size;
	r.off = w.off;
	order_add(&b->order, &r, w.type == RECORD_FORK ? NULL : &b->attr[w.attr], w.ts);
	if (w.ts > b->largest)
		b->largest = w.ts;
	b->waiting[b->n++] = w;
	b->nrecords++;
}

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

static bool is_the(const struct bench *b, const struct waiting *w, const struct due *d)
{
	uint8_t want[LARGEST + 8];

	fill(b, w, want);
	put_time(b, w, want);
	return d->ts == w->ts && d->r.type == w->type && d->r.size == w->size &&
	       d->r.off == w->off && d->r.misc == (w->seq & 0xffff) &&
	       (w->type == RECORD_FORK || d->attr == &b->attr[w->attr]) &&
	       !memcmp(d->r.p, want, w->size);
}

/* Take all that is not later than LIMIT. */
static void take(struct bench *b, uint64_t limit)
{
	while (b->n) {
		unsigned first = 0;
		struct due d;

		for (unsigned i = 1; i < b->n; i++)
			if (before(&b->waiting[i], &b->waiting[first]))
				first = i;
		if (b->waiting[first].ts > limit)
			break;
		if (!order_any(&b->order) || order_first_ts(&b->order) != b->waiting[first].ts) {
			b->wrong++;
			return;
		}
		order_take(&b->order, &d);
		b->wrong += !is_the(b, &b->waiting[first], &d);
		b->waiting[first] = b->waiting[--b->n];
	}
	b->wrong += order_any(&b->order) && order_first_ts(&b->order) <= limit;
}

/* A round: the buffers of some CPUs, each nearly sorted; the times of all overlap. */
static void round_of(struct bench *b, unsigned round, bool unpacked)
{
	for (unsigned cpu = some(5); cpu > 0; cpu--) {
		uint64_t ts = 1000 * round;

		for (unsigned i = some(60); i > 0; i--) {
			ts += some(40);
			read_one(b, ts - (some(30) ? 0 : some(20)), unpacked);
		}
	}
}

static void end(struct bench *b)
{
	blocks_leave(&b->blocks, b->block);
	order_fini(&b->order);
	blocks_fini(&b->blocks);
}

static void test_model(unsigned seed, bool swap, bool unpacked)
{
	static struct bench b;
	uint64_t most = 0, before_round = 0;

	srand(seed);
	begin(&b, swap);
	for (unsigned round = 1; round <= 200; round++) {
		uint64_t largest = b.largest;

		round_of(&b, round, unpacked);
		if (order_bytes(&b.order) > most)
			most = order_bytes(&b.order);
		take(&b, before_round);
		before_round = largest;
	}
	take(&b, UINT64_MAX);
	ok(!b.wrong && b.nrecords > 5000,
	   "seed %u%s%s: %" PRIu64 " records, as they were, in order: %u wrong", seed,
	   swap ? ", swapped" : "", unpacked ? ", unpacked" : "", b.nrecords, b.wrong);
	/* Three rounds of at most 4 * 60 records, and a block for each run's ends. */
	ok(most < 3 * 240 * (LARGEST + 2 * sizeof(struct order_stretch)) + 12 * ROOM,
	   "... blocks are reused: at most %" PRIu64 " bytes waited", most);
	end(&b);
}

/* Freed as a run that is stopped early leaves it; the sanitizers watch. */
static void test_stopped(void)
{
	static struct bench b;

	srand(99);
	begin(&b, false);
	for (unsigned round = 1; round <= 20; round++)
		round_of(&b, round, false);
	take(&b, 5000);
	ok(!b.wrong && order_any(&b.order), "records still wait at the end");
	end(&b);
}

/* A record that waits alone needs its block; with it, the block can be filled again. */
static void test_blocks(void)
{
	static struct bench b;
	const struct intake_block *first;
	struct due d;

	begin(&b, false);
	first = b.block;
	while (!b.n)
		read_one(&b, 5, false);
	b.pos = ROOM;
	room(&b);
	ok(b.block != first && b.blocks.waiting == ROOM, "a block in which a record waits is kept");
	order_take(&b.order, &d);
	ok(b.blocks.waiting == ROOM, "... while the record is borrowed");
	while (b.n < 2)
		read_one(&b, 6, false);
	order_take(&b.order, &d);
	ok(!b.blocks.waiting && b.blocks.unused == first, "... and then unused");
	blocks_leave(&b.blocks, b.block);
	b.block = blocks_get(&b.blocks, ROOM);
	ok(b.block == first, "... and filled again");
	end(&b);
}

int main(void)
{
	for (unsigned seed = 1; seed <= 8; seed++)
		test_model(seed, seed & 1, seed & 2);
	test_stopped();
	test_blocks();
	return tap_done();
}
