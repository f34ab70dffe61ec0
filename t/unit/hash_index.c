// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hash_index: entries that are added and removed at random, against a plain array of them.  Without
 * it a removed entry could hide those after it, and a file could make each look-up a walk over all
 * its keys.
 *
 * of: base/hash_index.c
 */
#include "base/hash_index.h"
#include "t/lib/c/tap.h"

#define KEYS 3000
#define STEPS 200000

static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

/* Is the entry NUMBER found once by HASH? */
static bool finds(const struct hash_index *x, uint32_t hash, uint32_t number)
{
	uint32_t slot = index_home(x, hash), i;
	unsigned n = 0;

	while (index_next(x, hash, &slot, &i))
		n += i == number;
	return n == 1;
}

/* Does X have these entries, and no others? */
static bool agrees(const struct hash_index *x, uint32_t (*hash)(uint32_t), const bool *is_in)
{
	uint32_t slot = 0, number, n = 0;

	for (uint32_t i = 0; i < KEYS; i++)
		if (finds(x, hash(i), i) != is_in[i])
			return false;
	while (index_each(x, &slot, &number)) {
		n++;
		if (number >= KEYS || !is_in[number])
			return false;
	}
	return n == x->n;
}

static struct hash_index index_of_keys;

static uint32_t spread(uint32_t i)
{
	return index_hash(&index_of_keys, i);
}

/* Many entries with one hash, and all at the end of the slots: searches go round it. */
static uint32_t crowded(uint32_t i)
{
	return UINT32_MAX - i % 5;
}

static void at_random(uint32_t (*hash)(uint32_t), unsigned steps, unsigned often, const char *what)
{
	struct hash_index *x = &index_of_keys;
	static bool is_in[KEYS];
	bool same = true;

	memset(is_in, 0, sizeof(is_in));
	index_begin(x);
	for (unsigned i = 0; i < steps && same; i++) {
		uint32_t number = (uint32_t)random_below(i < steps / 2 ? KEYS : KEYS / 20);

		if (is_in[number])
			index_remove(x, hash(number), number);
		else
			index_add(x, hash(number), number);
		is_in[number] = !is_in[number];
		same = i % often || agrees(x, hash, is_in);
	}
	ok(same && agrees(x, hash, is_in), "%s (else: a removed entry hides others)", what);
	ok(x->n < x->nslots && index_bytes(x) == x->nslots * 8, "a slot is free: searches end");
	index_fini(x);
}

/* The slots from home to end of the longest search for one of the N numbers V. */
static uint32_t longest(const uint64_t *v, uint32_t n)
{
	struct hash_index x = { 0 };
	uint32_t most = 0;

	index_begin(&x);
	for (uint32_t i = 0; i < n; i++)
		index_add(&x, index_hash(&x, v[i]), i);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = index_home(&x, index_hash(&x, v[i])), len = 0;

		for (; x.slots[at]; at = at + 1 == x.nslots ? 0 : at + 1)
			len++;
		most = len > most ? len : most;
	}
	index_fini(&x);
	return most;
}

int main(void)
{
	static uint64_t v[KEYS];
	struct hash_index x = { 0 }, other = { 0 };
	uint32_t slot = index_home(&x, 7), number, worst = 0, n = 0;
	uint32_t hash;

	ok(!index_next(&x, 7, &slot, &number) && !index_bytes(&x), "a zeroed index is empty");
	at_random(spread, STEPS, 20000, "entries come and go");
	at_random(crowded, STEPS / 10, 5000, "and with five hashes in all");

	index_begin(&x);
	index_begin(&other);
	hash = index_hash_bytes(&x, "kworker/u8:3", 12);
	ok(hash == index_hash_bytes(&x, "kworker/u8:3-events", 12) &&
		   hash != index_hash_bytes(&x, "kworker/u8:3", 11) &&
		   hash != index_hash_bytes(&x, "kworker/u8:4", 12) &&
		   index_hash_bytes(&x, "", 0) != index_hash_bytes(&x, "", 1),
	   "a hash of bytes is of all of them, and of no others");
	ok(index_hash_two(&x, 1, 2) != index_hash_two(&x, 2, 1), "and one of two numbers of both");

	/* What a file would hold that was made for the random number of another run. */
	for (uint64_t key = 1; n < KEYS; key++)
		if (index_hash(&other, key) >> 22 == 0)
			v[n++] = key;
	for (unsigned i = 0; i < 20; i++) {
		uint32_t most = longest(v, KEYS);

		worst = most > worst ? most : worst;
	}
	ok(worst < KEYS / 4,
	   "keys that meet in one run do not in another (else: a file chooses "
	   "them): %u slots at most",
	   worst);
	for (unsigned i = 0; i < KEYS; i++)
		v[i] = 1000 + i;
	worst = 0;
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t most = longest(v, KEYS);

		worst = most > worst ? most : worst;
	}
	ok(worst < KEYS / 10,
	   "consecutive numbers are spread in each of 1000 runs (else: some runs are slow): %u "
	   "slots at most",
	   worst);
	index_fini(&x);
	index_fini(&other);
	return tap_done();
}
