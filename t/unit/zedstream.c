// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedstream: what the recorder's writer of zed streams makes of a recording's pages, read again.
 * Without it the two could part, and a consumer that stops or leaves could hang the recorder.
 *
 * of: record/file/zedstream_write.c reader/zedstream
 */
#include "base/bytes.h"
#include "base/mem.h"
#include "reader/open.h"
#include "reader/zedstream/format.h"
#include "record/count.h"
#include "record/file/zedstream_write.h"
#include "t/lib/c/drive.h"
#include "t/lib/c/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define RECORDING "t/data/small_v7_none.dat"

static uint8_t *file;
static size_t file_len;
static struct meta meta;

/* The metadata are the recording up to its first options, whose DONE then leads nowhere. */
static void load(void)
{
	int fd = open(RECORDING, O_RDONLY);
	struct stat st;
	size_t at;

	if (fd < 0 || fstat(fd, &st) < 0)
		bail("%s: cannot open it (run from the checkout's root)", RECORDING);
	file = mem_alloc(st.st_size);
	file_len = read(fd, file, st.st_size);
	close(fd);
	at = bytes_u64(file + 24, false);
	at += 16 + bytes_u64(file + at + 8, false);
	meta = (struct meta){
		.p = mem_alloc(at), .len = at, .page_size = 4096, .page_head = 16, .clock = "local"
	};
	memcpy(meta.p, file, at);
	memset(meta.p + at - 8, 0, 8);
}

static uint64_t made_ns; /* if not 0: the time, in which only waits take any */

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (!made_ns)
		return syscall(SYS_clock_gettime, id, t);
	*t = (struct timespec){ .tv_sec = made_ns / 1000000000, .tv_nsec = made_ns % 1000000000 };
	return 0;
}

