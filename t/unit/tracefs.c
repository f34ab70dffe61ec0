// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs: finding a tracefs, and reading and writing its files.  Needs no rights: the kernel is a
 * directory.
 *
 * of: kernel/tracefs.c
 */
#include "kernel/tracefs.h"
#include "t/lib/c/fake_tracefs.h"

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
	test_files();
	drop("events");
	fake_end();
	return tap_done();
}
