// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps: what processes have mapped: as bytes, by process and time, as texts of trace-cmd's, and the
 * files of /proc that it comes from.  Without it a stack has names of a library that was elsewhere
 * then, or of another program.
 *
 * of: trace/maps kernel/map_files.c record/maps_text.c
 */
#include "base/mem.h"
#include "kernel/map_files.h"
#include "reader/dat/dat.h"
#include "reader/dat/mapped.h"
#include "record/maps_text.h"
#include "t/lib/c/tap.h"
#include "trace/maps/map_limit.h"
#include "trace/maps/map_table.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint8_t ID[] = { 1, 2, 3, 4 };

static void put_file(struct map_log_buf *b, uint32_t number, const char *path)
{
	map_log_put_file(b, number,
			 &(struct map_file){ .major = 8,
					     .minor = 1,
					     .inode = 77,
					     .id = ID,
					     .id_len = sizeof(ID),
					     .path_len = (uint16_t)strlen(path),
					     .path = path });
}

/* A look of PID at one mapping of FILE, from START on. */
static void put_look(struct map_log_buf *b, int32_t pid, uint64_t from, uint64_t seen,
		     uint64_t start, uint32_t file)
{
	const struct map_entry x = { start, start + 0x1000, 0x100, start - 0x100, file };
	uint8_t p[MAP_LOG_ENTRY];

	map_log_entry_put(p, &x);
	map_log_put(b, &(struct map_record){
			       .pid = pid, .from = from, .seen = seen, .p = p, .len = sizeof(p) });
}

static void put_like(struct map_log_buf *b, int32_t pid, uint64_t ts, int32_t like)
{
	map_log_put(b, &(struct map_record){
			       .pid = pid, .number = (uint32_t)like, .from = ts, .seen = ts });
}

/* ---- bytes ---- */

static void test_bytes(void)
{
	/* clang-format off */
	static const uint8_t want[] = {
		24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
		8, 0, 0, 0, 1, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4, '/', 'l', 'b',
		36, 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
		0, 0x0f, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
		0, 0, 0, 0, 10, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0,
	};
	/* clang-format on */
	struct map_log_buf b = { 0 };
	struct map_record r;
	struct map_file f;
	struct map_entry x;
	size_t at = 0, len;

	put_file(&b, 3, "/lb");
	put_look(&b, 9, 5, 6, 0x1000, 3);
	put_like(&b, 10, 7, 9);
	ok(b.len == sizeof(want) && !memcmp(b.p, want, sizeof(want)),
	   "records have the bytes that the header tells (else: other readers cannot read them)");
	for (len = 0; len < 52 && !map_log_whole(b.p, len); len++)
		;
	is_u64(len, 52, "no record that is cut is read (else: bytes after it are)");
	ok(map_log_next(b.p, b.len, &at, &r) && !r.pid && r.number == 3, "a file");
	map_log_file(&r, &f);
	ok(f.major == 8 && f.minor == 1 && f.inode == 77 && f.id_len == 4 && !memcmp(f.id, ID, 4) &&
		   f.path_len == 3 && !memcmp(f.path, "/lb", 3),
	   "... with all that is known of it");
	ok(map_log_next(b.p, b.len, &at, &r) && r.pid == 9 && r.from == 5 && r.seen == 6 &&
		   map_log_count(&r) == 1,
	   "a look");
	map_log_entry(&r, 0, &x);
	ok(x.start == 0x1000 && x.end == 0x2000 && x.off == 0x100 && x.base == 0xf00 && x.file == 3,
	   "... at a mapping");
	ok(map_log_next(b.p, b.len, &at, &r) && r.pid == 10 && r.number == 9 && !r.len,
	   "one that is like another");
	ok(!map_log_next(b.p, b.len, &at, &r) && at == b.len, "and no more");
	free(b.p);
}

