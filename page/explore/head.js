// SPDX-License-Identifier: GPL-2.0-or-later
// head: which trace this is, how it was recorded, what is lost, and what sticks out, each with a link to its place.
'use strict';
zed.show_head = function () {
	const h = zed.head, facts = zed.at('facts'), fact = (name, value) => value !== undefined && value !== null && value !== '' && facts.append(zed.make('span', { class: 'fact' }, zed.make('b', { text: value }), name ? ' ' + name : ''));

	zed.at('trace').textContent = (h.files || []).map(f => f.replace(/^.*\/(?=.)/, '')).join(', ') || 'trace';
	zed.at('trace').title = (h.files || []).join(', ');
	facts.replaceChildren();
	fact(`from ${zed.time(0)}`, zed.duration(h.length));
	fact(h.events === 1 ? 'event' : 'events', h.events === null ? null : zed.thousands(h.events));
	fact(h.cpus.length === 1 ? 'CPU' : 'CPUs', h.cpus.length);
	fact('', h.machine);
	for (const [name, value] of (h.recorded || []).filter(r => r[0] !== 'CPUs'))
		facts.append(zed.make('span', { class: 'fact' }, `${name} `, zed.make('b', { text: value })));
	if (zed.provider.is_saved)
		facts.append(zed.make('span', { class: 'fact', text: 'saved page' }));
	if (h.index && !h.index.ready && h.index.done > 0)
		facts.append(zed.make('span', { class: 'fact', id: 'index', text: `index: ${Math.round(100 * (h.index.done || 0))} %` }));
	const lost = h.lost || {};

	zed.at('lost').replaceChildren();
	if (lost.events || lost.unsized)
		zed.at('lost').append(zed.make('p', { class: 'lost', role: 'note', text: (lost.text || `${lost.events} lost`).replace(/^(\d+) lost/, '$1 events lost') + '; what they may have hidden is left out.' }));
};
zed.thousands = n => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');

// While the index is made, the head is asked again.
zed.follow_index = async function () {
	// A small trace may have none, and it may fail: less and less often while nothing is made.
	for (let wait = 1000, done = 0; zed.head.index && !zed.head.index.ready && wait < 60000; wait = zed.head.index.done > done ? 1000 : 2 * wait) {
		done = zed.head.index.done;
		await new Promise(go => setTimeout(go, wait));
		try {
			zed.head = await zed.provider.head();
		} catch (e) {
			return;
		}
		zed.show_head();
		if (zed.head.index.ready)
			zed.read_soon();
	}
};

zed.show_findings = async function () {
	const nav = zed.at('findings');

	try {
		zed.findings = (await zed.provider.findings()).findings || [];
	} catch (e) {
		zed.findings = [];
	}
	nav.replaceChildren(...zed.findings.map(f => zed.make('button', { type: 'button', class: 'finding', title: f.text, onclick: () => zed.follow_finding(f) }, zed.make('span', { text: f.text }))));
	nav.hidden = !zed.findings.length;
};
zed.follow_finding = function (f) {
	if (f.answer && zed.can_answer(f.answer))
		zed.set({ tab: f.answer });
	if (f.at !== undefined)
		zed.timeline.jump({ from: f.at, to: f.to === undefined ? f.at : f.to, pid: f.pid, cpu: f.cpu, source: f.source });
};
