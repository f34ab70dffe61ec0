// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool: pages that were made here, through FILE.zed, into a trace.dat that is taken apart here, by
 * nothing but the description of the format.  Without it a recording loses pages on its way into
 * the file, or all of them when the recorder dies.
 */
#include "base/mem.h"
#include "record/dat_write.h"
#include "record/file/spool.h"
#include "t/lib/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define CPUS 4
#define EVENTS 3 /* in a page */

/* ---- what is put in ---- */

static char dir[200]; /* on a disk, if there is one: a tmpfs cannot take holes out of files */
static char notes_text[4096];

static void hear(void *arg, enum note_level level, const char *text)
{
	size_t n = strlen(notes_text);

	snprintf(notes_text + n, sizeof(notes_text) - n, "%s\n", text);
}

static struct notes notes = { .say = hear };

static const char *at(const char *name)
{
	static char buf[4][512];
	static unsigned k;

	k = (k + 1) % 4;
	snprintf(buf[k], sizeof(buf[k]), "%s/%s", dir, name);
	return buf[k];
}

struct bytes {
	uint8_t p[16384];
	size_t n;
};

static void num(struct bytes *b, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->p[b->n++] = (uint8_t)(v >> (8 * i));
}

static void str(struct bytes *b, const char *s, size_t n)
{
	memcpy(b->p + b->n, s, n);
	b->n += n;
}

static const char page_text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char tick_text[] =
	"name: tick\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned int n;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"n=%u\", REC->n\n";

static void section(struct bytes *b, unsigned id, const struct bytes *payload)
{
	num(b, id, 2);
	num(b, 0, 2);
	num(b, UINT32_MAX, 4);
	num(b, payload->n, 8);
	str(b, (const char *)payload->p, payload->n);
}

static void made_meta(struct bytes *b)
{
	static struct bytes s;
	uint64_t place[3];

	b->n = 0;
	str(b, "\x17\x08\x44tracing7\0", 12);
	num(b, 0, 1);
	num(b, 8, 1);
	num(b, PAGE, 4);
	str(b, "none\0", 6);
	num(b, 0, 8);
	place[0] = b->n;
	s.n = 0;
	str(&s, "header_page", 12);
	num(&s, sizeof(page_text) - 1, 8);
	str(&s, page_text, sizeof(page_text) - 1);
	str(&s, "header_event", 13);
	num(&s, 0, 8);
	section(b, 16, &s);
	place[1] = b->n;
	s.n = 0;
	num(&s, 0, 4);
	section(b, 17, &s);
	place[2] = b->n;
	num(&s, 0, 0);
	s.n = 0;
	num(&s, 1, 4);
	str(&s, "made", 5);
	num(&s, 1, 4);
	num(&s, sizeof(tick_text) - 1, 8);
	str(&s, tick_text, sizeof(tick_text) - 1);
	section(b, 18, &s);
	for (unsigned i = 0; i < 8; i++) /* the header's offset of the options */
		b->p[24 + i] = (uint8_t)(b->n >> (8 * i));
	s.n = 0;
	for (unsigned i = 0; i < 3; i++) {
		num(&s, 16 + i, 2);
		num(&s, 8, 4);
		num(&s, place[i], 8);
	}
	num(&s, 4, 2);
	num(&s, 13, 4);
	str(&s, "local [mono]\0", 13);
	num(&s, 8, 2);
	num(&s, 4, 4);
	num(&s, CPUS, 4);
	num(&s, 0, 2);
	num(&s, 8, 4);
	num(&s, 0, 8);
	section(b, 0, &s);
}

/* The NTH page of CPU: EVENTS ticks, whose number tells which page it is. */
static void made_page(uint8_t *p, int cpu, unsigned nth)
{
	static struct bytes b;

	b.n = 0;
	num(&b, 1000000 + nth * 1000ull, 8);
	num(&b, EVENTS * 16, 8);
	for (unsigned i = 0; i < EVENTS; i++) {
		num(&b, 10 << 5 | 3, 4);
		num(&b, 300, 2);
		num(&b, 0, 2);
		num(&b, 77, 4);
		num(&b, (uint64_t)cpu << 24 | nth, 4);
	}
	memset(p, 0, PAGE);
	memcpy(p, b.p, b.n);
}

