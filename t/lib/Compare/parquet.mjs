// SPDX-License-Identifier: GPL-2.0-or-later
//
// parquet.mjs ENGINES: asks engines of Parquet that are not ours.  On stdin lines of JSON: {"sql": QUERY} is DuckDB's,
// {"read": FILE} hyparquet's.  On stdout one line for each: {"rows": [[VALUE, ...], ...]}, or {"error": TEXT}.  Values are
// text, null, or arrays; bytes are hexadecimal.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const require = createRequire(pathToFileURL(resolve(process.argv[2]) + '/'));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { DuckDBInstance, DuckDBTimestampNanosecondsValue, DuckDBListValue, DuckDBBlobValue } = await load('@duckdb/node-api');
const hyparquet = await import(pathToFileURL(require.resolve('hyparquet').replace(/[^/]*$/, 'node.js')));
const { compressors } = await load('hyparquet-compressors');

const hex = (bytes) => Buffer.from(bytes).toString('hex');

function text(v) {
	if (v === null || v === undefined)
		return null;
	if (v instanceof DuckDBTimestampNanosecondsValue)
		return v.nanos.toString();
	if (v instanceof DuckDBListValue)
		return v.items.map(text);
	if (v instanceof DuckDBBlobValue)
		return hex(v.bytes);
	if (Array.isArray(v))
		return v.map(text);
	if (v instanceof Uint8Array)
		return hex(v);
	return typeof v === 'object' ? JSON.stringify(v) : String(v);
}

const db = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();

async function sql(query) {
	const result = await db.runAndReadAll(query);
	return result.getRows().map((row) => row.map(text));
}

// The columns of a file by the names of its schema, all rows; values as they are stored.
async function read(path) {
	const file = await hyparquet.asyncBufferFromFile(path);
	const metadata = await hyparquet.parquetMetadataAsync(file);
	const names = metadata.schema[0].num_children ? hyparquet.parquetSchema(metadata).children.map((c) => c.element.name) : [];
	const parsers = { timestampFromNanoseconds: (v) => v, stringFromBytes: (b) => b && new TextDecoder('utf-8', { fatal: true }).decode(b) };
	const rows = await hyparquet.parquetReadObjects({ file, metadata, compressors, utf8: false, parsers });
	return rows.map((row) => names.map((name) => text(row[name])));
}

for await (const line of createInterface({ input: process.stdin })) {
	const ask = JSON.parse(line);
	try {
		const rows = ask.sql ? await sql(ask.sql) : await read(ask.read);
		console.log(JSON.stringify({ rows }));
	} catch (e) {
		console.log(JSON.stringify({ error: String(e.message ?? e) }));
	}
}
process.exit(0);
