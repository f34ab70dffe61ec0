#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lint.sh: static checks of every file, by make lint; clang-tidy skips files whose text has passed before, on this
# machine (tidy.sh).  A tool that is missing is named; with LINT_FETCH=1 (CI) that is a failure.  LINT_ALL=1: the same,
# and clang-tidy looks at every file again.  LINT_SECONDS: after so many, clang-tidy begins no further file; those that
# changed last come first, and the number of skipped ones is printed.  Exit 1 on any finding.
set -u
bad=0
cflags="-std=gnu11 -iquote . -iquote ${ZED_BUILD:?set by make} -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64"
traceevent=$(pkg-config --cflags libtraceevent 2> /dev/null)
format=14	# the tree is formatted by this version; others differ in details
perl_core=$(perl -MConfig -e 'print "$Config{archlibexp}/CORE"')
python=$(/usr/bin/python3-config --includes 2> /dev/null | sed 's/-I/-isystem /g')
# Those that changed last come first.
c_files=$({ git log --format= --name-only -- '*.c'; git ls-files '*.c'; } | awk '!seen[$0]++' |
	grep -xF -e "$(git ls-files '*.c')")
jobs=$(nproc 2> /dev/null || echo 2)

have() {
	command -v "$1" > /dev/null 2>&1 && return 0
	echo "  SKIP    $1 is not installed"
	[ -z "${LINT_ALL:-}${LINT_FETCH:-}" ] || bad=1
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

# each NAME "COMMAND" FILE...: the command for each file, several at a time.
each() {
	name=$1 command=$2
	shift 2
	if out=$(printf '%s\n' "$@" | xargs -P "$jobs" -I {} sh -c "$command" sh {} 2>&1); then
		echo "  OK      $name ($# files)"
	else
		echo "  FAIL    $name"
		echo "$out"
		bad=1
	fi
}

run layers perl -It/lib t/00-layers.t

# shellcheck disable=SC2046
if have clang-format; then
	if clang-format --version | grep -q "version $format\."; then
		run clang-format clang-format --dry-run --Werror $(git ls-files '*.c' '*.h')
	else
		echo "  SKIP    clang-format is not version $format"
		[ -z "${LINT_ALL:-}${LINT_FETCH:-}" ] || bad=1
	fi
fi
# Python's macros that return are in headers that it does not have; gcc sees to that.
# shellcheck disable=SC2046
if have cppcheck; then
	run cppcheck cppcheck --quiet -j "$jobs" --std=c11 --error-exitcode=1 --inline-suppr \
		--enable=warning,portability --suppress=missingIncludeSystem \
		--suppress=unusedStructMember --suppress=ctuPointerArith \
		--suppress=unknownMacro --suppress='missingReturn:interp/python/*' -I. $(git ls-files '*.c' ':!t/fuzz')
fi
# .clang-tidy has the checks.  Nearly all of their time is the analyzer's, which walks the paths of each function up to
# so many nodes.  With 75000 it finds all the errors planted at the ends of a hundred functions that it finds with its
# default of 225000, in a third of the time; with 40000 it does not.  LINT_NODES=225000 walks further.
if have clang-tidy; then
	TIDY_STAMPS=${XDG_CACHE_HOME:-$HOME/.cache}/zedperl/tidy
	TIDY_FLAGS="$cflags $traceevent -isystem $perl_core $python -DZED_PYTHON_VERSION=__FILE__ -Xclang -analyzer-config -Xclang max-nodes=${LINT_NODES:-75000}"
	TIDY_UNTIL=${LINT_SECONDS:+$(($(date +%s) + LINT_SECONDS))}
	export TIDY_STAMPS TIDY_FLAGS TIDY_UNTIL
	mkdir -p "$TIDY_STAMPS"
	find "$TIDY_STAMPS" -type f -mtime +30 -delete
	# shellcheck disable=SC2086  # a list of files
	if out=$(printf '%s\n' $c_files | xargs -P "$jobs" -n 1 t/tools/tidy.sh 2>&1); then
		left=$(echo "$out" | grep -c '^left out')
		echo "  OK      clang-tidy ($(echo "$out" | grep -c '^looked at') of $(echo "$c_files" | wc -l) files;" \
			"$([ "$left" -eq 0 ] || echo "$left left out after $LINT_SECONDS s; ")the others passed it before)"
	else
		echo "  FAIL    clang-tidy"
		echo "$out" | grep -vE '^(looked at|left out)'
		bad=1
	fi
fi
if have podchecker; then
	# shellcheck disable=SC2046
	run podchecker podchecker -nowarnings $(git ls-files 'docs/*.pod' '*.pm' 'scripts/*.pl' | xargs grep -lE '^=(head1|pod)')
fi
# .perlcriticrc lists the policies and their reasons.
if have perlcritic; then
	# shellcheck disable=SC2046
	run perlcritic perlcritic --quiet --profile .perlcriticrc $(git ls-files '*.pl' '*.pm' '*.t' ':!t/data')
fi
for f in $(git ls-files '*.pl' '*.pm' '*.t'); do
	# Scripts that need zedperl's embedded module cannot be compiled by plain perl: t/02-scripts.t runs them.
	grep -qE '^use (Zed|Perf::Trace)\b' "$f" && continue
	case $f in t/data/*) continue ;; esac
	out=$(perl -It/lib -wc "$f" 2>&1) || { echo "  FAIL    perl -c $f"; echo "$out"; bad=1; }
done
if have shellcheck; then
	# shellcheck disable=SC2046
	run shellcheck shellcheck -x $(git ls-files '*.sh' .ci/run packaging/complete/candidates packaging/complete/zed.bash)
fi
# The scripts of pages.
if have node; then
	# shellcheck disable=SC2046
	each 'node --check' "node --check \"\$1\"" $(git ls-files '*.js')
fi
exit $bad
