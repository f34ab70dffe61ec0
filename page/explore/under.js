// SPDX-License-Identifier: GPL-2.0-or-later
// under: what is at a place of the lanes, in words for the tip, and as what a click chooses.
'use strict';
zed.states_in_words = { R: 'left ready to run', '+': 'was preempted', S: 'went to sleep (S)', D: 'blocked (D)', I: 'idle (I)', Z: 'ended (Z)', X: 'ended (X)', T: 'stopped (T)', lost: 'events are lost there' };
zed.doing = { run: 'runs', ready: 'waits for a CPU', sleep: 'sleeps', blocked: 'is blocked (D)', irq: 'interrupt', softirq: 'softirq' };

// {lane, loss | irq | event | piece | cell}, or null.
zed.under = function (view, px, py) {
	const y = py + view.top, lane = zed.lanes.list.find(l => y >= l.y - 2 && y <= l.y + l.height + 1), per = (view.to - view.from) / view.width, time = view.from + px * per;

	if (!lane || lane.kind === 'process')
		return null;
	const layers = zed.layers_for(view.from, view.to).reverse(), here = { lane, time };

	if (lane.kind === 'cpu') {
		for (const t of layers)
			for (const loss of t.losses.get(t.cpu_at.get(lane.key)) || [])
				if (time >= loss[1] - 3 * per && time <= Math.max(loss[2], loss[1] + 4 * per))
					return { ...here, loss };
	}
	const e = view.exact.find(r => time >= r.from && time <= r.to);

	if (e) {
		const t = e.t, index = t.cpu_at.get(lane.key), m = t.marks;

		if (lane.kind === 'cpu' && view.ticks && y < lane.y + 5) {
			let best = -1;

			for (let i = e.begin; i < e.end; i++)
				if (m.lane[i] === index && Math.abs(t.from + m.time[i] - time) < 4 * per && (best < 0 || Math.abs(t.from + m.time[i] - time) < Math.abs(t.from + m.time[best] - time)))
					best = i;
			if (best >= 0)
				return { ...here, t, event: best };
		}
		const irq = lane.kind === 'cpu' && y > lane.y + lane.height - 7 && (t.irqs.get(index) || []).find(q => time >= q[1] - per && time <= q[2] + per);

		if (irq)
			return { ...here, t, irq };
		const list = lane.kind === 'cpu' ? index === undefined ? [] : t.slices[index] : t.pieces.get(t.person_of.get(lane.pid)) || [], i = zed.find(list.length, k => list[k].to, time - t.from);

		if (list[i] && t.from + list[i].from <= time)
			return { ...here, t, piece: list[i] };
	}
	const of = t => (lane.kind === 'cpu' ? t.cpu_at : t.task_at).get(lane.key), t = layers.find(l => l.from <= time && l.to >= time && of(l) !== undefined);

	if (!t)
		return here;
	const level = zed.level_for(lane.kind === 'cpu' ? t.cpu_levels : t.task_levels, per), n = lane.kind === 'cpu' ? t.cpus.length : t.tasks.length, i = Math.floor((time - t.from) / level.width);

	return i < level.n ? { ...here, t, cell: level.v.subarray((i * n + of(t)) * 4, (i * n + of(t)) * 4 + 4), from: t.from + i * level.width, width: level.width } : here;
};

zed.span_text = (from, to) => `${zed.time(from)} to ${zed.time(to)}`;

