// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge: made streams against the one order that merging them has.  Without it events of different
 * CPUs come in the wrong order, or not at all behind a damaged or a waiting stream.
 *
 * of: run/merge.c
 */
#include "run/merge.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

/* A stream that says what its script tells: a time, or one of these. */
enum { END = -1, BAD = -2, WAIT = -3, AGAIN = -4 };

struct made {
	struct stream base;
	const int64_t *script;
	struct origin from;
	uint64_t watermark_next;
	uint64_t watermark_step; /* how much the next WAIT's is above the last one's */
	unsigned at;		 /* in the script */
	unsigned asked, asked_after_end;
	bool ended;
};

static enum pull made_next(struct stream *s, struct err *e)
{
	struct made *m = (struct made *)s;
	int64_t v = m->script[m->at];

	m->asked++;
	if (m->ended)
		m->asked_after_end++;
	if (v == END) {
		m->ended = true;
		return PULL_EOF;
	}
	m->at++;
	if (v == BAD)
		return err_set(e, ERR_FORMAT, 0x40, "bad piece") < 0 ? PULL_ERR : PULL_OK;
	if (v == WAIT) {
		s->watermark = m->watermark_next;
		m->watermark_next += m->watermark_step;
		return PULL_WAIT;
	}
	if (v == AGAIN) {
		m->at--;
		s->watermark = m->watermark_next;
		m->watermark_next += m->watermark_step;
		return PULL_AGAIN;
	}
	s->ev.ts = v;
	return PULL_OK;
}

static const struct stream_ops made_ops = { .next = made_next };

static void made_init(struct made *m, unsigned seq, const int64_t *script)
{
	memset(m, 0, sizeof(*m));
	m->base.ops = &made_ops;
	m->base.seq = seq;
	m->script = script;
	m->from = (struct origin){ .path = "made.dat", .instance = seq ? "guest" : "", .cpu = seq };
	m->base.from = &m->from;
	m->base.ev.cpu = seq;
	m->base.ev.from = &m->from;
}

static void test_order(void)
{
	static const int64_t a[] = { 1, 5, 5, 9, END }, b[] = { 2, 5, 6, END }, c[] = { END };
	static const struct {
		uint64_t ts;
		int cpu;
	} want[] = {
		{ 1, 0 }, { 2, 1 }, { 5, 0 }, { 5, 0 }, { 5, 1 }, { 6, 1 }, { 9, 0 },
	};
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s[3];
	struct err e;
	bool all = true;

	made_init(&s[0], 0, a);
	made_init(&s[1], 1, b);
	made_init(&s[2], 2, c);
	/* Added in another order than that of opening: seq decides, not the heap. */
	merge_add(m, &s[2].base);
	merge_add(m, &s[1].base);
	merge_add(m, &s[0].base);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		if (merge_next(m, &ev, &e) != PULL_OK || ev->ts != want[i].ts ||
		    ev->cpu != want[i].cpu) {
			diag("event %u: ts %" PRIu64 " cpu %d", i, ev->ts, ev->cpu);
			all = false;
			break;
		}
	}
	ok(all, "events come by time, those of one time by order of opening");
	ok(merge_next(m, &ev, &e) == PULL_EOF && merge_next(m, &ev, &e) == PULL_EOF,
	   "and then the end, again and again");
	ok(s[0].asked_after_end + s[1].asked_after_end + s[2].asked_after_end == 0,
	   "a stream at its end is left in peace");
	is_u64(merge_late(m), 0, "none was late");
	merge_free(m);
}

static void count_waits(void *arg, const struct stream *s, uint64_t watermark)
{
	unsigned *n = arg;

	n[0]++;
	n[1] = s->seq;
	n[2] = (unsigned)watermark;
}

