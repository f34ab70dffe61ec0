// SPDX-License-Identifier: GPL-2.0-or-later
// save: the page as one file that needs no network: this page's own parts, and the answers for the range as JSON.
'use strict';
zed.save_most = { bytes: 4.6e6, rows: 20000, part: 1000 };

zed.save_hash = async text => "'sha256-" + btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))) + "'";
// Nothing in a script element's text ends the element, and all of it is ASCII.
zed.save_json = data => JSON.stringify(data).replace(/[<\u007f-\uffff]/g, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));

// The events from FROM to TO, as many as there is room for.
zed.save_events = async function (from, to, say) {
	const rows = [];
	let total = null;

	for (;;) {
		const some = await zed.provider.events({ from, to, first: rows.length, count: zed.save_most.part, fields: 1 });

		total = some.total;
		rows.push(...some.rows);
		say(`${rows.length} events`);
		if (!some.rows.length || total !== null && rows.length >= total)
			return { from, to, total: rows.length, rows };
		if (rows.length >= zed.save_most.rows)
			break;
	}
	// The events of the last instant may not be complete.
	const last = rows[rows.length - 1].at, whole = rows.filter(r => r.at < last);

	return { from, to: last - 1, total: whole.length, rows: whole };
};

// What a saved page knows: as much as there is room for.
zed.save_data = async function (say) {
	const [from, to] = zed.state.range || zed.state.view, p = zed.provider, whole = { from: 0, to: zed.length };
	const tasks = zed.lanes.wanted.map(t => `${t.source}:${t.pid}`).join(','), view = zed.state.view;
	const ask = q => p.lanes({ ...q, tasks: tasks || undefined, ntasks: tasks ? undefined : 16 }).catch(() => null);

	say('time line');
	const lanes = [await ask({ ...whole, cells: 1500 }), await ask({ from, to, cells: 3000 }), await ask({ from: Math.floor(view[0]), to: Math.ceil(view[1]), cells: 1500 })]
		.filter((a, i, all) => a && all.findIndex(b => b && b.from === a.from && b.to === a.to && b.exact === a.exact) === i);
	const data = { head: zed.head, findings: { findings: zed.findings || [] }, lanes, answers: zed.kept_answers(), notes: zed.notes, state: zed.fragment(), events: null };

	for (const name of zed.tab_names().filter(n => n !== 'events')) {
		const q = { name, ...zed.range_asked() };

		if (data.answers.some(a => a.name === name && a.from === q.from && a.to === q.to))
			continue;
		say(name);
		await p.answer(q).then(answer => data.answers.push({ ...q, answer }), () => null);
	}
	data.events = await zed.save_events(from, to, say).catch(() => null);
	// Fields first, then the later events: what is kept is whole.
	if (data.events && zed.save_json(data).length > zed.save_most.bytes)
		data.events.rows.forEach(r => { delete r.fields; });
	while (data.events && data.events.rows.length && zed.save_json(data).length > zed.save_most.bytes) {
		const rows = data.events.rows.slice(0, data.events.rows.length >> 1);

		data.events = rows.length ? { from, to: rows[rows.length - 1].at - 1, total: rows.length, rows: rows.filter(r => r.at < rows[rows.length - 1].at) } : null;
	}
	return data;
};

// The text of the page with DATA in it.
zed.save_page = async function (data) {
	const scripts = [...document.querySelectorAll('script:not([type])')].map(s => s.textContent), styles = [...document.querySelectorAll('style')].map(s => s.textContent);
	const hashes = async all => (await Promise.all(all.map(zed.save_hash))).join(' ');
	const licence = [...document.body.childNodes].find(n => n.nodeType === Node.COMMENT_NODE && /d3: Copyright/.test(n.data));
	const policy = `default-src 'none'; script-src ${await hashes(scripts)}; style-src ${await hashes(styles)}; base-uri 'none'; form-action 'none'`;
	// In parts: this is in a script element itself, which its end would end.
	const element = (name, attributes, text) => `<${name}${attributes}>${text}<${'/'}${name}>`;
	const escaped = document.title.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);

	return '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' +
		`<meta http-equiv="Content-Security-Policy" content="${policy}">\n` +
		'<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="generator" content="zedperl">\n' +
		[element('title', '', escaped), ...styles.map(s => element('style', '', s))].join('\n') + `\n</head>\n<body class="explore">\n${zed.skeleton}\n` +
		`${licence ? `<!${'--'}${licence.data}-->\n` : ''}${element('script', ' type="application/json" id="saved"', zed.save_json(data))}\n` +
		`${scripts.map(s => element('script', '', s)).join('\n')}\n</body>\n</html>\n`;
};

zed.save = async function () {
	const button = zed.at('save'), say = text => { button.textContent = 'saving: ' + text; };

	button.disabled = true;
	try {
		const text = await zed.save_page(zed.provider.is_saved ? { ...zed.saved_data, notes: zed.notes, state: zed.fragment() } : await zed.save_data(say));
		const link = zed.make('a', { download: zed.save_name(), href: URL.createObjectURL(new Blob([text], { type: 'text/html' })) });

		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
		zed.say(`saved as ${link.download}`);
		zed.saved_last = text;
	} catch (e) {
		zed.show_fault(zed.at('trouble'), e.next ? e : zed.fault(`the page cannot be saved: ${e.message}`), zed.save);
	} finally {
		button.disabled = false;
		button.textContent = 'save page';
	}
};
zed.save_name = () => ((zed.head.files || [])[0] || 'trace').replace(/^.*\//, '').replace(/[^\w.-]+/g, '_').slice(0, 80) + '.html';
