#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# setup.sh build|test|lint|browser|deb: installs the packages that a fresh Debian lacks to build zedperl (to run its
# tests, its static checks; a browser for the tests of pages; to build packages): names them, and installs them by apt
# as root or with sudo; elsewhere names them and fails.
set -eu

want=${1:-build}
missing=

have_cmd() { command -v "$1" > /dev/null 2>&1; }

# need PACKAGE COMMAND...: the package is missing when the command fails.
need() {
	package=$1
	shift
	"$@" > /dev/null 2>&1 || missing="$missing $package"
}

have_package() { test "$(dpkg-query -W -f '${db:Status-Status}' "$1")" = installed; }
have_header() { echo "#include <$1>" | "${CC:-gcc}" -E -x c - > /dev/null 2>&1; }
# Headers and the library to link with: Debian has the headers in a package that perl itself needs, so checking for
# those alone is not enough.
have_perl_core() {
	dir=$(perl -MConfig -e 'print "$Config{archlibexp}/CORE"') && test -f "$dir/perl.h" &&
		opts=$(perl -MExtUtils::Embed -e ldopts) || return 1
	# shellcheck disable=SC2086  # a list of options
	echo 'int main(void) { return 0; }' | "${CC:-gcc}" -x c - -o /dev/null $opts
}
# The directory that the library itself uses: perf installs plugins too, in a directory of its own.
have_plugins() {
	dir=$(pkg-config --variable=plugindir libtraceevent)
	test -n "$dir" || dir=$(pkg-config --variable=libdir libtraceevent)/traceevent/plugins
	test -f "$dir/plugin_sched_switch.so"
}

need make have_cmd make
need perl perl -MTest::More -MFile::Temp -e 1
if have_cmd "${CC:-gcc}"; then
	need libc6-dev have_header stdio.h
	need zlib1g-dev have_header zlib.h
	need libzstd-dev have_header zstd.h
	need nettle-dev have_header nettle/hmac.h
else
	missing="$missing gcc libc6-dev zlib1g-dev libzstd-dev nettle-dev"
fi
need libperl-dev have_perl_core
# zedpython, and python's module zed: without it neither is built.
need python3-dev /usr/bin/python3-config --embed --ldflags
need pkg-config have_cmd pkg-config
need libtraceevent-dev pkg-config --atleast-version=1.7.1 libtraceevent
need libtraceevent1-plugin have_plugins
# The page of zedperl explore: without it zedperl is built without that.
need libmicrohttpd-dev pkg-config --exists libmicrohttpd
# Names of functions of programs: without these it is built without them.  Only Debian has libiberty apart.
need libdw-dev pkg-config --exists libdw
! have_cmd apt-get || need libiberty-dev have_header libiberty/demangle.h
# Pages of --html are drawn with it; without it zedperl is built without them.  Only Debian packages it.
! have_cmd apt-get || need node-d3 test -f /usr/share/nodejs/d3/dist/d3.min.js
if [ "$want" = test ]; then
	need zstd have_cmd zstd
	need jq have_cmd jq
	need protobuf-compiler have_cmd protoc
	need trace-cmd have_cmd trace-cmd
fi
# 290 MB: only on request (BROWSER=1 make test); else the tests of pages are skipped, and say so.
if [ "$want" = browser ] || { [ "$want" = test ] && [ -n "${BROWSER:-}" ]; }; then
	need chromium have_cmd chromium
fi
# The same for promtool, which checks the output of --metrics (PROMTOOL=1 make test): it comes with the whole server.
if [ "$want" = test ] && [ -n "${PROMTOOL:-}" ]; then
	need prometheus have_cmd promtool
fi
# And for the engines of docs/fleet (ENGINES=1 make test): 40 MB, and their tests take a minute.
if [ "$want" = test ] && [ -n "${ENGINES:-}" ]; then
	need parallel have_cmd parallel
	need openssh-server have_cmd /usr/sbin/sshd
	need openssh-client have_cmd ssh
	need curl have_cmd curl
	need slurm-wlm have_cmd sbatch
	need munge have_cmd /usr/sbin/munged
	need python3-distributed /usr/bin/python3 -c 'import distributed'
