// SPDX-License-Identifier: GPL-2.0-or-later
// base: what all parts of a page share: numbers and times as people read them, the tip under the mouse, colours.
'use strict';
const zed = {};

// As Zed::duration writes it: three digits and a unit.
zed.duration = function (ns) {
	const units = [['s', 1e9], ['ms', 1e6], ['us', 1e3]];
	const amount = Math.abs(ns);

	for (const [name, size] of units)
		if (amount >= size * (name === 's' ? 1 : 0.9995))
			return Number((ns / size).toPrecision(3)) + ' ' + name;
	return Math.round(ns) + ' ns';
};

zed.count = function (n) { return n.toLocaleString('en').replace(/,/g, '\u202f'); };

// NS behind the page's base, as a time of the trace: seconds with nine digits.
zed.time = function (ns) {
	const all = BigInt(zed.data.base) + BigInt(Math.round(ns));
	const abs = all < 0n ? -all : all;

	return (all < 0n ? '-' : '') + abs / 1000000000n + '.' + String(abs % 1000000000n).padStart(9, '0');
};

// What a value of a table's column is to people.
zed.cell = function (type, value) {
	if (value === null || value === undefined)
		return '-';
	switch (type) {
	case 'us': return (value / 1e3).toFixed(3);
	case 'ms': return (value / 1e6).toFixed(3);
	case 'share': return (value * 100).toFixed(2);
	case 'number': return String(Number(value.toPrecision(6)));
	case 'time': return zed.time(value);
	default: return String(value);
	}
};

// A colour of the sheet, as it is now.
zed.color = function (name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); };
zed.is_dark = function () { return !zed.printing && matchMedia('(prefers-color-scheme: dark)').matches; };

// Of a name, always the same one.
zed.hue = function (name) {
	let h = 2166136261;

	for (let i = 0; i < name.length; i++)
		h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	return (h >>> 0) * 137.508 % 360;
};

// Everything that has to be drawn again when colours or widths change.
zed.drawn = [];
zed.draw = function (f) { zed.drawn.push(f); f(); };
zed.redraw = function () { zed.hide(); zed.drawn.forEach(f => f()); };

zed.tip = function (event, text) {
	const tip = document.getElementById('tip');

	tip.textContent = text;
	tip.hidden = false;
	const box = tip.getBoundingClientRect(), room = document.documentElement.clientWidth;
	let left = event.clientX + 14, top = event.clientY + 16;

	if (left + box.width > room - 6)
		left = Math.max(6, Math.min(room - box.width - 6, event.clientX - box.width - 12));
	if (top + box.height > innerHeight - 6)
		top = Math.max(6, event.clientY - box.height - 10);
	tip.style.left = left + scrollX + 'px';
	tip.style.top = top + scrollY + 'px';
};
zed.hide = function () { document.getElementById('tip').hidden = true; };

// A picture's place on the page: its heading, and a box that the picture fills.
zed.section = function (to, title, name, hint) {
	const section = d3.select(to).append('section').attr('data-name', name);

	if (title)
		section.append('h2').text(title);
	const box = section.append('div').attr('class', 'picture');

	if (hint)
		section.append('p').attr('class', 'hint').text(hint);
	return box;
};

// Names of TICKS, times behind the beginning, at X of each, as far as they do not meet.
zed.tick_names = function (svg, ticks, step, x, y) {
	const room = svg.property('room');
	let free = -100;

	for (const tick of ticks) {
		const text = svg.append('text').attr('class', 'soft').attr('y', y).text('+' + zed.duration_at(tick, step));
		const wide = text.node().getComputedTextLength(), left = Math.min(room - wide - 1, tick ? x(tick) - wide / 2 : x(tick));

		if (left < free) {
			text.remove();
			continue;
		}
		text.attr('x', left);
		free = left + wide + 8;
	}
};

// A time behind the beginning, with as many digits as the steps between two of them need.
zed.duration_at = function (ns, step) {
	const [unit, size] = step >= 1e8 ? ['s', 1e9] : step >= 1e5 ? ['ms', 1e6] : step >= 100 ? ['us', 1e3] : ['ns', 1];

	return (ns / size).toFixed(Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9))) + ' ' + unit;
};

// An SVG of that height and of the width that there is, with its description.
zed.svg = function (box, height, label) {
	const width = Math.max(240, Math.floor(box.node().clientWidth));

	box.selectAll('svg').remove();
	return box.append('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('height', height)
		.attr('role', 'img').attr('aria-label', label).property('room', width);
};
