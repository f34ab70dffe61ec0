#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# regen-ltt.sh: regenerates t/data/ltt-g1, the cut of the real LTT trace, and the expected output of ltt-schedule.pl for
# it.  Run from the checkout's root:  sh t/tools/regen-ltt.sh
# Needs the trace at $ZED_SHARED/data/ltt-g1 or ../shared/data/ltt-g1.
set -eu

full=${ZED_SHARED:-../shared}/data/ltt-g1

fail() {
	echo "regen-ltt.sh: $*" >&2
	exit 1
}

test -f t/tools/cutltt.pl || fail "run it from the root of the checkout"
test -d "$full" || fail "$full is not there; set ZED_SHARED to the directory that holds data/"
for file in 0=10537d486e5d7fed 1=c03fc92f2e45adb4; do
	cpu=$full/cpu/${file%=*}
	sha256sum < "$cpu" | grep -q "^${file#*=}" || fail "$cpu is another one than was cut"
done
perl t/tools/cutltt.pl "$full" t/data/ltt-g1
perl t/data/scripts/derive-ltt.pl t/data/ltt-g1 8000 > t/data/scripts/ltt-schedule.ltt-g1.txt
echo "  t/data/ltt-g1"
