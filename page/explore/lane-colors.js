// SPDX-License-Identifier: GPL-2.0-or-later
// lane-colors: the colours of the lanes, found once for each scheme: a look into the style sheet for each slice would be
// slower than its drawing.
'use strict';
zed.colors = function () {
	if (zed.colors.now)
		return zed.colors.now;
	const c = { tasks: new Map() };

	for (const name of ['paper', 'panel', 'ink', 'soft', 'line', 'grid', 'idle', 'unknown', 'lost', 'run', 'ready', 'blocked', 'irq', 'softirq', 'arrow', 'mark', 'accent'])
		c[name] = zed.color(name);
	c.sleep = c.line;
	c.pixel = {};
	for (const name of ['paper', 'idle', 'unknown', 'lost', 'run', 'ready', 'blocked', 'sleep'])
		c.pixel[name] = zed.pixel(c[name]);
	c.hatched = zed.hatching(c.lost);
	c.waiting = zed.hatching(c.ready);
	c.open = zed.hatching(c.unknown);
	return zed.colors.now = c;
};
// The scheme has changed.
zed.forget_colors = () => { zed.colors.now = null; };

// A colour as the bytes of a picture.
zed.pixel = function (color) {
	const c = d3.rgb(color);

	return (255 << 24 | c.b << 16 | c.g << 8 | c.r) >>> 0;
};

// The most running tasks of the whole trace have colours of their own, always the same ones.
zed.color_of_task = function (name) {
	const c = zed.colors();
	let of = c.tasks.get(name);

	if (!of) {
		const css = zed.task_color(zed.ranks, name);

		of = { css, pixel: zed.pixel(css), ink: zed.ink_on(css) };
		c.tasks.set(name, of);
	}
	return of;
};

// Slanted lines.
zed.hatching = function (color) {
	const tile = document.createElement('canvas'), g = tile.getContext('2d');

	tile.width = tile.height = 6;
	g.strokeStyle = color;
	g.lineWidth = 2;
	for (const x of [-3, 3, 9]) {
		g.moveTo(x - 4, 7);
		g.lineTo(x + 4, -1);
	}
	g.stroke();
	return g.createPattern(tile, 'repeat');
};
