// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool: pages that were made here, through FILE.zed, into a trace.dat that is taken apart here.
 * Without it a recording loses pages on its way into the file, or a limit or a full disk costs more
 * than it must.
 *
 * of: record/file
 */
#include "t/lib/c/spooltry.h"
#include "trace/maps/map_log.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void test_whole(const char *what, struct spool_opts opts)
{
	struct output *o;
	struct got *g;
	struct stat st;
	struct err e;
	int fd = open(at("w.dat"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, "old", 3) != 3 || fchmod(fd, 0604) < 0)
		bail("w.dat");
	close(fd);
	o = must_make("w.dat", opts);
	/* In turns, as a recorder does; 23 pages: chunks of 10, and a rest. */
	put_pages(o, 2, 0, 4, true, &e);
	put_pages(o, 0, 0, 9, false, &e);
	put_pages(o, 2, 5, 22, true, &e);
	put_pages(o, 0, 10, 10, true, &e);
	put_pages(o, 15, 0, 1, false, &e); /* one that nobody announced */
	o->ops->format(o, "late", "name: late\nID: 301\n", 19, &e);
	stat(at("w.dat"), &st);
	ok(st.st_size == 3,
	   "%s: FILE stays until the new one is whole (else: a recording that "
	   "dies takes the one before with it)",
	   what);
	ok(end(o, 36 * EVENTS, &e) == 0, "%s: it ends", what);
	o->ops->close(o);
	g = got(at("w.dat"), head_of(&opts));
	is_sound(g, what);
	ok(has_pages(g, 0, 0, 10) && has_pages(g, 2, 0, 22) && has_pages(g, 15, 0, 1) &&
		   !g->npages[1],
	   "%s: every page, in order, CPUs without data left out (else: lost events)", what);
	ok(g->flags == (opts.codec != CODEC_NONE), "%s: the section's flag", what);
	ok(!strcmp(g->name, "") && !strcmp(g->clock, "mono"), "%s: top buffer, clock mono", what);
	is_str(g->stat, "CPU: 0\nentries: 0\nread events: 9\n",
	       "the kernel's statistics (else: report --stat has none)");
	ok(g->packed == (head_of(&opts) != CODEC_NONE),
	   "%s: the metadata are packed unless told (else: an idle second takes 5 MB)", what);
	ok(g->comms && !memcmp(g->comms,
			       "\x08\0\0\0\0\0\0\0"
			       "77 made\n",
			       16),
	   "%s: command names (else: <...>)", what);
	ok(g->formats && g->formats[0] == 2 && !memcmp(g->formats + 4, "made\0\1\0\0\0", 9) &&
		   !memcmp(g->formats + 13 + 8 + sizeof(tick_text) - 1,
			   "late\0\1\0\0\0\x13\0\0\0\0\0\0\0"
			   "name: late",
			   27),
	   "%s: the format of an event that came later is there as well", what);
	ok(!exists("w.dat.zed"), "%s: FILE.zed is gone", what);
	stat(at("w.dat"), &st);
	ok((st.st_mode & 0777) == 0604, "%s: its rights are those that its owner gave it", what);
	unlink(at("w.dat"));
}

static void test_targets(void)
{
	struct spool_opts none = { .ncpus = CPUS };
	struct output *o, *p;
	struct err e;

	mkdir(at("d"), 0755);
	mkfifo(at("f"), 0644);
	ok(!make("d", none, &e), "FILE is a directory");
	has(e.msg, "-o -", "and the error says what to do");
	ok(!make("f", none, &e) && !exists("f.zed"), "FILE is a FIFO: nothing is made");
	ok(!make("no/such", none, &e), "a directory that is not there");
	o = must_make("x.dat", none);
	p = make("x.dat", none, &e);
	ok(!p, "FILE.zed exists: no second recorder (else: they write over each other)");
	has(e.msg, "another recording is writing", "of one that lives: the error says that");
	o->ops->close(o);
	ok(!exists("x.dat.zed") && !exists("x.dat"), "given up before a page came: nothing stays");
	rmdir(at("d"));
	unlink(at("f"));
}

