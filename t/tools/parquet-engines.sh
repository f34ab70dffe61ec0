#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# parquet-engines.sh: fetches two foreign readers of Parquet, DuckDB and hyparquet (npm), with which
# t/format/parquet-engines.t reads the output of zedprint -f parquet, to build/parquet-engines: one version of each.
# Needs npm, node and the network; never committed.
set -eu

dir=build/parquet-engines

for tool in npm node; do
	command -v "$tool" > /dev/null || { echo "$0: no $tool (Debian: apt-get install npm)" >&2; exit 1; }
done
rm -rf "$dir.new"
mkdir -p "$dir.new"
echo '{ "private": true }' > "$dir.new/package.json"
(cd "$dir.new" && npm install --silent --no-audit --no-fund --ignore-scripts --save-exact \
	@duckdb/node-api@1.5.3-r.1 hyparquet@1.31.5 hyparquet-compressors@1.1.2)
rm -rf "$dir"
mv "$dir.new" "$dir"
echo "$dir: DuckDB 1.5.3, hyparquet 1.31.5"
