// SPDX-License-Identifier: GPL-2.0-or-later
// heat: a heat map of delays: x axis time, y axis delay (log) above a band for 0, colour the number of delays; a click on a
// cell says which events are in it.
'use strict';
zed.heat_zero = -1;	// the row of delays of 0

// The range of a row: four for each power of two: row 4 * P + Q from 2 ** P * (1 + Q / 4) on.
zed.heat_value = function (row) { return row < 0 ? 0 : 2 ** Math.floor(row / 4) * (1 + row % 4 / 4); };

// Rows as pixels, from BOTTOM up to TOP: TALL pixels each; the band for 0 is apart, as a logarithm has no place for it.
zed.heat_rows = function (cells, bottom, top) {
	const rows = cells.map(c => c[1]).filter(r => r > zed.heat_zero), has_zero = rows.length < cells.length, band = has_zero ? 14 : 0;
	const low = rows.length ? d3.min(rows) : 0, high = rows.length ? d3.max(rows) + 1 : 1, base = bottom - (band && band + 6);
	const y = row => row < 0 ? bottom : base - (row - low) * (base - top) / (high - low);

	return { low, high, y, band, tall: Math.max(1, (base - top) / (high - low)), of: row => row < 0 ? [bottom - band, band] : [y(row + 1), Math.max(1, y(row) - y(row + 1))] };
};

// Numbers for the key: 1, the greatest, and between them.
zed.heat_steps = function (most) {
	return [...new Set([0, 0.25, 0.5, 0.75, 1].map(p => Math.round(most ** p)))];
};

// The cell beside one: in the next column that has any, the nearest row; or in the same column.
zed.heat_beside = function (cells) {
	const columns = d3.nest().key(c => c[0]).sortKeys((a, b) => a - b).sortValues((a, b) => a[1] - b[1]).entries(cells).map(e => e.values);
	const place = new Map(columns.map((list, i) => [list[0][0], i]));

	return (c, key) => {
		const own = columns[place.get(c[0])], next = columns[place.get(c[0]) + { ArrowLeft: -1, ArrowRight: 1 }[key]];

		if (key === 'ArrowUp' || key === 'ArrowDown')
			return own[own.indexOf(c) + (key === 'ArrowUp' ? 1 : -1)];
		return next && next.reduce((best, d) => Math.abs(d[1] - c[1]) < Math.abs(best[1] - c[1]) ? d : best);
	};
};

zed.heat = function (to, picture) {
	const cells = picture.cells, most = d3.max(cells, c => c[2]), columns = 1 + d3.max(cells, c => c[0]), all = d3.sum(cells, c => c[2]);
	const box = zed.section(to, picture.title, picture.name, `x axis: time; y axis: ${picture.unit} (log)`), section = box.node().parentNode;
	const from = c => picture.start + c[0] * picture.width, value = zed.heat_value;
	const range = c => c[1] < 0 ? '0' : `${zed.duration(value(c[1]))} up to ${zed.duration(value(c[1] + 1))}`;
	const describe = c => `${range(c)}\n${zed.time(from(c))} and ${zed.duration(picture.width)} on\n${zed.count(c[2])} of ${zed.count(all)}`;
	// The background means none: a single value must still be visible.
	const color = n => d3.interpolateRgb(zed.color('heat-from'), zed.color('heat-to'))(most > 1 ? Math.log(n) / Math.log(most) : 1);
	const key = zed.legend(section, zed.heat_steps(most).map(n => ({ text: zed.count(n), n }))).attr('aria-label', 'colours: how many values are in a cell');
	const said = d3.select(section).append('p').attr('class', 'hint cell-said').attr('role', 'status');

	key.insert('li', 'li').text('in a cell:');
	function list(c) {
		const where = { from: from(c), to: from(c) + picture.width };

		if (zed.timeline)
			zed.timeline.jump(where);
		if (zed.list) {
			zed.list({ ...where, what: picture.title });
			return;
		}
		said.text(`${range(c)}, from ${zed.time(where.from)} to ${zed.time(where.to)}: ${zed.count(c[2])} of ${zed.count(all)}. The events of that time: `);
		said.append('code').text(`zedprint --start ${zed.time(where.from)} --end ${zed.time(where.to)} ${zed.data.trace.file || 'TRACE'}`);
	}
	zed.draw(() => {
		const height = 300, svg = zed.svg(box, height, `${picture.title}: ${all} values`), room = svg.property('room'), bottom = height - 26, rows = zed.heat_rows(cells, bottom, 10);
		const step = Math.max(4, 4 * Math.ceil(18 / rows.tall / 4)), powers = d3.range(Math.ceil(rows.low / 4) * 4, rows.high + 1, step);
		const left = Math.max(64, 12 + 7 * (d3.max(powers, r => zed.duration(value(r)).length) || 0)), x = d3.scaleLinear().domain([0, columns * picture.width]).range([left, room - 14]);
		const few = Math.max(2, Math.floor((room - left) / 95)), ticks = x.ticks(few), by = d3.tickStep(0, columns * picture.width, few);
		const wide = Math.max(1, x(picture.width) - x(0));

		svg.append('g').attr('class', 'grid').selectAll('line').data(powers).enter().append('line')
			.attr('x1', left).attr('x2', room - 14).attr('y1', rows.y).attr('y2', rows.y);
		svg.append('g').attr('class', 'axis').selectAll('text').data(rows.band ? [-1, ...powers] : powers).enter().append('text')
			.attr('x', left - 6).attr('y', r => Math.min(bottom - 2, rows.y(r) + (r < 0 ? -2 : 4))).attr('text-anchor', 'end').text(r => r < 0 ? '0' : zed.duration(value(r)));
		if (rows.band)
			svg.append('rect').attr('class', 'zero').attr('x', left).attr('y', bottom - rows.band).attr('width', room - 14 - left).attr('height', rows.band);
		zed.tick_names(svg, ticks, by, x, height - 8);
		const marks = svg.selectAll('.cell').data(cells).enter().append('rect').attr('class', 'cell').attr('data-n', c => c[2])
			.attr('x', c => x(c[0] * picture.width)).attr('width', wide).attr('y', c => rows.of(c[1])[0]).attr('height', c => rows.of(c[1])[1]).attr('fill', c => color(c[2]))
			.on('mousemove', c => zed.tip(d3.event, describe(c))).on('mouseleave', zed.hide).on('click', list);
		zed.rove(marks, describe, zed.heat_beside(cells), list);
		key.selectAll('li').filter(d => d).select('i').style('background', d => color(d.n));
	});
};