static int begin(struct output *o, struct err *e)
{
	static struct bytes b;
	struct meta m = { .p = b.p, .page_size = PAGE, .clock = "mono" };

	made_meta(&b);
	m.len = b.n;
	return o->ops->begin(o, &m, e);
}

/* Pages FIRST to LAST of CPU, full ones through a pipe, or the last one as a partly filled one. */
static int put_pages(struct output *o, int cpu, unsigned first, unsigned last, bool part,
		     struct err *e)
{
	uint8_t page[PAGE];
	size_t waiting = 0;
	int fd[2], rc = 0;

	if (pipe(fd) < 0)
		bail("pipe");
	for (unsigned i = first; i <= last && !rc; i++) {
		bool copied = part && i == last;

		made_page(page, cpu, i);
		if (!copied && write(fd[1], page, PAGE) != PAGE)
			bail("write to a pipe");
		waiting += copied ? 0 : PAGE;
		if (waiting && (waiting == 3 * PAGE || i == last)) { /* several at a time */
			rc = o->ops->splice(o, cpu, fd[0], waiting, e);
			waiting = 0;
		}
		if (copied && !rc)
			rc = o->ops->page(o, cpu, page, 16 + 16 * EVENTS, PAGE, e);
	}
	close(fd[0]);
	close(fd[1]);
	return rc;
}

static int end(struct output *o, uint64_t events, struct err *e)
{
	static const int cpus[] = { 0, 2 };
	static char stat[] = "entries: 0\nread events: 9\n";
	static char *const stats[] = { stat, NULL };
	struct output_end x = { .comms = "77 made\n",
				.comms_len = 8,
				.cpus = cpus,
				.stats = stats,
				.ncpus = 2,
				.events = events };

	return o->ops->end(o, &x, e);
}

/* ---- what comes out ---- */

struct got {
	uint8_t *file;
	size_t size;
	unsigned sections, chain, npages[16], flags, ncpus;
	uint32_t page[16][4096]; /* the numbers in the pages, in the order of the file */
	const uint8_t *formats, *comms;
	char stat[256], name[64], clock[64];
	const char *wrong;
};

static uint64_t rd(const struct got *g, uint64_t off, unsigned size)
{
	uint64_t v = 0;

	if (off + size > g->size)
		return UINT64_MAX;
	while (size--)
		v = v << 8 | g->file[off + size];
	return v;
}

static void got_page(struct got *g, unsigned cpu, const uint8_t *p)
{
	uint8_t want[PAGE];
	uint32_t n = p[28] | p[29] << 8 | p[30] << 16;

	made_page(want, (int)cpu, n);
	if (memcmp(want, p, PAGE))
		g->wrong = "a page is not as it was put in";
	if (cpu < 16 && g->npages[cpu] < 4096)
		g->page[cpu][g->npages[cpu]++] = n;
}

static void got_cpu(struct got *g, unsigned cpu, uint64_t off, uint64_t size, enum codec codec)
{
	if (off % PAGE || off + size > g->size || cpu >= 16) {
		g->wrong = "a CPU's data lie where none can be";
		return;
	}
	if (codec == CODEC_NONE) {
		for (uint64_t i = 0; i + PAGE <= size; i += PAGE)
			got_page(g, cpu, g->file + off + i);
		if (size % PAGE)
			g->wrong = "not whole pages";
		return;
	}
	for (uint64_t n = rd(g, off, 4), p = off + 4; n; n--) {
		uint64_t csize = rd(g, p, 4), usize = rd(g, p + 4, 4);
		struct unpacker *u = unpacker_new(codec);
		uint8_t *buf = mem_zalloc(10 * PAGE);
		struct err e;

		if (usize > 10 * PAGE || p + 8 + csize > off + size ||
		    unpacker_block(u, g->file + p + 8, csize, buf, usize, 0, &e) != (int64_t)usize)
			g->wrong = "a chunk that cannot be unpacked";
		else
			for (uint64_t i = 0; i < usize; i += PAGE)
				got_page(g, cpu, buf + i);
		if (codec == CODEC_ZSTD && (g->file[p + 8 + 4] & 0xe0))
			g->wrong = "a zstd frame tells its size, and stock's do not";
		p += 8 + csize;
		if (n == 1 && p != off + size)
			g->wrong = "the size of a CPU's chunks is not what they have";
		unpacker_free(u);
		free(buf);
	}
}

