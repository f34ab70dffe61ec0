// SPDX-License-Identifier: GPL-2.0-or-later
// chosen: below the lanes, what was chosen in them: an event with all its fields; a slice or a wait, with where the
// time before it went (why-late).
'use strict';
zed.show_chosen = function () {
	const p = zed.state.pick, section = zed.at('chosen');

	section.hidden = !p;
	section.replaceChildren();
	zed.within('chosen', () => { });
	if (!p)
		return zed.ask_why(null);
	const facts = zed.make('dl', { class: 'facts-of' }), fact = (name, value) => value !== undefined && value !== '' && facts.append(zed.make('dt', { text: name }), zed.make('dd', {}, value.nodeType ? value : document.createTextNode(value)));
	const title = zed.make('h2'), more = zed.make('div', { class: 'more', id: 'why' }), bar = zed.make('div', { class: 'bar' });

	section.append(zed.make('div', { class: 'of' }, title, facts, bar), more);
	if (p.kind === 'event') {
		title.textContent = p.name || 'event';
		zed.ask_event(p, fact, more);
	} else {
		const u = zed.chosen_piece(p), name = p.pid === undefined ? '' : p.pid === 0 ? 'idle' : `${zed.task_name(p.source || 0, p.pid)} ${p.pid}`.trim();
		const does = zed.doing[u && p.what === 'row' ? u.piece.what : p.what];

		title.textContent = name ? name + (does && p.what !== 'irq' ? ' ' + does : '') : does || (p.cpu === undefined ? 'time' : `CPU ${p.cpu}`);
		if (p.what !== 'task') {
			fact('from', zed.place_of(p.from));
			fact('to', zed.place_of(p.to));
			fact('length', zed.duration(p.to - p.from));
		}
		fact('CPU', p.cpu === undefined ? undefined : String(p.cpu));
		if (u && u.piece.letter && p.what === 'run')
			fact('then', zed.states_in_words[u.piece.letter] || 'state ' + u.piece.letter);
		if (u && u.piece.waking !== undefined)
			fact('woken by', zed.woken_by(u.t, u.piece.waking));
		zed.ask_why(p, more);
	}
	const [from, to] = p.kind === 'event' ? [p.at, p.at] : [p.from, p.to];

	if (p.what !== 'task') {
		bar.append(zed.button('zoom', 'show it as wide as the view (f)', () => zed.fit()));
		if (to > from)
			bar.append(zed.button('as range', 'let the answers be of this time', () => zed.choose_range([Math.round(from), Math.round(to)])));
	}
	bar.append(zed.button('close', 'close (Escape)', () => zed.set({ pick: null })));
};

// A time that is copied as it is in the command line, and how long after the beginning that is.
zed.place_of = time => zed.make('span', {}, zed.make('b', { text: zed.time(time) }), ` +${zed.duration(time)}`);

// The piece that was chosen, if single events are known there.
zed.chosen_piece = function (p) {
	const t = zed.exact_at((p.from + p.to) / 2);

	if (!t)
		return null;
	const of = p.what === 'run' && p.cpu !== undefined ? t.slices[t.cpu_at.get(`${p.source || 0}:${p.cpu}`)] || [] : t.pieces.get(t.person_of.get(p.pid)) || [];
	const piece = of.find(s => Math.abs(t.from + s.from - p.from) < 1 && Math.abs(t.from + s.to - p.to) < 1);

	return piece ? { t, piece } : null;
};

zed.ask_event = zed.newest(async (signal, p, fact, more) => {
	try {
		const { rows } = await zed.provider.events({ from: p.at, to: p.at, first: 0, count: 100, fields: 1 }, signal);
		const row = rows.find(r => r.name === p.name && r.cpu === p.cpu) || rows.find(r => r.cpu === p.cpu) || rows[0];

		if (!row)
			return zed.show_fault(more, zed.fault('no event is known at this time'));
		fact('time', zed.place_of(row.at));
		fact('CPU', String(row.cpu));
		fact('task', `${row.comm} ${row.pid === null ? '' : row.pid}`);
		if (row.lost !== undefined)
			fact('lost before it', row.lost === null ? 'an unknown number' : String(row.lost));
		more.replaceChildren(zed.make('dl', { class: 'fields', 'aria-label': 'fields' }, ...[].concat(...(row.fields || []).map(([name, value]) => [zed.make('dt', { text: name }), zed.make('dd', { text: value })]))),
			zed.make('p', { class: 'line', text: row.text }));
		zed.say(`${row.name}, ${row.text}`);
	} catch (e) {
		if (zed.is_abort(e))
			throw e;
		zed.show_fault(more, e, zed.show_chosen);
	}
});

// Where the time went: of a wait, up to its end; of a slice, the wait before it.
zed.ask_why = zed.newest(async (signal, p, box) => {
	const u = p && zed.chosen_piece(p), waits = p && (p.what === 'ready' || p.what === 'row' && (!u || u.piece.what === 'ready'));

	if (!p || !(p.pid > 0) || !(waits || p.what === 'run') || !zed.can_answer('why-late'))
		return;
	const end = Math.round(waits ? p.to : p.from), q = { name: 'why-late', from: Math.round(waits ? p.from : p.from), to: end, args: `task=${p.pid},worst=1` };
	const late = setTimeout(() => { box.replaceChildren(zed.make('p', { class: 'hint', text: 'why late?' })); }, 150);

	try {
		const answer = await zed.provider.answer(q, signal), page = answer.page, chains = page ? page.pictures.filter(k => k.kind === 'chain') : [];

		box.replaceChildren();
		if (chains.length)
			zed.within('chosen', () => chains.slice(0, 1).forEach(k => zed.chain(box, { ...k, title: 'why late? ' + (k.title || '') })));
		else
			box.append(zed.make('p', { class: 'hint', text: waits ? 'No chain of wakeups explains this wait: it did not begin with a wakeup.' : 'No wait before this slice is explained.' }));
		box.append(zed.command_line(answer.command));
		zed.kept.set('why-late ' + [q.from, q.to, p.pid].join(), { ...q, answer });
		zed.say(chains.length ? `why late: ${chains[0].parts.map(k => `${k.what} ${k.actor || ''} ${zed.duration(k.to - k.from)}`).join(', ')}` : 'no chain');
	} catch (e) {
		if (zed.is_abort(e))
			throw e;
		zed.show_fault(box, e, zed.provider.is_saved ? null : () => zed.ask_why(p, box));
	} finally {
		clearTimeout(late);
	}
});

// As wide as the view: what was chosen, or the range.
zed.fit = function () {
	const p = zed.state.pick, span = p && p.kind === 'event' ? [p.at - 5000, p.at + 5000] : p && p.what !== 'task' ? [p.from, p.to] : zed.state.range;

	if (!span)
		return zed.show(0, zed.length, 'step');
	const pad = Math.max(20, (span[1] - span[0]) * 0.1);

	zed.show(span[0] - pad, span[1] + pad, 'step');
};
