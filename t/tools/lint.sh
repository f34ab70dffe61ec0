#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lint.sh: static checks with whatever tools are here; the ones that are not are named.  Exit 1 on any
# finding.
set -u
bad=0
cflags="-std=gnu11 -iquote . -iquote reader -iquote t/lib -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64"

have() {
	command -v "$1" > /dev/null 2>&1 && return 0
	echo "  SKIP    $1 is not here"
	return 1
}

# run NAME COMMAND...: shows the command's output only when it fails.
run() {
	name=$1
	shift
	if out=$("$@" 2>&1); then
		echo "  OK      $name"
	else
		echo "  FAIL    $name"
		echo "$out"
		bad=1
	fi
}

run layers perl -It/lib t/00-layers.t

if have cppcheck; then
	run cppcheck cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
		--enable=warning,portability --suppress=missingIncludeSystem \
		--suppress=unusedStructMember --suppress=ctuPointerArith -Ireader -I. ./*.c reader record
fi
if have clang-tidy; then
	for f in reader/*.c record/*.c cli.c cli_run.c script_events.c zedprint.c zedtrace.c; do
		[ -f "$f" ] || continue
		# shellcheck disable=SC2086
		run "clang-tidy $f" clang-tidy --quiet --warnings-as-errors='*' \
			--checks='-*,clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-narrowing-conversions,-bugprone-assignment-in-if-condition,-bugprone-branch-clone,-bugprone-implicit-widening-of-multiplication-result,-bugprone-suspicious-include,-bugprone-macro-parentheses,-bugprone-sizeof-expression,-bugprone-suspicious-string-compare,-clang-analyzer-deadcode.DeadStores,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-security.insecureAPI.strcpy' \
			"$f" -- $cflags
	done
fi
if have podchecker; then
	for f in docs/*.pod interp/*.pm scripts/*.pl; do
		[ -f "$f" ] && run "podchecker $f" podchecker -nowarnings "$f"
	done
fi
for f in scripts/*.pl interp/*.pl t/*.t t/lib/*.pm t/tools/*.pl t/bench/*.pl; do
	[ -f "$f" ] || continue
	# A script for zedperl that needs its embedded module cannot be compiled by plain perl.
	case $f in scripts/*) grep -q '^use Zed' "$f" && continue ;; esac
	run "perl -c $f" perl -It/lib -wc "$f"
done
if have shellcheck; then
	run shellcheck shellcheck -x -s sh t/tools/*.sh t/fuzz/*.sh
	run "shellcheck .ci/run" shellcheck .ci/run
fi
exit $bad
