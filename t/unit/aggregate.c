// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * aggregate: tables of keys, and what happens where there is no room.  Without it counts are of the
 * wrong keys, or memory has no bound.
 *
 * of: analysis/aggregate
 */
#include "analysis/aggregate/aggregate.h"
#include "t/lib/c/aggtry.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

static unsigned said;

static void hear(void *arg, enum note_level level, const char *text)
{
	said++;
}

/* ---------------------------------------------------------------- the table */

#define MANY 200000

static void test_table(void)
{
	struct agg_spec spec = { .kind = AGG_COUNT, .nby = 1, .max_keys = TABLE_MOST };
	struct aggregate *a = agg_new(&spec, "test", NULL);
	uint32_t *want = calloc(MANY, sizeof(*want));
	bool right = true;
	size_t n, i;
	void **list;

	for (i = 0; i < 3 * MANY; i++) {
		uint64_t v = draw() % MANY;

		want[v]++;
		((struct agg_count *)value_at(a, v, false))->n++;
	}
	for (i = 0; i < MANY; i++)
		right &= ((struct agg_count *)value_at(a, i, true))->n == want[i];
	ok(right, "each of %d keys has its own count (else: collisions add keys up)", MANY);
	ok(a->table.index.n == MANY, "and is there once, whether signed or not");
	list = agg_list(a, &n);
	right = n == MANY - (size_t)(a->table.index.n - n);
	for (i = 1; i < n; i++) {
		uint64_t x = agg_n(a, list[i - 1]), y = agg_n(a, list[i]);

		right &= x > y || (x == y && key_compare(agg_key(a, list[i - 1]),
							 agg_key(a, list[i]), 1) < 0);
	}
	ok(right, "listed by count, then by key (else: two runs differ)");
	free(list);
	free(want);
	agg_put(a);
}

/* One event for each key. */
static void take_one(struct aggregate *a, uint64_t key)
{
	struct agg_record r = { .v = { .v = key } };
	void *value = value_at(a, key, false);
	static const uint64_t none = 0;

	if (a->spec.kind == AGG_COUNT)
		((struct agg_count *)value)->n++;
	else if (a->spec.kind != AGG_TOP)
		agg_take(a, value, r.v);
	else if (agg_top_wants(a, &value, &r))
		agg_top_keep(a, value, &r, &none, 1);
}

static void test_memory(void)
{
	/* What a bucket and a record take besides. */
	static const struct {
		const char *name;
		enum agg_kind kind;
		unsigned more;
	} kinds[] = { { "count", AGG_COUNT, 0 }, { "sum", AGG_SUM, 0 },
		      { "min", AGG_MIN, 0 },	 { "stats", AGG_STATS, 0 },
		      { "hist", AGG_HIST, 48 },	 { "lhist", AGG_LHIST, 48 },
		      { "top", AGG_TOP, 72 },	 { "quantiles", AGG_QUANTILES, 48 } };

	for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct agg_spec spec = { .kind = kinds[k].kind,
					 .nby = 1,
					 .max_keys = TABLE_MOST,
					 .keep = 10,
					 .steps = { .from = 0, .to = 10000, .step = 1000 } };
		struct aggregate *a = agg_new(&spec, "test", NULL);
		double most = 0;

		/* 4 bytes are packed into 8; a table is at its fullest and emptiest in between. */
		for (unsigned i = 0; i < 300000; i++) {
			take_one(a, i);
			if (i > 100000 && (double)agg_bytes(a) / (i + 1) > most)
				most = (double)agg_bytes(a) / (i + 1);
		}
		/* Two tables have each begun a chunk of 64 KiB. */
		ok(most <= 64 + 8 + kinds[k].more + 1.4,
		   "%s: at most 64 bytes a key plus the key, and %u of one bucket or record: %.2f",
		   kinds[k].name, kinds[k].more, most);
		agg_put(a);
	}
}

static void test_keys(void)
{
	static const struct {
		uint64_t v;
		bool is_signed;
	} numbers[] = { { 1ull << 63, true },
			{ (uint64_t)INT32_MIN - 1, true },
			{ (uint64_t)INT32_MIN, true },
			{ (uint64_t)-1, true },
			{ 0, false },
			{ INT32_MAX, false },
			{ 1ull << 31, false },
			{ UINT32_MAX, false },
			{ INT64_MAX, true },
			{ 1ull << 63, false },
			{ UINT64_MAX, false } };
	uint64_t keys[11][4];
	struct key_reader r;
	struct key_part part;
	bool right = true;
	unsigned words;
	size_t i, k;

	for (i = 0; i < 11; i++) {
		key_begin(&scratch);
		key_number(&scratch, numbers[i].v, numbers[i].is_signed);
		memcpy(keys[i], scratch.w, key_end(&scratch) * 8);
		key_first(&r, keys[i]);
		key_next(&r, &part);
		right &= part.num == numbers[i].v;
	}
	ok(right, "numbers come back whole");
	for (i = 0; i < 11; i++)
		for (k = 0; k < 11; k++)
			right &= (key_compare(keys[i], keys[k], 1) < 0) == (i < k);
	ok(right, "and are in order from the lowest signed to the highest unsigned one");

	key_begin(&scratch);
	key_text(&scratch, "a\0b", 3);
	key_undef(&scratch);
	key_bits(&scratch, (const uint8_t *)"\0\0\0\0\0\0\1\4", 8, 8, true);
	key_text(&scratch, "", 0);
	words = key_end(&scratch);
	is_u64(words, key_words(scratch.w, 4), "a key of four parts knows its length");
	key_first(&r, scratch.w);
	key_next(&r, &part);
	ok(part.kind == KEY_TEXT && part.len == 3 && !memcmp(part.text, "a\0b", 3),
	   "a text with a NUL is whole");
	key_next(&r, &part);
	ok(part.kind == KEY_UNDEF, "what is not there");
	key_next(&r, &part);
	ok(part.kind == KEY_BITS && part.len == 2 && !memcmp(part.text, "\4\1", 2),
	   "a big-endian mask is in the common form");
	key_next(&r, &part);
	ok(part.kind == KEY_TEXT && !part.len, "an empty text");
	ok(!scratch.cut, "nothing was cut");
	{
		static char big[KEY_TEXT_MAX + 1];

		key_begin(&scratch);
		for (i = 0; i < KEY_PARTS; i++)
			key_text(&scratch, big, sizeof(big));
		ok(scratch.cut && key_end(&scratch) <= KEY_WORDS && KEY_WORDS <= TABLE_KEY,
		   "texts that are too long are cut, and the longest key has room");
		scratch.cut = false;
	}
}

