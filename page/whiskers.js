// SPDX-License-Identifier: GPL-2.0-or-later
// whiskers: changes as dots, each with the bounds between which it lies and the range that is allowed; the scale is of
// parts of the former value.
'use strict';
zed.verdicts = { within: 'run', beyond: 'ready', 'cannot tell': 'unknown' };

zed.whiskers = function (to, picture) {
	const box = zed.section(to, picture.title, picture.name), rows = picture.rows, signed = part => `${part < 0 ? '-' : '+'}${zed.digits(Math.abs(100 * part))} %`;
	const allowed = r => [r.least === undefined ? '' : signed(r.least), r.most === undefined ? '' : signed(r.most)].filter(t => t).join(' to ');
	const describe = r => `${r.name}: ${r.verdict}\n${signed(r.by)}, surely from ${signed(r.low)} to ${signed(r.high)}\nallowed: ${allowed(r)}`;
	const ends = [0].concat(...rows.map(r => [r.by, r.low, r.high, r.least, r.most].filter(v => v !== undefined))), margin = 0.06 * (d3.max(ends) - d3.min(ends)) || 0.01;

	zed.draw(() => {
		const high = 26, top = 8, bottom = top + high * rows.length, svg = zed.svg(box, bottom + 26, `${picture.title}: ${rows.length} numbers`);
		const room = svg.property('room'), left = Math.min(room * 0.42, 14 + 7 * d3.max(rows, r => r.name.length)), letters = Math.floor((left - 8) / 7);
		const x = d3.scaleLinear().domain([d3.min(ends) - margin, d3.max(ends) + margin]).range([left, room - 12]), ticks = x.ticks(Math.max(2, Math.floor((room - left) / 80)));
		const place = svg.selectAll('.whisker').data(rows).enter().append('g').attr('class', 'whisker').attr('transform', (r, i) => `translate(0,${top + (i + 0.5) * high})`);
		const edge = (value, otherwise) => value === undefined ? otherwise : x(value);

		svg.insert('g', '.whisker').attr('class', 'grid').selectAll('line').data(ticks).enter().append('line')
			.attr('x1', x).attr('x2', x).attr('y1', top).attr('y2', bottom);
		svg.append('g').attr('class', 'axis').selectAll('text').data(ticks).enter().append('text')
			.attr('x', x).attr('y', bottom + 16).attr('text-anchor', 'middle').text(t => t ? signed(t) : '0');
		place.append('text').attr('x', 0).attr('y', 4).text(r => r.name.length > letters ? r.name.slice(0, Math.max(1, letters - 1)) + '\u2026' : r.name);
		place.append('rect').attr('x', r => edge(r.least, left)).attr('width', r => Math.max(1, edge(r.most, room - 12) - edge(r.least, left)))
			.attr('y', -9).attr('height', 18).attr('fill', zed.color('idle'));
		place.append('line').attr('stroke', zed.color('line')).attr('x1', x(0)).attr('x2', x(0)).attr('y1', -high / 2).attr('y2', high / 2);
		place.append('line').attr('stroke', zed.color('mark')).attr('stroke-width', 2).attr('x1', r => x(r.low)).attr('x2', r => x(r.high));
		place.selectAll('.end').data(r => [r.low, r.high]).enter().append('line').attr('stroke', zed.color('mark'))
			.attr('x1', x).attr('x2', x).attr('y1', -5).attr('y2', 5);
		const dots = place.append('circle').attr('class', 'dot').attr('cx', r => x(r.by)).attr('r', 5).attr('fill', r => zed.color(zed.verdicts[r.verdict]))
			.on('mousemove', r => zed.tip(d3.event, describe(r))).on('mouseleave', zed.hide);

		zed.rove(dots, describe, (r, key) => zed.neighbour(rows, r, { ArrowUp: 'ArrowLeft', ArrowDown: 'ArrowRight' }[key] || key));
	});
	zed.legend(box.node().parentNode, [{ color: 'idle', text: 'allowed' }].concat(Object.entries(zed.verdicts).map(([text, color]) => ({ color, text }))));
};
