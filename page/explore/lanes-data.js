// SPDX-License-Identifier: GPL-2.0-or-later
// lanes-data: answers of `lanes` as layers: what CPUs and tasks did from one time to another, and the few that are
// kept, so that a view is drawn at once from what is there, however coarse.
'use strict';
zed.bytes_of = function (base64) {
	const text = atob(base64 || ''), bytes = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	return bytes;
};

// A layer: the timeline of page/timeline-data.js, whose times count from its start, and where each lane is in it.
zed.read_lanes = function (answer) {
	// A saved page gives the same answer again, and saves it again as it was.
	if (zed.layers.read.has(answer))
		return zed.layers.read.get(answer);
	const t = { ...answer.timeline };

	zed.layers.read.set(answer, t);

	t.exact = answer.exact;
	t.cpu_levels = zed.levels(zed.bytes_of(answer['cells-cpu']), t.cpus.length, t.cpu_width, true);
	t.task_levels = zed.levels(zed.bytes_of(answer['cells-task']), t.tasks.length, t.task_width, false);
	t.marks = zed.read_marks(zed.bytes_of(answer.marks), t.nmarks);
	zed.read_slices(t);
	t.from = t.start;
	t.to = t.end;
	t.asked = [answer.from, answer.to];
	t.cell = t.cpus.length ? t.cpu_width : t.task_width;
	t.cpu_at = new Map(t.cpus.map((c, i) => [`${c[1]}:${c[0]}`, i]));
	t.task_at = new Map(t.tasks.map((k, i) => [`${k[3]}:${k[1]}`, i]));
	t.person_of = new Map(t.people.map((p, i) => [p[1], i]));
	t.losses = zed.by_first(answer.losses || []);
	t.irqs = zed.by_first(answer.irqs || []);
	t.processes = answer.processes || [];
	return t;
};
zed.by_first = function (rows) {
	const by = new Map();

	for (const row of rows) {
		if (!by.has(row[0]))
			by.set(row[0], []);
		by.get(row[0]).push(row);
	}
	return by;
};

// The layers that are kept: the whole trace always, and the newest others.
zed.layers = { whole: null, others: [], read: new WeakMap() };
zed.keep_layer = function (t) {
	if (t.from <= 0 && t.to >= zed.length && !t.exact)
		zed.layers.whole = t;
	zed.layers.others = [t, ...zed.layers.others.filter(o => o !== t && (o.asked[0] !== t.asked[0] || o.asked[1] !== t.asked[1]))].slice(0, 10);
	if (!zed.layers.whole)
		zed.layers.whole = t;
};

// What to draw for a view, the coarsest first: nothing that a finer one covers.
zed.layers_for = function (from, to) {
	const meets = zed.layers.others.filter(t => t.from < to && t.to > from && t !== zed.layers.whole);
	const all = [zed.layers.whole, ...meets.sort((a, b) => a.exact - b.exact || b.cell - a.cell).slice(-4)].filter(t => t);

	for (let i = all.length - 1; i > 0; i--)
		if (all[i].from <= from && all[i].to >= to && zed.has_tasks(all[i], zed.lanes.wanted))
			return all.slice(i);
	return all;
};
zed.has_tasks = (t, tasks) => tasks.every(k => t.task_at.has(`${k.source}:${k.pid}`) || t.knows && t.knows.has(`${k.source}:${k.pid}`));

// Is there a layer for that view as fine as PER ns a pixel, with all TASKS?
zed.has_layer = (from, to, per, tasks) => zed.layers.others.some(t => t.asked[0] <= from && t.asked[1] >= to && (t.exact || t.cell <= per * 2.1) && zed.has_tasks(t, tasks));

// The finest one that knows single events at TIME.
zed.exact_at = time => zed.layers.others.find(t => t.exact && t.from <= time && t.to >= time);
