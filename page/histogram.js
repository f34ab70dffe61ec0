// SPDX-License-Identifier: GPL-2.0-or-later
// histogram: how many values lie in each range; the ranges are powers of two, so the axis is a logarithm.
'use strict';
zed.histogram = function (to, picture) {
	const box = zed.section(to, picture.title, picture.name);
	const rows = picture.rows, most = d3.max(rows, r => r.n), total = d3.sum(rows, r => r.n);

	zed.draw(() => {
		const height = 260, svg = zed.svg(box, height, `${picture.title}: ${total} values from ${zed.duration(rows[0].from)} to ${zed.duration(rows[rows.length - 1].to)}`);
		const room = svg.property('room'), y = d3.scaleLinear().domain([0, most]).range([height - 34, 14]).nice(5);
		const ticks = y.ticks(5).filter(Number.isInteger), left = 18 + 7 * d3.max(ticks, t => zed.count(t).length);
		const x = d3.scaleBand().domain(rows.map(r => r.from)).range([left, room - 12]).paddingInner(0.08);
		const skip = Math.ceil(58 / x.step());

		svg.append('g').attr('class', 'grid').selectAll('line').data(ticks).enter().append('line')
			.attr('x1', left).attr('x2', room - 12).attr('y1', y).attr('y2', y);
		svg.append('g').attr('class', 'axis').attr('transform', `translate(${left},0)`)
			.call(d3.axisLeft(y).tickValues(ticks).tickFormat(zed.count).tickSize(0)).select('path').remove();
		svg.append('g').attr('class', 'axis').selectAll('text').data(rows.filter((r, i) => i % skip === 0 && x(r.from) + 52 < room)).enter().append('text')
			.attr('x', r => x(r.from)).attr('y', height - 16).attr('text-anchor', 'start').text(r => zed.duration(r.from));
		svg.append('line').attr('stroke', zed.color('line')).attr('x1', left).attr('x2', room - 12).attr('y1', height - 33.5).attr('y2', height - 33.5);
		svg.append('text').attr('class', 'soft').attr('x', left).attr('y', height - 2).text('from, logarithmic');
		svg.selectAll('.column').data(rows).enter().append('rect').attr('class', 'column')
			.attr('x', r => x(r.from)).attr('width', x.bandwidth()).attr('y', r => r.n ? Math.min(y(r.n), height - 35) : height - 34)
			.attr('height', r => r.n ? Math.max(1, height - 34 - y(r.n)) : 0).attr('data-n', r => r.n)
			.on('mousemove', r => zed.tip(d3.event, `${zed.duration(r.from)} up to ${zed.duration(r.to)}\n${zed.count(r.n)} of ${zed.count(total)} (${zed.percent(r.n / total)} %)`))
			.on('mouseleave', zed.hide);
		zed.quantiles(svg, picture, rows, r => x(r.from), x.step(), height);
	});
};

// Where the percentiles lie, with their names as far as there is room for them.
zed.quantiles = function (svg, picture, rows, x, step, height) {
	let free = 0;

	for (const q of picture.quantiles || []) {
		const row = rows.find(r => q.value >= r.from && q.value < r.to);

		if (!row)
			continue;
		const at = x(row) + step * (row.from > 0 ? Math.log2(q.value / row.from) : 0);
		const mark = svg.append('g').attr('class', 'quantile').attr('transform', `translate(${at.toFixed(1)},0)`);

		mark.append('line').attr('y1', 14).attr('y2', height - 34);
		if (at < free)
			continue;
		const text = mark.append('text').attr('y', 10).attr('data-value', q.value).text(`p${q.percent} ${zed.duration(q.value)}`);
		const width = text.node().getComputedTextLength(), right = at + width > svg.property('room');

		text.attr('text-anchor', right ? 'end' : 'start');
		if (right && at - width < free)
			text.remove();
		free = at + width + 8;
	}
};
