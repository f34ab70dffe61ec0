#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# arch.sh DIR ZEDPRINT [arm64|i386|s390x|armhf]...: `make arches`.  Builds zedprint, zedtrace and the C unit tests for
# each of these architectures, runs the unit tests, and compares the output of its zedprint for t/data, as -f zed, json
# and kernel, with that of ZEDPRINT of this machine.  Debian's sysroots are made in DIR, once: 300 MB and half a minute
# each, and nothing is installed.  SUITE and MIRROR choose another Debian (bookworm; apt's).
#
# Needs the cross compilers of the architectures, debootstrap, and qemu-user-static (i386 runs on an amd64 by itself).
set -u

if [ $# -lt 2 ]; then
	echo 'usage: arch.sh DIR ZEDPRINT [arm64|i386|s390x|armhf]...' >&2
	exit 2
fi
mkdir -p "$1" || exit 2
dir=$(cd "$1" && pwd)
native=$2
shift 2
[ $# -gt 0 ] || set -- arm64 i386 s390x armhf
failed=0
limit=600	# seconds for one program
packages='libc6-dev,libtraceevent-dev,libtraceevent1-plugin,libzstd-dev,nettle-dev,zlib1g-dev'

# ARCH: its name in the compiler, and the qemu that runs it.
triplet() {
	case $1 in
	arm64) echo aarch64-linux-gnu qemu-aarch64-static ;;
	armhf) echo arm-linux-gnueabihf qemu-arm-static ;;
	s390x) echo s390x-linux-gnu qemu-s390x-static ;;
	i386) echo i686-linux-gnu '' ;;
	*) return 1 ;;
	esac
}

sysroot() {
	test -e "$dir/$1/usr/include/zstd.h" && return
	# shellcheck disable=SC2016  # apt's own variable
	mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)}
	debootstrap --foreign --variant=minbase --arch="$1" --include="$packages" "${SUITE:-bookworm}" "$dir/$1" \
		"$mirror" > "$dir/$1.log" 2>&1 || return 1
	for deb in "$dir/$1"/var/cache/apt/archives/*.deb; do
		dpkg -x "$deb" "$dir/$1" || return 1
	done
	rm -f "$dir/$1"/var/cache/apt/archives/*.deb
}

# Run a program of architecture $arch.
run() {
	if [ "$arch" = i386 ]; then
		timeout "$limit" "$dir/i386/lib/ld-linux.so.2" \
			--library-path "$dir/i386/lib/i386-linux-gnu:$dir/i386/usr/lib/i386-linux-gnu" "$@"
	else
		timeout "$limit" "$qemu" -L "$dir/$arch" "$@"
	fi
}

# ZED_STEP: a test tries one in so many of its damages; qemu is slow.  Every unit test prints "ok" throughout, and as
# often as its plan says.
units() {
	for t in "$1"/t/*/*.t; do
		name=${t#"$1"/t/}
		start=$(date +%s)
		ZED_EMULATED=${qemu:+1} ZED_STEP=${qemu:+17} run "$t" > "$dir/$arch.tap" 2> "$dir/$arch.err" < /dev/null
		status=$?
		tests=$((tests + 1))
		plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$dir/$arch.tap")
		if [ "$status" -ne 0 ] || [ "$plan" != "$(grep -c '^ok ' "$dir/$arch.tap")" ]; then
			echo "$arch: $name: status $status, $(($(date +%s) - start)) s"
			grep '^not ok' "$dir/$arch.tap"
			sed 's/^/    /' "$dir/$arch.err" | head -n 20
			bad=$((bad + 1))
		fi
	done
}

texts() {
	for f in t/data/*.dat t/data/ltt-g1; do
		for how in zed json kernel; do
			run "$1/zedprint" -f $how "$f" > "$dir/$arch.out" 2> "$dir/$arch.err"
			echo "status $?" >> "$dir/$arch.out"
			timeout 180 "$native" -f $how "$f" > "$dir/native.out" 2> "$dir/native.err"
			echo "status $?" >> "$dir/native.out"
			count=$((count + 1))
			sed -i 's/^[^:]*zedprint: //' "$dir/$arch.err" "$dir/native.err"
			cmp -s "$dir/$arch.out" "$dir/native.out" && cmp -s "$dir/$arch.err" "$dir/native.err" && continue
			echo "$arch: -f $how $f differs:"
			diff "$dir/native.out" "$dir/$arch.out" | head -n 6
			diff "$dir/native.err" "$dir/$arch.err" | head -n 6
			bad=$((bad + 1))
		done
	done
}

for arch; do
	if ! names=$(triplet "$arch"); then
		echo "$arch: not an architecture that is known here: arm64, i386, s390x, armhf" >&2
		exit 2
	fi
	cross=${names%% *}
	qemu=${names#* }
	for cmd in "$cross-gcc" debootstrap $qemu; do
		command -v "$cmd" > /dev/null && continue
		echo "$arch: there is no $cmd: apt-get install gcc-$cross debootstrap qemu-user-static" >&2
		exit 2
	done
	bad=0 tests=0 count=0
	if ! sysroot "$arch"; then
		echo "$arch: no sysroot: see $dir/$arch.log" >&2
		exit 2
	fi
	if ! ${MAKE:-make} -s WERROR=1 CROSS="$cross-" SYSROOT="$dir/$arch" tools units > "$dir/$arch.build" 2>&1; then
		echo "$arch: does not build:"
		grep -A 4 -E 'error|warning|\*\*\*' "$dir/$arch.build" | head -n 40
		failed=1
		continue
	fi
	units "build/$cross-gcc"
	texts "build/$cross-gcc"
	echo "$arch: built without a warning, $tests unit tests, $count texts: $bad bad"
	[ "$bad" -eq 0 ] || failed=1
done
exit $failed
