// SPDX-License-Identifier: GPL-2.0-or-later
// timeline-draw: one frame of the time line: shares of cells as pixels, and above them, where the view is near
// enough, the slices and events that are known singly.
'use strict';
zed.rgb = function (color) {
	const c = d3.rgb(color);

	return (255 << 24 | c.b << 16 | c.g << 8 | c.r) >>> 0;
};

// The colours of a frame, as numbers, and as words in css; of: those of people.  t.ranks: who has a colour of their own.
zed.palette = function (t) {
	const dark = zed.is_dark(), c = { dark, css: {} };

	if (t.colors && t.colors.dark === dark && t.colors.ranks === t.ranks && !zed.printing)
		return t.colors;
	for (const name of ['idle', 'unknown', 'paper', 'lost', 'ready', 'blocked', 'line', 'ink', 'task-rest']) {
		c.css[name] = zed.color(name);
		c[name] = zed.rgb(c.css[name]);
	}
	c.ranks = t.ranks;
	c.css.of = t.people.map((p, i) => i === 0 ? c.css.idle : zed.task_color(t.ranks, p[0]));
	c.of = c.css.of.map(zed.rgb);
	t.colors = c;
	return c;
};

// Cells of CPUs and tasks: for each column of pixels the greatest share in it, so that nothing short disappears.
zed.draw_cells = function (view, pixels, width, height) {
	const t = view.t, c = zed.palette(t), left = view.left * view.ratio, room = width - left, scale = (view.to - view.from) / room;

	pixels.fill(c.paper);
	for (const lane of view.lanes) {
		const is_cpu = lane.kind === 'cpu', levels = is_cpu ? t.cpu_levels : t.task_levels, n = is_cpu ? t.cpus.length : t.tasks.length;
		const level = zed.level_for(levels, scale), top = Math.round(lane.y * view.ratio), high = Math.max(1, Math.round(lane.height * view.ratio));
		const own = is_cpu || !(lane.person >= 0) ? c['task-rest'] : c.of[lane.person];

		for (let x = 0; x < room; x++) {
			const a = Math.max(0, Math.floor((view.from + x * scale) / level.width));
			const b = Math.min(level.n - 1, Math.floor((view.from + (x + 1) * scale) / level.width));
			let s0 = 0, s1 = 0, s2 = 0, s3 = 0, who = 0, flags = 0, unknown = 1;

			for (let i = a; i <= b; i++) {
				const at = (i * n + lane.index) * 4, v = level.v;

				if (is_cpu) {
					if (v[at] >= s0) {
						s0 = v[at];
						who = v[at + 2];
					}
					flags |= v[at + 3];
					unknown &= v[at + 3] & zed.cell_unknown ? 1 : 0;
				} else {
					s0 = Math.max(s0, v[at]);
					s1 = Math.max(s1, v[at + 1]);
					s2 = Math.max(s2, v[at + 2]);
					s3 = Math.max(s3, v[at + 3]);
				}
			}
			if (b < a)
				continue;
			zed.draw_column(pixels, width, left + x, top, high, is_cpu, c, s0, s1, s2, s3, who, flags, unknown, own);
		}
	}
};

// What is not known is hatched the other way round than waits.
zed.is_unknown_stripe = function (x, y) { return (x + 5 * y) % 6 < 3; };

// OWN: the colour of a task's lane.
zed.draw_column = function (pixels, width, x, top, high, is_cpu, c, s0, s1, s2, s3, who, flags, unknown, own) {
	const tall = share => share ? Math.max(1, Math.round(share * high / 255)) : 0;
	let at = top * width + x, run = tall(s0);

	if (is_cpu) {
		const color = who === 255 ? c['task-rest'] : c.of[who], rest = high - run;

		for (let y = 0; y < high; y++, at += width)
			pixels[at] = y >= rest ? color : (unknown || flags & zed.cell_partly) && zed.is_unknown_stripe(x, y) ? c.unknown : unknown ? c.paper : c.idle;
		if (flags & zed.cell_lost)
			for (let y = 0; y < Math.min(3, high); y++)
				pixels[(top + y) * width + x] = c.lost;
		return;
	}
	// A task: run at the bottom, ready above it, hatched; blocked above that, in stripes; asleep a thin line.
	const ready = Math.min(high - run, tall(s1)), blocked = Math.min(high - run - ready, tall(s2)), gone = s3 > 127;
	for (let y = high - 1; y >= 0; y--) {
		const up = high - 1 - y;
		let color = gone ? zed.is_unknown_stripe(x, y) ? c.unknown : c.paper : up === (high >> 1) ? c.line : c.paper;

		if (up < run)
			color = own;
		else if (up < run + ready)
			color = (x + y) % 4 < 3 ? c.ready : c.paper;
		else if (up < run + ready + blocked)
			color = y % 3 ? c.blocked : c.paper;
		pixels[(top + y) * width + x] = color;
	}
};

