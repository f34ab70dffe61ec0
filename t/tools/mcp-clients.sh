#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# mcp-clients.sh: fetches clients of the Model Context Protocol (npm), with which t/mcp/clients.t asks zedperl mcp, to
# build/mcp-clients: the SDK of the handshake, that of the stateless revision, and the inspector, one version of each.
# Needs npm, node and the network; never committed.
set -eu

dir=build/mcp-clients

for tool in npm node; do
	command -v "$tool" > /dev/null || { echo "$0: no $tool (Debian: apt-get install npm)" >&2; exit 1; }
done
rm -rf "$dir.new"
mkdir -p "$dir.new"
echo '{ "private": true }' > "$dir.new/package.json"
(cd "$dir.new" && npm install --silent --no-audit --no-fund --ignore-scripts --save-exact \
	@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector-cli@1.0.3)
# The inspector's command line alone looks for the package that it is a part of.
echo '{ "name": "@modelcontextprotocol/inspector", "version": "1.0.3" }' > "$dir.new/node_modules/@modelcontextprotocol/package.json"
rm -rf "$dir"
mv "$dir.new" "$dir"
echo "$dir: sdk 1.32.2, client 2.4.0, inspector-cli 1.0.3"
