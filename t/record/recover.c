// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recover: recorders that are killed, and what is left of them damaged in every way, made a
 * trace.dat again.  Without it all pages are lost when the recorder dies.
 *
 * of: record/file
 */
#include "t/lib/c/spooltry.h"

#include "trace/cgroups/cgroup_log.h"
#include "trace/maps/map_log.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* A record of the cgroup of task 77. */
static void cgroup_of(struct cgroup_log_buf *b)
{
	cgroup_log_put(b, &(struct cgroup_record){ .ts = 5, .pid = 77, .len = 5, .path = "/made" });
}

static void put_cgroup(struct output *o)
{
	struct cgroup_log_buf b = { 0 };
	struct err e;

	cgroup_of(&b);
	o->ops->cgroups(o, b.p, b.len, &e);
	free(b.p);
}

/* What process 77 has mapped: nothing that is known. */
static void maps_of(struct map_log_buf *b)
{
	map_log_put(b, &(struct map_record){ .pid = 77, .from = 5, .seen = 6 });
}

static void put_maps(struct output *o)
{
	struct map_log_buf b = { 0 };
	struct err e;

	maps_of(&b);
	o->ops->maps(o, b.p, b.len, &e);
	free(b.p);
}

/* Has the file NAME the LEN bytes P after MAGIC, in an option? */
static bool has_bytes(const char *name, const char *magic, const uint8_t *p, size_t len)
{
	static char bytes[1u << 20];
	int fd = open(at(name), O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
	const char *found = n > 0 ? memmem(bytes, (size_t)n, magic, 8) : NULL;

	if (fd >= 0)
		close(fd);
	return found && (size_t)(bytes + n - found) >= 8 + len && !memcmp(found + 8, p, len);
}

static bool has_cgroup(const char *name)
{
	struct cgroup_log_buf b = { 0 };
	bool has;

	cgroup_of(&b);
	has = has_bytes(name, CGROUP_LOG_MAGIC, b.p, b.len);
	free(b.p);
	return has;
}

static bool has_maps(const char *name)
{
	struct map_log_buf b = { 0 };
	bool has;

	maps_of(&b);
	has = has_bytes(name, MAP_LOG_MAGIC, b.p, b.len);
	free(b.p);
	return has;
}

/* A recorder that dies by kill -9 after pages 0 to LAST of CPUs 0 and 1. */
static void leave(const char *name, struct spool_opts opts, unsigned last)
{
	pid_t pid = fork();
	struct err e;

	if (!pid) {
		struct output *o = must_make(name, opts);

		o->ops->comms(o, "77 old\n8 x y\n", 13, &e);
		o->ops->comms(o, "77 made\n", 8, &e);
		put_cgroup(o);
		put_maps(o);
		for (unsigned i = 0; i <= last; i++)
			if (put_pages(o, 0, i, i, i & 1, &e) < 0 ||
			    put_pages(o, 1, i, i, false, &e) < 0)
				_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

/* What the head of the file names that comes of them: pages are not packed before the end. */
static enum codec left_of(const struct spool_opts *o)
{
	return head_of(o) == CODEC_ZSTD && o->codec == CODEC_NONE ? CODEC_ZSTD : CODEC_NONE;
}

static void test_killed(const char *what, struct spool_opts opts)
{
	struct got *g;
	struct err e;

	leave("k.dat", opts, 30);
	ok(exists("k.dat.zed") && !exists("k.dat"), "%s, killed: FILE.zed stays", what);
	ok(!make("k.dat", opts, &e), "%s: and no new recording takes its place", what);
	has(e.msg, "--recover", "the error says how to get at it");
	recovers("k.dat.zed/", NULL, 62, what);
	g = got(at("k.dat"), left_of(&opts));
	is_sound(g, what);
	ok(has_pages(g, 0, 0, 30) && has_pages(g, 1, 0, 30), "%s: every page that was written",
	   what);
	ok(g->comms && !memcmp(g->comms,
			       "\x0e\0\0\0\0\0\0\0"
			       "8 x y\n77 made\n",
			       22),
	   "%s: names, the later ones (else: <...>, or old names)", what);
	ok(has_cgroup("k.dat"), "%s: cgroups of tasks (else: all are unknown)", what);
	ok(has_maps("k.dat"), "%s: what processes have mapped (else: stacks are numbers)", what);
	is_str(g->clock, "mono", "its clock");
	ok(!exists("k.dat.zed"), "%s: FILE.zed is gone", what);
	unlink(at("k.dat"));
}

/* A recorder that lives is not robbed. */
static void test_alive(void)
{
	struct spool_opts none = { .ncpus = CPUS };
	struct output *o = must_make("a.dat", none);
	uint64_t pages;
	struct err e;
	pid_t pid;
	int status;

	put_pages(o, 0, 0, 5, false, &e);
	pid = fork();
	if (!pid)
		_exit(spool_recover(at("a.dat.zed"), NULL, &notes, &pages, &e) < 0 &&
				      strstr(e.msg, "still being recorded") ?
			      0 :
			      1);
	waitpid(pid, &status, 0);
	ok(status == 0, "a recording that goes on is left alone (else: it loses its files)");
	ok(end(o, 0, &e) == 0, "and ends well");
	o->ops->close(o);
	ok(has_pages(got(at("a.dat"), CODEC_ZSTD), 0, 0, 5), "with its pages");
	unlink(at("a.dat"));
}

static void write_file(const char *name, const char *text)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		bail("%s", name);
	close(fd);
}

/* The name of the one sparse file, and its NN; 0: this file system gets the other layout. */
static int one_file(const char *zed, char *name, size_t size)
{
	for (int nn = 36; nn <= 40; nn++) {
		snprintf(name, size, "%s/data.%d", zed, nn);
		if (exists(name))
			return nn;
	}
	return 0;
}

#define MAP_HEAD "zedtrace-spool 1\n"

static void test_maps(const char *what, struct spool_opts opts)
{
	static const char *const maps[] = {
		"",
		MAP_HEAD "me",
		"zedtrace-spool 9\nmeta 1\n",
		MAP_HEAD "meta 18446744073709551615\nring 99999999999999999999\nclock \n",
		MAP_HEAD "meta 3\nplan 0 18446744073709551615 4096\nplan 99999 4096 9\nplanned\n",
		MAP_HEAD "meta 9\nplan 0 4096 18446744073709551615\nplan 0 0 0\nplanned\n",
		MAP_HEAD "plan 0 8192 4096\nplan 0 4096 8796093022208\nplanned\n",
	};
	struct got *g;

	for (unsigned i = 0; i <= sizeof(maps) / sizeof(maps[0]); i++) {
		leave("m.dat", opts, 4);
		unlink(at("m.dat.zed/map"));
		unlink(at("m.dat.zed/comms"));
		if (i < sizeof(maps) / sizeof(maps[0]))
			write_file("m.dat.zed/map", maps[i]);
		recovers("m.dat.zed", NULL, 10, what);
		g = got(at("m.dat"), CODEC_ZSTD);
		ok(!g->wrong && has_pages(g, 0, 0, 4) && has_pages(g, 1, 0, 4) &&
			   !strcmp(g->clock, "mono"),
		   "%s, map %u missing, cut or lying: nothing vital is in it", what, i);
		unlink(at("m.dat"));
	}
}

#define META_END 4096 /* where CPU 0's pages begin */

/* As older recorders left it: CPU 0's pages, LEN bytes, have a place as the others have. */
static void move_cpu0(int fd, uint64_t place, uint64_t len)
{
	uint64_t by = place - META_END;

	if (fallocate(fd, FALLOC_FL_INSERT_RANGE, META_END, (off_t)by) < 0 ||
	    fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)(place + len), (off_t)by) < 0)
		bail("move: %s", strerror(errno));
}

