// SPDX-License-Identifier: GPL-2.0-or-later
// events: the list of events of the range: rows are read when they are scrolled to, as zedprint prints them; a filter
// in its language; a row leads to its place and shows all its fields.
'use strict';
zed.listed = null;
zed.events_row = 24;		// pixels
zed.events_part = 200;		// rows of one question
zed.events_tall = 8000000;	// pixels that browsers can scroll

zed.stop_events = function () {
	if (zed.listed)
		zed.listed.control.abort();
	zed.listed = null;
};

zed.make_events = function (panel) {
	const make = zed.make, range = zed.range_asked(), filter = make('input', { type: 'search', id: 'filter', value: zed.state.filter, placeholder: zed.provider.is_saved ? 'filter by words' : 'filter: sched:sched_switch: prev_pid == 1',
		'aria-label': 'filter events', maxlength: 500, autocomplete: 'off', spellcheck: 'false' });
	const said = make('span', { class: 'hint', role: 'status', id: 'events-said' }), wrong = make('p', { class: 'wrong', role: 'alert', id: 'filter-wrong', hidden: true });
	const box = make('div', { class: 'events', id: 'events', tabindex: 0, role: 'grid', 'aria-label': 'events', 'aria-colcount': 5 }), inner = make('div', { class: 'events-inner' }), rows = make('div', { class: 'events-rows', role: 'rowgroup' });
	const head = make('div', { class: 'event-row event-head', role: 'row', 'aria-rowindex': 1 }, ...['time', 'CPU', 'task', 'event', 'fields'].map(text => make('span', { role: 'columnheader', text })));

	zed.stop_events();
	zed.listed = { ...range, filter: zed.state.filter, parts: new Map(), asked: new Set(), total: 0, known: false, at: -1, control: new AbortController(), box, inner, rows, said, wrong };
	inner.append(rows);
	box.append(head, inner);
	panel.replaceChildren(make('div', { class: 'bar' }, filter, said), wrong, zed.command_line(zed.events_command()) || '', box);
	panel.dataset.name = 'events';
	const apply = zed.debounced(300, () => zed.set({ filter: filter.value.trim() }));

	filter.addEventListener('input', apply);
	box.addEventListener('scroll', () => zed.paint_events(), { passive: true });
	box.addEventListener('keydown', zed.events_key);
	rows.addEventListener('click', e => { const row = e.target.closest('[data-row]'); if (row) zed.choose_event(+row.dataset.row); });
	zed.listed.total = 1;
	zed.ask_events(0);
};

// The filter was changed: the list alone is new, the field keeps the focus.
zed.filter_events = function () {
	if (!zed.listed)
		return;
	const field = zed.at('filter'), had = document.activeElement === field, place = field.selectionStart;

	zed.make_events(zed.at('panel'));
	if (had) {
		zed.at('filter').focus();
		zed.at('filter').setSelectionRange(place, place);
	}
};

zed.shell_word = text => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
zed.events_command = function () {
	const r = zed.state.range, f = zed.state.filter;

	return ['zedprint', ...r ? ['--start', zed.time(r[0]), '--end', zed.time(r[1])] : [], ...f ? [/^[\w:*?,]+$/.test(f) && !/:.*:/.test(f) ? '--event' : '-F', zed.shell_word(f)] : [], ...(zed.head.files || []).map(zed.shell_word)].join(' ');
};

zed.ask_events = async function (part) {
	const l = zed.listed;

	if (!l || l.asked.has(part))
		return;
	l.asked.add(part);
	try {
		const first = part * zed.events_part, a = await zed.provider.events({ from: l.from, to: l.to, first, count: zed.events_part, filter: l.filter }, l.control.signal);

		if (l !== zed.listed)
			return;
		l.wrong.hidden = !a.error;
		l.wrong.textContent = a.error ? a.error.text + (a.error.at > 0 ? ` (at character ${a.error.at + 1})` : '') : '';
		l.parts.set(part, a.rows);
		l.known = a.total !== null || a.rows.length < zed.events_part;
		l.total = a.total !== null ? a.total : Math.max(l.total, first + a.rows.length + (l.known ? 0 : zed.events_part));
		zed.paint_events();
		l.said.textContent = a.error ? '' : l.total === 0 ? (l.filter ? 'no event of this range passes the filter' : 'no events in this range') : `${l.known ? '' : 'more than '}${zed.thousands(l.known ? l.total : first + a.rows.length)} event${l.total === 1 ? '' : 's'}`;
	} catch (e) {
		l.asked.delete(part);
		if (l === zed.listed && !zed.is_abort(e))
			zed.show_fault(l.rows, e, zed.provider.is_saved ? null : () => { l.rows.replaceChildren(); zed.ask_events(part); });
	}
};
zed.event_at = row => { const part = zed.listed.parts.get(Math.floor(row / zed.events_part)); return part && part[row % zed.events_part]; };