/* A stream that waits for long, and is left to itself meanwhile. */
static void test_aside(void)
{
	static const int64_t a[] = { 5, 7, 9, WAIT, 20, END };
	static const int64_t silent[] = { WAIT, WAIT, 6, WAIT, 30, END };
	struct merge *m = merge_new();
	unsigned n[3] = { 0 };
	const struct event *ev;
	struct made s[2];
	struct err e;

	made_init(&s[0], 0, a);
	made_init(&s[1], 1, silent);
	s[0].watermark_next = 15;
	s[1].watermark_next = 5;
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 5, "before its watermark nothing waits");
	ok(merge_next(m, &ev, &e) == PULL_WAIT, "after it, the others wait");
	merge_waits_for(m, count_waits, n);
	ok(n[0] == 1 && n[1] == 1 && n[2] == 6, "which stream that is for can be asked");
	s[1].watermark_next = 12;
	merge_set_aside(m, &s[1].base, true);
	n[0] = 0;
	merge_waits_for(m, count_waits, n);
	ok(n[0] == 0, "one that is set aside is waited for no more");
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 7 && merge_late(m) == 0,
	   "the others continue without it");
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 9, "and continue");
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 6 && ev->cpu == 1 && merge_late(m) == 1,
	   "what it has kept back is given, and is late");
	merge_set_aside(m, &s[1].base, false);
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 20 && merge_next(m, &ev, &e) == PULL_OK &&
		   ev->ts == 30 && merge_next(m, &ev, &e) == PULL_EOF && merge_late(m) == 1,
	   "then all are in order again");
	merge_free(m);
}

/* Thousands of random ones against qsort. */
static int by_ts_seq(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void test_random(void)
{
	enum { STREAMS = 37, EACH = 211 };
	static int64_t script[STREAMS][EACH + 1];
	static int64_t all[STREAMS * EACH][2];
	static struct made s[STREAMS];
	struct merge *m = merge_new();
	const struct event *ev;
	unsigned n = 0, got;
	struct err e;

	srand(20261121);
	for (unsigned i = 0; i < STREAMS; i++) {
		int64_t t = 0;

		for (unsigned k = 0; k < EACH; k++) {
			t += rand() % 4;
			script[i][k] = t;
			all[n][0] = t;
			all[n++][1] = i;
		}
		script[i][EACH] = END;
		made_init(&s[i], i, script[i]);
		merge_add(m, &s[i].base);
	}
	qsort(all, n, sizeof(all[0]), by_ts_seq);
	for (got = 0; got < n; got++)
		if (merge_next(m, &ev, &e) != PULL_OK || (int64_t)ev->ts != all[got][0] ||
		    ev->cpu != all[got][1])
			break;
	is_u64(got, n, "7807 events of 37 streams come as a sort has them");
	ok(merge_next(m, &ev, &e) == PULL_EOF, "and no more");
	merge_free(m);
}

static void test_lifetime(void)
{
	static const int64_t a[] = { 1, 3, END }, b[] = { 2, END };
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s[2];
	struct err e;

	made_init(&s[0], 0, a);
	made_init(&s[1], 1, b);
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	merge_next(m, &ev, &e);
	ok(ev->ts == 1 && s[0].at == 1,
	   "the stream whose event is out stands still until the next call");
	merge_next(m, &ev, &e);
	ok(ev->ts == 2 && s[0].at == 2, "and is advanced then");
	merge_free(m);
}

static void test_damage(void)
{
	static const int64_t a[] = { 1, BAD, 4, BAD, BAD, 6, END }, b[] = { BAD, 2, 5, BAD, END };
	static const uint64_t want[] = { 1, 2, 4, 5, 6 };
	struct merge *m = merge_new();
	const struct event *ev;
	unsigned n = 0, bad = 0;
	bool named = true;
	struct made s[2];
	enum pull rc;
	struct err e;
	char text[512];

	made_init(&s[0], 0, a);
	made_init(&s[1], 1, b);
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	while ((rc = merge_next(m, &ev, &e)) != PULL_EOF && bad + n < 20) {
		if (rc == PULL_OK) {
			if (n >= 5 || ev->ts != want[n])
				break;
			n++;
			continue;
		}
		bad++;
		err_text(&e, text, sizeof(text));
		named = named && strstr(text, "made.dat: offset 0x40") && strstr(text, "cpu ") &&
			!strstr(text, "cpu 1") == !strstr(text, "buffer \"guest\"");
	}
	ok(n == 5 && rc == PULL_EOF, "every intact event comes, in order");
	is_u64(bad, 5, "and each bad piece is told once");
	ok(named, "with path, offset, buffer and CPU") || (diag("%s", text), 0);
	merge_free(m);
}

static void test_watermark(void)
{
	static const int64_t a[] = { 10, 20, 30, END }, b[] = { WAIT, WAIT, 12, WAIT, END };
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s[2];
	struct err e;

	made_init(&s[0], 0, a);
	made_init(&s[1], 1, b);
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	s[1].watermark_next = 5;
	ok(merge_next(m, &ev, &e) == PULL_WAIT,
	   "an event that a waiting stream may overtake is held back");
	s[1].watermark_next = 10;
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 10, "up to the watermark it may go");
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 12, "then the other's");
	s[1].watermark_next = 25;
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 20,
	   "a watermark behind it holds nothing back");
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 30, "nor does a stream at its end");
	ok(merge_next(m, &ev, &e) == PULL_EOF, "the end");
	merge_free(m);
}

