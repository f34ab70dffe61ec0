#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# install.sh put | remove: copies the files that it reads on stdin to where they belong, or removes them
# again.  A line is "MODE FOLDER NAME SOURCE"; MODE may be "link".  FOLDER is a variable of the environment that holds a path,
# NAME is below it.  DESTDIR stands before all.  Folders that were there before are no work of ours: `put`
# notes in $data/folders which ones it made, `remove` removes those, if nothing else has come into them.
# In a DESTDIR, which is staged for a package, there is no such note, and every empty folder goes.
# Paths are looked up by the names of their variables.
# shellcheck disable=SC2154,SC2034
set -eu

notes=$DESTDIR$data/folders

# make_folder PATH (behind DESTDIR): with its parents, noting each that is new.
make_folder() {
	[ -n "$1" ] && [ ! -d "$DESTDIR$1" ] || return 0
	make_folder "${1%/*}"
	mkdir -m 755 "$DESTDIR$1"
	made="$made$1
"
}

# remove_folder PATH: it and its parents, as far as they are empty.
remove_folder() {
	at=$1
	while [ -n "$at" ] && rmdir "$DESTDIR$at" 2>/dev/null; do
		at=${at%/*}
	done
}

made=
list=$(cat)
case $1 in
put)
	# The root of a package is nobody's folder.
	[ -z "$DESTDIR" ] || mkdir -p "$DESTDIR"
	printf '%s\n' "$list" | {
		while read -r mode folder name source; do
			eval "path=\$$folder/\$name"
			make_folder "${path%/*}"
			case $mode in
			link) ln -srf "$DESTDIR$source" "$DESTDIR$path" ;;
			*) install -m "$mode" "$source" "$DESTDIR$path" ;;
			esac
		done
		if [ -z "$DESTDIR" ] && [ -n "$made" ]; then
			printf '%s' "$made" >>"$notes"
			chmod 644 "$notes"
		fi
	}
	;;
remove)
	folders=
	[ ! -f "$notes" ] || folders=$(sort -r "$notes")
	rm -f "$notes"
	printf '%s\n' "$list" | while read -r _ folder name _; do
		eval "path=\$$folder/\$name"
		rm -f "$DESTDIR$path"
		[ -z "$DESTDIR" ] || remove_folder "${path%/*}"
	done
	printf '%s\n' "$folders" | while IFS= read -r at; do
		[ -z "$at" ] || rmdir --ignore-fail-on-non-empty "$at" 2>/dev/null || true
	done
	;;
esac