// The rows that can be seen. Where all of them would be taller than browsers can scroll, a pixel is several rows.
zed.paint_events = function () {
	const l = zed.listed, high = zed.events_row, all = l.total * high, tall = Math.min(all, zed.events_tall), room = l.box.clientHeight - high;
	const seen = Math.ceil(room / high) + 1, top = l.box.scrollTop, share = tall > room ? Math.min(1, top / (tall - room)) : 0;
	const first = all <= zed.events_tall ? Math.floor(top / high) : Math.floor(share * Math.max(0, l.total - seen + 1)), rows = [];

	l.inner.style.height = tall + 'px';
	l.rows.style.transform = `translateY(${all <= zed.events_tall ? first * high : top}px)`;
	for (let i = first; i < Math.min(l.total, first + seen); i++) {
		const r = zed.event_at(i), cells = r ? [zed.time(r.at), r.cpu, r.pid === null ? r.comm : `${r.comm} ${r.pid}`, r.name, r.text] : ['\u2026', '', '', '', ''];

		if (!r)
			zed.ask_events(Math.floor(i / zed.events_part));
		rows.push(zed.make('div', { class: 'event-row' + (i === l.at ? ' at' : '') + (r && r.lost !== undefined ? ' after-loss' : ''), role: 'row', id: 'event-' + i, 'data-row': i, 'aria-rowindex': i + 2, 'aria-selected': i === l.at },
			...cells.map((text, k) => zed.make('span', { role: 'gridcell', text, title: k > 1 ? text : null }))));
	}
	l.rows.replaceChildren(...rows);
	l.box.setAttribute('aria-rowcount', l.known ? l.total + 1 : -1);
	if (l.at >= 0)
		l.box.setAttribute('aria-activedescendant', 'event-' + l.at);
};

zed.events_key = function (e) {
	const l = zed.listed, page = Math.max(1, Math.floor(l.box.clientHeight / zed.events_row) - 2), to = { ArrowDown: l.at + 1, ArrowUp: l.at - 1, PageDown: l.at + page, PageUp: l.at - page, Home: 0, End: l.total - 1 }[e.key];

	if (e.key === 'Enter' && l.at >= 0)
		zed.choose_event(l.at);
	else if (to === undefined)
		return;
	else
		zed.walk_events(Math.max(0, Math.min(l.total - 1, to)));
	e.preventDefault();
	e.stopPropagation();
};
zed.walk_events = function (row) {
	const l = zed.listed, high = zed.events_row, room = l.box.clientHeight - high, seen = Math.ceil(room / high) + 1;

	l.at = row;
	if (l.total * high <= zed.events_tall)
		l.box.scrollTop = Math.max(row * high - room + high, Math.min(l.box.scrollTop, row * high));
	else
		l.box.scrollTop = row / Math.max(1, l.total - seen + 1) * (zed.events_tall - room);
	zed.paint_events();
};

zed.choose_event = function (row) {
	const r = zed.event_at(row);

	zed.listed.at = row;
	zed.paint_events();
	if (r)
		zed.go_to_event(r);
};
// Its place in the lanes, and its fields.
zed.go_to_event = function (r) {
	const [from, to] = zed.state.view, inside = r.at >= from && r.at <= to, half = (to - from) / 2;

	zed.set({ pick: { kind: 'event', at: r.at, cpu: r.cpu, name: r.name }, ...inside ? {} : { view: zed.bounded(r.at - half, r.at + half) } });
};

// The events of a cell of a picture: those of its time.
zed.list = cell => zed.set({ range: [cell.from, cell.to].map(Math.round), tab: 'events' });
