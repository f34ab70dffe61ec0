// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs: patterns against events, filters into the kernel's words, errors of a tracefs that is
 * none, and what /proc tells, of processes made here.  Needs no rights: the kernel is a directory.
 */
#include "reader/kernel/filter_text.h"
#include "reader/kernel/procs.h"
#include "reader/kernel/session.h"
#include "t/lib/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[] = "/tmp/tracefs-XXXXXX";

static void make_dir(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	if (mkdir(path, 0700) < 0)
		diag("%s: %s", path, strerror(errno));
}

static void make_file(const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		diag("%s: %s", path, strerror(errno));
}

static bool is_there(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return access(path, F_OK) == 0;
}

static void drop(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	if (remove(path) < 0)
		diag("%s: %s", path, strerror(errno));
}

static bool says(const struct err *e, const char *what)
{
	char text[1300];

	err_text(e, text, sizeof(text));
	if (strstr(text, what))
		return true;
	diag("'%s' does not say '%s'", text, what);
	return false;
}

static void test_find(void)
{
	char root[256], small[8], none[300];
	struct err e;

	setenv("ZED_TRACEFS", top, 1);
	ok(tracefs_find(root, sizeof(root), &e) == -1 &&
		   says(&e, "mount -t tracefs nodev "
			    "/sys/kernel/tracing") &&
		   says(&e, top),
	   "a directory without events/ is no tracefs (else: a typing error looks like an empty "
	   "kernel)");
	snprintf(none, sizeof(none), "%s/none", top);
	setenv("ZED_TRACEFS", none, 1);
	ok(tracefs_find(root, sizeof(root), &e) == -1 && says(&e, none),
	   "nor is one that is not there");
	setenv("ZED_TRACEFS", top, 1);
	make_dir("events");
	ok(tracefs_find(root, sizeof(root), &e) == 0 && !strcmp(root, top),
	   "with events/ it is taken (else: ZED_TRACEFS does nothing)");
	ok(tracefs_find(small, sizeof(small), &e) == -1,
	   "a path too long for its room is an error (else: another directory is used)");
}

static void test_files(void)
{
	size_t big = 300000, len = 0;
	char *text = malloc(big + 1), *got;
	struct err e;

	for (size_t i = 0; i < big; i++)
		text[i] = "abcdefghij\n"[i % 11];
	text[big] = '\0';
	make_file("big", text);
	got = tracefs_text(top, "big", &len, &e);
	ok(got && len == big && !memcmp(got, text, big + 1),
	   "a text is read to its end, whatever its size claims (else: lists are cut)");
	free(got);
	free(text);
	make_file("empty", "");
	got = tracefs_text(top, "empty", &len, &e);
	ok(got && !len && !*got, "an empty one is an empty text");
	free(got);
	ok(!tracefs_text(top, "nothing", NULL, &e) && says(&e, "/nothing: ") &&
		   says(&e, "No such file") && e.sys == ENOENT,
	   "a missing one is named");
	ok(tracefs_write(top, "empty", "mono", &e) == 0 &&
		   (got = tracefs_text(top, "empty", NULL, &e)) && !strcmp(got, "mono"),
	   "what is written is there");
	free(got);
	ok(tracefs_write(top, "nothing", "1", &e) == -1 && e.sys == ENOENT && !is_there("nothing"),
	   "a missing file is not made (else: a kernel without it seems to have it)");
	drop("big");
	drop("empty");
}

/* Which events PATTERN names, "sys:name,..."; or the error. */
static const char *matched(const struct tracefs_events *l, const char *pattern)
{
	static char out[1300];
	bool chosen[32] = { false };
	struct err e;
	size_t n = 0;
	int count = tracefs_match(l, pattern, chosen, &e), set = 0;

	if (count < 0)
		return e.kind == ERR_USAGE ? err_text(&e, out, sizeof(out)) : "not a usage error";
	out[0] = '\0';
	for (unsigned i = 0; i < l->n; i++)
		if (chosen[i]) {
			n += snprintf(out + n, sizeof(out) - n, "%s%s:%s", n ? "," : "",
				      l->v[i].system, l->v[i].name);
			set++;
		}
	return set == count ? out : "the count is not that of the chosen";
}