/* Behind the NUL of an array lies what was there before. */
static void test_chars16(void)
{
	unsigned len, words, i, right = 0;
	uint64_t alone[3];

	for (len = 0; len <= 16; len++) {
		char text[17] = "";
		struct chars16 c;

		for (i = 0; i < 16; i++)
			text[i] = (char)(i == len ? 0 : i % 3 ? 0x80 + i : 1 + i);
		c = chars16_load(text);
		key_begin(&scratch);
		key_text(&scratch, text, len);
		words = key_end(&scratch);
		right += c.len == len && key_of_chars16(alone, &c) == words &&
			 !memcmp(alone, scratch.w, words * sizeof(*alone));
	}
	is_u64(right, 17,
	       "a name in an array is the key that its text is (else: a name counts twice)");
	for (len = right = 0; len <= 16; len++) {
		static const char text[32] = "0123456789abcdef";
		const char *tail = text + (16 - len);
		struct chars16 c = chars16_load(tail);
		uint64_t packed[8];

		key_begin(&scratch);
		key_chars16(&scratch, &c);
		key_number(&scratch, len % 2 ? UINT64_MAX : 7, false);
		key_chars16(&scratch, &c);
		words = key_end(&scratch);
		memcpy(packed, scratch.w, words * 8);
		key_begin(&scratch);
		key_text(&scratch, tail, len);
		key_number(&scratch, len % 2 ? UINT64_MAX : 7, false);
		key_text(&scratch, tail, len);
		right += key_end(&scratch) == words && !memcmp(packed, scratch.w, words * 8);
	}
	is_u64(right, 17, "and the same among other parts, wherever these end");
}

/* ---------------------------------------------------------------- no room */

static void test_other(void)
{
	struct agg_spec spec = { .kind = AGG_HIST, .nby = 1, .max_keys = 100 };
	struct notes notes = { .say = hear };
	struct aggregate *a = agg_new(&spec, "test", &notes), *t;
	const struct agg_bucket **b;
	void **list;
	size_t n;
	unsigned i;

	for (i = 0; i < 1000; i++)
		agg_take(a, value_at(a, i % 500, false), (struct number){ .v = i });
	is_u64(a->table.index.n, 100, "no more keys than max_keys");
	is_u64(agg_n(a, a->other), 800, "the rest is counted as other");
	is_u64(said, 1, "which is said once");
	list = agg_list(a, &n);
	ok(n == 101 && list[100] == a->other && !agg_key(a, list[100]), "other is listed last");
	free(list);
	t = agg_total(a);
	b = agg_buckets(t->all, &n);
	ok(agg_n(t, t->all) == 1000 && n == 11 && b[10]->at == 10 && b[10]->n == 1000 - 512 &&
		   b[0]->n == 1,
	   "the total has all of both");
	free(b);
	agg_put(t);
	agg_clear(a);
	ok(!a->table.index.n && !agg_n(a, a->other) && !a->full, "nothing is left after clear");
	agg_put(a);
}

/* Records with long texts. */
static void test_record_bytes(void)
{
	struct agg_spec spec = {
		.kind = AGG_TOP, .nby = 1, .nfields = 1, .max_keys = 1000, .keep = 1000
	};
	struct notes notes = { .say = hear };
	struct aggregate *a = agg_new(&spec, "test", &notes);
	static uint64_t fields[100000];
	struct key_reader k;
	struct key_part part;
	unsigned bare = 0, i;
	void *value;
	size_t n;

	said = 0;
	fields[0] = key_small(7);
	value = value_at(a, 1, false);
	for (i = 0; i < 1000; i++) {
		struct agg_record r = { .v = { .v = i }, .ts = i };

		if (agg_top_wants(a, &value, &r))
			agg_top_keep(a, value, &r, fields, 100000);
	}
	ok(a->record_bytes <= AGG_RECORD_BYTES && agg_n(a, value) == 1000 && said == 1,
	   "fields of records have a bound (else: long texts fill the memory), which is said once");
	const struct agg_record **list = agg_records(value, &n);
	for (i = 0; i < n; i++) {
		key_first(&k, list[i]->fields);
		key_next(&k, &part);
		bare += part.kind == KEY_UNDEF;
	}
	ok(n == 1000 && bare == 1000 - AGG_RECORD_BYTES / 800000 && list[0]->v.v == 999,
	   "the records themselves are all kept: %u without fields", bare);
	free(list);
	for (i = 1000; i < 3000; i++) {
		struct agg_record r = { .v = { .v = i }, .ts = i };

		if (agg_top_wants(a, &value, &r))
			agg_top_keep(a, value, &r, fields, 1);
	}
	is_u64(a->record_bytes, 1000 * 8, "and what goes makes room");
	agg_put(a);
}

int main(void)
{
	test_table();
	test_memory();
	test_keys();
	test_chars16();
	test_other();
	test_record_bytes();
	return tap_done();
}
