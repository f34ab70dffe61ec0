#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libtraceevent.sh DIR: builds libtraceevent and its plugins with the sanitizers and the coverage of
# libFuzzer, for text_fuzz: DIR/libtraceevent.a, DIR/include, DIR/plugins/*.so.  The source is that of
# LIBTRACEEVENT_SRC, or what apt has for this system; nothing of it stays outside of DIR.  Exit 3 if it
# cannot be had.
set -eu
dir=$(mkdir -p "$1" && cd "$1" && pwd)
[ ! -f "$dir/libtraceevent.a" ] || exit 0

lacks() {
	echo "text_fuzz: runs with the library of this system, not instrumented: $1: set LIBTRACEEVENT_SRC to an unpacked source of libtraceevent" >&2
	exit 3
}

# Sources of this system's own distribution, without a change to its configuration.
fetch() {
	command -v apt-get > /dev/null || lacks 'there is no apt-get here'
	command -v dpkg-source > /dev/null || lacks 'there is no dpkg-source (dpkg-dev) here'
	apt=$dir/apt
	mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/archives/partial"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$f" ] || sed 's/^deb /deb-src /; s/^Types:.*/Types: deb-src/' "$f" > "$apt/parts/$(basename "$f" |
			sed 's/^sources\.list$/main.list/')"
	done
	set -- -qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/parts" \
		-o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt" -o APT::Sandbox::User=root
	apt-get "$@" update > "$apt/log" 2>&1 || :
	(cd "$apt" && apt-get "$@" source libtraceevent >> log 2>&1) ||
		lacks "apt cannot get the source of libtraceevent ($(grep '^E:' "$apt/log" | head -1))"
	src=$(find "$apt" -mindepth 1 -maxdepth 1 -type d -name 'libtraceevent-*' | head -1)
}

src=${LIBTRACEEVENT_SRC-}
[ -n "$src" ] || fetch
[ -f "$src/src/event-parse.c" ] || lacks "$src has no src/event-parse.c"

# What it does every day and no machine minds is not what is looked for: words read where they are, shifts
# and sums that overflow, bsearch() in no array.
flags="-std=gnu11 -O1 -g -w -fPIC -D_GNU_SOURCE -I$src/include -I$src/include/traceevent -I$src/src
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
	-fno-sanitize=alignment,shift,signed-integer-overflow,nonnull-attribute,pointer-overflow"
mkdir -p "$dir/include" "$dir/obj" "$dir/plugins"
rm -rf "$dir/include/traceevent"
mkdir "$dir/include/traceevent"
cp "$src"/include/traceevent/*.h "$dir/include/traceevent"
for c in "$src"/src/*.c; do
	# shellcheck disable=SC2086  # words
	clang $flags "-DPLUGIN_DIR=\"$dir/plugins\"" -c -o "$dir/obj/$(basename "$c" .c).o" "$c"
done
for c in "$src"/plugins/plugin_*.c; do
	# shellcheck disable=SC2086  # words
	clang $flags -shared -o "$dir/plugins/$(basename "$c" .c).so" "$c"
done
ar rcs "$dir/libtraceevent.a" "$dir"/obj/*.o