/*
 * It died while holes were taken out, of which there is one more with OLDER ones: after STEPS of
 * them, and JUNK bytes of what comes behind.  STEPS -1: before it had a plan.
 */
static void test_plan(int steps, int junk, bool older)
{
	struct spool_opts none = { .ncpus = CPUS };
	char data[64], plan[512];
	uint64_t place, len = 5 * PAGE, cpu0;
	struct got *g;
	int nn, fd;

	leave("p.dat", none, 4);
	nn = one_file("p.dat.zed", data, sizeof(data));
	if (!nn) {
		spool_recover(at("p.dat.zed"), NULL, NULL, &place, &(struct err){ 0 });
		unlink(at("p.dat"));
		ok(true, "# SKIP this file system cannot take holes out of files");
		return;
	}
	place = 1ull << nn;
	cpu0 = older ? place : META_END;
	snprintf(plan, sizeof(plan),
		 "zedtrace-spool 1\nmeta 0\nclock mono\nplan 0 %" PRIu64 " %" PRIu64
		 "\nplan 1 %" PRIu64 " %" PRIu64 "\nplanned\n",
		 cpu0, len, 2 * place, len);
	if (steps >= 0)
		write_file("p.dat.zed/map", plan);
	fd = open(at(data), O_RDWR);
	if (older)
		move_cpu0(fd, place, len);
	if (ftruncate(fd, (off_t)(2 * place + len)) < 0)
		bail("truncate");
	if (steps > 0 && fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)(cpu0 + len),
				   (off_t)(2 * place - cpu0 - len)) < 0)
		bail("collapse: %s", strerror(errno));
	if (steps > 1 &&
	    fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, META_END, (off_t)(place - META_END)) < 0)
		bail("collapse: %s", strerror(errno));
	for (int i = 0; i < junk; i++)
		if (pwrite(fd, "j", 1, lseek(fd, 0, SEEK_END)) != 1)
			bail("junk");
	close(fd);
	recovers("p.dat.zed", NULL, 10, "died while it was put together");
	g = got(at("p.dat"), CODEC_ZSTD);
	ok(!g->wrong && has_pages(g, 0, 0, 4) && has_pages(g, 1, 0, 4),
	   "died after %d holes, %d bytes%s: every page (else: those of one CPU become another's)",
	   steps, junk, older ? ", an older recorder" : "");
	if (g->wrong)
		diag("%s", g->wrong);
	unlink(at("p.dat"));
}