static void got_options(struct got *g, uint64_t off, enum codec codec)
{
	for (;;) {
		uint64_t id, len, p;

		if (rd(g, off, 2) != 0 || g->chain++ > 8) {
			g->wrong = "no options where they should be";
			return;
		}
		for (p = off + 16;; p += 6 + len) {
			id = rd(g, p, 2);
			len = rd(g, p + 2, 4);
			if (p + 6 + len > g->size) {
				g->wrong = "options past the end";
				return;
			}
			if (id == 18)
				g->formats = g->file + rd(g, p + 6, 8) + 16;
			if (id == 21)
				g->comms = g->file + rd(g, p + 6, 8) + 16;
			if (id == 2)
				snprintf(g->stat, sizeof(g->stat), "%s", g->file + p + 6);
			if (id == 3) {
				uint64_t q = p + 14;

				if (rd(g, rd(g, p + 6, 8), 2) != 3)
					g->wrong = "no BUFFER section where the option says";
				g->flags = (unsigned)rd(g, rd(g, p + 6, 8) + 2, 2);
				snprintf(g->name, sizeof(g->name), "%s", g->file + q);
				q += strlen(g->name) + 1;
				snprintf(g->clock, sizeof(g->clock), "%s", g->file + q);
				q += strlen(g->clock) + 1;
				if (rd(g, q, 4) != PAGE)
					g->wrong = "another page size";
				g->ncpus = (unsigned)rd(g, q + 4, 4);
				for (uint64_t n = g->ncpus, k = 0; k < n; k++)
					got_cpu(g, (unsigned)rd(g, q + 8 + 20 * k, 4),
						rd(g, q + 12 + 20 * k, 8),
						rd(g, q + 20 + 20 * k, 8), codec);
			}
			if (!id)
				break;
		}
		off = rd(g, p + 6, 8);
		if (!off)
			return;
	}
}

static struct got *got(const char *path, enum codec codec)
{
	static struct got *g;
	struct stat st;
	int fd = open(path, O_RDONLY);
	uint64_t p = 18;

	if (g)
		free(g->file);
	free(g);
	g = mem_zalloc(sizeof(*g));
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size > 64 << 20) {
		g->wrong = "there is no such file";
		return g;
	}
	g->size = (size_t)st.st_size;
	g->file = mem_alloc(g->size + 1);
	if (pread(fd, g->file, g->size, 0) != st.st_size)
		g->wrong = "it cannot be read";
	close(fd);
	if (strcmp((char *)g->file + p, codec_name(codec)))
		g->wrong = "its head names another compression";
	p += strlen((char *)g->file + p) + 1;
	p += strlen((char *)g->file + p) + 1;
	got_options(g, rd(g, p, 8), codec);
	for (p += 8; p < g->size; g->sections++) {
		if (rd(g, p + 8, 8) > g->size) {
			g->wrong = "a section without a size";
			break;
		}
		p += 16 + rd(g, p + 8, 8);
	}
	if (p != g->size)
		g->wrong = "the sections do not lie back to back";
	return g;
}

/* CPU has exactly the pages FIRST to LAST, in their order. */
static bool has_pages(const struct got *g, unsigned cpu, unsigned first, unsigned last)
{
	if (g->npages[cpu] != last - first + 1)
		return false;
	for (unsigned i = 0; i < g->npages[cpu]; i++)
		if (g->page[cpu][i] != first + i)
			return false;
	return true;
}

static void is_sound(const struct got *g, const char *what)
{
	if (!ok(!g->wrong, "%s: a sound trace.dat (else: nothing reads it)", what))
		diag("%s", g->wrong);
}

/* ---- tests ---- */

