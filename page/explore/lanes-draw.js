// SPDX-License-Identifier: GPL-2.0-or-later
// lanes-draw: one frame of the lanes, out of the layers that are there: shares of cells as pixels; slices-draw.js has
// what lies above them. Nothing here asks the page for sizes.
'use strict';
// VIEW: from, to (ns), width, height (CSS pixels), top (how far it is scrolled), ratio.
zed.paint_lanes = function (canvas, view) {
	const g = canvas.getContext('2d', { alpha: false }), wide = canvas.width, high = canvas.height, c = zed.colors();
	const image = zed.paint_lanes.image && zed.paint_lanes.image.width === wide && zed.paint_lanes.image.height === high ? zed.paint_lanes.image : g.createImageData(wide, high);
	const pixels = new Uint32Array(image.data.buffer), layers = zed.layers_for(view.from, view.to);

	zed.paint_lanes.image = image;
	pixels.fill(c.pixel.paper);
	view.lanes = zed.lanes.list.filter(l => l.kind !== 'process' && l.y + l.height > view.top && l.y < view.top + view.height);
	view.lanes.forEach(lane => zed.paint_ground(pixels, wide, high, view, lane, c));
	layers.forEach(t => view.lanes.forEach(lane => zed.paint_cells(pixels, wide, high, view, lane, t, c)));
	g.setTransform(1, 0, 0, 1, 0, 0);
	g.putImageData(image, 0, 0);
	g.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	g.font = '12px system-ui, sans-serif';
	g.textBaseline = 'middle';
	zed.paint_slices(g, view, layers, c);
};

// The rows of pixels of a lane that can be seen: [first, one after the last, the lane's own top].
zed.rows_of = function (view, lane, high) {
	const top = Math.round((lane.y - view.top) * view.ratio), bottom = Math.round((lane.y - view.top + lane.height) * view.ratio);

	return [Math.max(0, top), Math.min(high, bottom), top, bottom];
};

zed.paint_ground = function (pixels, wide, high, view, lane, c) {
	const [first, end, top, bottom] = zed.rows_of(view, lane, high), middle = (top + bottom) >> 1;

	for (let y = first; y < end; y++)
		pixels.fill(lane.kind === 'cpu' ? c.pixel.idle : y === middle ? c.pixel.idle : c.pixel.paper, y * wide, (y + 1) * wide);
};

// Of each column of pixels the greatest share in it, so that nothing short disappears.
zed.paint_cells = function (pixels, wide, high, view, lane, t, c) {
	const is_cpu = lane.kind === 'cpu', index = (is_cpu ? t.cpu_at : t.task_at).get(lane.key);

	if (index === undefined)
		return;
	const n = is_cpu ? t.cpus.length : t.tasks.length, per = (view.to - view.from) / wide, level = zed.level_for(is_cpu ? t.cpu_levels : t.task_levels, per), v = level.v;
	const left = Math.max(0, Math.floor((t.from - view.from) / per)), right = Math.min(wide, Math.ceil((t.to - view.from) / per)), rows = zed.rows_of(view, lane, high);
	const color = is_cpu ? 0 : zed.color_of_task(t.tasks[index][0]).pixel;

	for (let x = left; x < right; x++) {
		const a = Math.max(0, Math.floor((view.from + x * per - t.from) / level.width)), b = Math.min(level.n - 1, Math.floor((view.from + (x + 1) * per - t.from) / level.width));
		let s0 = 0, s1 = 0, s2 = 0, s3 = 0, who = 0, flags = 0, unknown = 1;

		for (let i = a; i <= b; i++) {
			const at = (i * n + index) * 4;

			if (!is_cpu) {
				s0 = Math.max(s0, v[at]);
				s1 = Math.max(s1, v[at + 1]);
				s2 = Math.max(s2, v[at + 2]);
				s3 = Math.max(s3, v[at + 3]);
				continue;
			}
			if (v[at] >= s0) {
				s0 = v[at];
				who = v[at + 2];
			}
			flags |= v[at + 3];
			unknown &= v[at + 3] & zed.cell_unknown ? 1 : 0;
		}
		if (b < a)
			continue;
		if (is_cpu)
			zed.paint_cpu(pixels, wide, x, rows, s0, who === 255 ? c.pixel.unknown : s0 ? zed.pixel_of(t, who) : 0, flags, unknown, c);
		else
			zed.paint_task(pixels, wide, x, rows, s0, s1, s2, s3, color, c);
	}
};
zed.pixel_of = (t, who) => (t.pixels || (t.pixels = t.people.map(p => zed.color_of_task(p[0]).pixel)))[who];

zed.paint_cpu = function (pixels, wide, x, rows, share, color, flags, unknown, c) {
	const first = rows[0], end = rows[1], bottom = rows[3], high = bottom - rows[2], rest = bottom - (share ? Math.max(1, Math.round(share * high / 255)) : 0);

	for (let y = first, at = first * wide + x; y < end; y++, at += wide)
		pixels[at] = y >= rest ? color : unknown || flags & zed.cell_partly && (x + y) % 6 < 3 ? c.pixel.unknown : c.pixel.idle;
};

// Run at the bottom, waiting above it, slanted; blocked as a band above them; asleep a thin line.
zed.paint_task = function (pixels, wide, x, rows, s0, s1, s2, s3, color, c) {
	const first = rows[0], end = rows[1], bottom = rows[3], high = bottom - rows[2], tall = share => share ? Math.max(1, Math.round(share * high / 255)) : 0;
	const run = tall(s0), ready = Math.min(high, run + tall(s1)), blocked = Math.min(high, ready + Math.min(tall(s2), 4)), gone = s3 > 127;

	for (let y = first, at = first * wide + x; y < end; y++, at += wide) {
		const up = bottom - 1 - y;

		pixels[at] = up < run ? color : up < ready ? (x + y) % 6 < 3 ? c.pixel.ready : c.pixel.paper : up < blocked ? c.pixel.blocked :
			gone ? (x + y) % 6 < 3 ? c.pixel.unknown : c.pixel.paper : up === high >> 1 ? c.pixel.sleep : c.pixel.paper;
	}
};