/* What is not a record that our recorder writes. */
static void test_invalid(void)
{
	static const struct {
		const char *what;
		size_t at;
		uint8_t byte;
	} all[] = {
		{ "a process below 0", 52 + 7, 0x80 },
		{ "seen before it began", 52 + 8, 9 },
		{ "a mapping that ends where it begins", 52 + 28 + 9, 0x10 },
		{ "a file that begins after its mapping", 52 + 28 + 25, 0x1f },
		{ "mappings, and like another", 52 + 24, 1 },
		{ "half a mapping", 52, 20 },
	};
	struct map_log_buf b = { 0 };

	put_file(&b, 3, "/lb");
	put_look(&b, 9, 5, 6, 0x1000, 3);
	is_u64(map_log_whole(b.p, b.len), b.len, "a log");
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint8_t was = b.p[all[i].at];

		b.p[all[i].at] = all[i].byte;
		is_u64(map_log_whole(b.p, b.len), 52, all[i].what);
		b.p[all[i].at] = was;
	}
	b.p[28 + 16] = 0xff;
	is_u64(map_log_whole(b.p, b.len), 0, "a build id that is longer than its record");
	b.p[28 + 16] = 4;
	b.p[51] = 0;
	is_u64(map_log_whole(b.p, b.len), 0, "a path with a NUL");
	free(b.p);
}

/* ---- by time ---- */

static struct map_table *table_of(const struct map_log_buf *b)
{
	struct map_table *t = map_table_new();
	struct map_record r;
	size_t at = 0;

	while (map_log_next(b->p, b->len, &at, &r))
		map_table_apply(t, &r);
	return t;
}

/* The path of PID's mapping at ADDRESS at TS; "-": none. */
static const char *path_at(const struct map_table *t, int32_t pid, uint64_t ts, uint64_t address)
{
	struct map_found x;

	return map_table_find(t, pid, ts, address, &x) ? x.path : "-";
}

static void test_time(void)
{
	struct map_log_buf b = { 0 };
	struct map_table *t;
	struct map_found x;

	for (unsigned i = 0; i < 4; i++)
		put_file(&b, i, i == 0 ? "/a" : i == 1 ? "/b" : i == 2 ? "/c" : "/d");
	put_look(&b, 9, 0, 0, 0x1000, 0);
	put_like(&b, 10, 50, 9);
	put_look(&b, 9, 100, 120, 0x1000, 1); /* another program */
	put_look(&b, 9, 100, 200, 0x5000, 2); /* which has loaded a library by then */
	put_like(&b, 11, 300, 9);
	put_look(&b, 9, 100, 400, 0x5000, 3); /* and then another in its place */
	map_log_put(&b, &(struct map_record){ .pid = 9, .from = 500, .seen = 500 });
	t = table_of(&b);

	ok(map_table_find(t, 9, 10, 0x1234, &x) && !strcmp(x.path, "/a") && x.off == 0x334 &&
		   x.inode == 77 && x.id_len == 4 && !memcmp(x.id, ID, 4),
	   "the file, and the place in it");
	is_str(path_at(t, 9, 10, 0xfff), "-", "nothing before the mapping");
	is_str(path_at(t, 9, 10, 0x2000), "-", "... and after it");
	is_str(path_at(t, 8, 10, 0x1000), "-", "nothing of another process");
	is_str(path_at(t, 9, 99, 0x1000), "/a", "up to its next program");
	is_str(path_at(t, 9, 100, 0x1000), "/b",
	       "from then on that one, seen later (else: names of a program that is gone)");
	is_str(path_at(t, 9, 100, 0x5000), "-", "its library was not there at the first look");
	is_str(path_at(t, 9, 150, 0x5000), "/c", "it came between two looks");
	is_str(path_at(t, 9, 250, 0x5000), "-", "where two looks contradict there is none");
	is_str(path_at(t, 9, 450, 0x5000), "/d", "after the last look it is that one");
	is_str(path_at(t, 9, 500, 0x5000), "-", "a program that was not looked at has none");
	is_str(path_at(t, 10, 49, 0x1000), "-", "a process before it began");
	is_str(path_at(t, 10, 1000, 0x1000), "/a",
	       "one that is like another has what that had then (else: what it has later)");
	is_str(path_at(t, 11, 1000, 0x5000), "/c", "... another one");
	ok(map_table_generation(t, 9, 10) != map_table_generation(t, 9, 100) &&
		   map_table_generation(t, 9, 130) != map_table_generation(t, 9, 250) &&
		   map_table_generation(t, 9, 10) == map_table_generation(t, 9, 20) &&
		   map_table_generation(t, 9, 10) != map_table_generation(t, 10, 60) &&
		   !map_table_generation(t, 8, 10),
	   "the generation changes when answers do (else: names that are kept are wrong)");
	map_table_free(t);
	free(b.p);
}

