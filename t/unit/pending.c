// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pending: the table in which starts wait, against a plain list of them, while it grows, is full
 * and loses lanes.  Without it an end could find a start that is gone, or the wrong one of two.
 *
 * of: run/synthetic/pending.c
 */
#include "base/mem.h"
#include "run/synthetic/pending.h"
#include "t/lib/c/tap.h"

#define MAX 3000
#define KEYS 700
#define LANES 5

/* What waits, in the order in which it came. */
static struct {
	uint64_t key, ts;
	int lane;
} list[MAX];
static unsigned waiting;

static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void take_out(unsigned i)
{
	memmove(list + i, list + i + 1, (--waiting - i) * sizeof(list[0]));
}

static int last_of(uint64_t key)
{
	int i = (int)waiting - 1;

	while (i >= 0 && list[i].key != key)
		i--;
	return i;
}

static struct pending_start *find(struct pending *p, uint64_t key)
{
	return pending_find(p, &key, pending_hash(p, &key));
}

/* One random step on both; false: they differ. */
static bool step(struct pending *p, uint64_t ts)
{
	uint64_t key = random_below(KEYS), what = random_below(20000);
	int lane = (int)random_below(LANES), i = last_of(key);
	struct pending_start *s;
	uint32_t n = 0;

	if (!what) {
		for (unsigned k = waiting; k--;)
			if (list[k].lane == lane) {
				take_out(k);
				n++;
			}
		return pending_drop(p, lane) == n;
	}
	if (what < 12000) {
		bool had = false;

		s = what & 1 ? pending_add(p, &key, pending_hash(p, &key), lane) :
			       pending_find_or_add(p, &key, pending_hash(p, &key), lane, &had);
		if (had || (!(what & 1) && i >= 0))
			return had && s && i >= 0 && s->ts == list[i].ts;
		if (!s || waiting == MAX)
			return !s && waiting == MAX;
		s->ts = ts;
		memcpy(pending_captured(p, s), &ts, sizeof(ts));
		list[waiting].key = key;
		list[waiting].ts = ts;
		list[waiting++].lane = lane;
		return true;
	}
	s = find(p, key);
	if (!s || i < 0)
		return !s && i < 0;
	if (s->ts != list[i].ts || memcmp(pending_captured(p, s), &s->ts, sizeof(s->ts)))
		return false;
	if (what < 18000) {
		pending_remove(p, s);
		take_out(i);
	}
	return true;
}

static bool same_all(const struct pending *p)
{
	const struct pending_start *s;
	unsigned n = 0;
	uint64_t sum = 0;

	for (uint32_t i = 0; (s = pending_next(p, &i)); n++)
		sum += s->ts;
	for (unsigned k = 0; k < waiting; k++)
		sum -= list[k].ts;
	return n == waiting && !sum && p->live == n;
}

#define LONG 60000

/*
 * A full table that loses one start at a time, each in a lane of its own: the rest stays.  Were all
 * starts looked at for each of them, this would take minutes.
 */
static void test_stale(void)
{
	struct pending p;
	unsigned added = 0, found = 0;
	uint64_t key;

	pending_init(&p, 1, 0, LONG);
	for (key = 0; key < LONG; key++)
		added += pending_add(&p, &key, pending_hash(&p, &key), (int)(key % 30000)) != NULL;
	for (unsigned i = 0; i < 30000; i++) {
		if (pending_drop(&p, (int)i) != 2)
			break;
		for (unsigned k = 0; k < 2; k++, key++)
			added += pending_add(&p, &key, pending_hash(&p, &key), 40000) != NULL;
	}
	is_u64(added, 2 * LONG, "what was dropped makes room at once (else: starts are left out)");
	ok(p.n <= LONG + LONG / 3 + 1, "in few more places than may wait: %u", p.n);
	for (key = 0; key < 2 * LONG; key++)
		found += (find(&p, key) != NULL) == (key >= LONG);
	is_u64(found, 2 * LONG, "and what was not dropped is found");
	pending_fini(&p);
}

/* Long strings are kept of each start. */
static void test_bytes(void)
{
	struct pending p;
	uint64_t key = 0;

	pending_init(&p, 1, 1 << 20, 1000000);
	while (pending_add(&p, &key, pending_hash(&p, &key), 0))
		key++;
	ok(p.by_size && key > 100 && key * p.stride <= PENDING_BYTES,
	   "starts of a MiB: %u of them (else: their strings fill the memory)", (unsigned)key);
	pending_fini(&p);
	pending_init(&p, 1, 32, 1000000);
	ok(!p.by_size && p.max == 1000000, "a million short ones may wait");
	pending_fini(&p);
}

int main(void)
{
	struct pending p;
	uint64_t ts = 1;
	bool full = false;
	const uint64_t none[8] = { 0 };

	pending_init(&p, 1, sizeof(uint64_t), MAX);
	while (ts < 400000 && step(&p, ts)) {
		full |= waiting == MAX;
		if (!(ts++ % 1000) && !same_all(&p))
			break;
	}
	is_u64(ts, 400000,
	       "each step gives what a plain list gives (else: a wrong start is ended)");
	ok(full, "the table was full meanwhile");
	ok(p.n <= MAX + MAX / 3 + 1, "places are used again (else: it grows without bound)");
	pending_fini(&p);

	pending_init(&p, 0, 0, 4);
	ok(pending_add(&p, none, pending_hash(&p, none), -1) && find(&p, 7) && find(&p, 8),
	   "without keys there is one of all");
	is_u64(pending_drop(&p, -1), 1, "a lane may be any number");
	ok(!find(&p, 7), "and what it had is gone");
	pending_fini(&p);
	test_stale();
	test_bytes();
	return tap_done();
}