// What is known singly in the view, if there is not more of it than can be seen.
zed.draw_exact = function (view, g) {
	const t = view.t, m = t.marks, x = time => view.left + (time - view.from) / (view.to - view.from) * (view.width - view.left);

	view.exact = [];
	view.ticks = false;
	let done = 0;
	for (const [from, to, n] of t.ranges) {
		const a = Math.max(from, view.from), b = Math.min(to, view.to), first = done;

		done += n;
		if (a >= b)
			continue;
		const begin = first + zed.find(n, i => m.time[first + i], a), end = first + zed.find(n, i => m.time[first + i], b);

		if ((end - begin) > 2 * (x(b) - x(a)) + 20)
			continue;
		view.exact.push({ from: a, to: b, first: begin, end });
		for (const lane of view.lanes)
			zed.draw_lane(view, g, lane, a, b, x);
		if ((end - begin) * 5 < x(b) - x(a))
			zed.draw_ticks(view, g, begin, end, x);
		for (let i = begin; i < end; i++)
			if (m.kind[i] === zed.mark_lost) {
				const lane = view.lanes.find(l => l.kind === 'cpu' && l.index === m.lane[i]);

				g.fillStyle = zed.color('lost');
				if (lane)
					g.fillRect(x(m.time[i]) - 1, lane.y, 2, lane.height);
			}
	}
};

zed.draw_lane = function (view, g, lane, a, b, x) {
	const t = view.t, css = zed.palette(t).css;
	const box = (from, to, color, y, height) => {
		const left = x(Math.max(a, from)), right = x(Math.min(b, to));

		g.fillStyle = color;
		g.fillRect(left, y, Math.max(right - left, 0.7), height);
		return right - left;
	};

	g.save();
	g.beginPath();
	g.rect(view.left, lane.y, view.width - view.left, lane.height);
	g.clip();
	if (lane.kind === 'cpu') {
		const s = t.slices[lane.index];

		for (let i = zed.find(s.length, k => s[k].to, a); i < s.length && s[i].from < b; i++) {
			const idle = s[i].who === 0, chosen = view.chosen === s[i].who;
			const wide = box(s[i].from, s[i].to, css.of[s[i].who] || css['task-rest'], lane.y, lane.height);

			if (chosen) {
				g.strokeStyle = css.ink;
				g.lineWidth = 1.5;
				g.strokeRect(x(Math.max(a, s[i].from)) + 0.7, lane.y + 0.7, Math.max(1, wide - 1.4), lane.height - 1.4);
			}
			if (wide > 34 && !idle && lane.height >= 14) {
				g.save();
				g.beginPath();
				g.rect(x(Math.max(a, s[i].from)), lane.y, wide, lane.height);
				g.clip();
				g.fillStyle = zed.ink_on(css.of[s[i].who] || css['task-rest']);
				g.fillText(zed.who(t, s[i].who), x(Math.max(a, s[i].from)) + 4, lane.y + lane.height / 2);
				g.restore();
			}
		}
	} else {
		const p = t.pieces.get(lane.person) || [];

		for (let i = zed.find(p.length, k => p[k].to, a); i < p.length && p[i].from < b; i++) {
			const what = p[i].what, half = lane.height / 2;

			// What lies between two pieces stays what the cells say.
			box(p[i].from, p[i].to, css.paper, lane.y, lane.height);
			if (what === 'sleep')
				box(p[i].from, p[i].to, css.line, lane.y + half - 1, 2);
			else if (what === 'blocked')
				for (let y = 1; y < lane.height; y += 3)
					box(p[i].from, p[i].to, css.blocked, lane.y + y, 2);
			else if (what === 'run')
				box(p[i].from, p[i].to, css.of[lane.person] || css['task-rest'], lane.y, lane.height);
			else
				zed.hatch(g, x(Math.max(a, p[i].from)), lane.y, x(Math.min(b, p[i].to)), lane.height);
		}
	}
	g.restore();
};