zed.describe = function (u) {
	const t = u.t, m = t && t.marks, label = u.lane.label, span = p => `${zed.span_text(t.from + p.from, t.from + p.to)}\n${zed.duration(p.to - p.from)}`;
	const percent = byte => (byte / 2.55).toFixed(byte > 25 ? 0 : 1) + ' %', n = x => `${x === null || x === undefined ? 'an unknown number of' : zed.count(x)} event${x === 1 ? '' : 's'}`;

	if (u.loss)
		return `${n(u.loss[3])} lost on ${label}\n${zed.span_text(u.loss[1], u.loss[2])}\n${zed.duration(u.loss[2] - u.loss[1])}`;
	if (u.irq)
		return `${zed.doing[u.irq[3] ? 'softirq' : 'irq']} ${u.irq[4]} on ${label}\n${zed.span_text(u.irq[1], u.irq[2])}\n${zed.duration(u.irq[2] - u.irq[1])}`;
	if (u.event !== undefined) {
		const i = u.event, who = m.who[i], other = m.other[i] - 1;

		return `${m.type[i] ? t.types[m.type[i] - 1] : 'event'}\n${zed.time(t.from + m.time[i])}, ${label}\n` + (m.kind[i] === zed.mark_switch ? `${zed.person(t, who)} to ${zed.person(t, other)}` :
			m.kind[i] === zed.mark_waking ? `${zed.woken_by(t, i)} wakes ${zed.person(t, other)}` : `in ${zed.person(t, who)}`);
	}
	if (u.piece && u.lane.kind === 'cpu')
		return `${zed.person(t, u.piece.who)} on ${label}\n${span(u.piece)}` + (u.piece.letter && u.piece.who ? '\nthen ' + (zed.states_in_words[u.piece.letter] || 'state ' + u.piece.letter) : '');
	if (u.piece)
		return `${label} ${zed.doing[u.piece.what]}\n${span(u.piece)}` + (u.piece.waking === undefined ? '' : '\nwoken by ' + zed.woken_by(t, u.piece.waking));
	if (!u.cell)
		return label;
	const head = `${label}, ${zed.duration(u.width)} from ${zed.time(u.from)}\n`, c = u.cell;

	if (u.lane.kind === 'task')
		return head + `runs ${percent(c[0])}, waits ${percent(c[1])}, blocked ${percent(c[2])}` + (c[3] ? `, not known ${percent(c[3])}` : '');
	return head + (c[3] & zed.cell_unknown ? 'not known' : `busy ${percent(c[0])}` + (c[0] ? `, most ${c[2] === 255 ? 'others' : zed.person(t, c[2])}` : '')) + `\nabout ${n(zed.amount(c[1]))}` +
		(c[3] & zed.cell_lost ? '\nevents were lost' : '') + (c[3] & zed.cell_partly && !(c[3] & zed.cell_unknown) ? '\na part is not known' : '');
};

zed.woken_by = function (t, mark) {
	const letter = String.fromCharCode(t.marks.letter[mark]), cpu = t.cpus[t.marks.lane[mark]][0];

	return letter === 'i' ? `an interrupt on CPU ${cpu}` : letter === 's' ? `a softirq on CPU ${cpu}` : zed.person(t, t.marks.who[mark]);
};

// What a click on it chooses: see zed.pick_words.
zed.pick_of = function (u) {
	const t = u.t, source = u.lane.source;

	if (u.event !== undefined)
		return { kind: 'event', at: t.from + t.marks.time[u.event], cpu: u.lane.cpu, name: t.marks.type[u.event] ? t.types[t.marks.type[u.event] - 1] : '' };
	if (u.irq)
		return { kind: 'span', from: u.irq[1], to: u.irq[2], what: u.irq[3] ? 'softirq' : 'irq', source, pid: undefined, cpu: u.lane.cpu };
	if (u.piece) {
		const pid = u.lane.kind === 'task' ? u.lane.pid : t.people[u.piece.who][1], cpu = u.lane.kind === 'cpu' ? u.lane.cpu : u.piece.cpu === undefined ? undefined : t.cpus[u.piece.cpu][0];

		return { kind: 'span', from: t.from + u.piece.from, to: t.from + u.piece.to, what: u.lane.kind === 'task' ? u.piece.what : 'run', source, pid, cpu };
	}
	// Of a share, the task with the most of it: its slices are known after a zoom.
	if (u.cell && u.lane.kind === 'cpu' && u.cell[0] && u.cell[2] !== 255)
		return { kind: 'span', from: u.from, to: u.from + u.width, what: 'share', source, pid: t.people[u.cell[2]][1], cpu: u.lane.cpu };
	return u.lane.kind === 'task' ? { kind: 'span', from: u.cell ? u.from : u.time, to: u.cell ? u.from + u.width : u.time, what: 'share', source, pid: u.lane.pid, cpu: undefined } : null;
};