static void test_order(void)
{
	struct map_log_buf b = { 0 };
	struct map_table *t;

	put_look(&b, 9, 100, 100, 0x1000, 1);
	put_look(&b, 9, 0, 0, 0x1000, 0);
	put_file(&b, 1, "/b");
	put_file(&b, 0, "/a");
	put_look(&b, 8, 0, 0, 0x1000, 70000);
	map_log_put(&b, &(struct map_record){ .pid = 7, .from = 50, .seen = 50 });
	put_look(&b, 7, 50, 50, 0x1000, 0);
	t = table_of(&b);
	is_str(path_at(t, 7, 50, 0x1000), "/a", "a look replaces that it is not known");
	is_str(path_at(t, 9, 99, 0x1000), "/a", "in any order: the earlier");
	is_str(path_at(t, 9, 100, 0x1000), "/b", "... and the later");
	is_str(path_at(t, 8, 1, 0x1000), "-", "a file that does not come is none");
	map_table_free(t);
	free(b.p);
}

/* ---- too much ---- */

static unsigned said;

static void hear(void *arg, enum note_level level, const char *text)
{
	said += strstr(text, "too many") != NULL;
}

static long memory_kb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* As many looks as there may be, and then as many processes more. */
static void test_bounds(void)
{
	struct notes notes = { .say = hear };
	struct dat d = { .notes = &notes, .clock = { .mult = 1 } };
	struct map_table *t = d.looks = map_table_new();
	struct map_log_buf b = { 0 };
	unsigned taken = 0;
	long before;

	put_file(&b, 0, "/a");
	put_look(&b, 8, 0, 0, 0x1000, 0);
	put_look(&b, 8, 50, 50, 0x1000, 0);
	taken += dat_take_maps(&d, b.p, b.len) == b.len ? 2 : 0;
	for (unsigned i = taken; i < MAP_TABLE_LOOKS; i++)
		taken += map_table_apply(t, &(struct map_record){ .pid = 9, .from = i, .seen = i });
	is_u64(taken, MAP_TABLE_LOOKS, "as many looks as the header tells");
	before = memory_kb();
	for (unsigned i = 0; i < MAP_TABLE_LOOKS; i++)
		taken += map_table_apply(t, &(struct map_record){ .pid = 10 + (int32_t)i });
	is_u64(taken, MAP_TABLE_LOOKS, "no more");
	ok(memory_kb() - before < 8 << 10,
	   "more take no memory (else: a stream fills that of its reader)");
	b.len = 0;
	put_look(&b, 8, 50, 70, 0x1000, 0);
	for (unsigned i = 0; i < 3; i++)
		is_u64(dat_take_maps(&d, b.p, b.len), b.len, "a frame of a stream is read");
	is_str(path_at(t, 8, 69, 0x1000), "/a", "a process has its last look");
	is_str(path_at(t, 8, 70, 0x1000), "-", "... up to one that is left out");
	map_table_apply(t, &(struct map_record){ .pid = 8, .from = 60, .seen = 60 });
	is_str(path_at(t, 8, 59, 0x1000), "/a", "... or another program's");
	is_str(path_at(t, 8, 60, 0x1000), "-", "(else: it has names of an older program)");
	ok(!map_table_generation(t, 8, 60), "... nor a generation");
	is_u64(said, 1, "that more are left out is said once (else: by each frame)");
	map_table_free(t);
	free(b.p);
}

/* A process has no mappings of an older program if there is no room for those of the new one. */
static void test_full_table(void)
{
	static uint8_t p[MAP_LOG_ENTRIES * MAP_LOG_ENTRY];
	struct map_log_buf b = { 0 };
	struct map_table *t = map_table_new();
	struct map_record r;
	unsigned taken = 0;
	size_t at = 0;

	for (uint64_t i = 0; i < MAP_LOG_ENTRIES; i++)
		map_log_entry_put(p + i * MAP_LOG_ENTRY,
				  &(struct map_entry){ i << 12, (i + 1) << 12, 0, i << 12, 0 });
	put_file(&b, 0, "/a");
	while (map_log_next(b.p, b.len, &at, &r))
		map_table_apply(t, &r);
	r = (struct map_record){ .pid = 9, .p = p, .len = sizeof(p) };
	for (unsigned i = 0; i < 2 * MAP_TABLE_SPANS / MAP_LOG_ENTRIES; i++) {
		r.from = r.seen = i;
		taken += map_table_apply(t, &r);
	}
	is_u64(taken, MAP_TABLE_SPANS / MAP_LOG_ENTRIES, "as many mappings as the header tells");
	is_str(path_at(t, 9, taken - 1, 0x1000), "/a", "the last ones that have room");
	is_str(path_at(t, 9, taken, 0x1000), "-", "then none (else: an older program's names)");
	map_table_free(t);
	free(b.p);
}

