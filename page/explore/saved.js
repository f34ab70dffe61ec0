// SPDX-License-Identifier: GPL-2.0-or-later
// saved: the answers that are in the page itself ("save page"), by the functions of served.js. Where they end, it says
// so, and which command has more.
'use strict';
zed.saved = function (data) {
	const more = 'This is a saved page. For more: zedperl explore ' + (data.head.files || []).join(' ');
	const span = q => q.to - q.from;
	const words = text => text.toLowerCase().split(/\s+/).filter(w => w);
	const has = (row, all) => { const text = `${row.comm} ${row.pid} ${row.name} ${row.text}`.toLowerCase(); return all.every(w => text.includes(w)); };
	const same_range = (a, q) => a.from === q.from && a.to === q.to && a.pid === q.pid;
	// The first of SORTED rows at or after TIME.
	const first_at = (rows, time) => zed.find(rows.length, i => rows[i].at, time);

	function events(q) {
		const kept = data.events;

		if (!kept || q.from < kept.from && kept.from > 0 || q.to > kept.to && kept.to < data.head.length)
			throw zed.fault(kept ? `the events from ${zed.time(kept.from)} to ${zed.time(kept.to)} are in this page` : 'this page was saved without events', more);
		const all = words(q.filter || ''), from = first_at(kept.rows, q.from), to = first_at(kept.rows, q.to + 1);
		const rows = all.length ? kept.rows.slice(from, to).filter(r => has(r, all)) : kept.rows.slice(from, to);

		return { total: rows.length, rows: rows.slice(q.first, q.first + q.count).map((r, i) => ({ ...r, row: q.first + i })), error: null };
	}

	function find(q) {
		const rows = data.events ? data.events.rows : [], all = words(q.what), matches = rows.map((r, i) => [r, i]).filter(([r]) => has(r, all));
		const place = r => rows.filter((x, i) => x.at === r[0].at && i < r[1] && has(x, all)).length;
		const is_after = r => r[0].at > q.at || r[0].at === q.at && (q.row === undefined || place(r) > q.row);
		const found = q.dir > 0 ? matches.find(is_after) : matches.reverse().find(r => r[0].at < q.at || r[0].at === q.at && q.row !== undefined && place(r) < q.row);

		return { row: found ? { ...found[0], row: place(found) } : null };
	}

	return {
		is_saved: true,
		head: async () => data.head,
		findings: async () => data.findings || { findings: [] },
		// The finest answer that covers the range, or the one that covers most of it.
		async lanes(q) {
			const cover = a => Math.max(0, Math.min(a.to, q.to) - Math.max(a.from, q.from)), most = d3.max(data.lanes, cover);

			return data.lanes.filter(a => cover(a) >= most).sort((a, b) => span(a) - span(b))[0];
		},
		events: async q => events(q),
		find: async q => find(q),
		async answer(q) {
			const kept = data.answers.filter(a => a.name === q.name);
			const one = kept.find(a => same_range(a, q));

			if (!one)
				throw zed.fault(kept.length ? `'${q.name}' is in this page for ${kept.map(a => zed.span_text(a.from, a.to)).join(', ')} only` : `this page was saved without '${q.name}'`, more);
			return one.answer;
		},
		alive: async () => null,
	};
};
