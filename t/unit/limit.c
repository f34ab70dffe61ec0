// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limit: the memory of the last events, and that a record counts once with all that is made of it.
 * Without it --tail of large records takes all that there is, or gives others than the last, or two
 * of one copy; and --head gives fewer records where definitions raise events.
 *
 * of: run/choose/limit.c
 */
#include "run/choose/limit.h"
#include "trace/machine.h"
#include "t/lib/c/tap.h"

/* What came through: whether each event is the one behind the last, with its own bytes. */
struct seen {
	uint64_t n, first, next, begin;
	bool in_order, whole;
	enum next last;
	enum run_end end;
};

static void see(struct seen *t, const struct event *ev)
{
	uint64_t n;

	if (!t->n++)
		t->first = t->next = ev->seq;
	t->in_order &= ev->seq == t->next++;
	memcpy(&n, ev->data, sizeof(n));
	t->whole &= n == ev->seq && ev->data[ev->size - 1] == (uint8_t)n;
}

/*
 * A stage of COUNT events, the I-th of size(I) bytes, and then the end that it is told.  They are
 * of one record each, or EACH of them of one, as where one raises others.
 */
struct row {
	struct stage stage;
	uint64_t at, count, each;
	uint64_t idle, due; /* it is so once, before the event of that number */
	uint32_t (*size)(uint64_t i);
	enum next last;
	enum run_end end;
	bool left;
	struct event ev;
	struct etype type;
	struct origin from;
	uint8_t bytes[1 << 20];
};

static void give(struct row *r, struct item *it)
{
	r->at++;
	r->ev = (struct event){ .ts = r->at,
				.type = &r->type,
				.data = r->bytes,
				.size = r->size(r->at),
				.seq = r->at,
				.from = &r->from };
	memcpy(r->bytes, &r->at, sizeof(r->at));
	r->bytes[r->ev.size - 1] = (uint8_t)r->at;
	it->ev = &r->ev;
}

static enum next row_next(struct stage *s, struct item *it, struct err *e)
{
	struct row *r = (struct row *)s;

	if (r->at)
		r->bytes[r->ev.size - 1] = 0;
	if (r->at == r->count) {
		it->end = r->end;
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "the row is damaged");
		return r->last;
	}
	if (r->idle == r->at + 1) {
		r->idle = 0;
		return NEXT_IDLE;
	}
	if (r->due == r->at + 1) {
		r->due = 0;
		it->ev = &r->ev;
		return NEXT_DUE;
	}
	give(r, it);
	return NEXT_EVENT;
}

static bool row_rest(struct stage *s, struct item *it, enum next *got)
{
	struct row *r = (struct row *)s;

	if (r->each < 2 || r->at % r->each == 0 || r->at == r->count)
		return false;
	r->bytes[r->ev.size - 1] = 0;
	give(r, it);
	*got = NEXT_EVENT;
	return true;
}

static void row_leave(struct stage *s)
{
	((struct row *)s)->left = true;
}

static unsigned said, idle, due;
static bool left;

static void count_note(void *arg, enum note_level level, const char *text)
{
	said += level == NOTE_WARN && strstr(text, "--tail: the last") != NULL;
}

/* Ask for what HEAD or TAIL lets through of the row R. */
static struct seen ask(struct row *r, uint64_t head, uint64_t tail)
{
	struct notes notes = { .say = count_note };
	struct limit *l = limit_new(head, tail, &r->stage, &notes);
	struct seen seen = { .in_order = true, .whole = true };
	struct machine m;
	struct item it;
	struct err e;

	said = idle = due = 0;
	machine_init(&m, NULL, NULL, NULL);
	r->stage = (struct stage){ .next = row_next, .leave = row_leave };
	if (r->each)
		r->stage.rest = row_rest;
	r->type = (struct etype){ .system = "a", .name = "b", .machine = &m };
	r->from = (struct origin){ .path = "-", .instance = "" };
	for (;;) {
		seen.last = stage_next(limit_stage(l), &it, &e);
		if (seen.last == NEXT_END || seen.last == NEXT_FAILED)
			break;
		if (seen.last == NEXT_EVENT)
			see(&seen, it.ev);
		idle += seen.last == NEXT_IDLE;
		due += seen.last == NEXT_DUE;
	}
	seen.begin = limit_begin(l);
	seen.end = it.end;
	if (seen.last == NEXT_FAILED && strcmp(e.msg, "the row is damaged"))
		seen.last = NEXT_IDLE;
	stage_leave(limit_stage(l));
	left = r->left;
	limit_free(l);
	machine_fini(&m);
	return seen;
}

