// SPDX-License-Identifier: GPL-2.0-or-later
// input: what mouse, pen and keys do to the lanes. A drag chooses a range, with Shift it moves; a click chooses.
'use strict';
zed.listen_lanes = function () {
	const plot = zed.at('plot'), view = zed.view, time = px => view.from + px / view.width * (view.to - view.from);
	const where = e => { const b = plot.getBoundingClientRect(); return [e.clientX - b.left, e.clientY - b.top]; };
	let held = null;

	function down(e) {
		if (e.button > 1)
			return;
		e.preventDefault();
		const [x, y] = where(e);

		held = { x, y, from: view.from, to: view.to, pans: e.shiftKey || e.button === 1, moved: false };
		e.target.setPointerCapture(e.pointerId);
		zed.at('lanes-box').focus({ preventScroll: true });
	}
	function move(e) {
		const [x, y] = where(e);

		view.cursor = Math.max(view.from, Math.min(view.to, time(x)));
		if (held && (held.moved || Math.abs(x - held.x) > 3)) {
			held.moved = true;
			zed.hide();
			if (held.pans)
				zed.show(held.from + (held.x - x) / view.width * (held.to - held.from), held.to + (held.x - x) / view.width * (held.to - held.from));
			else
				zed.dragged = [Math.min(held.x, x), Math.max(held.x, x)].map(p => Math.round(Math.max(0, Math.min(zed.length, time(p)))));
		} else if (!held && e.target === plot) {
			const u = zed.under(view, x, y);

			if (u)
				zed.tip(e, zed.describe(u));
			else
				zed.hide();
		}
		// Not a new frame of the lanes: marks alone move.
		zed.place_marks(view);
	}
	function up(e) {
		const was = held, range = zed.dragged;

		held = zed.dragged = null;
		if (was && was.moved && range)
			zed.choose_range(range);
		else if (was && !was.moved && e.type === 'pointerup' && e.target === plot)
			zed.click_lanes(...where(e));
		zed.place_marks(view);
	}
	for (const e of [plot, zed.at('axis')]) {
		e.addEventListener('pointerdown', down);
		e.addEventListener('pointermove', move);
		e.addEventListener('pointerup', up);
		e.addEventListener('pointercancel', up);
		e.addEventListener('pointerleave', () => { zed.hide(); if (!held) { view.cursor = null; zed.place_marks(view); } });
		e.addEventListener('wheel', wheel, { passive: false });
	}
	plot.addEventListener('dblclick', e => zed.zoom(0.25, time(where(e)[0])));

	function wheel(e) {
		const along = e.shiftKey && !e.deltaX ? e.deltaY : e.deltaX;

		if (e.ctrlKey || e.metaKey)
			zed.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 240))), time(where(e)[0]));
		else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			zed.pan(along / 900);
		else
			return;
		e.preventDefault();
	}

	// The trace in small: the view goes there.
	const small = zed.at('overview'), go = e => {
		const b = small.getBoundingClientRect(), middle = (e.clientX - b.left) / b.width * zed.length, half = (view.to - view.from) / 2;

		zed.show(middle - half, middle + half);
	};
	small.addEventListener('pointerdown', e => { small.setPointerCapture(e.pointerId); go(e); });
	small.addEventListener('pointermove', e => { if (e.buttons & 1) go(e); });
};

zed.choose_range = function (range) {
	zed.set({ range });
	zed.say(range ? `range: ${zed.span_text(...range)}, ${zed.duration(range[1] - range[0])}` : 'the whole trace');
};

zed.click_lanes = function (x, y) {
	const u = zed.under(zed.view, x, y), pick = u && zed.pick_of(u);

	if (u)
		zed.lanes.at = `${u.lane.kind} ${u.lane.key}`;
	zed.set({ pick: pick || null });
	zed.mark_lane();
};

// ---- by keys: a lane, then its slices ----

zed.enter_lane = function (lane) {
	zed.lanes.at = `${lane.kind} ${lane.key}`;
	zed.mark_lane();
	if (lane.kind === 'task')
		zed.set({ pick: { kind: 'span', from: zed.view.from, to: zed.view.to, what: 'task', source: lane.source, pid: lane.pid, cpu: undefined } });
	zed.say(`${lane.label}: comma and full stop go from slice to slice`);
};
zed.step_lane = function (by) {
	const can = zed.lanes.list.filter(l => l.kind !== 'process'), i = can.findIndex(l => `${l.kind} ${l.key}` === zed.lanes.at), lane = can[Math.max(0, Math.min(can.length - 1, i < 0 ? 0 : i + by))];
	const box = zed.at('lanes-box');

	if (!lane)
		return;
	zed.lanes.at = `${lane.kind} ${lane.key}`;
	zed.mark_lane();
	if (lane.y < box.scrollTop || lane.y + lane.height > box.scrollTop + zed.view.height)
		box.scrollTop = lane.y - 20;
	zed.say(lane.label);
};
zed.step_slice = function (by) {
	const lane = zed.lanes.list.find(l => `${l.kind} ${l.key}` === zed.lanes.at) || zed.lanes.list[0], { from, to } = zed.view, pick = zed.state.pick;
	const t = lane && zed.exact_at((from + to) / 2);

	if (!t)
		return zed.say('zoom in: single slices are not known here');
	const list = (lane.kind === 'cpu' ? t.slices[t.cpu_at.get(lane.key)] : t.pieces.get(t.person_of.get(lane.pid)) || []) || [], now = pick && pick.kind === 'span' && pick.from >= from && pick.from <= to && pick.what !== 'task' ? pick.from : by > 0 ? from - 1 : to;
	const can = list.filter(s => s.who !== 0), next = by > 0 ? can.find(s => t.from + s.from > now) : can.filter(s => t.from + s.from < now).pop();

	if (!next)
		return zed.say('no further slice in this lane');
	const u = { lane, t, piece: next }, a = t.from + next.from, b = t.from + next.to, move = a < from || b > to;

	zed.set({ pick: zed.pick_of(u), ...move ? { view: zed.bounded(a - (to - from) / 2, a + (to - from) / 2) } : {} });
	zed.say(zed.describe(u).replace(/\n/g, ', '));
};
