// SPDX-License-Identifier: GPL-2.0-or-later
// colors: who has which colour: eight for the tasks that run most, one for all others; and the keys below pictures.
'use strict';

// A colour of the sheet, as it is now.
zed.color = function (name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); };
zed.is_dark = function () { return !zed.printing && matchMedia('(prefers-color-scheme: dark)').matches; };

// A number of a name, always the same one, below N.
zed.number_of = function (name, n) {
	let h = 2166136261;

	for (let i = 0; i < name.length; i++)
		h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	return (h >>> 0) % n;
};

zed.task_colors = 8;
zed.is_idle = function (name) { return /^(?:idle|<idle>|swapper(?:\/\d+)?)$/.test(name); };

// The places, from 0 on, of those of NAMES that have a colour of their own: the first eight that differ.
zed.task_ranks = function (names) {
	const ranks = new Map();

	for (const name of names)
		if (ranks.size < zed.task_colors && !ranks.has(name) && !zed.is_idle(name))
			ranks.set(name, ranks.size);
	return ranks;
};

// Names of a time line's tasks, [NAME, PID, TIME THAT IT RAN], of the greatest time first; threads of one name are one.
zed.names_by_run = function (tasks) {
	const run = new Map();

	for (const [name, , time] of tasks)
		run.set(name, (run.get(name) || 0) + time);
	return [...run.keys()].sort((a, b) => run.get(b) - run.get(a) || (a < b ? -1 : 1));
};

zed.task_variable = function (ranks, name) {
	return zed.is_idle(name) ? 'idle' : ranks.has(name) ? `task-${1 + ranks.get(name)}` : 'task-rest';
};
zed.task_color = function (ranks, name) { return zed.color(zed.task_variable(ranks, name)); };

// Dark or bright letters: those that can be read on COLOR.
zed.ink_on = function (color) {
	const c = d3.rgb(color), linear = v => v > 10 ? ((v / 255 + 0.055) / 1.055) ** 2.4 : v / 255 / 12.92;

	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b) > 0.18 ? '#101418' : '#ffffff';
};

// A key: each of ITEMS has a TEXT, and a variable of the sheet, COLOR, or a class of swatches, OF.
zed.legend = function (to, items) {
	const list = d3.select(to).append('ul').attr('class', 'legend');

	for (const item of items) {
		const li = list.append('li').datum(item), swatch = li.append('i');

		if (item.of)
			swatch.attr('class', 'of-' + item.of);
		else if (item.color)
			swatch.style('background', `var(--${item.color})`);
		li.append('span').text(item.text);
	}
	return list;
};

zed.task_legend = function (to, ranks) {
	const items = [...ranks.keys()].map(name => ({ color: zed.task_variable(ranks, name), text: name }));

	return zed.legend(to, [...items, { color: 'task-rest', text: 'other tasks' }]).classed('tasks', true);
};
