// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs: finding a tracefs, and reading and writing its files.  Needs no rights, except for what
 * capabilities allow: the kernel is a directory.
 *
 * of: kernel/tracefs.c base/io.c
 */
#include "kernel/tracefs.h"
#include "t/lib/c/fake_tracefs.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void test_find(void)
{
	char root[256], small[8], none[300];
	struct err e;

	setenv("ZED_TRACEFS", fake_top, 1);
	ok(tracefs_find(root, sizeof(root), &e) == -1 &&
		   says(&e, "mount -t tracefs nodev "
			    "/sys/kernel/tracing") &&
		   says(&e, fake_top),
	   "a directory without events/ is no tracefs (else: a typing error looks like an empty "
	   "kernel)");
	snprintf(none, sizeof(none), "%s/none", fake_top);
	setenv("ZED_TRACEFS", none, 1);
	ok(tracefs_find(root, sizeof(root), &e) == -1 && says(&e, none),
	   "nor is one that is not there");
	setenv("ZED_TRACEFS", fake_top, 1);
	make_dir("events");
	ok(tracefs_find(root, sizeof(root), &e) == 0 && !strcmp(root, fake_top),
	   "with events/ it is taken (else: ZED_TRACEFS does nothing)");
	ok(tracefs_find(small, sizeof(small), &e) == -1,
	   "a path too long for its room is an error (else: another directory is used)");
}

#define OTHER 65534 /* nobody */

/* Become another user, with the capabilities CAPS alone. */
static bool become(unsigned caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { .effective = caps, .permitted = caps } };

	return prctl(PR_SET_KEEPCAPS, 1) == 0 && setgroups(0, NULL) == 0 &&
	       setresgid(OTHER, OTHER, OTHER) == 0 && setresuid(OTHER, OTHER, OTHER) == 0 &&
	       syscall(SYS_capset, &head, data) == 0;
}

enum { FOUND, REFUSED, NOT_BECOME };

/* What a process of another user with CAPS gets; its directories are root's alone. */
static int found_with(unsigned caps)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		char root[256];
		struct err e;

		if (!become(caps))
			_exit(NOT_BECOME);
		_exit(tracefs_find(root, sizeof(root), &e) == 0 ? FOUND : REFUSED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return NOT_BECOME;
	return WEXITSTATUS(status);
}

static void test_rights(void)
{
	int without = geteuid() ? NOT_BECOME : found_with(0);

	if (without == NOT_BECOME) {
		ok(true, "another user's rights # SKIP this process cannot become another user");
		return;
	}
	is_u64((uint64_t)without, REFUSED, "another user may not list root's tracefs");
	is_u64((uint64_t)found_with(1u << CAP_DAC_OVERRIDE), FOUND,
	       "one with CAP_DAC_OVERRIDE may (else: we refuse what the kernel allows)");
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
	got = tracefs_text(fake_top, "big", &len, &e);
	ok(got && len == big && !memcmp(got, text, big + 1),
	   "a text is read to its end, whatever its size claims (else: lists are cut)");
	free(got);
	free(text);
	make_file("empty", "");
	got = tracefs_text(fake_top, "empty", &len, &e);
	ok(got && !len && !*got, "an empty one is an empty text");
	free(got);
	ok(!tracefs_text(fake_top, "nothing", NULL, &e) && says(&e, "/nothing: ") &&
		   says(&e, "No such file") && e.sys == ENOENT,
	   "a missing one is named");
	ok(tracefs_write(fake_top, "empty", "mono", &e) == 0 &&
		   (got = tracefs_text(fake_top, "empty", NULL, &e)) && !strcmp(got, "mono"),
	   "what is written is there");
	free(got);
	ok(tracefs_write(fake_top, "nothing", "1", &e) == -1 && e.sys == ENOENT &&
		   !is_there("nothing"),
	   "a missing file is not made (else: a kernel without it seems to have it)");
	drop("big");
	drop("empty");
}

int main(void)
{
	fake_begin();
	test_find();
	test_rights();
	test_files();
	drop("events");
	fake_end();
	return tap_done();
}