/* The last TAIL of COUNT events. */
static struct seen run(uint64_t tail, uint64_t count, uint32_t (*size)(uint64_t i))
{
	static struct row r;

	r = (struct row){ .count = count, .size = size, .last = NEXT_END, .end = RUN_DONE };
	return ask(&r, 0, tail);
}

static uint32_t small(uint64_t i)
{
	return 16 + i % 100;
}

static uint32_t large(uint64_t i)
{
	return 1 << 20;
}

static uint32_t least(uint64_t i)
{
	return 9;
}

/* Large ones, and then small ones that push them out again. */
static uint32_t mixed(uint64_t i)
{
	return i < 200 ? 1 << 20 : 16;
}

/* Where several events are made of one record. */
static void records(void)
{
	static struct row r;
	struct seen seen;

	r = (struct row){ .count = 30, .each = 3, .size = small, .last = NEXT_END };
	seen = ask(&r, 4, 0);
	ok(seen.n == 12 && seen.in_order && seen.end == RUN_STOPPED,
	   "the first four records, with all that is made of them (else: --head 4 is less)");
	is_u64(r.at, 12, "and no look at the next record (else: a live trace has to have one)");
	r = (struct row){ .count = 30, .each = 3, .size = small, .last = NEXT_END };
	seen = ask(&r, 0, 4);
	ok(seen.n == 12 && seen.first == 19 && seen.in_order && seen.whole,
	   "the last four, with what is made of them (else: --tail begins amid a record's)");
	is_u64(seen.begin, 19,
	       "and the time of the first of them (else: their time is the trace's)");
	r = (struct row){ .size = small, .last = NEXT_END };
	is_u64(ask(&r, 0, 4).begin, UINT64_MAX,
	       "an empty run has no time of a first event (else: one from before it is shown)");
	r = (struct row){ .count = 29, .each = 3, .size = small, .last = NEXT_END };
	seen = ask(&r, 0, 1);
	ok(seen.n == 2 && seen.first == 28, "the last one");
	r = (struct row){ .count = 4000000, .each = 4, .size = least, .last = NEXT_END };
	seen = ask(&r, 0, LIMIT_EVENTS);
	ok(said == 1 && seen.n > 500000 && seen.n % 4 == 0 && seen.first == 4000001 - seen.n,
	   "what describes them takes too much: the last of them, records whole (%" PRIu64
	   ") (else: one)",
	   seen.n);
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

	{
		static struct row r;

		r = (struct row){ .count = 20, .size = small, .last = NEXT_FAILED, .idle = 7 };
		seen = ask(&r, 0, 5);
		ok(seen.n == 5 && seen.first == 16 && seen.in_order && seen.last == NEXT_FAILED,
		   "a failure: the last ones before it, then why (else: neither is told)");
		is_u64(idle, 1,
		       "there is nothing yet: that is told at once (else: a live script "
		       "sees no signal)");
		r = (struct row){ .count = 20, .size = small, .last = NEXT_END, .due = 18 };
		seen = ask(&r, 0, 5);
		ok(seen.n == 5 && !due,
		   "what is due is not told ahead of events before it, which are given later");
		r = (struct row){
			.count = 20, .size = small, .last = NEXT_END, .end = RUN_SIGNALLED
		};
		seen = ask(&r, 0, 5);
		ok(seen.n == 5 && seen.last == NEXT_END && seen.end == RUN_SIGNALLED && left,
		   "a signal: the same (else: the exit status is another)");
		r = (struct row){ .count = 20, .size = small, .last = NEXT_END };
		seen = ask(&r, 5, 0);
		ok(seen.n == 5 && seen.first == 1 && seen.last == NEXT_END &&
			   seen.end == RUN_STOPPED && r.at == 5,
		   "the first ones: the end, without a look at the next (else: --head waits for "
		   "an event that it does not show)");
		r = (struct row){ .count = 3, .size = small, .last = NEXT_END };
		seen = ask(&r, 5, 0);
		ok(seen.n == 3 && seen.end == RUN_DONE, "fewer than the first: all");
	}
	records();
	return tap_done();
}
