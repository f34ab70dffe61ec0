// SPDX-License-Identifier: GPL-2.0-or-later
// state: what is shown: view, range, tab, filter, and what was chosen. All of it is in the address, so a link leads
// to the same place, and the browser's history undoes each step.
'use strict';
// view: [from, to]; range: [from, to], or null: the whole trace; pick: see zed.pick_words.
zed.state = { view: null, range: null, tab: '', pick: null, filter: '' };
zed.watchers = [];

// F is called when one of KEYS has changed.
zed.when = (keys, f) => zed.watchers.push([keys.split(' '), f]);
zed.same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// HOW: 'step' (the default) is a step of the history; 'soon' one when no other follows at once (a zoom); 'over' none.
zed.set = function (change, how) {
	const keys = Object.keys(change).filter(k => !zed.same(zed.state[k], change[k]));

	if (!keys.length)
		return;
	keys.forEach(k => { zed.state[k] = change[k]; });
	zed.watchers.forEach(([of, f]) => of.some(k => keys.includes(k)) && f());
	zed.remember(how || 'step');
};

zed.read_span = text => { const m = /^(\d{1,16})-(\d{1,16})$/.exec(text || ''); return m && +m[1] <= +m[2] ? [+m[1], +m[2]] : null; };
zed.span_words = span => Math.round(span[0]) + '-' + Math.round(span[1]);

// What was chosen: a span of a task or CPU, or an event.
zed.pick_words = p => p.kind === 'event' ? ['event', p.at, p.cpu, p.name].join('|') :
	['span', Math.round(p.from), Math.round(p.to), p.what, p.source || 0, p.pid === undefined ? '' : p.pid, p.cpu === undefined ? '' : p.cpu].join('|');
zed.read_pick = function (text) {
	const w = (text || '').split('|'), n = x => x === undefined || x === '' ? undefined : +x;

	if (w[0] === 'event' && w.length === 4 && isFinite(w[1]))
		return { kind: 'event', at: +w[1], cpu: n(w[2]), name: w[3] };
	if (w[0] === 'span' && w.length === 7 && w.slice(1, 3).every(x => x !== '' && isFinite(x)) && +w[1] <= +w[2] && /^[a-z]*$/.test(w[3]) &&
	    w.slice(4).every(x => x === '' || isFinite(x)))
		return { kind: 'span', from: +w[1], to: +w[2], what: w[3], source: n(w[4]), pid: n(w[5]), cpu: n(w[6]) };
	return null;
};

zed.fragment = function () {
	const s = zed.state, words = [];

	if (s.view && (s.view[0] > 0 || s.view[1] < zed.length))
		words.push('view=' + zed.span_words(s.view));
	if (s.range)
		words.push('range=' + zed.span_words(s.range));
	if (s.tab)
		words.push('tab=' + encodeURIComponent(s.tab));
	if (s.filter)
		words.push('filter=' + encodeURIComponent(s.filter));
	if (s.pick)
		words.push('row=' + encodeURIComponent(zed.pick_words(s.pick)));
	return '#' + words.join('&');
};

// The state of an address; what is wrong in it is left out.
zed.read_fragment = function (text) {
	const words = new URLSearchParams(text.replace(/^#/, '').replace(/\+/g, '%2B')), inside = s => s && s[0] <= zed.length ? [s[0], Math.min(s[1], zed.length)] : null;
	const view = inside(zed.read_span(words.get('view')));

	return {
		view: view && view[1] > view[0] ? view : [0, zed.length], range: inside(zed.read_span(words.get('range'))),
		tab: /^[\w-]{1,40}$/.test(words.get('tab') || '') ? words.get('tab') : '', filter: (words.get('filter') || '').slice(0, 500), pick: zed.read_pick(words.get('row')),
	};
};

// DEPTH: how many steps of the history are ours to undo.
zed.steps = { depth: 0, timer: 0 };
zed.write_address = function (over) {
	clearTimeout(zed.steps.timer);
	zed.steps.timer = 0;
	const to = zed.fragment();

	if (to === (location.hash || '#'))
		return;
	if (!over)
		zed.steps.depth++;
	history[over ? 'replaceState' : 'pushState']({ depth: zed.steps.depth }, '', to);
	zed.at('undo').disabled = !zed.steps.depth;
};
zed.remember = function (how) {
	if (how === 'soon') {
		clearTimeout(zed.steps.timer);
		zed.steps.timer = setTimeout(zed.write_address, 400);
	} else {
		zed.write_address(how === 'over');
	}
};
zed.undo = () => { if (zed.steps.timer) zed.write_address(); if (zed.steps.depth) history.back(); };

// Follow the address when it changes by the history, or by hand.
zed.follow_address = function () {
	const follow = () => {
		zed.steps.depth = history.state && history.state.depth || 0;
		zed.at('undo').disabled = !zed.steps.depth;
		clearTimeout(zed.steps.timer);
		zed.steps.timer = 0;
		const now = zed.read_fragment(location.hash);
		const keys = Object.keys(now).filter(k => !zed.same(zed.state[k], now[k]) && !(k === 'tab' && !now.tab));

		keys.forEach(k => { zed.state[k] = now[k]; });
		zed.watchers.forEach(([of, f]) => of.some(k => keys.includes(k)) && f());
	};

	zed.steps.depth = history.state && history.state.depth || 0;
	zed.at('undo').disabled = !zed.steps.depth;
	addEventListener('popstate', follow);
};
