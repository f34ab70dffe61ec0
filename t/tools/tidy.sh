#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tidy.sh FILE.c: clang-tidy of one file for lint.sh, which sets TIDY_FLAGS (the compiler's) and TIDY_STAMPS, a folder
# that keeps an empty file for each text that passed: named by the hash of the preprocessed text with its comments (they
# can be NOLINT), of the flags, of .clang-tidy and of the program's version.  What passed is not looked at again, but
# for LINT_ALL=1.  Prints "looked at FILE", or what was found, and then exits with 1.
set -u
file=$1
# shellcheck disable=SC2086  # lists of options
stamp=$TIDY_STAMPS/$({ clang-tidy --version; cat .clang-tidy; echo "$file $TIDY_FLAGS";
	"${CC:-gcc}" -E -C -P ${TIDY_FLAGS%% -Xclang*} "$file" || echo "$$ does not compile"; } 2> /dev/null | sha256sum | cut -c1-40)
if [ -z "${LINT_ALL:-}" ] && [ -e "$stamp" ]; then
	touch "$stamp"
	exit 0
fi
echo "looked at $file"
# shellcheck disable=SC2086
if out=$(clang-tidy --quiet --warnings-as-errors='*' "$file" -- $TIDY_FLAGS 2> /dev/null); then
	: > "$stamp"
	exit 0
fi
echo "$out"
exit 1