/* A stream that waits for ever is asked when events reach its watermark, not for each event. */
static void test_asked(void)
{
	enum { N = 1000, STEP = 100 };
	static int64_t busy[N + 1], silent[N];
	struct merge *m = merge_new();
	const struct event *ev;
	unsigned n = 0, waits = 0;
	struct made s[2];
	enum pull rc = PULL_OK;
	struct err e;

	for (unsigned i = 0; i < N; i++) {
		busy[i] = i + 1;
		silent[i] = WAIT;
	}
	busy[N] = END;
	made_init(&s[0], 0, busy);
	made_init(&s[1], 1, silent);
	s[1].watermark_next = STEP;
	s[1].watermark_step = STEP;
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	while (n < N && (rc = merge_next(m, &ev, &e)) == PULL_OK && ev->ts == n + 1)
		n++;
	is_u64(n, N, "events up to a watermark that rises come without a wait");
	ok(s[1].asked <= N / STEP + 1,
	   "the waiting stream is asked once for each rise of its "
	   "watermark, not for each event (else: a system call an event)") ||
		(diag("asked %u times", s[1].asked), 0);
	is_u64(s[0].asked, N, "and the busy one once an event");
	merge_free(m);

	/* A watermark that stays: PULL_WAIT at once, and one question a call. */
	m = merge_new();
	made_init(&s[0], 0, busy);
	made_init(&s[1], 1, silent);
	s[1].watermark_next = 10;
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	for (n = 0; merge_next(m, &ev, &e) == PULL_OK; n++)
		;
	is_u64(n, 10, "those up to a watermark that stays come");
	n = s[1].asked;
	for (waits = 0; waits < 5 && merge_next(m, &ev, &e) == PULL_WAIT; waits++)
		;
	ok(waits == 5 && s[1].asked == n + 5,
	   "then each call asks the waiting stream once and waits (else: it spins)") ||
		(diag("asked %u times in %u calls", s[1].asked - n, waits), 0);
	is_u64(s[0].at, 11, "the busy one is not advanced while it is held back");
	merge_free(m);
}

/* Of two waiting streams only the one whose watermark the events have reached is asked. */
static void test_asked_one(void)
{
	static const int64_t busy[] = { 5, 6, 7, 8, END };
	static const int64_t near[] = { WAIT, WAIT, WAIT, WAIT, END };
	static const int64_t far[] = { WAIT, WAIT, END };
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s[3];
	unsigned n = 0;
	struct err e;

	made_init(&s[0], 0, busy);
	made_init(&s[1], 1, near);
	made_init(&s[2], 2, far);
	s[1].watermark_next = 5;
	s[1].watermark_step = 1;
	s[2].watermark_next = 100;
	for (unsigned i = 0; i < 3; i++)
		merge_add(m, &s[i].base);
	while (n < 4 && merge_next(m, &ev, &e) == PULL_OK)
		n++;
	ok(n == 4 && s[1].asked == 4 && s[2].asked == 1,
	   "one whose watermark is far is left alone when a nearer one is asked (else: a system "
	   "call of every CPU each time)") ||
		(diag("asked %u and %u", s[1].asked, s[2].asked), 0);
	merge_free(m);
}

/* A question to one stream brings what another waits for: frames of one pipe. */
static void test_moved(void)
{
	static const int64_t a[] = { WAIT, 7, WAIT, END }, b[] = { WAIT, END };
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s[2];
	struct err e;

	made_init(&s[0], 0, a);
	made_init(&s[1], 1, b);
	s[1].watermark_next = 9;
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 7,
	   "a watermark that has risen makes a second round (else: what is there waits for poll)");
	merge_free(m);
}

static void test_wait_end(void)
{
	static const int64_t a[] = { 10, 20, END }, b[] = { WAIT, WAIT, END },
			     c[] = { WAIT, WAIT, WAIT, WAIT, END };
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s[3];
	struct err e;

	made_init(&s[0], 0, a);
	made_init(&s[1], 1, b);
	made_init(&s[2], 2, c);
	for (unsigned i = 0; i < 3; i++)
		merge_add(m, &s[i].base);
	ok(merge_next(m, &ev, &e) == PULL_WAIT && merge_has(m, &s[1].base),
	   "two that wait hold the third");
	ok(merge_next(m, &ev, &e) == PULL_WAIT && s[1].ended, "the end of one of them ...");
	ok(!merge_has(m, &s[1].base) && merge_has(m, &s[2].base), "... leaves the other");
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 10 && !merge_has(m, &s[2].base),
	   "with the end of both nothing holds (else: a CPU that went takes the rest with it)");
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 20 &&
		   merge_next(m, &ev, &e) == PULL_EOF && !merge_has(m, &s[0].base),
	   "up to the end of all");
	is_u64(s[1].asked_after_end + s[2].asked_after_end, 0,
	       "those at their end are left in peace");
	merge_free(m);
}

