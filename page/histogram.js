// SPDX-License-Identifier: GPL-2.0-or-later
// histogram: how many values lie in each range; the ranges are powers of two, so the axis is a logarithm.  Counts are one,
// too, where the tail would be a line: it is what such a picture is looked at for.
'use strict';
zed.tail = 50;	// times as many as the fewest: then the counts are a logarithm

// The scale of the counts of ROWS, from the pixel BOTTOM up to TOP; one that is a logarithm has a base below 1, so that a
// single value is seen.
zed.count_scale = function (rows, bottom, top) {
	const counts = rows.map(r => r.n).filter(n => n > 0), most = d3.max(counts), is_log = most > zed.tail * d3.min(counts);
	const y = is_log ? d3.scaleLog().domain([0.5, most]).range([bottom, top]) : d3.scaleLinear().domain([0, most]).range([bottom, top]).nice(5);
	const powers = d3.range(0, Math.floor(Math.log10(most) + 1e-9) + 1).map(p => 10 ** p), every = Math.ceil(18 * powers.length / (bottom - top));

	return { y: n => n > 0 ? y(n) : bottom, is_log, ticks: is_log ? powers.filter((t, i) => i % every === 0) : y.ticks(5).filter(Number.isInteger) };
};

zed.histogram = function (to, picture) {
	const box = zed.section(to, picture.title, picture.name);
	const rows = picture.rows, total = d3.sum(rows, r => r.n), full = rows.filter(r => r.n);
	const describe = r => `${zed.duration(r.from)} up to ${zed.duration(r.to)}\n${zed.count(r.n)} of ${zed.count(total)} (${zed.percent(r.n / total)} %)`;

	zed.draw(() => {
		const height = 290, bottom = height - 34, top = 48;
		const svg = zed.svg(box, height, `${picture.title}: ${total} values from ${zed.duration(rows[0].from)} to ${zed.duration(rows[rows.length - 1].to)}`);
		const room = svg.property('room'), { y, is_log, ticks } = zed.count_scale(rows, bottom, top);
		const left = 18 + 7 * d3.max(ticks, t => zed.count(t).length), x = d3.scaleBand().domain(rows.map(r => r.from)).range([left, room - 12]).paddingInner(0.08);
		const name = 10 + 7 * d3.max(rows, r => zed.duration(r.from).length), skip = Math.ceil(name / x.step());

		svg.append('g').attr('class', 'grid').selectAll('line').data(ticks).enter().append('line')
			.attr('x1', left).attr('x2', room - 12).attr('y1', y).attr('y2', y);
		svg.append('g').attr('class', 'axis').selectAll('text').data(ticks).enter().append('text')
			.attr('x', left - 6).attr('y', t => y(t) + 4).attr('text-anchor', 'end').text(zed.count);
		svg.append('g').attr('class', 'axis').selectAll('text').data(rows.filter((r, i) => i % skip === 0 && x(r.from) + name < room + 6)).enter().append('text')
			.attr('x', r => x(r.from)).attr('y', height - 18).attr('text-anchor', 'start').text(r => zed.duration(r.from));
		svg.append('line').attr('stroke', zed.color('line')).attr('x1', left).attr('x2', room - 12).attr('y1', bottom + 0.5).attr('y2', bottom + 0.5);
		svg.append('text').attr('class', 'soft').attr('x', left).attr('y', height - 3).text(`from (log); number of values${is_log ? ' (log)' : ''}`);
		const columns = svg.selectAll('.column').data(rows).enter().append('rect').attr('class', 'column').attr('data-n', r => r.n)
			.attr('x', r => x(r.from)).attr('width', x.bandwidth()).attr('y', r => r.n ? Math.min(y(r.n), bottom - 1) : bottom)
			.attr('height', r => r.n ? Math.max(1, bottom - y(r.n)) : 0)
			.on('mousemove', r => zed.tip(d3.event, describe(r))).on('mouseleave', zed.hide);
		zed.rove(columns.filter(r => r.n), describe, (r, key) => zed.neighbour(full, r, key));
		zed.quantiles(svg, picture, rows, r => x(r.from), x.step(), bottom);
	});
};

// Where the percentiles lie: a line each, with its name in the first of three rows; where that would reach over a line, the
// next line begins below it.
zed.quantiles = function (svg, picture, rows, x, step, bottom) {
	const ends = [0, 0, 0], room = svg.property('room');

	for (const q of picture.quantiles || []) {
		const row = rows.find(r => q.value >= r.from && q.value < r.to);

		if (!row)
			continue;
		const at = x(row) + step * (row.from > 0 ? Math.log2(q.value / row.from) : 0);
		const mark = svg.append('g').attr('class', 'quantile').attr('transform', `translate(${at.toFixed(1)},0)`);
		const line = mark.append('line').attr('y2', bottom), text = mark.append('text').attr('data-value', q.value).text(`p${q.percent} ${zed.duration(q.value)}`);
		const wide = text.node().getComputedTextLength() + 3, left = at + wide > room ? at - wide : at, level = zed.free_level(ends, left);

		line.attr('y1', 3 + 14 * Math.min(level, ends.length));
		if (level === ends.length) {
			text.remove();
			continue;
		}
		text.attr('y', 12 + 14 * level).attr('x', left < at ? -wide : 3);
		ends[level] = left + wide + 8;
	}
};

// The row below all those that reach beyond LEFT; as many as there are: none.
zed.free_level = function (ends, left) { return ends.reduce((level, end, i) => end > left ? i + 1 : level, 0); };