static void test_ring(void)
{
	struct spool_opts ring = { .ncpus = CPUS, .max_size = CPUS * 8 * PAGE, .ring = true };
	struct spool_result res;
	struct output *o = must_make("r.dat", ring);
	struct got *g;
	struct err e;

	put_pages(o, 0, 0, 20, false, &e);
	put_pages(o, 1, 0, 7, false, &e);
	put_pages(o, 3, 0, 8, true, &e);
	ok(end(o, (21 + 8 + 9) * EVENTS, &e) == 0, "a ring ends");
	spool_result(o, &res);
	o->ops->close(o);
	g = got(at("r.dat"), CODEC_ZSTD);
	is_sound(g, "ring");
	ok(has_pages(g, 0, 13, 20) && has_pages(g, 1, 0, 7) && has_pages(g, 3, 1, 8),
	   "each CPU keeps its newest pages, in order (else: the oldest, or turned around)");
	ok(res.limited, "it says that it had to");
	is_u64(res.kept_events, 24 * EVENTS, "the events that are kept");
	is_u64(res.ringed_events, 14 * EVENTS, "and those that gave way: they add up");
	unlink(at("r.dat"));
	ring.codec = CODEC_ZSTD;
	o = must_make("r.dat", ring);
	put_pages(o, 0, 0, 28, false, &e);
	ok(end(o, 29 * EVENTS, &e) == 0, "a packed ring");
	o->ops->close(o);
	ok(has_pages(got(at("r.dat"), CODEC_ZSTD), 0, 21, 28), "has its newest pages");
	unlink(at("r.dat"));
}

static void test_limit(void)
{
	struct spool_opts limit = { .ncpus = CPUS, .max_size = 10 * PAGE + 17 };
	struct spool_result res;
	struct output *o = must_make("l.dat", limit);
	struct err e;
	struct got *g;
	char *told;

	notes_text[0] = '\0';
	put_pages(o, 0, 0, 7, true, &e);
	ok(put_pages(o, 1, 0, 7, false, &e) == 0 && put_pages(o, 0, 8, 9, true, &e) == 0,
	   "what is too much is taken and dropped, without an error");
	told = strstr(notes_text, "limit");
	ok(told && !strstr(told + 5, "limit"), "and told once");
	ok(end(o, 18 * EVENTS, &e) == 0, "a limited one ends");
	spool_result(o, &res);
	o->ops->close(o);
	g = got(at("l.dat"), CODEC_ZSTD);
	ok(!g->wrong && has_pages(g, 0, 0, 7) && has_pages(g, 1, 0, 1),
	   "the first pages are there");
	ok(res.limited && res.kept_events == 10 * EVENTS && res.ringed_events == 8 * EVENTS,
	   "kept and given up add up");
	unlink(at("l.dat"));
}

/* More of what processes have mapped than a file may have, in one call, as for its beginning. */
static void test_maps(void)
{
	struct output *o = must_make("m.dat", (struct spool_opts){ .ncpus = CPUS });
	struct map_log_buf b = { NULL };
	const size_t room = MAP_LOG_MAX / MAP_LOG_HEAD * MAP_LOG_HEAD;
	struct stat st = { .st_size = 0 };
	struct err e;
	char *told;

	notes_text[0] = '\0';
	while (b.len <= 2 * MAP_LOG_MAX)
		map_log_put(&b, &(struct map_record){ .pid = 77, .number = 1 });
	ok(o->ops->maps(o, b.p, b.len, &e) == 0 && o->ops->maps(o, b.p, b.len, &e) == 0,
	   "more mappings than a file may have");
	stat(at("m.dat.zed/maps"), &st);
	ok((uint64_t)st.st_size >= room, "those that fit are kept (else: nothing has a name)");
	told = strstr(notes_text, "limit");
	ok(told && !strstr(told + 5, "limit"), "that there are more is told once");
	o->ops->close(o);
	free(b.p);
}