zed.hatch = function (g, left, top, right, height) {
	g.save();
	g.beginPath();
	g.rect(left, top + 1, Math.max(0.7, right - left), height - 2);
	g.clip();
	g.strokeStyle = zed.color('ready');
	g.lineWidth = 2;
	g.beginPath();
	for (let at = left - height - left % 5; at < right; at += 5) {
		g.moveTo(at, top + height);
		g.lineTo(at + height, top);
	}
	g.stroke();
	if (right - left < 4) {
		g.fillStyle = zed.color('ready');
		g.fillRect(left, top + 1, Math.max(0.7, right - left), height - 2);
	}
	g.restore();
};

zed.draw_ticks = function (view, g, begin, end, x) {
	const m = view.t.marks;

	view.ticks = true;
	g.fillStyle = zed.color('ink');
	for (let i = begin; i < end; i++) {
		const lane = view.lanes.find(l => l.kind === 'cpu' && l.index === m.lane[i]);

		if (lane)
			g.fillRect(x(m.time[i]) - 0.5, lane.y + lane.height - 4, 1, 4);
	}
};

// Of the chosen task: from where it was woken to where it ran then.
zed.draw_arrows = function (view, g) {
	const t = view.t, m = t.marks, x = time => view.left + (time - view.from) / (view.to - view.from) * (view.width - view.left);

	view.arrows = 0;
	for (const p of view.chosen > 0 ? t.pieces.get(view.chosen) || [] : []) {
		if (p.what !== 'ready' || p.waking === undefined || p.to < view.from || p.from > view.to || !view.exact.some(e => e.from <= p.from && e.to >= p.to))
			continue;
		const runs = t.pieces.get(view.chosen).find(q => q.what === 'run' && q.from === p.to);
		const from = view.lanes.find(l => l.kind === 'cpu' && l.index === m.lane[p.waking]), to = runs && view.lanes.find(l => l.kind === 'cpu' && l.index === runs.cpu);

		if (!from || !to || view.arrows++ > 400)
			continue;
		zed.paint_arrow(g, x(p.from), from.y + from.height / 2, x(p.to), to.y + to.height / 2, zed.color('arrow'));
	}
};

zed.who = function (t, person) { return person === 0 ? 'idle' : `${t.people[person][0]} ${t.people[person][1]}`; };

// The times above, and where the lanes are.
zed.draw_frame = function (view, g) {
	const width = view.width - view.left, ticks = d3.scaleLinear().domain([view.from, view.to]).range([view.left, view.width]);
	const few = Math.max(2, Math.floor(width / 105)), step = d3.tickStep(view.from, view.to, few);

	g.fillStyle = zed.color('soft');
	g.strokeStyle = zed.color('grid');
	g.lineWidth = 1;
	g.font = '12px system-ui, sans-serif';
	g.textBaseline = 'middle';
	for (const v of ticks.ticks(few)) {
		const at = Math.round(ticks(v)) + 0.5, text = '+' + zed.duration_at(v, step), wide = g.measureText(text).width;

		g.beginPath();
		g.moveTo(at, 16);
		g.lineTo(at, 22);
		g.stroke();
		if (at - wide / 2 > view.left - 20 && at + wide / 2 < view.width)
			g.fillText(text, at - wide / 2, 8);
	}
	for (const lane of view.lanes) {
		if (lane.quiet)
			continue;
		let text = lane.label;

		g.fillStyle = lane === view.lanes[view.at] || lane.person !== undefined && lane.person === view.chosen ? zed.color('accent') : zed.color('ink');
		while (text.length > 3 && g.measureText(text).width > view.left - 8)
			text = text.slice(0, -2) + '\u2026';
		g.fillText(text, 0, lane.y + lane.height / 2 + 0.5);
	}
	if (view.mark) {
		g.strokeStyle = zed.color('mark');
		g.lineWidth = 1.5;
		for (const time of view.mark) {
			const at = ticks(time);

			if (at < view.left - 1 || at > view.width + 1)
				continue;
			g.beginPath();
			g.moveTo(at, 18);
			g.lineTo(at, view.height);
			g.stroke();
		}
	}
};
