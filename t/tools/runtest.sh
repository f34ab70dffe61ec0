#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# runtest.sh TEST: the program that prove runs for each test, Perl or built from C.  With ZED_STDERR (a folder; see
# t/lib/Run/Harness.pm) its stderr goes to a file there.  A hanging test is ended, and so fails, after TEST_LIMIT
# seconds.
if [ -n "${ZED_STDERR:-}" ]; then
	errors=$ZED_STDERR/$(printf %s "$1" | tr / _)
	unset ZED_STDERR
	exec 2> "$errors"
fi
case $1 in
build/*|*/build/*) ;;
*) set -- "${PERL:-perl}" -It/lib "$@" ;;
esac
exec timeout --foreground -k 10 "${TEST_LIMIT:-900}" "$@"