/* A call with more than fits: all up to a record, however small the next ones are. */
static void test_limit(void)
{
	static uint8_t p[MAP_LOG_ENTRIES * MAP_LOG_ENTRY];
	struct map_log_buf b = { 0 }, out = { 0 };
	struct map_limit l = { 0 };
	const size_t fit = MAP_LOG_MAX / MAP_LOG_RECORD;
	struct map_record r;
	size_t at = 0, n = 0;

	for (uint64_t i = 0; i < MAP_LOG_ENTRIES; i++)
		map_log_entry_put(p + i * MAP_LOG_ENTRY,
				  &(struct map_entry){ i << 12, (i + 1) << 12, 0, i << 12, 1 });
	for (int32_t i = 0; i < (int32_t)fit + 2; i++)
		map_log_put(&b, &(struct map_record){ .pid = 100 + i, .p = p, .len = sizeof(p) });
	put_file(&b, 1, "/a");
	put_like(&b, 5, 70, 100);
	put_look(&b, 5, 80, 90, 0x1000, 1);
	map_limit_take(&l, b.p, b.len, &out);
	ok(l.full && out.len >= fit * MAP_LOG_RECORD && !memcmp(out.p, b.p, fit * MAP_LOG_RECORD),
	   "of a call with too much what fits is taken (else: nothing has a name)");
	while (map_log_next(out.p, out.len, &at, &r))
		n += !r.pid || r.len;
	is_u64(n, fit, "... and no mappings after that (else: those of a file that is left out)");
	is_u64(at, out.len, "... in whole records");
	ok(r.pid == 5 && r.from == 70 && r.seen == 70 && !r.number && !r.len,
	   "the rest is not known (else: processes have mappings of an older program)");
	is_u64(out.len - l.len, 3 * MAP_LOG_HEAD, "... which each process has once");
	b.len = out.len = 0;
	for (int32_t i = 1; i <= 2 * (int32_t)MAP_LIMIT_LOST; i++)
		put_like(&b, 200000 + i, 100, 5);
	map_limit_take(&l, b.p, b.len, &out);
	is_u64(out.len, (MAP_LIMIT_LOST - 3) * MAP_LOG_HEAD, "... and not of any number of them");
	map_limit_fini(&l);
	free(b.p);
	free(out.p);
}

/* ---- texts of trace-cmd's ---- */

static char texts[1000];

static void add_text(void *arg, const char *text, size_t len)
{
	size_t at = strlen(texts);

	ok(strlen(text) + 1 == len, "a text ends with its NUL");
	snprintf(texts + at, sizeof(texts) - at, "%s|", text);
}

static void test_text(void)
{
	struct map_log_buf b = { 0 };

	put_file(&b, 0, "/a");
	put_file(&b, 1, "/b c");
	put_look(&b, 31, 0, 0, 0x1000, 0);
	put_look(&b, 32, 0, 0, 0x1000, 1);
	put_like(&b, 33, 5, 31);
	put_look(&b, 31, 0, 9, 0x7000, 0);
	put_file(&b, UINT16_MAX, "/\303\244");
	put_look(&b, 34, 0, 0, 0x1000, UINT16_MAX);
	maps_text_each(b.p, b.len, add_text, NULL);
	is_str(texts,
	       "1f 1 /a\n6f00 8000 /a\n|21 1 /a\nf00 2000 /a\n|"
	       "22 1 /\303\244\nf00 2000 /\303\244\n|",
	       "the last look at each, without paths that have blanks (else: trace-cmd drops it)");
	free(b.p);
}

