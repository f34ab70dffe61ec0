// SPDX-License-Identifier: GPL-2.0-or-later
//
// perfetto.js ENGINE-DIR TRACE < QUERIES: asks Perfetto's trace_processor (t/tools/perfetto-engine.sh) about TRACE.  Each
// line of standard input is a query; its rows are printed with tabs between the columns, followed by an empty line.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const dir = path.resolve(process.argv[2]);
const trace = fs.readFileSync(process.argv[3]);
const queries = fs.readFileSync(0, 'utf8').split('\n').filter(q => q);

process.chdir(dir);
globalThis.self = globalThis;
globalThis.require = require;
globalThis.__dirname = dir;
globalThis.__filename = path.join(dir, 'engine_bundle.js');
vm.runInThisContext(fs.readFileSync(path.join(dir, 'engine_bundle.js'), 'utf8'));

// ---- protobuf: fields of a message as [number, type, value]; 64-bit numbers are BigInts ----
function varint(v) {
	const out = [];
	for (v = BigInt(v); v > 127n; v >>= 7n)
		out.push(Number(v & 127n) | 128);
	out.push(Number(v));
	return Buffer.from(out);
}
const number = (field, v) => Buffer.concat([varint(field << 3), varint(v)]);
const bytes = (field, b) => Buffer.concat([varint(field << 3 | 2), varint(b.length), b]);
function readVarint(b, at) {
	let v = 0n, shift = 0n;
	for (;;) {
		const c = b[at++];
		if (c === undefined)
			return null;
		v |= BigInt(c & 127) << shift;
		shift += 7n;
		if (c < 128)
			return [v, at];
	}
}
function* fields(b) {
	for (let at = 0; at < b.length;) {
		let [key, p] = readVarint(b, at), v;
		const type = Number(key & 7n);
		if (type === 0) {
			[v, p] = readVarint(b, p);
		} else if (type === 2) {
			const [len, q] = readVarint(b, p);
			v = b.subarray(q, q + Number(len));
			p = q + Number(len);
		} else {
			v = b.subarray(p, p + (type === 1 ? 8 : 4));
			p += type === 1 ? 8 : 4;
		}
		at = p;
		yield [Number(key >> 3n), type, v];
	}
}
function packed(b) {
	const out = [];
	for (let at = 0; at < b.length;) {
		const [v, p] = readVarint(b, at);
		out.push(BigInt.asIntN(64, v));
		at = p;
	}
	return out;
}

// ---- the engine's stream of calls ----
let waiting = null, got = Buffer.alloc(0), seq = 1;
const channel = new MessageChannel();
channel.port1.onmessage = e => {
	got = Buffer.concat([got, Buffer.from(e.data)]);
	for (;;) {
		const head = got.length ? readVarint(got, 1) : null;
		if (!head || got.length < head[1] + Number(head[0]))
			return;
		const message = got.subarray(head[1], head[1] + Number(head[0]));
		got = got.subarray(head[1] + Number(head[0]));
		waiting(message);
	}
};
function send(method, more) {
	const rpc = Buffer.concat([number(1, seq++), number(2, method), more || Buffer.alloc(0)]);
	channel.port1.postMessage(new Uint8Array(bytes(1, rpc)));
}
const reply = () => new Promise(resolve => { waiting = resolve; });
async function call(method, more) {
	const next = reply();
	send(method, more);
	return next;
}
async function query(sql) {
	const rows = [];
	let columns = 0, next = reply(), cells = [], done = false, fail = null;
	send(3, bytes(103, bytes(1, Buffer.from(sql))));
	while (!done) {
		const message = await next;
		next = reply();
		for (const [f, , v] of fields(message)) {
			if (f === 5)
				throw new Error(v.toString());
			if (f !== 203)
				continue;
			for (const [g, , w] of fields(v)) {
				if (g === 1)
					columns++;
				if (g === 2 && w.length)
					fail = w.toString();
				if (g !== 3)
					continue;
				let types = [], ints = [], doubles = [], strings = [];
				for (const [h, t, x] of fields(w)) {
					if (h === 1)
						types = types.concat(t === 2 ? [...x] : [Number(x)]);
					if (h === 2)
						ints = ints.concat(t === 2 ? packed(x) : [BigInt.asIntN(64, x)]);
					if (h === 3)
						for (let at = 0; at < x.length; at += 8)
							doubles.push(x.readDoubleLE(at));
					if (h === 5)
						strings = strings.concat(x.toString().split('\0').slice(0, -1));
					if (h === 6 && x)
						done = true;
				}
				for (const t of types)
					cells.push(t === 2 ? ints.shift() : t === 3 ? doubles.shift() : t === 4 ? strings.shift() : '');
			}
			if (fail)
				done = true;
		}
	}
	if (fail)
		throw new Error(`${sql}: ${fail}`);
	for (let i = 0; columns && i < cells.length; i += columns)
		rows.push(cells.slice(i, i + columns).join('\t'));
	return rows;
}
async function main() {
	await new Promise(resolve => setTimeout(resolve, 1500));
	self.onmessage({ data: { enginePort: channel.port2 } });
	for (let at = 0; at < trace.length || !at; at += 1 << 23)
		await call(1, bytes(101, trace.subarray(at, at + (1 << 23))));
	await call(2);
	for (const q of queries)
		process.stdout.write((await query(q)).concat('').join('\n') + '\n');
	process.exit(0);
}
main().catch(e => { process.stderr.write(`${e.message}\n`); process.exit(1); });
