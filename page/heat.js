// SPDX-License-Identifier: GPL-2.0-or-later
// heat: a heat map of delays: x axis time, y axis delay (log), colour the number of delays.
'use strict';
zed.heat = function (to, picture) {
	const cells = picture.cells, most = d3.max(cells, c => c[2]), columns = 1 + d3.max(cells, c => c[0]);
	const box = zed.section(to, picture.title, picture.name, `x axis: time; y axis: ${picture.unit} (log); colour: 1 ... ${zed.count(most)} in a cell`);
	// Four rows for each power of two: row 4 * P + Q from 2 ** P * (1 + Q / 4) on.
	const low = d3.min(cells, c => c[1]), high = d3.max(cells, c => c[1]) + 1;
	const value = row => row < 0 ? 0 : 2 ** Math.floor(row / 4) * (1 + row % 4 / 4);

	zed.draw(() => {
		const height = 300, svg = zed.svg(box, height, `${picture.title}: ${d3.sum(cells, c => c[2])} values`);
		const room = svg.property('room'), left = 64, bottom = height - 26;
		const x = d3.scaleLinear().domain([0, columns * picture.width]).range([left, room - 14]);
		const y = d3.scaleLinear().domain([low, high]).range([bottom, 10]);
		// The background means none: a single value must still be visible.
		const paper = zed.color('paper'), shade = d3.interpolateRgb(d3.interpolateRgb(paper, zed.color('bar'))(0.35), zed.is_dark() ? '#ffe08a' : '#5a0f3c');
		const color = n => shade(most > 1 ? Math.log(n) / Math.log(most) : 1);
		const step = Math.max(4, 4 * Math.ceil(18 * (high - low) / (bottom - 10) / 4));
		const powers = d3.range(Math.ceil(low / 4) * 4, high + 1, step).filter(r => r >= low);

		svg.append('g').attr('class', 'grid').selectAll('line').data(powers).enter().append('line')
			.attr('x1', left).attr('x2', room - 14).attr('y1', y).attr('y2', y);
		svg.append('g').attr('class', 'axis').selectAll('text').data(powers).enter().append('text')
			.attr('x', left - 6).attr('y', r => Math.min(bottom - 2, y(r) + 4)).attr('text-anchor', 'end').text(r => zed.duration(value(r)));
		const few = Math.max(2, Math.floor((room - left) / 95)), ticks = x.ticks(few), by = d3.tickStep(0, columns * picture.width, few);
		zed.tick_names(svg, ticks, by, x, height - 8);
		const wide = Math.max(1, x(picture.width) - x(0)), tall = Math.max(1, y(0) - y(1));

		svg.selectAll('.cell').data(cells).enter().append('rect').attr('class', 'cell').attr('data-n', c => c[2])
			.attr('x', c => x(c[0] * picture.width)).attr('width', wide).attr('y', c => y(c[1] + 1)).attr('height', tall).attr('fill', c => color(c[2]))
			.on('mousemove', c => zed.tip(d3.event, `${zed.duration(value(c[1]))} up to ${zed.duration(value(c[1] + 1))}\n${zed.time(picture.start + c[0] * picture.width)} and ${zed.duration(picture.width)} on\n${zed.count(c[2])} of ${zed.count(d3.sum(cells, k => k[2]))}`))
			.on('mouseleave', zed.hide)
			.on('click', c => zed.timeline && zed.timeline.jump({ from: picture.start + c[0] * picture.width, to: picture.start + (c[0] + 1) * picture.width }));
	});
};