static void test_events(void)
{
	struct tracefs_events l;
	struct err e;
	bool sorted = true;

	ok(tracefs_events(&l, top, &e) == -1 && says(&e, "available_events"),
	   "without a list of events the file is named");
	make_file("available_events",
		  "sched:sched_wakeup\nblock:block_rq_issue\nno colon\n:x\ny:\n"
		  "sched:sched_switch\nblock:block_rq_complete\nblock:block_bio_queue\n9p:9p_x\n"
		  "my-mod:do-it\nsched_ext:dump\n\nirq:last");
	if (!ok(tracefs_events(&l, top, &e) == 0, "a list of events is read"))
		return;
	is_u64(l.n, 9, "a line that names no event is left out, the last needs no newline");
	for (unsigned i = 1; i < l.n; i++)
		sorted &= tracefs_event_order(&l.v[i - 1], &l.v[i]) < 0;
	ok(sorted, "it is sorted by system, then name (else: two lists cannot be compared)");

	is_str(matched(&l, "sched"), "sched:sched_switch,sched:sched_wakeup",
	       "a system is its events, and not those of sched_ext");
	is_str(matched(&l, "sched:sched_switch"), "sched:sched_switch", "system:event");
	is_str(matched(&l, "sched::sched_switch"), "sched:sched_switch",
	       "system::event, as Perl has it");
	is_str(matched(&l, "block:*_rq_*"), "block:block_rq_complete,block:block_rq_issue",
	       "a glob in the event");
	is_str(matched(&l, "[bi]*"),
	       "block:block_bio_queue,block:block_rq_complete,"
	       "block:block_rq_issue,irq:last",
	       "a glob in the system");
	is_str(matched(&l, "s*:d?mp"), "sched_ext:dump", "a glob in both");
	is_str(matched(&l, "my_mod::do_it"), "my-mod:do-it",
	       "a Perl name finds what cannot be one (else: --for misses it)");
	is_str(matched(&l, "_9p::9p_x"), "9p:9p_x", "and a package cannot begin with a digit");
	ok(strstr(matched(&l, "sched:sched_swich"), "did you mean sched:sched_switch?"),
	   "a mistyped event: the nearest is named");
	ok(strstr(matched(&l, "shced"), "did you mean sched?"), "a mistyped system");
	ok(strstr(matched(&l, "sched_switch"), "did you mean sched:sched_switch?"),
	   "an event without its system");
	ok(strstr(matched(&l, "blok:block_bio_queue"), "did you mean block:block_bio_queue?"),
	   "an event of a mistyped system");
	ok(strstr(matched(&l, "zzzzzzzz"), "zedtrace -t") &&
		   !strstr(matched(&l, "zzzzzzzz"), "mean"),
	   "nothing near: how to list them");
	ok(strstr(matched(&l, ""), "names no event") &&
		   strstr(matched(&l, ":x"), "names no event") &&
		   strstr(matched(&l, "sched:"), "names no event") &&
		   strstr(matched(&l, "sched::"), "names no event"),
	   "half a name is none (else: 'sched:' records all)");
	tracefs_events_fini(&l);
}

static void is_translated(const char *from, const char *to, const char *what)
{
	char *got = kfilter_translate(from);

	is_str(got, to, what);
	free(got);
}

static void is_split(const char *text, const char *pattern, const char *expr, const char *what)
{
	char *p = NULL, *x = NULL, both[300], want[300];
	struct err e;
	int rc = kfilter_split(text, &p, &x, &e);

	snprintf(both, sizeof(both), "%s|%s", rc == 0 ? p : "error", rc == 0 ? x : "");
	snprintf(want, sizeof(want), "%s|%s", pattern, expr);
	is_str(both, want, what);
	free(p);
	free(x);
}

