#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# coverage.sh DIR CORPUS [NAME...]: runs each fuzzer of DIR, built for it, over what t/fuzz/run.sh gathered in
# CORPUS/NAME, and says how many of the lines that it can reach were run: those of the files of which it
# ran anything.  The table of files is DIR/NAME.coverage.
set -eu
dir=$1 corpora=$2
shift 2

for target in "$dir"/*_fuzz; do
	name=$(basename "$target")
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	[ -d "$corpora/$name" ] || continue
	LLVM_PROFILE_FILE="$dir/$name.profraw" "$target" -runs=0 "$corpora/$name" > "$dir/$name.log" 2>&1 || {
		echo "$name: $dir/$name.log" >&2
		exit 1
	}
	llvm-profdata merge -o "$dir/$name.prof" "$dir/$name.profraw"
	llvm-cov report "$target" -instr-profile="$dir/$name.prof" > "$dir/$name.coverage"
	# FILE regions missed % functions missed % lines missed %; the first row with functions that ran counts.
	awk -v name="$name" '
		$1 ~ /\.c$/ && $5 > $6 { lines += $8; missed += $9; files++ }
		END { printf "%-18s %5.1f %% of %d lines in %d files\n", name,
			lines ? 100 * (lines - missed) / lines : 0, lines, files }' "$dir/$name.coverage"
done
