// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session: what a session refuses before it makes anything, what it leaves behind when it cannot be
 * made, and whose instances cleaning up removes.  Needs no rights: the kernel is a directory.
 *
 * of: kernel/session
 */
#include "kernel/procs.h"
#include "kernel/session/session.h"
#include "t/lib/c/fake_tracefs.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

static bool refuses(const struct session_opts *o, const char *what)
{
	struct err e;
	struct session *s = session_open(o, &e);

	session_close(s);
	return !s && says(&e, what);
}

static uint64_t read_of(struct stats_total *t, uint64_t read, unsigned noticed)
{
	struct cpu_stats st = { .read = read };

	stats_total_take(t, &st, noticed);
	return st.read;
}

static void test_resets(void)
{
	struct stats_total t = { 0 };

	ok(read_of(&t, 100, 0) == 100 && read_of(&t, 40, 0) == 140, "a lower count begins anew");
	ok(read_of(&t, 50, 1) == 150,
	   "the notice of it comes later (else: what was before counts twice)");
	ok(read_of(&t, 70, 2) == 220 && t.reset,
	   "a noticed reset whose count is higher again (else: what was before is forgotten)");
	ok(read_of(&t, 10, 3) == 230 && read_of(&t, 20, 3) == 240, "a lower one that was noticed");
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
	ok(refuses(&o, "header_page") && !is_there(name),
	   "an instance that cannot be set up is taken away (else: something is left behind)");
	o.filters = &filter;
	o.nfilters = 1;
	ok(refuses(&o, "block matches none of the recorded events (those of sched)"),
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

static int lock_of(const char *name, int how)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fake_top, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(fd >= 0 && flock(fd, how) == 0, "%s is locked, as this test needs it", name);
	return fd;
}

/*
 * Instances whose names have the number of a process that has ended, GONE, as those of another PID
 * namespace may have: the lock tells.
 */
static void test_owners(pid_t gone)
{
	char name[64];
	struct told t = { "" };
	struct err e;
	int lock;

	snprintf(name, sizeof(name), "instances/zed.%d.7", (int)gone);
	make_dir(name);
	lock = lock_of(name, LOCK_EX);
	is_u64(session_cleanup(tell, &t, &e), 0, "an instance with an owner is not removed");
	ok(is_there(name),
	   "... though no process has its number (else: a container's recorder ends)");
	ok(strstr(t.text, "in use by a process of another PID namespace"), "... which is said");
	session_remove_dead(NULL);
	ok(is_there(name), "... nor by a start");
	close(lock);
	lock = lock_of(name, LOCK_SH);
	session_remove_dead(NULL);
	ok(is_there(name), "nor one that is read (else: --extract loses what it came for)");
	close(lock);
	setenv("ZED_KEEP_DEAD", "1", 1);
	session_remove_dead(NULL);
	ok(is_there(name), "nor any, where dead ones are to be kept");
	unsetenv("ZED_KEEP_DEAD");
	session_remove_dead(NULL);
	ok(!is_there(name), "one without an owner is (else: it goes on tracing)");
}

/* The instances that are made beside one of GONE, and what is not one of them. */
static void test_suffixes(pid_t gone)
{
	static const char *const ours[] = { ".names", ".when", ".value.names", ".flight.tids" };
	static const char *const other[] = { ".names.when", ".tid", ".whennames", "." };
	struct told t = { "" };
	char name[64];
	bool left = true;
	struct err e;

	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "instances/zed.%d.7%s", (int)gone, ours[i]);
		make_dir(name);
		snprintf(name, sizeof(name), "instances/zed.%d.7%s", (int)gone, other[i]);
		make_dir(name);
	}
	is_u64(session_cleanup(tell, &t, &e), 4,
	       "those beside a session are removed (else: they go on tracing)");
	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "instances/zed.%d.7%s", (int)gone, other[i]);
		left &= is_there(name);
		drop(name);
	}
	ok(left, "and nothing that only looks like them");
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
	test_owners(gone);
	test_suffixes(gone);

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
	fake_begin();
	make_dir("events");
	make_file("available_events",
		  "block:block_rq_issue\nsched:sched_switch\nsched:sched_wakeup\n");
	test_session();
	test_resets();
	test_cleanup();
	drop("events");
	drop("available_events");
	fake_end();
	return tap_done();
}
