// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limit: the memory of the last events.  Without it --tail of large records takes all that there
 * is, or gives others than the last, or two of one copy.
 *
 * of: reader/choose/limit.c
 */
#include "reader/choose/limit.h"
#include "reader/model/machine.h"
#include "t/lib/c/tap.h"

/* What came through: whether each event is the one behind the last, with its own bytes. */
struct seen {
	struct sink sink;
	uint64_t n, first, next;
	bool in_order, whole;
};

static enum verdict see(struct sink *s, const struct event *ev, struct err *e)
{
	struct seen *t = (struct seen *)s;
	uint64_t n;

	if (!t->n++)
		t->first = t->next = ev->seq;
	t->in_order &= ev->seq == t->next++;
	memcpy(&n, ev->data, sizeof(n));
	t->whole &= n == ev->seq && ev->data[ev->size - 1] == (uint8_t)n;
	return SINK_MORE;
}

static const struct sink_ops SEE = { .event = see };

static unsigned said;

static void count_note(void *arg, enum note_level level, const char *text)
{
	said += level == NOTE_WARN && strstr(text, "--tail: the last") != NULL;
}

/* Give COUNT events, the I-th of size(I) bytes, and look at the last TAIL. */
static struct seen run(uint64_t tail, uint64_t count, uint32_t (*size)(uint64_t i))
{
	static uint8_t bytes[1 << 20];
	struct notes notes = { .say = count_note };
	struct limit *l = limit_new(0, tail, &notes);
	struct seen seen = { .sink.ops = &SEE, .in_order = true, .whole = true };
	struct sink *s = limit_sink(l, &seen.sink);
	struct machine m;
	struct etype t = { .system = "a", .name = "b", .machine = &m };
	struct origin from = { .path = "-", .instance = "" };
	struct err e;

	said = 0;
	machine_init(&m, NULL, NULL, NULL);
	for (uint64_t i = 1; i <= count; i++) {
		struct event ev = {
			.ts = i, .type = &t, .data = bytes, .size = size(i), .seq = i, .from = &from
		};

		memcpy(bytes, &i, sizeof(i));
		bytes[ev.size - 1] = (uint8_t)i;
		s->ops->event(s, &ev, &e);
		bytes[ev.size - 1] = 0;
	}
	s->ops->end(s, &e);
	limit_free(l);
	machine_fini(&m);
	return seen;
}

static uint32_t small(uint64_t i)
{
	return 16 + i % 100;
}

static uint32_t large(uint64_t i)
{
	return 1 << 20;
}

/* Large ones, and then small ones that push them out again. */
static uint32_t mixed(uint64_t i)
{
	return i < 200 ? 1 << 20 : 16;
}

int main(void)
{
	struct seen seen = run(1000, 5000, small);

	is_u64(seen.n, 1000, "as many as were asked for");
	is_u64(seen.first, 4001, "the last ones");
	ok(seen.in_order && seen.whole && !said,
	   "in order, each with its own bytes (else: a copy is used twice)");

	seen = run(1000, 10, small);
	is_u64(seen.n, 10, "fewer than were asked for: all");

	seen = run(1000, 600, large);
	is_u64(said, 1, "what does not fit is told, once");
	ok(seen.n > 200 && seen.n * large(0) <= LIMIT_BYTES,
	   "no more than the memory allows, and not much less (%" PRIu64 ")", seen.n);
	is_u64(seen.first, 601 - seen.n, "the last ones of those");
	ok(seen.in_order && seen.whole, "in order, with their bytes");

	seen = run(300, 2000, mixed);
	is_u64(seen.n, 300, "small ones behind large ones: as many as were asked for");
	ok(seen.first == 1701 && seen.in_order && seen.whole && !said, "the last ones");
	return tap_done();
}