int poll(struct pollfd *fds, nfds_t nfds, int ms)
{
	struct timespec t = { 0 };
	int n;

	if (!made_ns)
		t = (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	n = ppoll(fds, nfds, ms < 0 ? NULL : &t, NULL);
	if (!n && made_ns)
		made_ns += ms * 1000000ull;
	return n;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* The pages of a CPU into O: by splice, the last one by hand if BY_HAND. */
static int give_cpu(struct output *o, const struct buffer_cpu *c, bool by_hand, struct err *e)
{
	size_t whole = c->size - (by_hand ? 4096 : 0);
	int p[2], rc;

	if (pipe(p) < 0 || fcntl(p[1], F_SETPIPE_SZ, 1 << 20) < 0 ||
	    write(p[1], file + c->off, whole) != (ssize_t)whole)
		bail("a pipe does not take %zu bytes", whole);
	rc = o->ops->splice(o, c->cpu, p[0], whole, e);
	if (!rc && by_hand) {
		const uint8_t *page = file + c->off + whole;
		uint32_t used = 16 + (bytes_u32(page + 8, false) & 0x7ffffff) + 8;

		rc = o->ops->page(o, c->cpu, page, used < 4096 ? used : 4096, 4096, e);
	}
	close(p[0]);
	close(p[1]);
	return rc;
}

/* The whole recording to FD. */
static int give_all(int fd, struct err *e)
{
	static const char names[] = "1 init\n77 some name\n";
	static const int busy[] = { 1, 3 };
	char entries[] = "entries: 0\n", overrun[] = "overrun: 3\n";
	char *stats[] = { entries, NULL, overrun, NULL };
	int cpus[] = { 0, 1, 2, 3 }, rc;
	struct output_end end = {
		.comms = "", .cpus = cpus, .stats = stats, .ncpus = 4, .events = 776, .dropped = 3
	};
	struct catalog *c = catalog_new();
	struct source_opts so = { 0 };
	struct source *s = source_open(RECORDING, 0, c, &so, e);
	struct output *o = zedstream_write_new(fd, e);

	if (!s || !o)
		bail("%s: %s", RECORDING, e->msg);
	rc = o->ops->begin(o, &meta, e);
	if (!rc)
		rc = o->ops->comms(o, names, sizeof(names) - 1, e);
	for (unsigned i = 0; !rc && i < s->buffers[0].ncpus; i++)
		rc = give_cpu(o, &s->buffers[0].cpus[i], i & 1, e);
	if (!rc)
		rc = o->ops->round(o, 1, busy, 2, e);
	if (!rc)
		rc = o->ops->format(o, "more", "name: x\nID: 9999\nformat:\n\n", 27, e);
	if (!rc)
		rc = o->ops->lost(o, 2, 2, e);
	if (!rc)
		rc = o->ops->end(o, &end, e);
	o->ops->close(o);
	source_close(s);
	catalog_free(c);
	return rc;
}

/* What the stream in the file FD gives is what the recording gives. */
static void compare(int fd, const char *what)
{
	struct drive want, got;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	drive_run(RECORDING, 0, &want);
	if (!ok(drive_run(path, 0, &got), "%s: it opens", what))
		diag("%s", got.first);
	is_u64(got.events, want.events, what);
	is_u64(got.sum, want.sum, "with the same bytes in the same order");
	is_str(got.first, "", "without a word");
}

/* Bytes of a descriptor, slowly and in odd pieces, into the file TO; in a child. */
static pid_t slow_reader(int from, int to, int other)
{
	pid_t pid = fork();
	char buf[7777];
	ssize_t n;

	if (pid)
		return pid;
	close(other);
	while ((n = read(from, buf, sizeof(buf))) > 0) {
		if (write(to, buf, n) != n)
			_exit(1);
		usleep(500);
	}
	_exit(n ? 1 : 0);
}

static void test_kinds(void)
{
	char name[] = "/tmp/zedframes.XXXXXX";
	struct err e;
	int fd = memfd_create("stream", 0), p[2], status;
	pid_t pid;

	ok(give_all(fd, &e) == 0, "a file takes a stream");
	compare(fd, "a file");
	close(fd);

	fd = mkostemp(name, O_APPEND);
	unlink(name);
	ok(give_all(fd, &e) == 0, "a file that is appended to, which splice() refuses");
	compare(fd, "a file that is appended to");
	close(fd);

	for (int socket = 0; socket < 2; socket++) {
		fd = memfd_create("stream", 0);
		if (socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, p) < 0 : pipe(p) < 0)
			bail("no pipe");
		pid = slow_reader(p[0], fd, p[1]);
		close(p[0]);
		ok(give_all(p[1], &e) == 0, socket ? "a slow socket" : "a slow pipe");
		close(p[1]);
		waitpid(pid, &status, 0);
		is_u64(status, 0, "its reader is content");
		compare(fd, socket ? "through a socket" : "through a pipe");
		close(fd);
	}
}

/* What was lost meanwhile is known of its CPU, once the pages before it have been read. */
static void test_losses(void)
{
	int fd = memfd_create("stream", 0);
	struct catalog *c = catalog_new();
	struct source_opts so = { 0 };
	struct source *s;
	char path[64];
	struct err e;

	ok(give_all(fd, &e) == 0, "a stream with losses");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s = source_open(path, 0, c, &so, &e);
	if (!s || s->nstreams < 4)
		bail("%s: %s", path, e.msg);
	is_u64(s->streams[2]->counted, 0, "before it is read nothing is known");
	while (stream_next(s->streams[2], &e) != PULL_EOF)
		;
	is_u64(s->streams[2]->counted, 2, "then that number");
	is_u64(s->streams[2]->settled, 2, "whose places have been read");
	is_u64(s->streams[1]->counted, 0, "and of no other CPU");
	source_close(s);
	catalog_free(c);
	close(fd);
}

/* Read the pipe P while it is being written: nothing of it blocks or is lost. */
static void test_live_pipe(void)
{
	struct drive want, got;
	char path[64];
	struct err e;
	int p[2];
	pid_t pid;

	if (pipe(p) < 0)
		bail("no pipe");
	pid = fork();
	if (!pid) {
		close(p[0]);
		_exit(give_all(p[1], &e) ? 1 : 0);
	}
	close(p[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", p[0]);
	drive_run(RECORDING, 0, &want);
	ok(drive_run(path, 0, &got), "a pipe that is being written opens");
	is_u64(got.sum, want.sum, "and gives the same");
	is_str(got.first, "", "without a word");
	close(p[0]);
	waitpid(pid, NULL, 0);
}

static void test_gone(void)
{
	struct err e;
	int p[2];

	if (pipe(p) < 0)
		bail("no pipe");
	close(p[0]);
	is_u64(give_all(p[1], &e), OUTPUT_GONE, "a consumer that has ended is told of");
	close(p[1]);
}

static void test_stalled(void)
{
	volatile int stop = 0;
	struct output *o;
	uint64_t began;
	struct err e;
	int p[2], rc;

	if (pipe(p) < 0)
		bail("no pipe");
	o = zedstream_write_new(p[1], &e);
	is_u64(o->flush_ns <= 40000000, 1, "events reach a stream within half of 100 ms");
	o->stop = &stop;
	fcntl(p[1], F_SETPIPE_SZ, 4096);
	stop = SIGINT;
	made_ns = 1000000000;
	began = now_ms();
	rc = o->ops->begin(o, &meta, &e);
	ok(rc < 0, "a consumer that takes nothing does not keep a recorder from its end");
	ok(now_ms() - began >= 5000 && now_ms() - began < 5500, "but gets five seconds");
	made_ns = 0;
	has(e.msg, "has read nothing", "and it is said");
	o->ops->close(o);
	close(p[0]);
	close(p[1]);
}

static void test_full(void)
{
	struct err e;
	int fd = open("/dev/full", O_WRONLY);

	if (fd < 0)
		return;
	ok(give_all(fd, &e) < 0 && e.sys == ENOSPC, "a full disk is an error");
	close(fd);
}

/* Wrong bytes, three ways: reading ends soon and stays within bounds. */
static void test_flips(void)
{
	int fd = memfd_create("stream", 0);
	unsigned runs = 0, bad = 0;
	uint8_t *bytes;
	struct drive d;
	struct stat st;
	char path[64];
	struct err e;

	give_all(fd, &e);
	fstat(fd, &st);
	bytes = mem_alloc(st.st_size);
	if (pread(fd, bytes, st.st_size, 0) != st.st_size)
		bail("a file that cannot be read");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	drive_guard();
	/* The head, and the frames at the end; of metadata and pages some. */
	for (off_t at = 0; at < st.st_size; at += at < 64 || at > st.st_size - 300 ? 1 : 97) {
		uint8_t tries[] = { ~bytes[at], 0, 0xff };

		for (unsigned k = 0; k < 3; k++) {
			if (pwrite(fd, &tries[k], 1, at) != 1)
				bail("a file that cannot be written");
			snprintf(drive_what, sizeof(drive_what), "stream with 0x%02x at 0x%lx",
				 tries[k], (long)at);
			drive_limit(10);
			drive_run(path, DRIVE_MACHINE, &d);
			runs++;
			if ((!d.opened && !d.first[0]) || d.events > 4000 || d.said > 40) {
				diag("%s: %" PRIu64 " events, %u notices, %s", drive_what, d.events,
				     d.said, d.first);
				bad++;
			}
		}
		if (pwrite(fd, &bytes[at], 1, at) != 1)
			bail("a file that cannot be written");
	}
	drive_limit(0);
	ok(!bad && runs > 1000, "a wrong byte costs what it belongs to (%u tried)", runs);
	free(bytes);
	close(fd);
}

static unsigned asked;

static int no_text(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	*p = "7 from the text\n8 eight\n8 eight again\n";
	*len = which == TEXT_CMDLINES ? strlen(*p) : 0;
	return 0;
}

static bool know_even(void *arg, int32_t pid, char buf[16])
{
	asked++;
	snprintf(buf, 16, "even%d", pid);
	return pid % 2 == 0;
}

static void test_names(void)
{
	static const struct machine_ops ops = { .text = no_text, .comm = know_even };
	char name[300];
	struct machine s;

	machine_init(&s, &ops, NULL, NULL);
	is_str(comms_name(s.comms, 8), "eight again", "the last name of a text counts");
	comms_learn(s.comms, 7, "learnt, longer than it was", 26);
	is_str(comms_name(s.comms, 7), "learnt, longer than it was",
	       "one that is learnt replaces it");
	comms_learn(s.comms, 7, "short", 5);
	is_str(comms_name(s.comms, 7), "short", "again");
	memset(name, 'x', sizeof(name));
	comms_learn(s.comms, 7, name, sizeof(name));
	is_u64(strlen(comms_name(s.comms, 7)), 255, "names are bounded");
	is_str(comms_name(s.comms, 100), "even100", "who knows a name is asked");
	comms_name(s.comms, 100);
	is_u64(asked, 1, "once");
	for (int i = 0; i < 100000; i++)
		comms_name(s.comms, 101);
	ok(asked > 1 && asked < 5, "seldom for one that nobody knows");
	is_str(comms_name(s.comms, 101), "<...>", "which has none");
	for (int pid = 1000; pid < 1000 + 1100000; pid++) {
		int n = snprintf(name, sizeof(name), "n%d", pid);

		comms_learn(s.comms, pid, name, n);
	}
	ok(comms_count(s.comms) <= (1u << 20) + 3, "a million names are kept, not more");
	is_str(comms_name(s.comms, 1000 + 1099999), "n1100999", "the newest are there");
	is_str(comms_name(s.comms, 500001), "n500001", "those in between too");
	is_str(comms_name(s.comms, 1001), "<...>", "the oldest have given way");
	is_str(comms_name(s.comms, 8), "eight again", "those of the text have not");
	machine_fini(&s);
}

/*
 * More of one CPU than a reader lets wait, and then a page of the one that is read first: counted
 * in turns.  In a child, as without that it never ends.
 */
static void test_count(void)
{
	enum { PAGES = 20000 };
	struct output_end end = { .comms = "" };
	struct catalog *c = catalog_new();
	struct source_opts so = { 0 };
	struct err e;
	struct source *s = source_open(RECORDING, 0, c, &so, &e);
	const struct buffer_cpu *cpu = s ? &s->buffers[0].cpus[0] : NULL;
	int fd = memfd_create("stream", 0), status = -1, rc = 0;
	struct output *o = zedstream_write_new(fd, &e);
	pid_t pid;

	if (!s || !o || o->ops->begin(o, &meta, &e))
		bail("%s: %s", RECORDING, e.msg);
	for (unsigned i = 0; i <= PAGES && !rc; i++)
		rc = o->ops->page(o, i < PAGES, file + cpu->off, 4096, 4096, &e);
	is_u64(rc || o->ops->end(o, &end, &e), 0, "a stream of 80 MB is written");
	o->ops->close(o);
	pid = fork();
	if (!pid) {
		struct count got;
		char path[64];

		alarm(60);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		rc = count_file(&got, path, NULL, &e);
		_exit(rc < 0 || got.ncpus < 2 || !got.cpus[0].events ||
		      got.cpus[1].events != got.cpus[0].events * PAGES);
	}
	waitpid(pid, &status, 0);
	is_u64((unsigned)status, 0,
	       "and its events are counted (else: a full disk hangs a recorder)");
	close(fd);
	source_close(s);
	catalog_free(c);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	load();
	test_kinds();
	test_losses();
	test_live_pipe();
	test_gone();
	test_stalled();
	test_full();
	test_count();
	test_names();
	test_flips();
	free(file);
	free(meta.p);
	return tap_done();
}
