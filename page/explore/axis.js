// SPDX-License-Identifier: GPL-2.0-or-later
// axis: the whole trace in small with the view in it, the times above the lanes, the cursor, the range, flags of notes.
'use strict';
zed.paint_overview = function (canvas, view) {
	const g = canvas.getContext('2d'), c = zed.colors(), high = canvas.height / view.ratio, x = time => time / zed.length * view.width, busy = zed.overview_of(canvas, view, c);

	g.setTransform(1, 0, 0, 1, 0, 0);
	g.drawImage(busy, 0, 0);
	g.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	const left = x(view.from), right = Math.max(left + 3, x(view.to));

	g.globalAlpha = 0.55;
	g.fillStyle = c.paper;
	g.fillRect(0, 0, left, high);
	g.fillRect(right, 0, view.width - right, high);
	g.globalAlpha = 1;
	g.strokeStyle = c.accent;
	g.lineWidth = 1.5;
	g.strokeRect(left + 0.75, 0.75, right - left - 1.5, high - 1.5);
};

// How busy the CPUs are in the whole trace: drawn once for each width and scheme.
zed.overview_of = function (like, view, c) {
	const t = zed.layers.whole, kept = zed.overview_of.kept;

	if (kept && kept.t === t && kept.c === c && kept.canvas.width === like.width)
		return kept.canvas;
	const canvas = document.createElement('canvas'), g = canvas.getContext('2d'), high = like.height;

	canvas.width = like.width;
	canvas.height = like.height;
	g.fillStyle = c.panel;
	g.fillRect(0, 0, canvas.width, high);
	if (t && t.cpus.length) {
		const level = zed.level_for(t.cpu_levels, zed.length / canvas.width), n = t.cpus.length, x = time => time / zed.length * canvas.width;

		g.fillStyle = c.soft;
		for (let i = 0; i < level.n; i++) {
			let busy = 0;

			for (let k = 0; k < n; k++)
				busy += level.v[(i * n + k) * 4];
			const tall = busy / n / 255 * (high - 3);

			g.fillRect(x(t.from + i * level.width), high - tall, Math.max(0.8, x(level.width)), tall);
		}
	}
	zed.overview_of.kept = { canvas, t, c };
	return canvas;
};

// Times after the beginning of the trace, as far as there is room for them.
zed.paint_axis = function (canvas, view) {
	const g = canvas.getContext('2d'), c = zed.colors(), high = canvas.height / view.ratio, scale = d3.scaleLinear().domain([view.from, view.to]).range([0, view.width]);

	g.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	g.clearRect(0, 0, view.width, high);
	g.font = '12px system-ui, sans-serif';
	g.textBaseline = 'middle';
	g.fillStyle = c.soft;
	g.strokeStyle = c.line;
	g.lineWidth = 1;
	let few = Math.max(2, Math.floor(view.width / 110)), step = d3.tickStep(view.from, view.to, few);

	few = Math.max(2, Math.min(few, Math.floor(view.width / (g.measureText('+' + zed.duration_at(view.to, step)).width + 26))));
	step = d3.tickStep(view.from, view.to, few);
	for (const v of scale.ticks(few)) {
		const at = Math.round(scale(v)) + 0.5, text = '+' + zed.duration_at(v, step), wide = g.measureText(text).width;

		g.beginPath();
		g.moveTo(at, high - 6);
		g.lineTo(at, high);
		g.stroke();
		if (at + wide / 2 <= view.width)
			g.fillText(text, Math.max(0, at - wide / 2), high / 2 - 1);
	}
};

// Where the cursor, the range and the notes are: elements above the canvas, moved without a new layout.
zed.place_marks = function (view) {
	const x = time => (time - view.from) / (view.to - view.from) * view.width, place = (e, left, width) => {
		e.style.transform = `translateX(${left.toFixed(1)}px)`;
		if (width !== undefined)
			e.style.width = Math.max(1, width).toFixed(1) + 'px';
	};
	const shade = zed.at('shade'), range = zed.dragged || zed.state.range;

	shade.hidden = !range || range[1] < view.from || range[0] > view.to;
	if (!shade.hidden) {
		const left = Math.max(-2, x(range[0])), right = Math.min(view.width + 2, x(range[1]));

		place(shade, left, right - left);
		shade.firstChild.textContent = zed.duration(range[1] - range[0]);
	}
	const cursor = zed.at('cursor');

	cursor.hidden = view.cursor === null || view.cursor < view.from || view.cursor > view.to;
	if (!cursor.hidden) {
		const at = x(view.cursor);

		place(cursor, at);
		cursor.firstChild.textContent = `${zed.time(view.cursor)}  +${zed.duration(view.cursor)}`;
		cursor.classList.toggle('right', at > view.width - 240);
	}
	for (const flag of document.querySelectorAll('#flags > *')) {
		const at = x(+flag.dataset.at);

		flag.hidden = at < -1 || at > view.width + 1;
		place(flag, at);
	}
};
