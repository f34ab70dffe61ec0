// SPDX-License-Identifier: GPL-2.0-or-later
// lanes: the time line on the page: its elements and sizes, when it is drawn, and when it is read again.
'use strict';
zed.view = { from: 0, to: 1, width: 300, height: 100, top: 0, ratio: 1, cursor: null, exact: [], lanes: [] };

zed.make_lanes = function () {
	const make = zed.make, plot = make('canvas', { id: 'plot', 'aria-hidden': 'true' });

	zed.at('lanes').append(
		make('div', { class: 'axis-row' }, make('div', { class: 'corner', id: 'corner' }),
			make('div', { class: 'axis-plot' }, make('canvas', { id: 'overview', 'aria-hidden': 'true' }), make('canvas', { id: 'axis', 'aria-hidden': 'true' }))),
		make('div', { class: 'lanes-box', id: 'lanes-box', tabindex: 0, role: 'group', 'aria-label': 'lanes: arrow keys up and down choose a lane, comma and full stop its slices' },
			make('div', { class: 'lanes-inner', id: 'lanes-inner' }, plot, make('div', { id: 'lane-names', class: 'lane-names' }))),
		make('div', { class: 'overlay', id: 'overlay' }, make('div', { id: 'shade', class: 'shade', hidden: true }, make('span')),
			make('div', { id: 'cursor', class: 'cursor', hidden: true }, make('span')), make('div', { id: 'flags' })));
	zed.legend(zed.at('lanes'), [{ of: 'run', text: 'runs, in the colour of its task' }, { of: 'ready', text: 'waits for a CPU' }, { of: 'blocked', text: 'blocked (D)' }, { of: 'irq', text: 'interrupt' },
		{ of: 'softirq', text: 'softirq' }, { of: 'unknown', text: 'not known' }, { of: 'lost', text: 'events lost' }]);
	zed.at('lanes-box').addEventListener('scroll', () => { zed.view.top = zed.at('lanes-box').scrollTop; zed.paint_soon(); }, { passive: true });
	new ResizeObserver(() => zed.size_lanes()).observe(zed.at('lanes'));
};

// The only place where sizes are read.
zed.size_lanes = function () {
	const box = zed.at('lanes-box'), view = zed.view, left = zed.at('corner').offsetWidth, canvas = (id, high) => {
		const e = zed.at(id);

		e.width = Math.round(view.width * view.ratio);
		e.height = Math.round(high * view.ratio);
		e.style.width = view.width + 'px';
		e.style.height = high + 'px';
	};

	view.ratio = Math.min(2, window.devicePixelRatio || 1);
	box.style.height = Math.min(zed.lanes.height, Math.max(170, Math.round(innerHeight * 0.46))) + 'px';
	zed.at('lanes-inner').style.height = zed.lanes.height + 'px';
	view.width = Math.max(120, box.clientWidth - left);
	view.height = box.clientHeight;
	view.top = box.scrollTop;
	zed.at('overlay').style.left = left + 'px';
	zed.at('overlay').style.height = box.offsetTop + view.height + 'px';
	canvas('overview', 20);
	canvas('axis', 22);
	canvas('plot', view.height);
	zed.paint();
	zed.read_soon();
};

zed.paint = function () {
	const view = zed.view;

	zed.frame = 0;
	zed.paint_lanes(zed.at('plot'), view);
	zed.paint_overview(zed.at('overview'), view);
	zed.paint_axis(zed.at('axis'), view);
	zed.place_marks(view);
	zed.tell_view();
};
zed.paint_soon = () => { zed.frame = zed.frame || requestAnimationFrame(zed.paint); };

zed.tell_view = function () {
	const view = zed.view, per = (view.to - view.from) / view.width, finest = zed.layers.others.filter(t => t.from <= view.from && t.to >= view.to).sort((a, b) => a.cell - b.cell)[0];
	const how = view.exact.some(e => e.from <= view.from && e.to >= view.to) ? 'every event is here' : zed.reading ? 'reading\u2026' :
		finest && finest.cell > 2 * per ? `shares of ${zed.duration(finest.cell)}` + (zed.provider.is_saved ? ', the finest in this page' : '') : 'shares of each column; zoom in for single events';

	const text = `${zed.duration(view.to - view.from)} from ${zed.time(view.from)}: ${how}`;
	// Unchanged words need no new layout.
	if (text === zed.view.told)
		return;
	zed.view.told = text;
	zed.at('time-said').textContent = text;
	zed.at('corner').textContent = zed.time(view.from);
	zed.at('plot').dataset.exact = how === 'every event is here';
};