/* A disk that gets full: here, a limit of the file size. */
static void test_full(void)
{
	struct spool_opts none = { .ncpus = CPUS };
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct rlimit small = { 6 * PAGE + 1000, RLIM_INFINITY };
		struct output *o;
		struct err e;
		int rc;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &small);
		o = must_make("e.dat", none);
		put_pages(o, 1, 0, 2, false, &e);
		rc = put_pages(o, 0, 0, 9, false, &e);
		if (rc == 0 || !strstr(e.msg, "--recover"))
			_exit(1);
		/* Room again, but what is missing is missing: it must not pass for a whole one. */
		small.rlim_cur = RLIM_INFINITY;
		setrlimit(RLIMIT_FSIZE, &small);
		if (end(o, 0, &e) == 0 || exists("e.dat"))
			_exit(2);
		o->ops->close(o);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(status == 0, "a disk that is full: an error that says how to get at what is there");
	if (status)
		diag("status 0x%x", status);
	recovers("e.dat.zed", NULL, 9, "a full disk");
	ok(has_pages(got(at("e.dat"), CODEC_ZSTD), 0, 0, 5) &&
		   has_pages(got(at("e.dat"), CODEC_ZSTD), 1, 0, 2),
	   "with every whole page");
	unlink(at("e.dat"));
}

/* A disk that is full at the first pages: those that fit are counted, and are there. */
static void test_full_at_once(void)
{
	struct spool_opts none = { .ncpus = CPUS };
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct rlimit small = { 6 * PAGE + 1000, RLIM_INFINITY };
		struct output *o;
		struct err e;

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &small);
		o = must_make("e.dat", none);
		/* Three pages come together. */
		small.rlim_cur = 2 * PAGE + 1000;
		setrlimit(RLIMIT_FSIZE, &small);
		if (put_pages(o, 1, 0, 2, false, &e) == 0)
			_exit(1);
		if (o->bytes != 2 * PAGE || o->ops->found(o, 1) != 2 * EVENTS)
			_exit(2);
		o->ops->close(o);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(status == 0, "a disk that is full at the first pages: what fitted is counted");
	if (status)
		diag("status 0x%x", status);
	recovers("e.dat.zed", NULL, 2,
		 "... and is there (else: the report counts what is removed)");
	unlink(at("e.dat"));
}

/* Offset of CPU 0's first page in the first MiB of FILE; -1: it is elsewhere. */
static int64_t place_of_cpu0(const char *file)
{
	uint8_t page[PAGE], want[PAGE];
	int fd = open(file, O_RDONLY);
	int64_t at = -1;

	made_page(want, 0, 0);
	for (off_t off = 0; at < 0 && off < 1 << 20 && pread(fd, page, PAGE, off) == PAGE;
	     off += PAGE)
		if (!memcmp(page, want, PAGE))
			at = off;
	close(fd);
	return at;
}

static void test_first(void)
{
	struct spool_opts one = { .ncpus = CPUS };
	struct output *o = must_make("f.dat", one);
	char data[64];
	struct err e;
	int64_t was = -1;
	bool one_file = false;

	put_pages(o, 0, 0, 3, false, &e);
	put_pages(o, 1, 0, 3, false, &e);
	for (int nn = 36; nn <= 40; nn++) {
		snprintf(data, sizeof(data), "f.dat.zed/data.%d", nn);
		if (!exists(data))
			continue;
		one_file = true;
		was = place_of_cpu0(at(data));
	}
	ok(end(o, 0, &e) == 0, "a file of two CPUs ends well");
	o->ops->close(o);
	if (!one_file)
		ok(true, "# SKIP this file system cannot take holes out of files");
	else
		ok(was >= 0 && was == place_of_cpu0(at("f.dat")),
		   "the pages of CPU 0 stay where they were written (else: the end moves them)");
	unlink(at("f.dat"));
}

int main(void)
{
	struct spool_opts one = { .ncpus = CPUS };
	struct spool_opts split = { .ncpus = CPUS, .max_size = 1ull << 40 };
	struct spool_opts plain = { .ncpus = CPUS, .plain = true };
	struct spool_opts zstd = { .ncpus = CPUS, .codec = CODEC_ZSTD };
	struct spool_opts zlib = { .ncpus = CPUS, .codec = CODEC_ZLIB };

	make_spool_dir();
	test_whole("default", one);
	test_whole("a file for each CPU", split);
	test_whole("plain", plain);
	test_whole("zstd", zstd);
	test_whole("zlib", zlib);
	test_targets();
	test_ring();
	test_limit();
	test_maps();
	test_first();
	test_full();
	test_full_at_once();
	remove_dir();
	return tap_done();
}
