// SPDX-License-Identifier: GPL-2.0-or-later
//
// mcp-client.mjs DIR SDK: makes calls of tools with a client of the Model Context Protocol, which t/tools/mcp-clients.sh
// has fetched to DIR: SDK is "sdk" (initialize) or "client" (server/discover). Standard input: {command, args, calls:
// [[NAME, ARGUMENTS]], cancel: [NAME, ARGUMENTS]}; standard output: what came, as one JSON object.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [dir, sdk] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${dir}/package.json`));
const load = (name) => require(name);
const { Client } = sdk === 'sdk' ? load('@modelcontextprotocol/sdk/client/index.js') : load('@modelcontextprotocol/client');
const { StdioClientTransport } = sdk === 'sdk' ? load('@modelcontextprotocol/sdk/client/stdio.js') : load('@modelcontextprotocol/client/stdio');
const asked = JSON.parse(readFileSync(0, 'utf8'));

const client = new Client({ name: 'test', version: '1' }, sdk === 'sdk' ? {} : { versionNegotiation: { mode: 'auto' } });
await client.connect(new StdioClientTransport({ command: asked.command, args: asked.args }));
const call = (name, args, options) => sdk === 'sdk' ? client.callTool({ name, arguments: args }, undefined, options) : client.callTool({ name, arguments: args }, options);
const out = { server: client.getServerVersion(), instructions: client.getInstructions(), results: [], progress: [] };
out.revision = sdk === 'sdk' ? client._transport?._protocolVersion : client.getNegotiatedProtocolVersion();
// With the list a client knows the output schemas, by which it checks results.
out.tools = (await client.listTools()).tools.map((tool) => tool.name);
for (const [name, args] of asked.calls) {
	try {
		out.results.push(await call(name, args, { onprogress: (p) => out.progress.push(p.progress) }));
	} catch (error) {
		out.results.push({ thrown: String(error) });
	}
}
if (asked.cancel) {
	const stop = new AbortController();
	const running = call(asked.cancel[0], asked.cancel[1], { signal: stop.signal, onprogress: () => stop.abort('enough') });
	out.cancelled = await running.then(() => 'answered', () => 'cancelled');
	out.after = (await call(...asked.calls[0])).structuredContent.command;
}
await client.close();
console.log(JSON.stringify(out));