static void test_holes(void)
{
	struct spool_opts split = { .ncpus = CPUS, .max_size = 1ull << 40 };
	uint8_t zeros[2 * PAGE] = { 0 };
	struct got *g;
	int fd;

	leave("h.dat", split, 9);
	fd = open(at("h.dat.zed/cpu0"), O_RDWR);
	if (pwrite(fd, zeros, sizeof(zeros), 8 * PAGE) < 0 ||
	    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 3 * PAGE, PAGE) < 0 ||
	    ftruncate(fd, 12 * PAGE + 100) < 0 || ftruncate(fd, 13 * PAGE - 1) < 0)
		bail("holes");
	close(fd);
	recovers("h.dat.zed", "to.dat", 17, "pages that never reached the disk");
	g = got(at("to.dat"), CODEC_ZSTD);
	ok(!g->wrong && g->npages[0] == 7 && g->page[0][3] == 4 && g->page[0][6] == 7 &&
		   has_pages(g, 1, 0, 9),
	   "are left out, and all others are there");
	unlink(at("to.dat"));
	leave("h.dat", split, 1);
	if (rename(at("h.dat.zed/meta"), at("h.meta")) < 0 ||
	    symlink("../h.meta", at("h.dat.zed/meta")) < 0)
		bail("link");
	ok(spool_recover(at("h.dat.zed"), NULL, NULL, &(uint64_t){ 0 }, &(struct err){ 0 }) < 0,
	   "a link is not followed (else: somebody else's file is taken)");
	unlink(at("h.dat.zed/meta"));
	if (rename(at("h.meta"), at("h.dat.zed/meta")) < 0 ||
	    truncate(at("h.dat.zed/meta"), 300) < 0)
		bail("meta");
	ok(spool_recover(at("h.dat.zed"), NULL, NULL, &(uint64_t){ 0 }, &(struct err){ 0 }) < 0 &&
		   exists("h.dat.zed/cpu1") && !exists("h.dat"),
	   "metadata that are cut: an error, and nothing is taken away");
	for (unsigned i = 0; i < 7; i++) {
		static const char *const names[] = { "cpu0",  "cpu1",	 "meta", "map",
						     "comms", "cgroups", "maps" };
		char name[64];

		snprintf(name, sizeof(name), "h.dat.zed/%s", names[i]);
		unlink(at(name));
	}
	rmdir(at("h.dat.zed"));
}

static void test_empty(void)
{
	uint64_t pages;
	struct err e;

	if (mkdir(at("n.dat.zed"), 0700) < 0)
		bail("mkdir");
	ok(spool_recover(at("n.dat.zed"), NULL, NULL, &pages, &e) < 0 &&
		   strstr(e.msg, "no page of it reached the disk") && exists("n.dat.zed"),
	   "killed before its first file: that says so (else: meta is missing, and what is that?)");
	rmdir(at("n.dat.zed"));
}

static void test_ring(void)
{
	struct spool_opts ring = { .ncpus = CPUS, .max_size = CPUS * 8 * PAGE, .ring = true };
	struct got *g;

	leave("r.dat", ring, 20);
	recovers("r.dat.zed", NULL, 16, "a ring");
	g = got(at("r.dat"), CODEC_ZSTD);
	ok(has_pages(g, 0, 13, 20) && has_pages(g, 1, 13, 20), "recovered in order of time");
	unlink(at("r.dat"));
	leave("r.dat", ring, 20);
	unlink(at("r.dat.zed/map"));
	recovers("r.dat.zed", NULL, 16, "a ring without a map");
	g = got(at("r.dat"), CODEC_ZSTD);
	ok(has_pages(g, 0, 13, 20) && has_pages(g, 1, 13, 20), "in order of time all the same");
	unlink(at("r.dat"));
}

int main(void)
{
	struct spool_opts one = { .ncpus = CPUS };
	struct spool_opts split = { .ncpus = CPUS, .max_size = 1ull << 40 };
	struct spool_opts plain = { .ncpus = CPUS, .plain = true };
	struct spool_opts zstd = { .ncpus = CPUS, .codec = CODEC_ZSTD };

	make_spool_dir();
	test_killed("default", one);
	test_killed("plain", plain);
	test_killed("zstd", zstd);
	test_killed("a file for each CPU", split);
	test_alive();
	test_maps("default", one);
	test_maps("a file for each CPU", split);
	for (int steps = -1; steps < 2; steps++)
		test_plan(steps, 0, false);
	test_plan(1, 50, false);
	for (int steps = -1; steps < 3; steps++)
		test_plan(steps, 0, true);
	test_plan(2, 50, true);
	test_holes();
	test_ring();
	test_empty();
	remove_dir();
	return tap_done();
}
