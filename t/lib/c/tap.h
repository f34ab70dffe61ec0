/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TAP_H
#define ZED_TAP_H

/*
 * The Test Anything Protocol for tests in C.  A test program calls ok() and its relatives, and ends
 * with "return tap_done();", which prints the plan, so that a program that dies half-way fails.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failed;

/* What mkdtemp() and mkstemp() take, in BUF: in $TMPDIR, or else in IN. */
__attribute__((unused)) static void tap_template(char *buf, size_t size, const char *in,
						 const char *name)
{
	const char *dir = getenv("TMPDIR");

	snprintf(buf, size, "%s/zed%s.XXXXXX", dir && *dir ? dir : in, name);
}

/* SOME in make test, where a long test runs its small pass (ZED_SMALL), else WHOLE. */
__attribute__((unused)) static size_t tap_small(size_t some, size_t whole)
{
	const char *small = getenv("ZED_SMALL");

	return small && *small ? some : whole;
}

__attribute__((format(printf, 2, 3), unused)) static bool ok(bool pass, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", pass ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	if (!pass)
		tap_failed++;
	return pass;
}

__attribute__((format(printf, 1, 2), unused)) static void diag(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("# ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Two unsigned numbers are the same. */
__attribute__((unused)) static bool is_u64(uint64_t got, uint64_t want, const char *what)
{
	bool pass = ok(got == want, "%s", what);

	if (!pass)
		diag("got %" PRIu64 " (0x%" PRIx64 "), want %" PRIu64 " (0x%" PRIx64 ")", got, got,
		     want, want);
	return pass;
}

/* Two strings are the same; NULL is a value. */
__attribute__((unused)) static bool is_str(const char *got, const char *want, const char *what)
{
	bool pass = ok(got == want || (got && want && !strcmp(got, want)), "%s", what);

	if (!pass)
		diag("got '%s', want '%s'", got ? got : "(null)", want ? want : "(null)");
	return pass;
}

/* TEXT holds PART. */
__attribute__((unused)) static bool has(const char *text, const char *part, const char *what)
{
	bool pass = ok(text && strstr(text, part), "%s", what);

	if (!pass)
		diag("'%s' is not in '%s'", part, text ? text : "(null)");
	return pass;
}

__attribute__((format(printf, 1, 2), noreturn, unused)) static void bail(const char *fmt, ...)
{
	va_list ap;

	fputs("Bail out! ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	__builtin_trap();
}

/* Does an emulator of processors such as qemu-user run us (t/tools/arch.sh says so)? */
__attribute__((unused)) static bool tap_emulated(void)
{
	const char *told = getenv("ZED_EMULATED");

	return told && *told;
}

/* A bound of time, which an emulator may exceed. */
__attribute__((unused)) static double tap_seconds(double seconds)
{
	return seconds * (tap_emulated() ? 100 : 1);
}

/* The whole program is skipped; for main() to return. */
__attribute__((unused)) static int tap_skip(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	return 0;
}

__attribute__((unused)) static int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
