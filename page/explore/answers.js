// SPDX-License-Identifier: GPL-2.0-or-later
// answers: tabs of analyses, and the events, all of the range that was chosen, with the command that gives the same
// numbers.
'use strict';
zed.first_tabs = [['sched-summary', 'CPU use'], ['waits', 'Waits'], ['syscalls', 'System calls'], ['events', 'Events']];
zed.kept = new Map();
zed.answers = () => zed.head.answers || [];
zed.can_answer = name => name === 'events' || zed.answers().some(a => a.name === name && a.suits);
zed.tab_names = () => zed.first_tabs.map(t => t[0]).filter(zed.can_answer);

// from and to of a question; of the whole trace neither, so that its command has no --start.
zed.range_asked = () => zed.state.range ? { from: zed.state.range[0], to: zed.state.range[1] } : { from: 0, to: zed.length };
zed.kept_answers = () => [...zed.kept.values()].filter(a => a.args || a.from === zed.range_asked().from && a.to === zed.range_asked().to);

zed.command_line = function (text) {
	if (!text)
		return null;
	const copy = zed.button('copy', 'copy the command', () => zed.copy(copy, text));

	return zed.make('p', { class: 'command' }, zed.make('code', { text }), copy);
};

zed.make_answers = function () {
	const tabs = zed.at('tabs'), shown = zed.first_tabs.filter(([n]) => n === 'events' || zed.answers().some(a => a.name === n)), others = zed.answers().filter(a => !shown.some(([n]) => n === a.name));
	const tab = ([name, label]) => zed.make('button', { type: 'button', role: 'tab', id: 'tab-' + name, 'data-name': name, 'aria-controls': 'panel', text: label, title: (zed.answers().find(a => a.name === name) || {}).what || 'the list of events', onclick: () => zed.set({ tab: name }) });

	tabs.replaceChildren(...shown.map(tab));
	if (others.length) {
		const more = zed.make('select', { id: 'more-answers', 'aria-label': 'more answers', onchange: () => { if (more.value) zed.set({ tab: more.value }); } }, zed.make('option', { value: '', text: 'more\u2026' }));
		const group = (label, of) => of.length && more.append(zed.make('optgroup', { label }, ...of.map(a => zed.make('option', { value: a.name, disabled: !a.suits, text: `${a.name}: ${a.suits ? a.what : a.why || a.what}` }))));

		group('for this trace', others.filter(a => a.suits));
		group('not in this trace', others.filter(a => !a.suits));
		tabs.append(more);
	}
	tabs.addEventListener('keydown', e => {
		const all = [...tabs.querySelectorAll('[role=tab]')], i = all.indexOf(document.activeElement), to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: all.length - 1 }[e.key];

		if (i < 0 || to === undefined)
			return;
		e.preventDefault();
		e.stopPropagation();
		all[(to + all.length) % all.length].focus();
		zed.set({ tab: all[(to + all.length) % all.length].dataset.name });
	});
	zed.make_range();
	if (!zed.state.tab || !zed.answers().some(a => a.name === zed.state.tab) && zed.state.tab !== 'events')
		zed.state.tab = zed.tab_names()[0] !== 'events' ? zed.tab_names()[0] : (zed.answers().find(a => a.suits) || { name: 'events' }).name;
};

// The range, as times that can be changed.
zed.make_range = function () {
	const form = zed.at('range'), input = (id, label) => zed.make('input', { id, type: 'text', size: 20, 'aria-label': label, autocomplete: 'off', spellcheck: 'false', class: 'time' });
	const said = zed.make('span', { id: 'range-said', class: 'range-said' }), clear = zed.button('whole trace', 'answer for the whole trace (Escape)', () => zed.choose_range(null));

	clear.id = 'range-clear';
	form.append(zed.make('b', { text: 'Answers for' }), input('range-from', 'range from'), zed.make('span', { text: 'to' }), input('range-to', 'range to'), said,
		zed.button('visible part', 'answer for what the time line shows (r)', () => zed.choose_range(zed.visible())), clear);
	form.addEventListener('submit', e => e.preventDefault());
	form.addEventListener('change', () => zed.take_range());
	zed.show_range();
};
zed.visible = () => zed.state.view[0] <= 0 && zed.state.view[1] >= zed.length ? null : zed.state.view.map(Math.round);
zed.show_range = function () {
	const r = zed.state.range, [from, to] = r || [0, zed.length];

	zed.at('range-from').value = zed.time(from);
	zed.at('range-to').value = zed.time(to);
	zed.at('range-said').textContent = r ? zed.duration(to - from) : `the whole trace, ${zed.duration(zed.length)}`;
	zed.at('range-clear').disabled = !r;
};
// A time of the trace as it is written, after the base; null: it is not one.
zed.read_time = function (text) {
	const m = zed.ticks() ? /^\s*(\d{1,20})()\s*$/.exec(text) : /^\s*(\d{1,12})(?:\.(\d{1,9}))?\s*$/.exec(text);

	return m ? Number((zed.ticks() ? BigInt(m[1]) : BigInt(m[1]) * 1000000000n + BigInt((m[2] || '').padEnd(9, '0'))) - BigInt(zed.data.base)) : null;
};
zed.take_range = function () {
	const all = ['range-from', 'range-to'].map(id => [zed.at(id), zed.read_time(zed.at(id).value)]);

	for (const [e, time] of all)
		e.setAttribute('aria-invalid', time === null);
	const [from, to] = all.map(a => a[1]);

	if (from === null || to === null || from > to) {
		zed.at('range-said').textContent = from === null || to === null ? `expected a time as ${zed.time(0)}` : 'the range ends before it begins';
		return;
	}
	const range = [Math.max(0, Math.min(zed.length, from)), Math.max(0, Math.min(zed.length, to))];

	zed.choose_range(range[0] <= 0 && range[1] >= zed.length ? null : range);
	zed.show_range();
};

