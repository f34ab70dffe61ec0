// SPDX-License-Identifier: GPL-2.0-or-later
// base: what all parts of a page share: numbers and times as people read them, the tip under the mouse, the sections.
'use strict';
const zed = {};

// Three digits, and whole numbers as they are where WHOLE says so: as Zed::Units and Zed::duration.
zed.digits = function (x, whole) {
	const amount = Math.abs(x);

	return x.toFixed(amount >= 99.95 || whole && Number.isInteger(x) ? 0 : amount >= 9.995 ? 1 : 2);
};
zed.scaled = function (x, units, step) {
	let unit = 0;

	for (; unit + 1 < units.length && Math.abs(x) >= 999.5; unit++)
		x /= step;
	return zed.digits(x, !unit) + ' ' + units[unit];
};
// Of a clock that does not count ns, times are numbers of its ticks.
zed.ticks = function () { return zed.data.trace.times === 'ticks'; };
zed.duration_ns = function (ns) { return zed.scaled(ns, ['ns', 'us', 'ms', 's'], 1000); };
zed.duration = function (time) { return zed.ticks() ? Math.round(time) + ' ticks' : zed.duration_ns(time); };
zed.bytes = function (n) { return zed.scaled(n, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'], 1024); };
zed.number = function (x) {
	const amount = Math.abs(x);

	return x === 0 ? '0' : amount < 0.01 || amount >= 1e15 ? String(Number(x.toPrecision(2))) : zed.digits(x);
};
zed.count = function (n) { return String(n); };
zed.percent = function (part) { return (100 * part).toFixed(2); };

// NS behind the page's base, as a time of the trace: seconds with nine digits.
zed.time = function (ns) {
	const all = BigInt(zed.data.base) + BigInt(Math.round(ns));
	const abs = all < 0n ? -all : all;

	if (zed.ticks())
		return String(all);
	return (all < 0n ? '-' : '') + abs / 1000000000n + '.' + String(abs % 1000000000n).padStart(9, '0');
};

// What a value of a table's column is to people.
zed.cell = function (type, value) {
	if (value === null || value === undefined)
		return '-';
	switch (type) {
	case 'us':
	case 'ms': return zed.duration_ns(value);
	case 'ticks': return zed.duration(value);
	case 'bytes': return zed.bytes(value);
	case 'mib': return zed.bytes(value * 1048576);
	case 'mib/s': return zed.bytes(value * 1048576) + '/s';
	case 'share': return zed.percent(value);
	case 'number': return zed.number(value);
	case 'tick':
	case 'time': return zed.time(value);
	default: return String(value);
	}
};

// The value as it is, with its unit, where people are shown fewer digits.
zed.exact = function (type, value) {
	const units = { us: 'ns', ms: 'ns', ticks: 'ticks', bytes: 'bytes', mib: 'MiB', 'mib/s': 'MiB/s' };

	if (typeof value !== 'number')
		return '';
	return type === 'share' ? `${100 * value} %` : type in units ? `${value} ${units[type]}` : type === 'number' ? String(value) : '';
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
	if (zed.ticks())
		return zed.duration(ns);
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

// The MARKS of a picture for those without a mouse: Tab leads to one of them, arrow keys from it to BESIDE(mark's datum,
// key), Enter does ACT.  LABEL is what a mark says.
zed.rove = function (marks, label, beside, act) {
	const nodes = new Map(), first = marks.node();

	if (!first)
		return;
	first.ownerSVGElement.setAttribute('role', 'group');
	marks.each(function (d) { nodes.set(d, this); });
	marks.attr('tabindex', (d, i) => i ? -1 : 0).attr('role', act ? 'button' : 'img').attr('aria-label', d => label(d).replace(/\n/g, ', '))
		.on('focus', function (d) {
			const b = this.getBoundingClientRect();

			marks.attr('tabindex', -1);
			d3.select(this).attr('tabindex', 0);
			zed.tip({ clientX: b.left + Math.min(b.width, 60) / 2, clientY: b.bottom - 10 }, label(d));
		})
		.on('blur', zed.hide)
		.on('keydown', d => {
			const e = d3.event, to = nodes.get(beside(d, e.key)), acts = act && (e.key === 'Enter' || e.key === ' ');

			if (!to && !acts)
				return;
			e.preventDefault();
			if (acts)
				act(d);
			else
				to.focus();
		});
};

// Beside D in a row of LIST: the next one by an arrow key.
zed.neighbour = function (list, d, key) {
	const step = { ArrowLeft: -1, ArrowRight: 1 }[key];

	return step && list[list.indexOf(d) + step];
};