static void test_filters(void)
{
	is_translated("cpu == 1 and dev != 8388608", "cpu == 1 && dev != 8388608", "and");
	is_translated("(a==1)and(b==2)or not(c)", "(a==1)&&(b==2)|| !(c)",
		      "words need no blanks around them");
	is_translated("comm ~ \"*and*\" and x == 'a or b'", "comm ~ \"*and*\" && x == 'a or b'",
		      "strings stay (else: another name is looked for)");
	is_translated("hand == 1 or band_or == 2 or nothing > 3",
		      "hand == 1 || band_or == 2 || nothing > 3", "words inside of names stay");
	is_translated("a & 4 && !(b <= 2) || c ~ \"x\"", "a & 4 && !(b <= 2) || c ~ \"x\"",
		      "the kernel's own words stay");
	is_translated("x == \"open and", "x == \"open and", "a string without its end");
	is_translated("a == 1\nor b == 2", "a == 1 || b == 2", "a newline is a blank");
	is_translated("", "", "nothing");

	is_split("block: cpu == 1", "block", "cpu == 1", "a system");
	is_split(" sched:sched_switch:  prev_prio == 3 ", "sched:sched_switch", "prev_prio == 3",
		 "an event");
	is_split("sched::sched_switch: x == 1", "sched:sched_switch", "x == 1", "as Perl has it");
	is_split("block:dev==3", "block", "dev==3", "no blank behind the colon");
	is_split("block:comm==\"a:b\"", "block", "comm==\"a:b\"",
		 "a colon in a string cuts nothing (else: the filter is refused)");
	is_split("block:*_rq_*: comm == \"a: b\"", "block:*_rq_*", "comm == \"a: b\"", "a glob");
	is_split("cpu == 1", "error", "", "no system");
	is_split(": cpu == 1", "error", "", "no name");
	is_split("block:", "error", "", "no expression");
	is_split("block:  ", "error", "", "a blank one");
	is_split("", "error", "", "nothing");
}

static void *sleep_there(void *arg)
{
	int *go = arg;
	char c;

	prctl(PR_SET_NAME, "zed) 7 (x");
	if (write(go[1], "t", 1) != 1 || read(go[2], &c, 1) < 0)
		return NULL;
	return arg;
}

struct seen {
	pid_t self;
	unsigned named, all;
};

static void see(void *arg, pid_t tid, const char *comm)
{
	struct seen *s = arg;

	s->all++;
	s->named += !strcmp(comm, "zed) 7 (x");
	if (strlen(comm) > 15)
		diag("a long name: %s", comm);
}

static void test_procs(void)
{
	int out[2], in[2], go[3];
	pthread_t thread;
	struct seen s = { getpid(), 0, 0 };
	pid_t child, tids[8];
	uint64_t mine = procs_start(getpid()), start;
	char comm[16], c;
	double up;
	FILE *f = fopen("/proc/uptime", "r");

	if (!f || fscanf(f, "%lf", &up) != 1)
		diag("no /proc/uptime");
	if (f)
		fclose(f);
	ok(mine && (double)mine <= up * sysconf(_SC_CLK_TCK) + 1 &&
		   (double)mine + 60 * sysconf(_SC_CLK_TCK) > up * sysconf(_SC_CLK_TCK),
	   "we began less than a minute ago (else: who owns an instance is not known)");
	if (pipe(out) || pipe(in))
		diag("no pipes");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "a) S 1 (b");
		if (write(out[1], "x", 1) != 1 || read(in[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	if (read(out[0], &c, 1) != 1)
		diag("no child");
	start = procs_start(child);
	ok(start >= mine && start <= mine + 60 * (uint64_t)sysconf(_SC_CLK_TCK),
	   "a name with parentheses and blanks shifts no field (%llu, %llu)",
	   (unsigned long long)mine, (unsigned long long)start);
	ok(procs_comm(child, comm) && !strcmp(comm, "a) S 1 (b"), "and is told");
	if (write(in[1], "x", 1) != 1)
		diag("no child");
	waitpid(child, NULL, 0);
	ok(procs_start(child) == 0 && !procs_comm(child, comm) &&
		   procs_threads(child, tids, 8) == 0,
	   "a process that has ended is none");

	go[0] = 0;
	go[1] = out[1];
	go[2] = in[0];
	is_u64(procs_threads(getpid(), tids, 8), 1, "a process of one task");
	pthread_create(&thread, NULL, sleep_there, go);
	if (read(out[0], &c, 1) != 1)
		diag("no thread");
	is_u64(procs_threads(getpid(), tids, 8), 2, "its threads count");
	ok(tids[0] != tids[1] && (tids[0] == getpid() || tids[1] == getpid()),
	   "each by its own number, the process's included");
	is_u64(procs_threads(getpid(), tids, 1), 1, "no more than there is room for");
	procs_each(see, &s);
	ok(s.named == 1 && s.all > 1,
	   "every thread of the system is told with its name, once (else: threads have no names)");
	if (write(in[1], "x", 1) != 1)
		diag("no thread");
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < 2; i++) {
		close(out[i]);
		close(in[i]);
	}
}

/* A child that holds FD alone until it is killed. */
static pid_t holder(int fd, int ready)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 3; i < 64; i++)
			if (i != fd && i != ready)
				close(i);
		if (write(ready, "x", 1) == 1)
			pause();
		_exit(0);
	}
	return pid;
}

