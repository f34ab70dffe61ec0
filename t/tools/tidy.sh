#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tidy.sh FILE.c: clang-tidy of one file for lint.sh, which sets TIDY_FLAGS (the compiler's) and TIDY_STAMPS, a folder
# with an empty file for each text that has passed: named by the hash of FILE.c and of every header that it includes
# (whole, as a comment can be a NOLINT), of the flags, of .clang-tidy and of the program's version.  A file that has
# passed is skipped, except with LINT_ALL=1, and so is every file after TIDY_UNTIL (seconds since the epoch; none:
# never).  Prints "looked at FILE", "left out FILE", or the findings, and then exits with 1.
set -u
file=$1

# The name of its stamp.
key() {
	# shellcheck disable=SC2086  # a list of options
	needs=$("${CC:-gcc}" -M ${TIDY_FLAGS%% -Xclang*} "$file" 2> /dev/null) || needs="$$: does not compile"
	{ clang-tidy --version; cat .clang-tidy; echo "$file $TIDY_FLAGS $needs"
		echo "$needs" | tr -s ' \134' '\n' | sed '/:$/d; /^$/d' | xargs cat; } 2> /dev/null | sha256sum | cut -c1-40
}

stamp=$(key)
if [ -z "${LINT_ALL:-}" ] && [ -e "$TIDY_STAMPS/$stamp" ]; then
	touch "$TIDY_STAMPS/$stamp"
	exit 0
fi
if [ -n "${TIDY_UNTIL:-}" ] && [ "$(date +%s)" -ge "$TIDY_UNTIL" ]; then
	echo "left out $file"
	exit 0
fi
echo "looked at $file"
# shellcheck disable=SC2086
if out=$(clang-tidy --quiet --warnings-as-errors='*' "$file" -- $TIDY_FLAGS 2>&1); then
	# Unless it was edited meanwhile.
	[ "$(key)" != "$stamp" ] || : > "$TIDY_STAMPS/$stamp"
	exit 0
fi
echo "$out"
exit 1