static struct output *make(const char *name, struct spool_opts o, struct err *e)
{
	o.path = at(name);
	o.notes = &notes;
	o.ncpus = o.ncpus ? o.ncpus : CPUS;
	return spool_new(&o, e);
}

static struct output *must_make(const char *name, struct spool_opts o)
{
	struct err e;
	struct output *out = make(name, o, &e);
	char buf[1300];

	if (!out || begin(out, &e) < 0)
		bail("%s: %s", name, err_text(&e, buf, sizeof(buf)));
	return out;
}

static bool exists(const char *name)
{
	return access(at(name), F_OK) == 0;
}

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
	g = got(at("w.dat"), opts.codec);
	is_sound(g, what);
	ok(has_pages(g, 0, 0, 10) && has_pages(g, 2, 0, 22) && has_pages(g, 15, 0, 1) &&
		   !g->npages[1],
	   "%s: every page, in order, CPUs without data left out (else: lost events)", what);
	ok(g->flags == (opts.codec != CODEC_NONE), "%s: the section's flag", what);
	ok(!strcmp(g->name, "") && !strcmp(g->clock, "mono"), "%s: top buffer, clock mono", what);
	is_str(g->stat, "CPU: 0\nentries: 0\nread events: 9\n",
	       "the kernel's statistics (else: report --stat has none)");
	if (opts.codec == CODEC_NONE) {
		ok(g->comms && !memcmp(g->comms,
				       "\x08\0\0\0\0\0\0\0"
				       "77 made\n",
				       16),
		   "%s: command names (else: <...>)", what);
		ok(g->formats && g->formats[0] == 2 &&
			   !memcmp(g->formats + 4, "made\0\1\0\0\0", 9) &&
			   !memcmp(g->formats + 13 + 8 + sizeof(tick_text) - 1,
				   "late\0\1\0\0\0\x13\0\0\0\0\0\0\0"
				   "name: late",
				   27),
		   "%s: the format of an event that came later is there as well", what);
	}
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
	has(e.msg, "just now", "of one that lives: the error says that");
	o->ops->close(o);
	ok(!exists("x.dat.zed") && !exists("x.dat"), "given up before a page came: nothing stays");
	rmdir(at("d"));
	unlink(at("f"));
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
		for (unsigned i = 0; i <= last; i++)
			if (put_pages(o, 0, i, i, i & 1, &e) < 0 ||
			    put_pages(o, 1, i, i, false, &e) < 0)
				_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static bool recovers(const char *name, const char *to, uint64_t want, const char *what)
{
	uint64_t pages = 0;
	char buf[1300];
	struct err e;
	int rc = spool_recover(at(name), to ? at(to) : NULL, &notes, &pages, &e);

	if (!ok(rc == 0 && pages == want, "%s: recovered, %d pages", what, (int)want))
		diag("%d pages; %s", (int)pages, rc < 0 ? err_text(&e, buf, sizeof(buf)) : "");
	return rc == 0;
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
	g = got(at("k.dat"), CODEC_NONE);
	is_sound(g, what);
	ok(has_pages(g, 0, 0, 30) && has_pages(g, 1, 0, 30), "%s: every page that was written",
	   what);
	ok(g->comms && !memcmp(g->comms,
			       "\x0e\0\0\0\0\0\0\0"
			       "8 x y\n77 made\n",
			       22),
	   "%s: names, the later ones (else: <...>, or old names)", what);
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
				      strstr(e.msg, "still goes on") ?
			      0 :
			      1);
	waitpid(pid, &status, 0);
	ok(status == 0, "a recording that goes on is left alone (else: it loses its files)");
	ok(end(o, 0, &e) == 0, "and ends well");
	o->ops->close(o);
	ok(has_pages(got(at("a.dat"), CODEC_NONE), 0, 0, 5), "with its pages");
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