static void test_readers(void)
{
	int p[2], ready[2], file, fifo, null = open("/dev/null", O_RDONLY);
	char path[300], c;
	pid_t reads, writes, named, pids[4] = { 0 };

	snprintf(path, sizeof(path), "%s/fifo", top);
	if (pipe(p) || pipe(ready) || mkfifo(path, 0600))
		diag("no pipes");
	fifo = open(path, O_RDWR);
	reads = holder(p[0], ready[1]);
	writes = holder(p[1], ready[1]);
	named = holder(fifo, ready[1]);
	for (unsigned i = 0; i < 3; i++)
		if (read(ready[0], &c, 1) != 1)
			diag("no child");
	is_u64(procs_pipe_readers(p[1], pids, 4), 1,
	       "one process reads the pipe: not who writes it, and not ourselves");
	is_u64(pids[0], reads, "the one that does (else: the wrong one is kept out)");
	is_u64(procs_pipe_readers(fifo, pids, 4), 1, "one reads a named pipe");
	is_u64(pids[0], named, "who has it open for both");
	is_u64(procs_pipe_readers(p[1], pids, 0), 0, "no more than there is room for");
	file = open("/proc/self/stat", O_RDONLY);
	ok(procs_pipe_readers(file, pids, 4) == 0 && procs_pipe_readers(null, pids, 4) == 0 &&
		   procs_pipe_readers(-1, pids, 4) == 0,
	   "what is no pipe has no readers");
	kill(reads, SIGKILL);
	kill(writes, SIGKILL);
	kill(named, SIGKILL);
	for (unsigned i = 0; i < 3; i++)
		wait(NULL);
	is_u64(procs_pipe_readers(p[1], pids, 4), 0, "a reader that has ended is none");
	close(file);
	close(fifo);
	close(null);
	for (unsigned i = 0; i < 2; i++) {
		close(p[i]);
		close(ready[i]);
	}
	drop("fifo");
}

static bool refuses(const struct session_opts *o, const char *what)
{
	struct err e;
	struct session *s = session_open(o, &e);

	session_close(s);
	return !s && says(&e, what);
}

