#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# distros.sh DIR [trixie testing bookworm ...]: the README's two commands, make demo and make test, on fresh Debians
# with nothing but gcc, make, perl and git.  Each is a chroot under DIR, made by debootstrap if it does not exist yet
# (600 MB, kept for later runs), in a mount namespace of its own, so that nothing stays mounted.  It tests the last
# commit; ../shared is copied if it exists.  Prints a line of result for each, leaves the outputs in DIR/NAME.log, and
# fails if one of them failed; a compiler warning is a failure.  MIRROR names another mirror than apt's.  TESTS
# (patterns) names tests that run, the long ones by their small pass, in place of make test.
#
# Needs root, debootstrap and a network; if one of them is missing, or a chroot cannot be made, it says so and exits
# with 77, unless another one failed.
set -eu

[ $# -ge 1 ] || { echo "usage: $0 DIR [trixie testing bookworm ...]" >&2; exit 2; }
cannot() {
	echo "$0: $*" >&2
	exit 77
}
[ "$(id -u)" -eq 0 ] || cannot "chroots and mounts take root"
for tool in debootstrap unshare wget; do
	command -v $tool > /dev/null || cannot "no $tool: apt-get install $tool"
done
unshare -m true || cannot "no mount namespace can be made"
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- trixie testing bookworm
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck disable=SC2016  # apt's own
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2> /dev/null |
	head -1)}
mirror=${mirror:-http://deb.debian.org/debian/}
wget -q -T 20 -t 2 -O /dev/null "${mirror%/}/dists/$1/InRelease" || cannot "no network: $mirror cannot be reached"

# Mounts for programs that trace in a chroot: the kernel's file systems, terminals and shared memory.  R on itself:
# it has to be a mount, or the tests cannot have mount namespaces of their own.
# shellcheck disable=SC2016  # for the shell in the namespace
inside='
	set -e
	mount --bind "$R" "$R"
	mount -t proc proc "$R/proc"
	mount -t sysfs sysfs "$R/sys"
	mount -t tracefs nodev "$R/sys/kernel/tracing" || echo "no tracefs: the live tests will be skipped"
	mount -t devtmpfs dev "$R/dev"
	mkdir -p "$R/dev/pts" "$R/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$R/dev/pts"
	mount -t tmpfs tmpfs "$R/dev/shm"
	if [ -d "$SHARED" ]; then
		mkdir -p "$R/srv/shared"
		mount --bind "$SHARED" "$R/srv/shared"
		mount -o remount,bind,ro "$R/srv/shared"
	fi
	exec chroot "$R" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		sh -c "cd /srv/zedperl && make demo && if [ -z \"\$1\" ]; then make test; else
			t/tools/setup.sh test && make -j\$(nproc) check PASS=small TESTS=\"\$(echo \$1)\"; fi" sh "${TESTS:-}"'

# The whole run for one of them, into its log.
try() {
	R=$dir/$1
	SHARED=$(realpath -m "${ZED_SHARED:-$root/../shared}")
	export R SHARED
	if [ ! -e "$R/etc/debian_version" ]; then
		rm -rf "$R.new"	# left by an interrupted run
		# In a namespace too: it mounts file systems, and leaves them if it is interrupted.
		unshare -m --propagation private debootstrap --variant=minbase \
			--include=gcc,make,perl,git,ca-certificates "$1" "$R.new" "$mirror" || return 77
		mv "$R.new" "$R"
	fi
	echo '127.0.0.1 localhost' > "$R/etc/hosts"	# debootstrap makes none
	# World-accessible: some tests run programs as nobody.
	rm -rf "$R/srv/zedperl"
	git clone -q "$root" "$R/srv/zedperl" || return 1
	unshare -m --propagation private sh -c "$inside"
}

# The versions of this run, in one line.
# shellcheck disable=SC2016  # for the shell in the chroot
versions() {
	chroot "$dir/$1" sh -c '
		echo "Debian $(cat /etc/debian_version), gcc $(gcc -dumpfullversion)"
		perl -e "printf qq(, perl %vd), \$^V"
		echo ", libtraceevent $(pkg-config --modversion libtraceevent)"
		trace-cmd --version | sed -n "s/.*trace-cmd version \([0-9.]*\).*/, trace-cmd \1/p"' 2> /dev/null |
		tr -d '\n'
}

status=0
for name in "$@"; do
	began=$(date +%s)
	rc=0
	try "$name" > "$dir/$name.log" 2>&1 || rc=$?
	case $rc in
	0)
		result=PASS
		! grep -E '^[^ ]+\.[ch]:[0-9]+:[0-9]+: warning:' "$dir/$name.log" || result=FAIL status=1
		;;
	77)
		echo "$name: no chroot can be made (see $dir/$name.log)"
		[ $status -ne 0 ] || status=77
		continue
		;;
	*) result=FAIL status=1 ;;
	esac
	files=$(sed -n 's/^\(Files=[0-9]*, Tests=[0-9]*\).*/\1/p' "$dir/$name.log" | tail -1)
	failed=$(sed -n '/^Test Summary Report/,$s/^\([^ ]*\.t\) .*(Wstat.*/\1/p' "$dir/$name.log" | tr '\n' ' ')
	echo "$name ($(versions "$name")): $result" \
		"${files:-no tests were run} $(($(date +%s) - began)) s ${failed:+failed: $failed}(see $dir/$name.log)"
done
exit $status
