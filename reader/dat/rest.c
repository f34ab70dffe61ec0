// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rest: tracks which bytes of a trace.dat are read, and reports those that nothing refers to.
 */
#include "base/mem.h"
#include "reader/dat/dat.h"

#include <inttypes.h>
#include <stdlib.h>

#define STEP 65536u
#define LOOK (16u << 20) /* bytes of a gap that are checked; real gaps are below a page */

static uint64_t end_of(uint64_t off, uint64_t size)
{
	return size < UINT64_MAX - off ? off + size : UINT64_MAX;
}

/* No file is larger: a reference beyond it is damaged, not truncated. */
#define MOST_BYTES (1ull << 48)

void dat_tells(struct dat *d, uint64_t off, uint64_t size)
{
	uint64_t end = end_of(off, size);

	if (end > d->claims.declared_end && end <= MOST_BYTES)
		d->claims.declared_end = end;
}

void dat_say_cut(struct dat *d)
{
	if (d->claims.declared_end > d->base.in.size)
		note_say(d->reports.to, NOTE_DAMAGE,
			 "%s: the file is cut off or damaged: it has %" PRIu64
			 " bytes, and its headers refer to at least %" PRIu64 "%s",
			 d->base.in.path, d->base.in.size, d->claims.declared_end,
			 d->counts.formats ?
				 ": what is there is read" :
				 ": the event formats are missing, no event can be read");
}

void dat_claim(struct dat *d, uint64_t off, uint64_t size)
{
	d->claims.v = mem_grow(d->claims.v, &d->claims.cap, d->claims.n + 1, sizeof(*d->claims.v));
	d->claims.v[d->claims.n++] = (struct dat_claim){
		.off = off,
		.end = end_of(off, size),
		.data_end = off,
	};
}

void dat_claim_data(struct dat *d, uint64_t off, uint64_t size, uint64_t slack)
{
	dat_claim(d, off, end_of(size, slack));
	d->claims.v[d->claims.n - 1].data_end = end_of(off, size);
}

static int compare(const void *a, const void *b)
{
	const struct dat_claim *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* The first byte from OFF to END that is not 0, or END.  Unreadable bytes count as non-zero. */
static uint64_t first_byte(const struct dat *d, uint64_t off, uint64_t end)
{
	uint8_t *buf = mem_alloc(STEP);
	uint64_t looked = 0;
	struct err e;

	for (;;) {
		uint64_t want;
		ssize_t n, i = 0;

		off = input_behind_hole(&d->base.in, off);
		if (off >= end || looked >= LOOK)
			break;
		want = end - off < STEP ? end - off : STEP;
		n = input_read_some(&d->base.in, buf, want, off, &e);
		while (i < n && !buf[i])
			i++;
		off += i;
		looked += i;
		if (n <= 0 || i < n)
			break;
	}
	free(buf);
	return off < end ? off : end;
}

bool dat_blank(const struct dat *d, uint64_t from, uint64_t to)
{
	return from >= to || first_byte(d, from, to) == to;
}

/* Bytes shared by two claims would be read twice, or are not events.  The claims are sorted. */
static void say_overlap(const struct dat *d)
{
	uint64_t end = 0;

	for (size_t i = 0; i < d->claims.n; i++) {
		const struct dat_claim *c = &d->claims.v[i];

		if (c->off < end && c->off < c->end) {
			note_say(d->notes, NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": a CPU's data go "
				 "on to 0x%" PRIx64 ", and something else begins here: events may "
				 "come twice",
				 d->base.in.path, c->off, end);
			return;
		}
		if (c->data_end > end)
			end = c->data_end;
	}
}

void dat_rest(struct dat *d, uint64_t from, uint64_t to)
{
	uint64_t bytes = 0, first = 0;
	unsigned gaps = 0;

	if (to > d->base.in.size)
		to = d->base.in.size;
	if (d->claims.n)
		qsort(d->claims.v, d->claims.n, sizeof(*d->claims.v), compare);
	say_overlap(d);
	for (size_t i = 0; i <= d->claims.n && from < to; i++) {
		uint64_t off = i < d->claims.n ? d->claims.v[i].off : to;
		uint64_t end = off < to ? off : to;

		if (from < end) {
			uint64_t at = first_byte(d, from, end);

			if (at < end && !gaps++)
				first = at;
			if (at < end)
				bytes += end - at;
		}
		if (i < d->claims.n && d->claims.v[i].end > from)
			from = d->claims.v[i].end;
	}
	if (gaps)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": %" PRIu64 " byte%s%s not referenced by any "
			 "section: skipped",
			 d->base.in.path, first, bytes, plural(bytes),
			 gaps > 1 ? " from here on" : "");
}