fi
if [ "$want" = deb ]; then
	need debhelper have_cmd dh
	need dh-python have_cmd dh_python3
	need dpkg-dev have_cmd dpkg-buildpackage
	# dpkg-checkbuilddeps asks for the package itself, not for its compilers.
	need build-essential have_package build-essential
fi
if [ "$want" = lint ]; then
	need clang-format have_cmd clang-format
	need clang-tidy have_cmd clang-tidy
	need cppcheck have_cmd cppcheck
	need libperl-critic-perl have_cmd perlcritic
	need shellcheck have_cmd shellcheck
fi

[ -n "$missing" ] || exit 0
missing=${missing# }

# The names of the same packages for dnf and pacman, each once; names that are the same everywhere have no line.
names_of() {
	for package in $missing; do
		case $1:$package in
		dnf:libc6-dev) echo glibc-devel ;;
		dnf:zlib1g-dev) echo zlib-devel ;;
		dnf:libzstd-dev) echo libzstd-devel ;;
		dnf:nettle-dev) echo nettle-devel ;;
		dnf:libperl-dev) echo perl-devel perl-ExtUtils-Embed ;;
		dnf:python3-dev) echo python3-devel ;;
		dnf:pkg-config) echo pkgconf-pkg-config ;;
		dnf:libtraceevent-dev) echo libtraceevent-devel ;;
		dnf:libdw-dev) echo elfutils-devel ;;
		dnf:libmicrohttpd-dev) echo libmicrohttpd-devel ;;
		dnf:clang-format | dnf:clang-tidy) echo clang-tools-extra ;;
		dnf:libperl-critic-perl) echo perl-Perl-Critic ;;
		dnf:shellcheck) echo ShellCheck ;;
		pacman:libc6-dev) echo glibc ;;
		pacman:zlib1g-dev) echo zlib ;;
		pacman:libzstd-dev) echo zstd ;;
		pacman:nettle-dev) echo nettle ;;
		pacman:libperl-dev) echo perl ;;
		pacman:python3-dev) echo python ;;
		pacman:pkg-config) echo pkgconf ;;
		pacman:libtraceevent-dev) echo libtraceevent ;;
		pacman:libdw-dev) echo libelf ;;
		pacman:libmicrohttpd-dev) echo libmicrohttpd ;;
		pacman:clang-format | pacman:clang-tidy) echo clang ;;
		pacman:libperl-critic-perl) echo perl-perl-critic ;;
		*:libtraceevent1-plugin) echo libtraceevent ;;
		*) echo "$package" ;;
		esac
	done | sort -u | tr '\n' ' '
}

if ! have_cmd apt-get; then
	echo "zedperl needs what Debian calls: $missing" >&2
	echo "There is no apt here: install these with your system's package manager, then run make again:" >&2
	! have_cmd dnf || echo "    dnf install $(names_of dnf)" >&2
	! have_cmd pacman || echo "    pacman -S --needed $(names_of pacman)" >&2
	echo "(libtraceevent has to be 1.7.1 or newer.)" >&2
	exit 1
fi

sudo=
if [ "$(id -u)" -ne 0 ]; then
	if ! have_cmd sudo; then
		cat >&2 <<END
zedperl needs these packages: $missing
You are not root and there is no sudo.  Have them installed by:
    apt-get install $missing
END
		exit 1
	fi
	sudo=sudo
fi

echo "zedperl needs packages that are not here; now installing them:"
echo "    ${sudo:+$sudo }apt-get install -y --no-install-recommends $missing"
# The lists of a fresh machine may be empty or old: update them only if it does not work without.
# shellcheck disable=SC2086  # a list of package names
if ! $sudo env DEBIAN_FRONTEND=noninteractive \
	apt-get install -y -q --no-install-recommends $missing; then
	$sudo apt-get update -q
	$sudo env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -q --no-install-recommends $missing
fi
