#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# regen-syscalls.sh: regenerates stable/syscalls.txt, the names of system calls by architecture, from the kernel's own
# header files as packaged by Debian.  Run from the checkout's root:
#	sh t/tools/regen-syscalls.sh [linux-libc-dev.deb]
# Without a package it downloads the newest one of trixie-backports (all architectures are in one package since 6.12),
# with apt-get and files of its own, so that the machine's sources do not change.  Needs dpkg-deb and, for the download,
# the network and debian-archive-keyring.
set -eu
LC_ALL=C
export LC_ALL

out=stable/syscalls.txt
suite=${ZED_HEADERS_SUITE:-trixie-backports}
mirror=${ZED_HEADERS_MIRROR:-http://deb.debian.org/debian}

fail() {
	echo "regen-syscalls.sh: $*" >&2
	exit 1
}

test -d stable || fail "run it from the root of the checkout"
command -v dpkg-deb > /dev/null || fail "dpkg-deb is missing: apt-get install dpkg"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fetch() {
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	test -f $keys || fail "$keys is missing: apt-get install debian-archive-keyring"
	mkdir -p "$tmp/lists/partial" "$tmp/cache/archives/partial"
	echo "deb [arch=amd64 signed-by=$keys] $mirror $suite main" > "$tmp/sources"
	cat > "$tmp/apt.conf" <<-EOF
		Dir::Etc::sourcelist "$tmp/sources";
		Dir::Etc::sourceparts "/nonexistent";
		Dir::State::lists "$tmp/lists";
		Dir::State::status "/dev/null";
		Dir::Cache "$tmp/cache";
		APT::Sandbox::User "root";
	EOF
	export APT_CONFIG="$tmp/apt.conf"
	{ apt-get -qq update && (cd "$tmp" && apt-get -qq download linux-libc-dev); } >&2 ||
		fail "no download; give a linux-libc-dev package of 6.12 or later as an argument"
	ls "$tmp"/linux-libc-dev_*.deb
}

deb=${1:-}
test -n "$deb" || deb=$(fetch)
test -f "$deb" || fail "$deb: no such file"
dpkg-deb -x "$deb" "$tmp/x"
uapi=$tmp/x/usr/lib/linux/uapi
test -f "$uapi/x86/asm/unistd_64.h" ||
	fail "$deb has no headers for all architectures: take one of 6.12 or later"

# MACHINES: the values of uname -m there, as globs.  FILES: FILE+BASE, where BASE is what the kernel adds to the numbers
# of that header.
table() {
	machines=$1
	shift
	for file in "$@"; do
		test -f "$uapi/${file%+*}" || fail "${file%+*} is not in $deb"
	done
	echo
	echo "arch $machines"
	(cd "$uapi" && perl -we '
		use strict;
		my (%name, %base);
		for (@ARGV) {
			my ($file, $base) = /^(.*)\+(\d+)$/ or die "$_: no base\n";
			open my $fh, "<", $file or die "$file: $!\n";
			my $n = 0;
			while (<$fh>) {
				# ARM has calls of its own, __ARM_NR_*
				my ($name, $value) = /^#define\s+__(?:ARM_)?NR_([a-z_]\w*)\s+(\S.*?)\s*$/
					or next;
				my ($nr) = $value =~ /^(?:\(_\w+\s*\+\s*)?(\d+)\)?$/
					or next;	# another name for a call: the first one stays
				$name{$nr + $base} //= $name;
				$n++;
			}
			die "$file: no names\n" if !$n;
		}
		die "@ARGV: only a few names\n" if keys %name < 200;
		my ($line, $next) = ("", -1);
		for my $nr (sort { $a <=> $b } keys %name) {
			if ($line ne "" && ($nr != $next || length("$line $name{$nr}") > 98)) {
				print "$line\n";
				$line = "";
			}
			$line = $nr if $line eq "";
			$line .= " $name{$nr}";
			$next = $nr + 1;
		}
		print "$line\n";' "$@")
}

{
	cat <<-EOF
		# SPDX-License-Identifier: GPL-2.0-or-later
		#
		# Names of system calls by architecture; made by t/tools/regen-syscalls.sh from Debian's
		# linux-libc-dev $(dpkg-deb -f "$deb" Version).  "arch" and the machines (uname -m, globs)
		# that a table is for; then lines with a number and the names of that call and the ones
		# behind it.
	EOF
	table "x86_64 amd64" x86/asm/unistd_64.h+0
	table "i?86" x86/asm/unistd_32.h+0
	table "arm arm[vt]*" arm/asm/unistd-eabi.h+0 arm/asm/unistd.h+983040
	table "aarch64 aarch64_be arm64" arm64/asm/unistd_64.h+0
	table "s390x" s390/asm/unistd_64.h+0
	table "ppc64 ppc64le" powerpc/asm/unistd_64.h+0
	table "ppc ppcle" powerpc/asm/unistd_32.h+0
	table "riscv64" riscv/asm/unistd_64.h+0
	table "riscv32" riscv/asm/unistd_32.h+0
	table "loongarch64" loongarch/asm/unistd_64.h+0
	table "loongarch32" loongarch/asm/unistd_32.h+0
	# A 64-bit kernel serves all three ABIs of MIPS; each has its own thousand of numbers.
	table "mips64" mips/asm/unistd_o32.h+4000 mips/asm/unistd_n64.h+5000 mips/asm/unistd_n32.h+6000
	table "mips" mips/asm/unistd_o32.h+4000
	table "sparc64" sparc/asm/unistd_64.h+0
	table "sparc" sparc/asm/unistd_32.h+0
	table "alpha" alpha/asm/unistd_32.h+0
	table "m68k" m68k/asm/unistd_32.h+0
	table "parisc64" parisc/asm/unistd_64.h+0
	table "parisc" parisc/asm/unistd_32.h+0
	table "sh*" sh/asm/unistd_32.h+0
	table "arc" arc/asm/unistd_32.h+0
} > "$tmp/out"
awk 'length > 100 { exit 1 }' "$tmp/out" || fail "a line is longer than 100 columns"
mv "$tmp/out" $out
printf '%-24s %8d bytes, %6d architectures\n' $out "$(wc -c < $out)" "$(grep -c '^arch ' $out)"
