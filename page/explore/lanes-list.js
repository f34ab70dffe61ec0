// SPDX-License-Identifier: GPL-2.0-or-later
// lanes-list: which lanes there are, and where: the CPUs, then the tasks of the table that is looked at, in its order,
// with the one that was jumped to; threads of one process below each other.
'use strict';
zed.lanes = { list: [], wanted: [], height: 0, few: 8 };

// The tasks of the tables of an answer, in their order: [{ source, pid, name }]; of a row for a name, the
// two of that name that ran most.
zed.tasks_of_answer = function (page) {
	const seen = new Map(), see = (source, pid, name) => pid > 0 && !seen.has(pid) && seen.set(pid, { source, pid, name });
	const known = zed.tasks_that_run();

	for (const table of page ? page.tables : [])
		for (const row of table.rows) {
			const span = row.$span || {}, pid = Number.isInteger(row.pid) ? row.pid : span.pid;

			if (pid !== undefined)
				see(span.source || 0, pid, row.comm || '');
			else if (row.comm !== undefined)
				known.filter(k => k.name === row.comm).slice(0, 2).forEach(k => see(k.source, k.pid, k.name));
		}
	return [...seen.values()];
};

// By run time, of the whole trace.
zed.tasks_that_run = () => zed.layers.whole ? zed.layers.whole.tasks.map(k => ({ source: k[3], pid: k[1], name: k[0] })) : [];

zed.choose_tasks = function () {
	const of_table = zed.tasks_of_answer(zed.looked_at), all = of_table.length ? of_table : zed.tasks_that_run(), pick = zed.state.pick;
	const wanted = all.slice(0, zed.lanes.few);

	if (pick && pick.pid > 0 && !wanted.some(t => t.pid === pick.pid))
		wanted.unshift(all.find(t => t.pid === pick.pid) || { source: pick.source || 0, pid: pick.pid, name: '' });
	zed.lanes.wanted = zed.by_process(wanted);
	zed.lanes.all = all.length;
};

zed.processes = () => [].concat(...zed.layers.others.map(t => t.processes));
zed.by_process = function (tasks) {
	const of = new Map();

	for (const [source, , name, pids] of zed.processes())
		pids.forEach(pid => of.set(`${source}:${pid}`, { key: `${source}:${pids[0]}`, name }));
	tasks.forEach(t => { t.process = of.get(`${t.source}:${t.pid}`); });
	const first = t => tasks.findIndex(o => o === t || t.process && o.process && o.process.key === t.process.key);

	return tasks.map((t, i) => [first(t), i, t]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(a => a[2]);
};

// The newest name that any layer knows.
zed.task_name = function (source, pid) {
	for (const t of [...zed.layers.others, zed.layers.whole])
		if (t && t.task_at.has(`${source}:${pid}`))
			return t.tasks[t.task_at.get(`${source}:${pid}`)][0];
	for (const t of [...zed.layers.others, zed.layers.whole])
		if (t && t.person_of.has(pid))
			return t.people[t.person_of.get(pid)][0];
	const row = zed.lanes.wanted.find(t => t.pid === pid);

	return row ? row.name : '';
};

zed.lay_out = function () {
	const cpus = zed.head.cpus, n = cpus.length, high = n > 256 ? 3 : n > 64 ? 6 : n > 24 ? 14 : n > 8 ? 18 : 24, several = new Set(cpus.map(c => c.source)).size > 1;
	const list = [], each = Math.ceil(13 / (high + 2));
	let y = 4, process = null;

	cpus.forEach((c, i) => {
		list.push({ kind: 'cpu', key: `${c.source}:${c.cpu}`, source: c.source, cpu: c.cpu, y, height: high, label: `CPU ${c.cpu}${several ? ` of ${c.source + 1}` : ''}`, quiet: i % each > 0 });
		y += high + (high > 8 ? 3 : 1);
	});
	y += 7;
	for (const t of zed.lanes.wanted) {
		const of = t.process;

		if (of && (!process || process.key !== of.key) && zed.lanes.wanted.filter(o => o.process && o.process.key === of.key).length > 1) {
			list.push({ kind: 'process', key: 'process ' + of.key, y, height: 15, label: of.name });
			y += 17;
			process = of;
		}
		list.push({ kind: 'task', key: `${t.source}:${t.pid}`, source: t.source, pid: t.pid, y, height: 16, name: zed.task_name(t.source, t.pid) || t.name, inside: process && of && process.key === of.key });
		list[list.length - 1].label = `${list[list.length - 1].name || 'pid'} ${t.pid}`;
		y += 20;
	}
	zed.lanes.list = list;
	zed.lanes.height = y + 2;
	zed.name_lanes();
};

// The names beside the lanes: buttons, so that keys reach them.
zed.name_lanes = function () {
	const names = zed.at('lane-names'), { list } = zed.lanes, shown = list.filter(l => !l.quiet), drawn = shown.map(l => `${l.kind} ${l.key} ${l.label} ${l.y}`).join('\n');

	// A name that has the focus keeps it.
	if (drawn === zed.lanes.drawn)
		return zed.mark_lane();
	zed.lanes.drawn = drawn;

	names.replaceChildren(...shown.map(l => {
		const e = l.kind === 'process' ? zed.make('span', { class: 'lane-name process', text: l.label }) :
			zed.make('button', { type: 'button', class: 'lane-name' + (l.inside ? ' inside' : ''), title: l.label, 'data-key': l.kind + ' ' + l.key,
				'aria-label': l.kind === 'cpu' ? `${l.label}: its slices` : `task ${l.label}: its states`, onclick: () => zed.enter_lane(l) }, zed.make('span', { text: l.label }));

		e.style.top = l.y + 'px';
		e.style.height = Math.max(11, l.height) + 'px';
		return e;
	}));
	zed.mark_lane();
};
zed.mark_lane = function () {
	const at = zed.lanes.at, pick = zed.state.pick;

	for (const e of zed.at('lane-names').children) {
		e.classList.toggle('at', e.dataset.key === at);
		e.classList.toggle('picked', !!pick && pick.pid > 0 && e.dataset.key === `task ${pick.source || 0}:${pick.pid}`);
	}
};
