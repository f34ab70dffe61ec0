#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# release.sh VERSION: build/release/zedperl-VERSION.tar.gz of what is committed, and its checksum; the same bytes each
# time.  SIGN=KEY: with a signature of gpg beside it.
set -eu

version=$1
name=zedperl-$version
to=build/release
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" != "$(pwd -P)" ]; then
	echo "make release, make deb: they pack what git has, and this folder is no clone (a release's is made already)" >&2
	exit 1
fi
if [ -n "$(git status --porcelain)" ]; then
	echo "make release: something here is not committed (git status): a release is what git has" >&2
	exit 1
fi
if ! grep -q "^## $version\b" CHANGELOG.md; then
	echo "make release: CHANGELOG.md tells nothing of $version" >&2
	exit 1
fi
mkdir -p "$to"
git archive --format=tar --prefix="$name/" HEAD -- . ':!debian' | gzip -9n >"$to/$name.tar.gz.new"
mv -f "$to/$name.tar.gz.new" "$to/$name.tar.gz"
(cd "$to" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
if [ -n "${SIGN-}" ]; then
	gpg --local-user "$SIGN" --armor --detach-sign --yes --output "$to/$name.tar.gz.asc" "$to/$name.tar.gz"
fi
echo "$to/$name.tar.gz"
