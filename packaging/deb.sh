#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# deb.sh VERSION: Debian's source and binary packages of the release's tarball, in build/deb, and what lintian says of
# them, if it is there: an error or a warning fails.
set -eu

version=$1
to=build/deb
rm -rf "$to"
mkdir -p "$to"
cp "build/release/zedperl-$version.tar.gz" "$to/zedperl_$version.orig.tar.gz"
tar -xzf "$to/zedperl_$version.orig.tar.gz" -C "$to"
cp -a debian "$to/zedperl-$version/"
(cd "$to/zedperl-$version" && DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-parallel=$(nproc)}" dpkg-buildpackage -us -uc)
ls "$to"/*.deb "$to"/*.dsc
if command -v lintian >/dev/null; then
	lintian --fail-on error,warning "$to"/*.changes
else
	echo "deb.sh: lintian is not installed: the packages are not looked at" >&2
fi