static void test_maps(const char *what, struct spool_opts opts)
{
	static const char *const maps[] = {
		"",
		"zedtrace-spool 1\nme",
		"zedtrace-spool 9\nmeta 1\n",
		"zedtrace-spool 1\nmeta 18446744073709551615\nring 99999999999999999999\nclock \n",
		"zedtrace-spool 1\nmeta 3\nplan 0 18446744073709551615 4096\nplan 99999 4096 "
		"9\nplanned\n",
		"zedtrace-spool 1\nmeta 9\nplan 0 4096 18446744073709551615\nplan 0 0 0\nplanned\n",
		"zedtrace-spool 1\nplan 0 8192 4096\nplan 0 4096 8796093022208\nplanned\n",
	};
	struct got *g;

	for (unsigned i = 0; i <= sizeof(maps) / sizeof(maps[0]); i++) {
		leave("m.dat", opts, 4);
		unlink(at("m.dat.zed/map"));
		unlink(at("m.dat.zed/comms"));
		if (i < sizeof(maps) / sizeof(maps[0]))
			write_file("m.dat.zed/map", maps[i]);
		recovers("m.dat.zed", NULL, 10, what);
		g = got(at("m.dat"), CODEC_NONE);
		ok(!g->wrong && has_pages(g, 0, 0, 4) && has_pages(g, 1, 0, 4) &&
			   !strcmp(g->clock, "mono"),
		   "%s, map %u missing, cut or lying: nothing vital is in it", what, i);
		unlink(at("m.dat"));
	}
}

/* It died while holes were taken out: after STEPS of them, and JUNK bytes of what comes behind. */
static void test_plan(int steps, int junk)
{
	struct spool_opts none = { .ncpus = CPUS };
	char data[64], plan[512];
	uint64_t place, len = 5 * PAGE, gap0, meta_end = 4096;
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
	snprintf(plan, sizeof(plan),
		 "zedtrace-spool 1\nmeta 0\nclock mono\nplan 0 %" PRIu64 " %" PRIu64
		 "\nplan 1 %" PRIu64 " %" PRIu64 "\nplanned\n",
		 place, len, 2 * place, len);
	write_file("p.dat.zed/map", plan);
	fd = open(at(data), O_RDWR);
	if (ftruncate(fd, (off_t)(2 * place + len)) < 0)
		bail("truncate");
	gap0 = place - meta_end;
	if (steps > 0 &&
	    fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)(place + len), (off_t)(place - len)) < 0)
		bail("collapse: %s", strerror(errno));
	if (steps > 1 && fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)meta_end, (off_t)gap0) < 0)
		bail("collapse: %s", strerror(errno));
	for (int i = 0; i < junk; i++)
		if (pwrite(fd, "j", 1, lseek(fd, 0, SEEK_END)) != 1)
			bail("junk");
	close(fd);
	recovers("p.dat.zed", NULL, 10, "died while it was put together");
	g = got(at("p.dat"), CODEC_NONE);
	ok(!g->wrong && has_pages(g, 0, 0, 4) && has_pages(g, 1, 0, 4),
	   "died after %d holes and %d bytes: every page (else: those of one CPU become another's)",
	   steps, junk);
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
	g = got(at("to.dat"), CODEC_NONE);
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
	for (unsigned i = 0; i < 5; i++) {
		static const char *const names[] = { "cpu0", "cpu1", "meta", "map", "comms" };
		char name[64];

		snprintf(name, sizeof(name), "h.dat.zed/%s", names[i]);
		unlink(at(name));
	}
	rmdir(at("h.dat.zed"));
}

/* CPU 0 has one page, CPU 1 none, CPU 2 eleven. */
static ssize_t made_data(void *arg, unsigned i, void *buf, size_t len, uint64_t off, struct err *e)
{
	static const unsigned pages[] = { 1, 0, 11 };
	uint8_t page[PAGE];

	if (off >= pages[i] * (uint64_t)PAGE)
		return 0;
	/* Never as much as is asked for. */
	made_page(page, (int)i, (unsigned)(off / PAGE));
	if (len > PAGE / 2)
		len = PAGE / 2;
	memcpy(buf, page + off % PAGE, len);
	return (ssize_t)len;
}

