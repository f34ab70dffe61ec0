// SPDX-License-Identifier: GPL-2.0-or-later
// start: asks for the head, lays the page out, and ties the parts to the state.
'use strict';
zed.begin = async function () {
	const saved = zed.at('saved');

	zed.skeleton = [...document.body.childNodes].filter(n => n.nodeType === Node.ELEMENT_NODE && n.tagName !== 'SCRIPT').map(n => n.outerHTML).join('\n');
	zed.saved_data = saved ? JSON.parse(saved.textContent) : null;
	zed.provider = saved ? zed.saved(zed.saved_data) : zed.served();
	try {
		zed.head = await zed.provider.head();
	} catch (e) {
		document.querySelector('main').hidden = zed.at('find').hidden = true;
		return zed.show_fault(zed.at('trouble'), e, () => location.reload());
	}
	zed.data = { base: zed.head.base, trace: { times: zed.head.ticks ? 'ticks' : 'ns' } };
	zed.length = Math.max(1, zed.head.length);
	if (saved && !location.hash)
		history.replaceState({ depth: 0 }, '', zed.saved_data.state || '#');
	Object.assign(zed.state, zed.read_fragment(location.hash));
	[zed.view.from, zed.view.to] = zed.state.view;
	zed.ranks = new Map();
	zed.show_head();
	zed.make_lanes();
	zed.make_answers();
	zed.make_find();
	zed.listen_lanes();
	zed.listen_keys();
	zed.lay_out();
	zed.follow_address();
	zed.load_notes(saved ? zed.saved_data.notes : []);
	await zed.read_whole();
	zed.when('view', () => { [zed.view.from, zed.view.to] = zed.state.view; zed.hide(); zed.paint_soon(); zed.read_soon(); });
	zed.when('range', () => { zed.show_range(); zed.place_marks(zed.view); });
	zed.when('range tab', zed.show_tab);
	zed.when('filter', zed.filter_events);
	zed.when('pick', () => { zed.new_lanes(); zed.show_chosen(); });
	zed.show_tab();
	zed.show_chosen();
	zed.show_findings();
	zed.follow_index();
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { zed.forget_colors(); zed.layers.others.forEach(t => { t.pixels = null; }); zed.redraw(); zed.paint(); });
	addEventListener('resize', zed.debounced(60, () => { zed.size_lanes(); zed.redraw(); }));
	setInterval(() => zed.provider.alive(), 30000);
};

// The whole trace first: the colours of its tasks stay the same from then on.
zed.read_whole = async function () {
	try {
		zed.take_lanes(await zed.provider.lanes({ from: 0, to: zed.length, cells: Math.min(4096, Math.max(256, Math.round(zed.view.width * zed.view.ratio))), ntasks: 24 }), [], 0, zed.length);
	} catch (e) {
		zed.show_fault(zed.at('trouble'), e, zed.read_whole);
	}
	zed.ranks = zed.task_ranks(zed.layers.whole ? zed.layers.whole.tasks.map(k => k[0]) : []);
	zed.forget_colors();
	zed.layers.others.forEach(t => { t.pixels = null; });
	zed.new_lanes();
	zed.size_lanes();
};
zed.begin().then(() => { document.documentElement.dataset.ready = '1'; });