// A span of the view in bounds: at least 20 ns, at most the whole trace.
zed.bounded = function (from, to) {
	const span = Math.min(zed.length, Math.max(20, to - from)), middle = (from + to) / 2, begin = to - from < 20 ? middle - span / 2 : from;
	const left = Math.max(0, Math.min(zed.length - span, begin));

	return [left, left + span];
};
zed.show = (from, to, how) => zed.set({ view: zed.bounded(from, to) }, how || 'soon');
zed.zoom = function (by, at) {
	const { from, to, cursor } = zed.view, c = at !== undefined ? at : cursor !== null && cursor >= from && cursor <= to ? cursor : (from + to) / 2;

	zed.show(c - (c - from) * by, c + (to - c) * by);
};
zed.pan = by => zed.show(zed.view.from + by * (zed.view.to - zed.view.from), zed.view.to + by * (zed.view.to - zed.view.from));

// Read what the view needs, if it is not there: with as much on each side, so that panning finds it.
zed.read_lanes_now = zed.newest(async signal => {
	const view = zed.view, span = view.to - view.from, wanted = zed.lanes.wanted;

	if (zed.has_layer(view.from, view.to, span / (view.width * view.ratio), wanted))
		return;
	const from = Math.floor(Math.max(0, view.from - span)), to = Math.ceil(Math.min(zed.length, view.to + span));
	const cells = Math.max(16, Math.min(4096, Math.ceil(view.width * view.ratio * (to - from) / span)));

	zed.reading = true;
	zed.paint_soon();
	const answer = await zed.provider.lanes({ from, to, cells, tasks: wanted.map(t => `${t.source}:${t.pid}`).join(',') || undefined, ntasks: wanted.length ? undefined : 24 }, signal);

	zed.take_lanes(answer, wanted, from, to);
});
zed.take_lanes = function (answer, wanted, from, to) {
	if (!answer || !answer.timeline)
		return;
	const t = zed.read_lanes(answer);

	t.asked = [from, to];
	t.knows = new Set(wanted.map(k => `${k.source}:${k.pid}`));
	zed.keep_layer(t);
	zed.lay_out();
};
zed.read_now = async function () {
	try {
		await zed.read_lanes_now();
		zed.reading = false;
		zed.at('trouble').replaceChildren();
	} catch (e) {
		zed.reading = false;
		zed.show_fault(zed.at('trouble'), e, zed.read_now);
	}
	zed.paint_soon();
};
zed.read_soon = zed.debounced(70, () => zed.read_now());

// Other tasks may have lanes now: another table, or another choice.
zed.new_lanes = function () {
	const was = zed.lanes.wanted.map(t => t.pid).join();

	zed.choose_tasks();
	zed.lay_out();
	zed.at('more-tasks').hidden = zed.lanes.all <= 8;
	zed.at('more-tasks').textContent = zed.lanes.few > 8 ? 'fewer tasks' : 'more tasks';
	if (was !== zed.lanes.wanted.map(t => t.pid).join())
		zed.size_lanes();
	else
		zed.paint_soon();
};

// The timeline that rows of tables jump to: { from, to, pid, cpu }, from and to missing: the task alone.
zed.timeline = {
	jump(row) {
		const pick = { kind: 'span', from: row.from === undefined ? zed.view.from : row.from, to: row.to === undefined ? row.from === undefined ? zed.view.to : row.from : row.to, what: row.from === undefined ? 'task' : 'row',
			source: row.source || 0, pid: row.pid, cpu: row.cpu };
		const pad = Math.max(500, (pick.to - pick.from) * 0.25);

		zed.set(row.from === undefined ? { pick } : { pick, view: zed.bounded(pick.from - pad, pick.to + pad) });
		zed.at('lanes').scrollIntoView({ block: 'nearest' });
		zed.say(`time line: ${zed.span_text(...zed.state.view)}`);
	},
};