/* Processes with many mappings of a file that can be in no text, and then one with a text. */
static void test_text_work(void)
{
	enum { MANY = MAPS_TEXT_SEEN / (MAP_LOG_ENTRIES + 1) };
	static uint8_t p[MAP_LOG_ENTRIES * MAP_LOG_ENTRY];
	struct map_log_buf b = { 0 };
	size_t few;

	put_file(&b, 0, "/a");
	put_file(&b, 1, "/b c");
	for (uint64_t i = 0; i < MAP_LOG_ENTRIES; i++)
		map_log_entry_put(p + i * MAP_LOG_ENTRY,
				  &(struct map_entry){ i << 12, (i + 1) << 12, 0, i << 12, 1 });
	map_log_put(&b, &(struct map_record){ .pid = 1, .p = p, .len = sizeof(p) });
	for (int32_t i = 1; i < MANY; i++)
		put_like(&b, 1 + i, 0, 1);
	few = b.len;
	put_look(&b, 31000, 0, 0, 0x1000, 0);
	*texts = '\0';
	maps_text_each(b.p, b.len, add_text, NULL);
	is_str(texts, "7918 1 /a\nf00 2000 /a\n|", "a process after many mappings has a text");
	b.len = few;
	put_like(&b, 30000, 0, 1);
	put_look(&b, 31000, 0, 0, 0x1000, 0);
	*texts = '\0';
	maps_text_each(b.p, b.len, add_text, NULL);
	is_str(texts, "", "but not after too many (else: a log of 16 MiB takes hours)");
	free(b.p);
}

/* ---- damage ---- */

static void drop_text(void *arg, const char *text, size_t len)
{
	*(size_t *)arg += strlen(text) + 1 == len;
}

/* What is read of LEN bytes, which end where memory does: each record lies within them. */
static bool is_sound(const uint8_t *p, size_t len, struct map_table *t)
{
	struct map_record r;
	struct map_found x;
	size_t at = 0, given = 0;

	while (map_log_next(p, len, &at, &r)) {
		if (r.p < p || r.p + r.len > p + len || at > len)
			return false;
		map_table_apply(t, &r);
		if (map_table_find(t, r.pid, r.seen, 0x1000, &x) && !*x.path)
			return false;
	}
	maps_text_each(p, len, drop_text, &given);
	return map_log_whole(p, len) <= len;
}

static void test_damage(void)
{
	struct map_log_buf b = { 0 };
	unsigned bad = 0;
	uint8_t *p;

	put_file(&b, 0, "/a");
	put_look(&b, 9, 0, 0, 0x1000, 0);
	put_like(&b, 10, 50, 9);
	put_file(&b, 1, "/lib/b");
	put_look(&b, 9, 100, 120, 0x1000, 1);
	srand(1);
	for (unsigned i = 0; i < 20000; i++) {
		size_t len = b.len - (size_t)rand() % 40;
		struct map_table *t = map_table_new();

		/* Of its own, so that a sanitizer sees what is read after it. */
		p = mem_alloc(len);
		memcpy(p, b.p, len);
		for (unsigned k = rand() % 4 + 1; k; k--)
			p[(size_t)rand() % len] = (uint8_t)(rand() % 3 ? rand() : rand() % 2 * 255);
		bad += !is_sound(p, len, t);
		map_table_free(t);
		free(p);
	}
	is_u64(bad, 0, "no damaged log is read beyond its end (else: others' memory is shown)");
	free(b.p);
}

/* ---- /proc ---- */

static void test_lines(void)
{
	static const char text[] =
		"55d0c0-55d0d0 r-xp 00001000 fd:1a 1234567  /usr/bin/a b (deleted)\n"
		"no line\n"
		"7000-6000 r-xp 00000000 00:00 0 \n"
		"11112222333344445-2 r-xp 00000000 00:00 0 \n"
		"7f00-8f00 rw-p 00000000 00:00 0 \n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]";
	const char *at = text;
	struct map_line l;

	ok(map_files_line(&at, &l) && l.start == 0x55d0c0 && l.end == 0x55d0d0 && l.executable &&
		   l.off == 0x1000 && l.major == 0xfd && l.minor == 0x1a && l.inode == 1234567 &&
		   l.len == 22 && !strncmp(l.path, "/usr/bin/a b (deleted)", l.len),
	   "a file's line");
	ok(map_files_line(&at, &l) && l.start == 0x7f00 && !l.executable && !l.inode && !l.len,
	   "after invalid ones: memory without a name");
	ok(map_files_line(&at, &l) && l.end == 0xffffffffff601000 && l.executable && l.len == 10,
	   "the last one, without a newline");
	ok(!map_files_line(&at, &l), "and no more");
}

struct own_id {
	uint8_t id[MAP_FILES_ID];
	unsigned len;
};

/* That of this program, as the loader has its notes; the first object is it. */
static int find_own_id(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct own_id *own = arg;

	for (unsigned i = 0; i < info->dlpi_phnum && !own->len; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const uint8_t *p = (const uint8_t *)(info->dlpi_addr + ph->p_vaddr);
		const uint32_t *head = (const uint32_t *)p;

		if (ph->p_type != PT_NOTE || ph->p_memsz < 16 || head[2] != NT_GNU_BUILD_ID)
			continue;
		own->len = head[1];
		memcpy(own->id, p + 16, own->len);
	}
	return 1;
}

