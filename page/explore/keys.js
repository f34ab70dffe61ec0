// SPDX-License-Identifier: GPL-2.0-or-later
// keys: what each key does wherever the focus is, but in a field; and the list of them.
'use strict';
zed.keys = [
	['w, +', 'zoom in, where the mouse is', ['w', '+', '='], () => zed.zoom(0.5)],
	['s, -', 'zoom out', ['s', '-'], () => zed.zoom(2)],
	['a, \u2190', 'earlier', ['a', 'ArrowLeft'], () => zed.pan(-0.2)],
	['d, \u2192', 'later', ['d', 'ArrowRight'], () => zed.pan(0.2)],
	['f', 'as wide as the view: what was chosen, or the range', ['f'], () => zed.fit()],
	['0, Home', 'the whole trace', ['0', 'Home'], () => zed.show(0, zed.length, 'step')],
	['Backspace', 'undo: the view before', ['Backspace'], () => zed.undo()],
	['r', 'answer for the visible part', ['r'], () => zed.choose_range(zed.visible())],
	['\u2191, \u2193', 'choose a lane (in the lanes)', ['ArrowUp', 'ArrowDown'], e => zed.step_lane(e.key === 'ArrowUp' ? -1 : 1)],
	[', .', 'previous and next slice of the lane', [',', '.'], e => zed.step_slice(e.key === '.' ? 1 : -1)],
	['n', 'pin a note', ['n'], () => zed.new_note()],
	['/', 'find', ['/'], () => zed.at('find-what').focus()],
	['Enter, Shift+Enter', 'in the search: next, previous match', [], null],
	['Escape', 'close what was chosen; then the range', ['Escape'], () => zed.escape()],
	['?', 'these keys', ['?'], () => zed.show_keys()],
	['drag', 'choose a range', [], null],
	['Shift+drag', 'move', [], null],
	['Ctrl+wheel, Shift+wheel', 'zoom, move', [], null],
];
zed.escape = function () {
	zed.hide();
	if (zed.state.pick)
		zed.set({ pick: null });
	else if (zed.state.range)
		zed.choose_range(null);
};
zed.show_keys = function () {
	const dialog = zed.at('keys');

	dialog.replaceChildren(zed.make('h2', { text: 'Keys' }), zed.make('dl', { class: 'facts-of' }, ...[].concat(...zed.keys.map(k => [zed.make('dt', { text: k[0] }), zed.make('dd', { text: k[1] })]))),
		zed.button('close', 'close', () => dialog.close()));
	dialog.showModal();
};
zed.listen_keys = function () {
	const arrows = /^(?:Arrow|Home$|Backspace$)/;

	addEventListener('keydown', e => {
		const in_field = e.target.closest('input, select, textarea, dialog'), in_lanes = e.target === document.body || e.target.closest('#lanes'), k = zed.keys.find(one => one[2].includes(e.key));

		if (!k || in_field || e.ctrlKey || e.metaKey || e.altKey || arrows.test(e.key) && !in_lanes || /^Arrow(?:Up|Down)$/.test(e.key) && !e.target.closest('#lanes'))
			return;
		e.preventDefault();
		k[3](e);
	});
	const on = (id, f) => zed.at(id).addEventListener('click', f);

	on('zoom-in', () => zed.zoom(0.5, (zed.view.from + zed.view.to) / 2));
	on('zoom-out', () => zed.zoom(2, (zed.view.from + zed.view.to) / 2));
	on('earlier', () => zed.pan(-0.25));
	on('later', () => zed.pan(0.25));
	on('all', () => zed.show(0, zed.length, 'step'));
	on('undo', zed.undo);
	on('more-tasks', () => { zed.lanes.few = zed.lanes.few > 8 ? 8 : 40; zed.new_lanes(); });
	on('note', zed.new_note);
	on('copy-link', () => zed.copy(zed.at('copy-link'), location.href));
	on('save', zed.save);
	on('help', zed.show_keys);
};
