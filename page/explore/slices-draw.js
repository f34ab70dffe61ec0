// SPDX-License-Identifier: GPL-2.0-or-later
// slices-draw: above the cells, where the view is near enough: slices with their names, waits, interrupts, single
// events, losses, who woke the chosen task, and what was chosen.
'use strict';
zed.paint_slices = function (g, view, layers, c) {
	const per = (view.to - view.from) / view.width, x = time => (time - view.from) / per;

	view.exact = [];
	view.ticks = false;
	for (const t of layers.filter(l => l.exact)) {
		const a = Math.max(t.from, view.from), b = Math.min(t.to, view.to), m = t.marks;
		const begin = zed.find(m.n, i => m.time[i], a - t.from), end = zed.find(m.n, i => m.time[i], b - t.from);

		if (a >= b || end - begin > 16 * (b - a) / per + 40)
			continue;
		view.exact.push({ t, from: a, to: b, begin, end });
		for (const lane of view.lanes)
			for (const paint of [lane.kind === 'cpu' ? zed.paint_cpu_slices : zed.paint_pieces, zed.paint_unknown])
				paint(g, view, lane, t, a, b, x, c);
		view.ticks = (end - begin) * 4 < (b - a) / per;
		if (view.ticks)
			zed.paint_ticks(g, view, t, begin, end, x, c);
	}
	zed.paint_losses(g, view, layers, x, c);
	zed.paint_arrows(g, view, x, c);
	zed.paint_pick(g, view, x, c);
};

// A box from FROM to TO inside the view; its width.
zed.paint_box = function (g, view, x, from, to, y, height, color) {
	const left = Math.max(-2, x(from)), right = Math.min(view.width + 2, x(to));

	g.fillStyle = color;
	g.fillRect(left, y, Math.max(right - left, 0.7), height);
	return right - left;
};

zed.paint_label = function (g, view, text, left, width, y, color) {
	const from = Math.max(3, left + 4), room = Math.min(left + width, view.width) - from - 3, letters = Math.floor(room / 6.6);

	if (letters < 3)
		return;
	g.fillStyle = color;
	g.fillText(text.length <= letters ? text : text.slice(0, letters - 1) + '\u2026', from, y, room);
};

zed.paint_cpu_slices = function (g, view, lane, t, a, b, x, c) {
	const index = t.cpu_at.get(lane.key), s = index === undefined ? [] : t.slices[index], y = lane.y - view.top;
	let last = -1;

	for (let i = zed.find(s.length, k => s[k].to, a - t.from); i < s.length && s[i].from < b - t.from; i++) {
		const from = t.from + s[i].from, to = t.from + s[i].to, right = x(to);

		// Slices within one pixel are what the cells show.
		if (right - x(from) < 0.4 && Math.floor(right) === last)
			continue;
		last = Math.floor(right);
		const idle = s[i].who === 0, of = zed.color_of_task(t.people[s[i].who][0]);
		const wide = zed.paint_box(g, view, x, from, to, y, lane.height, idle ? c.idle : of.css);

		if (wide > 3 && !idle) {
			g.fillStyle = c.paper;
			g.fillRect(Math.min(view.width, right) - 0.7, y, 0.7, lane.height);
		}
		if (wide > 26 && !idle && lane.height >= 14)
			zed.paint_label(g, view, zed.person(t, s[i].who), x(from), right - x(from), y + (lane.height >= 18 && t.irqs.size ? lane.height - 5 : lane.height) / 2 + 0.5, of.ink);
	}
	if (lane.height < 11)
		return;
	for (const [, from, to, kind] of t.irqs.get(index) || [])
		if (to >= a && from <= b)
			zed.paint_box(g, view, x, from, to, y + lane.height - 5, 5, kind ? c.softirq : c.irq);
};

zed.paint_pieces = function (g, view, lane, t, a, b, x, c) {
	const p = t.pieces.get(t.person_of.get(lane.pid)) || [], y = lane.y - view.top, half = lane.height / 2, of = zed.color_of_task(lane.name);

	for (let i = zed.find(p.length, k => p[k].to, a - t.from); i < p.length && p[i].from < b - t.from; i++) {
		const from = t.from + p[i].from, to = t.from + p[i].to, what = p[i].what;

		// What lies between two pieces stays what the cells say.
		zed.paint_box(g, view, x, from, to, y, lane.height, c.paper);
		if (what === 'sleep' || what === 'blocked') {
			zed.paint_box(g, view, x, from, to, y + half - (what === 'sleep' ? 1 : 3), what === 'sleep' ? 2 : 6, c[what]);
		} else if (what === 'run') {
			const wide = zed.paint_box(g, view, x, from, to, y, lane.height, of.css);

			if (wide > 44)
				zed.paint_label(g, view, `CPU ${t.cpus[p[i].cpu][0]}`, x(from), x(to) - x(from), y + half + 0.5, of.ink);
		} else {
			zed.paint_box(g, view, x, from, to, y + 1, lane.height - 2, x(to) - x(from) < 4 ? c.ready : c.waiting);
			g.strokeStyle = c.ready;
			g.lineWidth = 1;
			if (x(to) - x(from) > 4)
				g.strokeRect(Math.max(-2, x(from)) + 0.5, y + 1.5, Math.min(view.width + 2, x(to)) - Math.max(-2, x(from)) - 1, lane.height - 3);
		}
	}
};