zed.show_tab = function () {
	const name = zed.state.tab, tabs = [...document.querySelectorAll('#tabs [role=tab]')], more = zed.at('more-answers');

	tabs.forEach(t => {
		t.setAttribute('aria-selected', t.dataset.name === name);
		t.tabIndex = t.dataset.name === name || !tabs.some(o => o.dataset.name === name) && t === tabs[0] ? 0 : -1;
	});
	if (more) {
		more.value = [...more.options].some(o => o.value === name) ? name : '';
		more.classList.toggle('selected', !!more.value);
	}
	zed.at('panel').setAttribute('aria-label', name);
	if (name === 'events') {
		zed.ask_answer(null);
		zed.within('panel', () => { });
		zed.make_events(zed.at('panel'));
	} else {
		zed.ask_answer(name).catch(e => { if (!zed.is_abort(e)) throw e; });
	}
};

zed.ask_answer = zed.newest(async (signal, name) => {
	const panel = zed.at('panel'), about = name && zed.answers().find(a => a.name === name);

	zed.stop_events();
	if (!name)
		return;
	if (!about || !about.suits) {
		zed.within('panel', () => { });
		zed.show_fault(panel, zed.fault(about ? `${name}: ${about.why || 'this trace has not what it needs'}` : `there is no analysis '${name}'`, about ? `To record it: zedtrace --for ${name} -d 10` : ''));
		return;
	}
	const q = { name, ...zed.range_asked() }, key = [name, q.from, q.to].join(' ');
	let kept = zed.kept.get(key);

	if (!kept) {
		const late = setTimeout(() => { panel.setAttribute('aria-busy', 'true'); }, 120);

		try {
			const answer = await zed.provider.answer(zed.state.range ? q : { name, from: q.from, to: q.to }, signal);

			kept = { ...q, answer };
			zed.kept.set(key, kept);
			if (zed.kept.size > 40)
				zed.kept.delete(zed.kept.keys().next().value);
		} catch (e) {
			if (zed.is_abort(e))
				throw e;
			zed.within('panel', () => { });
			zed.show_fault(panel, e, zed.provider.is_saved ? null : zed.show_tab);
			return;
		} finally {
			clearTimeout(late);
			panel.removeAttribute('aria-busy');
		}
	}
	zed.show_answer(panel, name, kept.answer);
});

zed.show_answer = function (panel, name, answer) {
	const page = answer.page;

	panel.replaceChildren();
	panel.append(zed.command_line(answer.command) || '');
	if (answer.said && (answer.exit || !page))
		panel.append(zed.make('p', { class: 'fault', role: 'alert', text: answer.said.trim() }));
	if (page) {
		zed.link_rows(page);
		zed.within('panel', () => zed.answer(panel, page));
		// Pictures that share a row have less room than when the first of them was drawn.
		zed.redraw();
	} else {
		zed.within('panel', () => { });
	}
	panel.dataset.name = name;
	zed.looked_at = page;
	zed.new_lanes();
	zed.say(`${name}: ${page ? page.tables.map(t => `${t.title || t.name}, ${t.rows.length} rows`).join('; ') : 'no answer'}`);
};

// Rows of a task or a CPU without a time of their own lead to its lane.
zed.link_rows = function (page) {
	for (const table of page.tables)
		for (const row of table.rows) {
			if (!row.$span && row.pid > 0)
				row.$span = { pid: row.pid };
			else if (row.$span && row.$span.cpu === undefined && Number.isInteger(row.cpu))
				row.$span.cpu = row.cpu;
		}
};
