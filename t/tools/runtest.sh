#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# runtest.sh TEST: what prove runs for each test, be it Perl or a program built from C.
case $1 in
build/*|*/build/*) exec "$@" ;;
*) exec "${PERL:-perl}" -It/lib "$@" ;;
esac
