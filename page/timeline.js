// SPDX-License-Identifier: GPL-2.0-or-later
// timeline: the time line on the page: its view, and what mouse, keys, buttons and rows of tables do to it.
'use strict';
zed.make_timeline = function (to, t) {
	const section = d3.select(to).append('section').attr('data-name', 'timeline'), whole = t.end - t.start || 1;
	const view = { t, from: 0, to: whole, chosen: -1, mark: null, exact: [], many: 8 };
	let frame = 0;

	section.append('h2').text('time line');
	const bar = section.append('div').attr('class', 'bar');
	const button = (text, label, f) => bar.append('button').attr('type', 'button').attr('aria-label', label).attr('title', label).text(text).on('click', f);

	button('\u2212', 'zoom out', () => zoom(2));
	button('+', 'zoom in', () => zoom(0.5));
	button('\u2190', 'earlier', () => pan(-0.25));
	button('\u2192', 'later', () => pan(0.25));
	button('all', 'the whole trace', () => show(0, whole));
	const select = bar.append('select').attr('aria-label', 'task whose wakeups are shown').on('change', function () { choose(+this.value); });
	const more = t.tasks.length > 8 ? button('more tasks', 'a lane for each of the busiest tasks', () => { view.many = view.many === 8 ? 64 : 8; layout(); ask(); }) : null;
	const box = section.append('div').attr('class', 'picture');
	const canvas = box.append('canvas').attr('tabindex', 0).attr('role', 'img').node();
	const said = section.append('p').attr('class', 'hint').attr('role', 'status'), read = section.append('p').attr('class', 'hint read').attr('role', 'status');

	t.person_of = new Map(t.people.map((p, i) => [p[1], i]));
	t.tasks.forEach(k => { k.person = t.people.findIndex(p => p[0] === k[0] && p[1] === k[1]); });
	select.append('option').attr('value', -1).text('wakeups of\u2026');
	const listed = t.people.map((p, i) => [i, p]).filter(([i, p]) => i && p[1] > 0 && t.pieces.has(i)).slice(0, 200);
	select.selectAll('option.task').data(listed).enter().append('option').attr('class', 'task').attr('value', d => d[0]).text(d => `${d[1][0]} ${d[1][1]}`);
	if (t.left)
		section.append('p').attr('class', 'hint').text(`${zed.count(t.left)} events are of CPUs that no lane was left for.`);
	zed.task_legend(section.node(), t.ranks);
	zed.legend(section.node(), [['ready', 'waits for a CPU'], ['blocked', 'blocked (D)'], ['idle', 'idle'], ['unknown', 'not known'], ['lost', 'events lost']].map(([of, text]) => ({ of, text })));

	function layout() {
		const narrow = box.node().clientWidth < 600, high = t.cpus.length > 1024 ? 1 : t.cpus.length > 256 ? 3 : t.cpus.length > 64 ? 6 : t.cpus.length > 24 ? 10 : 20;
		let y = 26;

		view.width = Math.max(240, Math.floor(box.node().clientWidth));
		view.left = narrow ? 66 : 130;
		view.ratio = window.devicePixelRatio || 1;
		view.lanes = [];
		t.cpus.forEach((c, i) => {
			view.lanes.push({ kind: 'cpu', index: i, y, height: high, label: `CPU ${c[0]}` + (t.sources > 1 ? ` of ${c[1] + 1}` : ''), quiet: high < 12 && i % Math.ceil(14 / (high + 1)) });
			y += high + (high > 8 ? 3 : 1);
		});
		y += 10;
		t.tasks.slice(0, view.many).forEach((k, i) => {
			view.lanes.push({ kind: 'task', index: i, y, height: 13, label: `${k[0]} ${k[1]}`, person: k.person });
			y += 17;
		});
		view.height = y + 2;
		canvas.width = Math.round(view.width * view.ratio);
		canvas.height = Math.round(view.height * view.ratio);
		canvas.style.height = view.height + 'px';
		if (more)
			more.text(view.many === 8 ? 'more tasks' : 'fewer tasks');
	}

	function paint() {
		const g = canvas.getContext('2d'), image = g.createImageData(canvas.width, canvas.height);

		frame = 0;
		zed.draw_cells(view, new Uint32Array(image.data.buffer), canvas.width, canvas.height);
		g.setTransform(1, 0, 0, 1, 0, 0);
		g.putImageData(image, 0, 0);
		g.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
		g.font = '12px system-ui, sans-serif';
		g.textBaseline = 'middle';
		zed.draw_exact(view, g);
		zed.draw_arrows(view, g);
		zed.draw_frame(view, g);
		zed.draw_probe(view, g);
		tell();
	}

	const ask = () => { frame = frame || requestAnimationFrame(paint); };

	function tell() {
		const known = d3.sum(view.exact, e => e.to - e.from) / (view.to - view.from), per = (view.to - view.from) / (view.width - view.left);
		const how = known > 0.999 ? 'every event is here' : known > 0 ? 'every event of a part is here, of the rest shares' :
			per < t.cpu_levels[0].width ? `of this part only shares of ${zed.duration(t.cpu_levels[0].width)} are on this page` : 'shares of each column; zoom in for more';

		said.text(`${zed.duration(view.to - view.from)} from ${zed.time(view.from + t.start)} to ${zed.time(view.to + t.start)}: ${how}.` +
			(view.chosen > 0 ? ` Wakeups of ${zed.who(t, view.chosen)}: ${view.arrows}.` : ''));
		canvas.setAttribute('aria-label', `time line of ${t.cpus.length} CPUs and ${Math.min(view.many, t.tasks.length)} tasks, ${said.text()}`);
		canvas.dataset.from = view.from;
		canvas.dataset.to = view.to;
		canvas.dataset.arrows = view.arrows;
	}

	function show(from, end) {
		let span = Math.min(whole, Math.max(20, end - from));

		view.from = Math.max(0, Math.min(whole - span, from));
		view.to = view.from + span;
		zed.hide();
		ask();
	}

	const at = x => view.from + (x - view.left) / (view.width - view.left) * (view.to - view.from);
	const zoom = (by, x) => { const c = x === undefined ? (view.from + view.to) / 2 : at(x); show(c - (c - view.from) * by, c + (view.to - c) * by); };
	const pan = by => show(view.from + by * (view.to - view.from), view.to + by * (view.to - view.from));
	const choose = person => {
		view.chosen = person;
		select.property('value', listed.some(d => d[0] === person) ? person : -1);
		ask();
	};

	// What is at a place: an event, a slice, a cell.
	function under(x, y) {
		const lane = view.lanes.find(l => y >= l.y - 1 && y <= l.y + l.height + 1), time = at(x);

		if (!lane || x < view.left)
			return lane ? { lane } : null;
		const e = view.exact.find(r => time >= r.from && time <= r.to), near = 4 * (view.to - view.from) / (view.width - view.left);

		if (e && lane.kind === 'cpu' && view.ticks) {
			let best = -1;

			for (let i = e.first; i < e.end; i++)
				if (t.marks.lane[i] === lane.index && Math.abs(t.marks.time[i] - time) < near && (best < 0 || Math.abs(t.marks.time[i] - time) < Math.abs(t.marks.time[best] - time)))
					best = i;
			if (best >= 0 && y > lane.y + lane.height - 8)
				return { lane, event: best };
		}
		if (e) {
			const list = lane.kind === 'cpu' ? t.slices[lane.index] : t.pieces.get(lane.person) || [];
			const i = zed.find(list.length, k => list[k].to, time);

			if (list[i] && list[i].from <= time)
				return { lane, piece: list[i] };
		}
		const levels = lane.kind === 'cpu' ? t.cpu_levels : t.task_levels, level = zed.level_for(levels, (view.to - view.from) / (view.width - view.left));
		const n = lane.kind === 'cpu' ? t.cpus.length : t.tasks.length, i = Math.floor(time / level.width);

		return i < level.n ? { lane, cell: level.v.subarray((i * n + lane.index) * 4, (i * n + lane.index) * 4 + 4), from: i * level.width, width: level.width } : null;
	}

	const LEFT = { R: 'left ready to run', '+': 'was preempted', S: 'went to sleep (S)', D: 'blocked (D)', I: 'idle (I)', Z: 'ended (Z)', X: 'ended (X)', T: 'stopped (T)', lost: 'events are lost there' };
	const WHAT = { run: 'runs', ready: 'waits for a CPU', sleep: 'sleeps', blocked: 'is blocked (D)' };
	const span = p => `${zed.time(p.from + t.start)} to ${zed.time(p.to + t.start)}\n${zed.duration(p.to - p.from)}`;
	const percent = byte => (byte / 2.55).toFixed(byte > 25 ? 0 : 1) + ' %';

	function describe(u) {
		const m = t.marks;

		if (u.event !== undefined) {
			const i = u.event, kind = m.kind[i], type = m.type[i] ? t.types[m.type[i] - 1] : '';

			if (kind === zed.mark_lost)
				return `${m.other[i] ? zed.count(m.other[i] - 1) : 'an unknown number of'} event${m.other[i] === 2 ? '' : 's'} lost\n${zed.time(m.time[i] + t.start)}, ${u.lane.label}`;
			return `${type}\n${zed.time(m.time[i] + t.start)}, ${u.lane.label}\n` + (kind === zed.mark_switch ? `${zed.who(t, m.who[i])} to ${zed.who(t, m.other[i] - 1)}` :
				kind === zed.mark_waking ? `${zed.waker(t, i)} wakes ${zed.who(t, m.other[i] - 1)}` : `in ${zed.who(t, m.who[i])}`);
		}
		if (u.piece && u.lane.kind === 'cpu')
			return `${zed.who(t, u.piece.who)} on ${u.lane.label}\n${span(u.piece)}` + (u.piece.letter && u.piece.who ? '\nthen ' + (LEFT[u.piece.letter] || 'state ' + u.piece.letter) : '');
		if (u.piece)
			return `${u.lane.label} ${WHAT[u.piece.what]}\n${span(u.piece)}` + (u.piece.waking === undefined ? '' : '\nwoken by ' + zed.waker(t, u.piece.waking));
		if (!u.cell)
			return u.lane.label;
		const head = `${u.lane.label}, ${zed.duration(u.width)} from ${zed.time(u.from + t.start)}\n`, c = u.cell;

		if (u.lane.kind === 'task')
			return head + `runs ${percent(c[0])}, waits ${percent(c[1])}, blocked ${percent(c[2])}` + (c[3] ? `, not known ${percent(c[3])}` : '');
		return head + (c[3] & zed.cell_unknown ? 'not known' : `busy ${percent(c[0])}` + (c[0] ? `, most ${c[2] === 255 ? 'others' : zed.who(t, c[2])}` : '')) +
			`\nabout ${zed.count(zed.amount(c[1]))} events` + (c[3] & zed.cell_lost ? '\nevents were lost' : '') + (c[3] & zed.cell_partly && !(c[3] & zed.cell_unknown) ? '\na part is not known' : '');
	}

	const where = e => { const b = canvas.getBoundingClientRect(); return [e.clientX - b.left, e.clientY - b.top]; };
	let held = null;

	canvas.addEventListener('pointermove', e => {
		const [x, y] = where(e);

		if (held && Math.abs(x - held.x) > 2) {
			const by = (held.x - x) / (view.width - view.left) * (held.to - held.from);

			held.moved = true;
			show(held.from + by, held.to + by);
			return;
		}
		const u = under(x, y);

		if (u)
			zed.tip(e, describe(u));
		else
			zed.hide();
	});
	canvas.addEventListener('pointerleave', zed.hide);
	canvas.addEventListener('pointerdown', e => { held = { x: where(e)[0], from: view.from, to: view.to }; canvas.setPointerCapture(e.pointerId); });
	canvas.addEventListener('pointerup', e => {
		if (held && !held.moved) {
			const u = under(...where(e));

			if (u)
				choose(u.piece && u.piece.who !== undefined ? u.piece.who : u.lane.person !== undefined ? u.lane.person : -1);
		}
		held = null;
	});
	canvas.addEventListener('dblclick', e => zoom(0.25, where(e)[0]));
	canvas.addEventListener('wheel', e => {
		if (!e.ctrlKey && document.activeElement !== canvas)
			return;
		e.preventDefault();
		if (Math.abs(e.deltaX) > Math.abs(e.deltaY))
			pan(e.deltaX / 800);
		else
			zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 240))), where(e)[0]);
	}, { passive: false });
	// Without a mouse: what is said of a lane, and of a stretch in it.
	function lane(by) {
		const l = zed.walk_lane(view, by), n = zed.stretches(t, l).length;

		read.text(`${l.label}: ${zed.count(n)} single stretch${n === 1 ? ' is' : 'es are'} on this page.`);
		ask();
	}
	function stretch(by) {
		const p = zed.walk_stretch(view, by), span = view.to - view.from;

		read.text(p ? describe({ lane: view.lanes[view.at], piece: p }).replace(/\n/g, ', ') : `no ${by > 0 ? 'later' : 'earlier'} stretch of ${view.lanes[view.at].label}`);
		if (p && (p.from < view.from || p.to > view.to))
			show((p.from + p.to - span) / 2, (p.from + p.to + span) / 2);
		ask();
	}

	canvas.addEventListener('keydown', e => {
		const does = { j: () => lane(1), k: () => lane(-1), '.': () => stretch(1), ',': () => stretch(-1),
			 ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), ArrowUp: () => zoom(0.5), ArrowDown: () => zoom(2), '+': () => zoom(0.5), '=': () => zoom(0.5),
			'-': () => zoom(2), Home: () => show(0, whole), Escape: () => { view.mark = view.probe = null; read.text(''); choose(-1); } }[e.key];

		if (!does)
			return;
		e.preventDefault();
		does();
	});

	zed.timeline = {
		// A row's {from, to, pid}, in ns behind the page's base.
		jump(row) {
			const from = row.from - t.start, end = row.to - t.start, pad = Math.max(500, (end - from) * 0.25);

			view.mark = [from, end];
			if (row.pid !== undefined && t.person_of.has(row.pid))
				choose(t.person_of.get(row.pid));
			show(from - pad, end + pad);
			section.node().scrollIntoView({ block: 'nearest' });
			canvas.focus({ preventScroll: true });
		},
		view,
	};
	section.append('p').attr('class', 'hint screen').text('Drag to move; +, \u2212 and arrow keys, or the wheel once it has been clicked, to zoom; click a task to see who woke it. j and k choose a lane, full stop and comma read its stretches.');
	zed.draw(() => { layout(); paint(); });
};

// Who woke, in the words of a table.
zed.waker = function (t, mark) {
	const letter = String.fromCharCode(t.marks.letter[mark]);

	return letter === 'i' ? `an interrupt on CPU ${t.cpus[t.marks.lane[mark]][0]}` : letter === 's' ? `a softirq on CPU ${t.cpus[t.marks.lane[mark]][0]}` : zed.who(t, t.marks.who[mark]);
};