static void test_session(void)
{
	const char *sched = "sched", *nope = "sched:nope", *filter = "block: cpu == 1",
		   *bad = "sched cpu == 1", *nearly = "sched:sched_swich: x == 1";
	struct session_opts o = { .events = &sched, .nevents = 1 };
	char name[64];

	ok(refuses(&o, "no tracing instances"), "a kernel without instances is told");
	make_dir("instances");
	snprintf(name, sizeof(name), "instances/zed.%d.%llu", (int)getpid(),
		 (unsigned long long)procs_start(getpid()));
	ok(refuses(&o, "tracing_on") && !is_there(name),
	   "an instance that cannot be set up is taken away (else: something is left behind)");
	o.filters = &filter;
	o.nfilters = 1;
	ok(refuses(&o, "block is not among the events that are recorded (of sched)"),
	   "a filter for what is not recorded (else: silently ignored)");
	o.filters = &bad;
	ok(refuses(&o, "SUBSYSTEM:EVENT: EXPRESSION"), "a filter without a system");
	o.filters = &nearly;
	ok(refuses(&o, "did you mean sched:sched_switch?"), "a filter of a mistyped event");
	o.nfilters = 0;
	o.events = &nope;
	ok(refuses(&o, "sched:nope"), "an event that is none");
	o.nevents = 0;
	ok(refuses(&o, "no events"), "no event");
	make_dir(name);
	o.nevents = 1;
	o.events = &sched;
	ok(refuses(&o, "one session at a time") && is_there(name),
	   "an instance that another session of ours has stays (else: it loses its files)");
	drop(name);
}

struct told {
	char text[1000];
};

static void tell(void *arg, const char *line)
{
	struct told *t = arg;
	size_t n = strlen(t->text);

	snprintf(t->text + n, sizeof(t->text) - n, "%s\n", line);
}

static void test_cleanup(void)
{
	static const char *const stay[] = { "zed",	"zed.",	    "zed.5",	"zed.0.5",
					    "zed.x.5",	"zed.07.5", "zed.7.5x", "zed.-7.5",
					    "zed.7.05", "other" };
	unsigned long long start = procs_start(getpid());
	char mine[64], reused[64], dir[90], want[600];
	struct told t = { "" };
	bool left = true;
	struct err e;
	pid_t gone = fork();

	if (gone == 0)
		_exit(0);
	waitpid(gone, NULL, 0);
	snprintf(mine, sizeof(mine), "zed.%d.%llu", (int)getpid(), start);
	snprintf(reused, sizeof(reused), "zed.%d.%llu", (int)getpid(), start + 1);
	snprintf(dir, sizeof(dir), "instances/%s", mine);
	make_dir(dir);
	snprintf(dir, sizeof(dir), "instances/%s", reused);
	make_dir(dir);
	for (unsigned i = 0; i < sizeof(stay) / sizeof(stay[0]); i++) {
		snprintf(dir, sizeof(dir), "instances/%s", stay[i]);
		make_dir(dir);
	}
	is_u64(session_cleanup(tell, &t, &e), 1, "one of a process that is no more is removed");
	snprintf(want, sizeof(want), "%s: in use by process %d\nremoved %s\n", mine, (int)getpid(),
		 reused);
	is_str(t.text, want,
	       "its number may have gone to another: the start tells (else: left for ever)");
	snprintf(dir, sizeof(dir), "instances/%s", mine);
	ok(is_there(dir), "that of one that lives stays");
	drop(dir);
	for (unsigned i = 0; i < sizeof(stay) / sizeof(stay[0]); i++) {
		snprintf(dir, sizeof(dir), "instances/%s", stay[i]);
		left &= is_there(dir);
		drop(dir);
	}
	ok(left, "what is not exactly of our kind stays (else: another's work is gone)");

	snprintf(dir, sizeof(dir), "instances/zed.%d.1", (int)gone);
	make_dir(dir);
	snprintf(want, sizeof(want), "%s/kept", dir);
	make_file(want, "");
	t.text[0] = '\0';
	is_u64(session_cleanup(tell, &t, &e), 0, "one that cannot be removed is not counted");
	ok(strstr(t.text, "not removed: ") && is_there(dir), "and told");
	drop(want);
	drop(dir);
	drop("instances");
	ok(session_cleanup(tell, &t, &e) == -1 && says(&e, "instances"),
	   "no instances at all is an error");
}

int main(void)
{
	if (!mkdtemp(top)) {
		diag("no temporary directory");
		return 2;
	}
	test_find();
	test_files();
	test_events();
	test_filters();
	test_procs();
	test_readers();
	test_session();
	test_cleanup();
	drop("events");
	drop("available_events");
	if (rmdir(top) < 0)
		diag("%s: %s", top, strerror(errno));
	return tap_done();
}