/* A stream of unwanted events without an end: a CPU in a storm. */
static void test_again(void)
{
	static const int64_t storm[] = { AGAIN }, a[] = { 3, 5, 6, WAIT, END };
	static const enum pull want[] = { PULL_AGAIN, PULL_AGAIN };
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s[2];
	unsigned asked;
	struct err e;
	bool all = true;

	made_init(&s[0], 0, storm);
	made_init(&s[1], 1, a);
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	for (unsigned i = 0; i < 2; i++)
		all = all && merge_next(m, &ev, &e) == want[i];
	ok(all && s[1].at == 1,
	   "one that wants to be asked again at once lets the caller in, and "
	   "the others have had their turn (else: no stop is seen, and no event of another CPU)");
	s[0].watermark_next = 4;
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 3,
	   "events below what it has come to pass (else: a storm on one CPU starves the others)");
	asked = s[0].asked;
	s[0].watermark_next = 6;
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 5 && s[0].asked == asked + 1 &&
		   merge_next(m, &ev, &e) == PULL_OK && ev->ts == 6 && s[0].asked == asked + 1,
	   "it is asked when they come to that, not before");
	merge_free(m);
}

/* An error ends a round of questions; the next call takes it up behind the one that failed. */
static void test_failing(void)
{
	static const int64_t bad[] = { BAD, BAD, BAD, BAD, END }, a[] = { WAIT, 2, END };
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s[2];
	struct err e;

	made_init(&s[0], 0, bad);
	made_init(&s[1], 1, a);
	merge_add(m, &s[0].base);
	merge_add(m, &s[1].base);
	ok(merge_next(m, &ev, &e) == PULL_ERR && merge_next(m, &ev, &e) != PULL_OK && s[1].asked,
	   "behind one that fails the next is asked (else: damage without end starves the others)");
	merge_free(m);
}

static void test_late(void)
{
	static const int64_t a[] = { 10, 5, 11, END }, b[] = { 10, 20, 30, END },
			     c[] = { WAIT, 15, END };
	struct merge *m = merge_new();
	const struct event *ev;
	struct made s, s2;
	struct err e;

	made_init(&s, 0, a);
	merge_add(m, &s.base);
	is_u64(merge_last(m), UINT64_MAX, "before the first event there is no time of the last");
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 10 && merge_next(m, &ev, &e) == PULL_OK &&
		   ev->ts == 5 && merge_last(m) == 10 && merge_next(m, &ev, &e) == PULL_OK &&
		   ev->ts == 11,
	   "an event that is earlier than the one before is delivered");
	is_u64(merge_late(m), 1, "and counted");
	is_u64(merge_last(m), 11, "the latest time (else: an answer of a part ends too early)");
	merge_free(m);

	/* An event below the watermark that its stream told: later than the slack. */
	m = merge_new();
	made_init(&s, 0, b);
	made_init(&s2, 1, c);
	s2.watermark_next = 20;
	merge_add(m, &s.base);
	merge_add(m, &s2.base);
	ok(merge_next(m, &ev, &e) == PULL_OK && ev->ts == 10 && merge_next(m, &ev, &e) == PULL_OK &&
		   ev->ts == 20 && merge_next(m, &ev, &e) == PULL_OK && ev->ts == 15 &&
		   merge_next(m, &ev, &e) == PULL_OK && ev->ts == 30,
	   "an event below the watermark of its own stream is delivered at once");
	is_u64(merge_late(m), 1, "and counted as late");
	merge_free(m);

	m = merge_new();
	ok(merge_next(m, &ev, &e) == PULL_EOF, "nothing to merge is the end");
	merge_free(m);
}

int main(void)
{
	test_order();
	test_random();
	test_lifetime();
	test_damage();
	test_watermark();
	test_aside();
	test_asked();
	test_asked_one();
	test_moved();
	test_wait_end();
	test_again();
	test_failing();
	test_late();
	return tap_done();
}