static void test_own(void)
{
	char *text = map_files_text(getpid());
	const char *at = text;
	struct own_id own = { .len = 0 };
	uint8_t id[MAP_FILES_ID];
	uint64_t changed = 0, here = (uint64_t)(uintptr_t)test_own;
	struct map_line l;
	bool found = false;

	dl_iterate_phdr(find_own_id, &own);
	while (at && !found && map_files_line(&at, &l))
		found = l.start <= here && here < l.end;
	if (ok(found && l.executable && l.inode, "this program's own mapping is in its maps") &&
	    map_files_changed(getpid(), &l, &changed)) {
		ok(changed > 0, "when it was last changed");
		ok(map_files_id(getpid(), &l, id) == own.len && !memcmp(id, own.id, own.len),
		   "its build id is that which the loader has (else: no file is the right one)");
	}
	free(text);
	ok(!map_files_text(1 << 30), "no process, no maps");
}

/* One with a lease is not waited for: 45 s, with the lease of a process that ignores SIGIO. */
static void test_lease(void)
{
	char path[64], *text;
	struct map_line l = { 0 };
	uint8_t id[MAP_FILES_ID];
	const char *at;
	bool found = false;
	void *p;
	int fd;

	tap_template(path, sizeof(path), "/tmp", "maps");
	fd = mkstemp(path);
	signal(SIGIO, SIG_IGN);
	/* A lease to write is only for a file that is open once. */
	if (fd < 0 || ftruncate(fd, 4096) < 0)
		bail("mkstemp");
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	at = text = map_files_text(getpid());
	while (at && !found && map_files_line(&at, &l))
		found = l.start == (uint64_t)(uintptr_t)p;
	if (found && fcntl(fd, F_SETLEASE, F_WRLCK) == 0) {
		alarm(20);
		is_u64(map_files_id(getpid(), &l, id), 0,
		       "a file with a lease has no build id (else: its owner stops the recorder)");
		alarm(0);
	}
	unlink(path);
	munmap(p, 4096);
	close(fd);
	free(text);
}

/* ---- ELF files of any kind ---- */

/* The build id of a file with BYTES; its length. */
static unsigned id_of(const void *bytes, size_t len, uint8_t id[MAP_FILES_ID])
{
	FILE *f = tmpfile();
	unsigned n;

	if (!f || fwrite(bytes, 1, len, f) != len || fflush(f))
		bail("tmpfile");
	n = map_files_elf_id(fileno(f), id);
	fclose(f);
	return n;
}

static void test_elf(void)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segment;
		uint32_t note[4];
		uint8_t id[8];
	} file = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				       __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB :
										ELFDATA2LSB },
			  .e_phoff = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 },
		.segment = { .p_type = PT_NOTE,
			     .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			     .p_filesz = 24,
			     .p_align = 4 },
		.note = { 4, 8, NT_GNU_BUILD_ID },
		.id = "abcdefgh",
	};
	uint8_t id[MAP_FILES_ID];

	memcpy(&file.note[3], "GNU", 4);
	ok(id_of(&file, sizeof(file), id) == 8 && !memcmp(id, "abcdefgh", 8), "an ELF file's");
	for (size_t len = 0; len < sizeof(file); len += 7)
		if (id_of(&file, len, id))
			break;
	ok(!id_of(&file, sizeof(file) - 1, id), "a file that is cut has none");
	file.note[1] = UINT32_MAX;
	ok(!id_of(&file, sizeof(file), id), "nor one whose note is longer than it");
	file.note[1] = 8;
	file.note[0] = UINT32_MAX;
	ok(!id_of(&file, sizeof(file), id), "... or its name");
	file.note[0] = 4;
	file.segment.p_offset = UINT64_MAX;
	ok(!id_of(&file, sizeof(file), id), "... or beyond any file");
	file.segment.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
	file.head.e_phentsize = 1;
	ok(!id_of(&file, sizeof(file), id), "... or segments of a byte");
}

int main(void)
{
	test_bytes();
	test_invalid();
	test_time();
	test_order();
	test_bounds();
	test_full_table();
	test_limit();
	test_text();
	test_text_work();
	test_damage();
	test_lines();
	test_own();
	test_lease();
	test_elf();
	return tap_done();
}