// What single events leave open, the cells know: before a lane's first event, after its last one, in gaps.
zed.paint_unknown = function (g, view, lane, t, a, b, x, c) {
	const is_cpu = lane.kind === 'cpu', index = (is_cpu ? t.cpu_at : t.task_at).get(lane.key), n = is_cpu ? t.cpus.length : t.tasks.length;
	const level = zed.level_for(is_cpu ? t.cpu_levels : t.task_levels, (view.to - view.from) / view.width), end = Math.min(level.n, Math.ceil((b - t.from) / level.width));
	const gone = i => i < end && (is_cpu ? level.v[(i * n + index) * 4 + 3] & zed.cell_unknown : level.v[(i * n + index) * 4 + 3] > 127);

	if (index === undefined)
		return;
	for (let i = Math.max(0, Math.floor((a - t.from) / level.width)), since = -1; i <= end; i++) {
		if (gone(i) && since < 0)
			since = i;
		if (gone(i) || since < 0)
			continue;
		const from = Math.max(a, t.from + since * level.width), to = Math.min(b, t.from + i * level.width);

		if (!is_cpu)
			zed.paint_box(g, view, x, from, to, lane.y - view.top, lane.height, c.paper);
		zed.paint_box(g, view, x, from, to, lane.y - view.top, lane.height, is_cpu ? c.unknown : c.open);
		since = -1;
	}
};

zed.paint_ticks = function (g, view, t, begin, end, x, c) {
	const by = new Map(view.lanes.filter(l => l.kind === 'cpu').map(l => [t.cpu_at.get(l.key), l]));

	g.fillStyle = c.ink;
	for (let i = begin; i < end; i++) {
		const lane = t.marks.kind[i] !== zed.mark_lost && by.get(t.marks.lane[i]);

		if (lane)
			g.fillRect(x(t.from + t.marks.time[i]) - 0.5, lane.y - view.top - 2, 1, 5);
	}
};

zed.paint_losses = function (g, view, layers, x, c) {
	const done = new Set();

	for (const t of layers)
		for (const [index, list] of t.losses) {
			const lane = view.lanes.find(l => l.kind === 'cpu' && t.cpu_at.get(l.key) === index);

			for (const [, from, to] of lane ? list : []) {
				const left = x(from), right = Math.max(left + 3, x(to)), key = `${lane.key} ${from}`;

				if (to < view.from || from > view.to || done.has(key))
					continue;
				done.add(key);
				g.fillStyle = c.paper;
				g.fillRect(left, lane.y - view.top, right - left, lane.height);
				g.fillStyle = right - left > 5 ? c.hatched : c.lost;
				g.fillRect(left, lane.y - view.top, right - left, lane.height);
				g.fillStyle = c.lost;
				g.fillRect(left, lane.y - view.top, 1, lane.height);
				g.fillRect(right - 1, lane.y - view.top, 1, lane.height);
			}
		}
};

// Of the chosen task: from where it was woken to where it ran then.
zed.paint_arrows = function (g, view, x, c) {
	const pid = zed.state.pick && zed.state.pick.pid, lane_of = (t, cpu) => view.lanes.find(l => l.kind === 'cpu' && t.cpu_at.get(l.key) === cpu);

	view.arrows = 0;
	if (!(pid > 0))
		return;
	for (const e of view.exact.slice(-1)) {
		const t = e.t, pieces = t.pieces.get(t.person_of.get(pid)) || [];

		for (let i = 0; i < pieces.length; i++) {
			const p = pieces[i], runs = pieces[i + 1];

			if (p.what !== 'ready' || p.waking === undefined || t.from + p.to < view.from || t.from + p.from > view.to || !runs || runs.what !== 'run')
				continue;
			const from = lane_of(t, t.marks.lane[p.waking]), to = lane_of(t, runs.cpu);

			if (from && to && view.arrows++ < 400)
				zed.paint_arrow(g, x(t.from + p.from), from.y - view.top + from.height / 2, x(t.from + p.to), to.y - view.top + to.height / 2, c.arrow);
		}
	}
};
zed.paint_pick = function (g, view, x, c) {
	const p = zed.state.pick;

	if (!p)
		return;
	g.strokeStyle = c.mark;
	g.fillStyle = c.mark;
	g.lineWidth = 2;
	for (const lane of view.lanes) {
		const y = lane.y - view.top, is_cpu = lane.kind === 'cpu' && lane.cpu === p.cpu && (p.source === undefined || lane.source === p.source);

		if (p.kind === 'event' && is_cpu) {
			g.fillRect(x(p.at) - 1, y - 2, 2, lane.height + 4);
		} else if (p.kind === 'span' && (is_cpu || lane.kind === 'task' && lane.pid === p.pid)) {
			const left = Math.max(-4, x(p.from)), right = Math.min(view.width + 4, x(p.to));

			if (right >= -4 && left <= view.width + 4)
				g.strokeRect(left, y, Math.max(3, right - left), lane.height);
		}
	}
};

zed.person = (t, who) => who === 0 ? 'idle' : `${t.people[who][0]} ${t.people[who][1]}`;
