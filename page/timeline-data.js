// SPDX-License-Identifier: GPL-2.0-or-later
// timeline-data: what CPUs and tasks did, from the bytes in the page: shares of cells in levels of detail, each of a
// quarter of the cells of the one below, and the single events that were kept.
'use strict';
zed.unpack = async function (id) {
	const text = atob(document.getElementById(id).textContent), bytes = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer());
};

zed.cell_lost = 1; zed.cell_irq = 2; zed.cell_partly = 4; zed.cell_unknown = 8;

// Four cells as one.  Of a CPU: mean share, sum of events, who of the busiest, flags; of a task: the mean of each.
zed.level_above = function (below, lanes, is_cpu) {
	const n = Math.ceil(below.n / 4), v = new Uint8Array(n * lanes * 4), mask = ~zed.cell_unknown;

	for (let i = 0; i < n; i++) {
		const from = i * 4, to = Math.min(below.n, from + 4);

		for (let k = 0; k < lanes; k++) {
			const at = (i * lanes + k) * 4, sum = [0, 0, 0, 0];
			let top = -1, who = 0, flags = 0, unknown = 0, events = 0, any = 0;

			for (let j = from; j < to; j++) {
				const of = (j * lanes + k) * 4;

				for (let p = 0; p < 4; p++)
					sum[p] += below.v[of + p];
				any |= below.v[of];
				if (!is_cpu)
					continue;
				events += zed.amount(below.v[of + 1]);
				if (below.v[of] > top) {
					top = below.v[of];
					who = below.v[of + 2];
				}
				flags |= below.v[of + 3] & mask;
				unknown += below.v[of + 3] & zed.cell_unknown ? 1 : 0;
			}
			for (let p = 0; p < 4; p++)
				v[at + p] = Math.round(sum[p] / (to - from));
			if (any && !v[at])
				v[at] = 1;
			if (!is_cpu)
				continue;
			const power = Math.floor(Math.log2(events + 1));

			v[at + 1] = Math.min(255, 16 * (power + (events + 1) / 2 ** power - 1));
			v[at + 2] = who;
			v[at + 3] = flags | (unknown * 2 > to - from ? zed.cell_unknown : unknown ? zed.cell_partly : 0);
		}
	}
	return { v, n, width: below.width * 4 };
};

// How many events a byte stands for.
zed.amount = function (byte) {
	const power = Math.floor(byte / 16);

	return Math.round(2 ** power * (1 + byte % 16 / 16) - 1);
};

zed.levels = function (v, lanes, width, is_cpu) {
	const levels = [{ v, n: lanes ? v.length / 4 / lanes : 0, width }];

	while (levels[levels.length - 1].n > 256)
		levels.push(zed.level_above(levels[levels.length - 1], lanes, is_cpu));
	return levels;
};

// The coarsest level with a cell for each of so many ns, or the finest.
zed.level_for = function (levels, ns) {
	let best = levels[0];

	for (const l of levels)
		if (l.width <= ns)
			best = l;
	return best;
};

// The columns of single events: numbers of 7 bits a byte, one column behind the other.
zed.read_marks = function (bytes, n) {
	const columns = [];
	let at = 0;

	for (let c = 0; c < 7; c++) {
		const column = new Float64Array(n);

		for (let i = 0; i < n; i++) {
			let value = 0, scale = 1, byte;

			do {
				byte = bytes[at++];
				value += (byte & 127) * scale;
				scale *= 128;
			} while (byte > 127);
			column[i] = value;
		}
		columns.push(column);
	}
	const [kind, letter, lane, time, who, other, type] = columns;

	for (let i = 1; i < n; i++)
		time[i] += time[i - 1];
	return { n, kind, letter, lane, time, who, other, type };
};

zed.mark_switch = 1; zed.mark_waking = 2; zed.mark_lost = 3;

// Who ran where, from when to when, and what each task was at, within the stretches that are known to the event.
zed.read_slices = function (t) {
	const m = t.marks, slices = t.cpus.map(() => []), pieces = new Map();
	let at = 0;

	const piece = (who, from, to, what, extra) => {
		if (to <= from || !who)
			return;
		if (!pieces.has(who))
			pieces.set(who, []);
		pieces.get(who).push({ from, to, what, ...extra });
	};

	for (const [from, to, n] of t.ranges) {
		const on = t.cpus.map(() => null), state = new Map(), known = t.cpus.map(() => t.running ? undefined : from);
		const end = (cpu, time, letter) => {
			const s = on[cpu];

			if (s && time > s.from)
				slices[cpu].push({ from: s.from, to: time, who: s.who, letter });
			if (s)
				piece(s.who, s.from, time, 'run', { cpu });
			on[cpu] = null;
		};

		// Of a window (explore): what is known when it begins; of other CPUs nothing is before their first event.
		if (!from) {
			for (const [cpu, who] of t.running || [])
				on[cpu] = { who, from };
			for (const [who, what, letter] of t.states || [])
				state.set(who, { what, from, letter });
		}
		for (const last = at + n; at < last; at++) {
			const time = m.time[at], cpu = m.lane[at], who = m.who[at], letter = String.fromCharCode(m.letter[at] || 63);

			known[cpu] = known[cpu] === undefined ? time : known[cpu];
			if (m.kind[at] === zed.mark_lost) {
				end(cpu, time, 'lost');
				state.clear();
				known[cpu] = time;
			} else if (m.kind[at] === zed.mark_switch) {
				const next = m.other[at] - 1;

				if (!on[cpu])
					on[cpu] = { who, from: known[cpu] };
				if (on[cpu].who === who) {
					end(cpu, time, letter);
				} else {
					on[cpu] = null;
				}
				state.set(who, { what: letter === 'R' || letter === '+' ? 'ready' : letter === 'X' || letter === 'Z' ? 'dead' : 'off', from: time, letter });
				const was = state.get(next);

				if (was && was.what !== 'dead')
					piece(next, was.from, time, was.what === 'ready' ? 'ready' : was.letter === 'D' ? 'blocked' : 'sleep', { letter: was.letter, waking: was.waking });
				state.set(next, { what: 'run', from: time });
				on[cpu] = { who: next, from: time };
			} else if (m.kind[at] === zed.mark_waking) {
				const woken = m.other[at] - 1, was = state.get(woken);

				if (was && was.what === 'off')
					piece(woken, was.from, time, was.letter === 'D' ? 'blocked' : 'sleep', { letter: was.letter });
				if (!was || was.what !== 'run')
					state.set(woken, { what: 'ready', from: time, waking: at });
			}
		}
		on.forEach((s, cpu) => s && end(cpu, to, ''));
	}
	t.slices = slices;
	t.pieces = pieces;
};

zed.read_timeline = async function (t) {
	const [cpus, tasks, marks] = await Promise.all(['cells-cpu', 'cells-task', 'marks'].map(zed.unpack));

	t.cpu_levels = zed.levels(cpus, t.cpus.length, t.cpu_width, true);
	t.task_levels = zed.levels(tasks, t.tasks.length, t.task_width, false);
	t.marks = zed.read_marks(marks, t.nmarks);
	zed.read_slices(t);
	t.ranks = zed.task_ranks(zed.names_by_run(t.tasks));
	return t;
};

// The first place in a sorted ARRAY whose value, by OF, is not below X.
zed.find = function (n, of, x) {
	let low = 0, high = n;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (of(middle) < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
};