static void test_writer(enum codec codec)
{
	static const int cpus[] = { 0, 1, 2 };
	struct dat7_head h = { .long_size = 8, .page_size = PAGE, .codec = codec };
	int fd = open(at("d.dat"), O_RDWR | O_CREAT | O_TRUNC, 0644);
	struct dat7_writer *w;
	struct got *g;
	struct err e;

	w = dat7_writer_new(fd, &h, &e);
	ok(w && dat7_section(w, 16, "headers", page_text, sizeof(page_text), &e) == 0 &&
		   dat7_options(w, &e) == 0 &&
		   dat7_buffer(w, "", "mono", PAGE, cpus, 3, made_data, NULL, &e) == 0 &&
		   dat7_options(w, &e) == 0 && dat7_finish(w, &e) == 0,
	   "%s: a writer writes", codec_name(codec));
	dat7_writer_free(w);
	close(fd);
	g = got(at("d.dat"), codec);
	is_sound(g, codec_name(codec));
	ok(has_pages(g, 0, 0, 0) && has_pages(g, 2, 0, 10) && g->ncpus == 2,
	   "%s: data fetched in pieces; CPUs without any are left out (else: stock cannot read it)",
	   codec_name(codec));
	unlink(at("d.dat"));
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
	g = got(at("r.dat"), CODEC_NONE);
	is_sound(g, "ring");
	ok(has_pages(g, 0, 13, 20) && has_pages(g, 1, 0, 7) && has_pages(g, 3, 1, 8),
	   "each CPU keeps its newest pages, in order (else: the oldest, or turned around)");
	ok(res.limited, "it says that it had to");
	is_u64(res.kept_events, 24 * EVENTS, "the events that are kept");
	is_u64(res.ringed_events, 14 * EVENTS, "and those that gave way: they add up");
	unlink(at("r.dat"));
	leave("r.dat", ring, 20);
	recovers("r.dat.zed", NULL, 16, "a ring");
	g = got(at("r.dat"), CODEC_NONE);
	ok(has_pages(g, 0, 13, 20) && has_pages(g, 1, 13, 20), "recovered in order of time");
	unlink(at("r.dat"));
	leave("r.dat", ring, 20);
	unlink(at("r.dat.zed/map"));
	recovers("r.dat.zed", NULL, 16, "a ring without a map");
	g = got(at("r.dat"), CODEC_NONE);
	ok(has_pages(g, 0, 13, 20) && has_pages(g, 1, 13, 20), "in order of time all the same");
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
	g = got(at("l.dat"), CODEC_NONE);
	ok(!g->wrong && has_pages(g, 0, 0, 7) && has_pages(g, 1, 0, 1),
	   "the first pages are there");
	ok(res.limited && res.kept_events == 10 * EVENTS && res.ringed_events == 8 * EVENTS,
	   "kept and given up add up");
	unlink(at("l.dat"));
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
	ok(has_pages(got(at("e.dat"), CODEC_NONE), 0, 0, 5) &&
		   has_pages(got(at("e.dat"), CODEC_NONE), 1, 0, 2),
	   "with every whole page");
	unlink(at("e.dat"));
}

int main(void)
{
	struct spool_opts one = { .ncpus = CPUS };
	struct spool_opts split = { .ncpus = CPUS, .max_size = 1ull << 40 };
	struct spool_opts zstd = { .ncpus = CPUS, .codec = CODEC_ZSTD };
	struct spool_opts zlib = { .ncpus = CPUS, .codec = CODEC_ZLIB };

	umask(027);
	snprintf(dir, sizeof(dir), "%s/zedspool.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp");
	if (!mkdtemp(dir))
		bail("mkdtemp");
	test_whole("default", one);
	test_whole("a file for each CPU", split);
	test_whole("zstd", zstd);
	test_whole("zlib", zlib);
	test_writer(CODEC_NONE);
	test_writer(CODEC_ZSTD);
	test_writer(CODEC_ZLIB);
	test_targets();
	test_killed("default", one);
	test_killed("a file for each CPU", split);
	test_alive();
	test_maps("default", one);
	test_maps("a file for each CPU", split);
	for (int steps = 0; steps < 3; steps++)
		test_plan(steps, 0);
	test_plan(2, 50);
	test_holes();
	test_ring();
	test_limit();
	test_full();
	if (!ok(rmdir(dir) == 0, "nothing else was left in the directory"))
		diag("%s", dir);
	return tap_done();
}
