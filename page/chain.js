// SPDX-License-Identifier: GPL-2.0-or-later
// chain: where a time went: one bar of parts in their order, and below it a lane for each who had a part in it.
'use strict';
zed.chain_kinds = [[/^(?:runs?|work)/, 'bar'], [/preempt|waits for a CPU|ready|pending|late|queue/, 'ready'], [/device|disk|block/, 'blocked'], [/interrupt|irq/, 'arrow'], [/unknown/, 'unknown']];
zed.chain_color = function (what) {
	const kind = zed.chain_kinds.find(k => k[0].test(what));

	return kind ? zed.color(kind[1]) : d3.hsl(zed.hue(what), 0.5, zed.is_dark() ? 0.6 : 0.55).toString();
};

zed.chain = function (to, picture) {
	const box = zed.section(to, picture.title, picture.name), parts = picture.parts, first = parts[0].from, last = parts[parts.length - 1].to;
	const all = [...new Set(parts.map(p => p.actor))], shown = all.slice(0, 24);
	const describe = p => [`${p.what}${p.actor ? ', ' + p.actor : ''}`, `${zed.time(p.from)} to ${zed.time(p.to)}`, `${zed.duration(p.to - p.from)}, ${zed.percent((p.to - p.from) / (last - first || 1))} %`, p.detail || ''].filter(l => l).join('\n');

	zed.draw(() => {
		const top = 44, high = 20, height = top + high * shown.length + 30, svg = zed.svg(box, height, `${picture.title}: ${parts.length} parts, ${zed.duration(last - first)}`);
		const room = svg.property('room'), left = room < 600 ? 84 : 170, x = d3.scaleLinear().domain([first, last]).range([left, room - 12]);
		const few = Math.max(2, Math.floor((room - left) / 95)), by = d3.tickStep(0, last - first, few), ticks = d3.scaleLinear().domain([0, last - first]).ticks(few);
		const wide = p => Math.max(1, x(p.to) - x(p.from));
		const name = (text, letters) => text.length > letters ? text.slice(0, Math.max(1, letters - 1)) + '\u2026' : text;

		svg.append('g').attr('class', 'grid').selectAll('line').data(ticks).enter().append('line')
			.attr('x1', t => x(first + t)).attr('x2', t => x(first + t)).attr('y1', 6).attr('y2', height - 26);
		zed.tick_names(svg, ticks, by, t => x(first + t), height - 8);
		svg.append('text').attr('x', 0).attr('y', 26).text(zed.duration(last - first));
		svg.selectAll('.lane').data(shown).enter().append('text').attr('class', 'lane').attr('x', 0).attr('y', (a, i) => top + i * high + 14).text(a => name(a || 'unknown', Math.floor((left - 6) / 7)));

		const part = (sel, y, height) => sel.append('rect').attr('class', 'cell').attr('x', p => x(p.from)).attr('width', wide).attr('y', y).attr('height', height)
			.attr('fill', p => zed.chain_color(p.what)).on('mousemove', p => zed.tip(d3.event, describe(p))).on('mouseleave', zed.hide)
			.on('click', p => zed.timeline && zed.timeline.jump({ from: p.from, to: p.to, pid: p.pid }));

		part(svg.selectAll('.part').data(parts).enter(), 10, 24).attr('stroke', zed.color('paper')).attr('stroke-width', p => wide(p) > 4 ? 1 : 0);
		part(svg.selectAll('.of').data(parts.filter(p => shown.includes(p.actor))).enter(), p => top + shown.indexOf(p.actor) * high + 3, high - 6);
		svg.selectAll('.word').data(parts.filter(p => wide(p) > 60)).enter().append('text').attr('class', 'word').attr('x', p => x(p.from) + 5).attr('y', 26)
			.style('fill', '#101418').text(p => name(p.what, Math.floor((wide(p) - 10) / 7)));
	});
	if (all.length > shown.length)
		d3.select(box.node().parentNode).append('p').attr('class', 'hint').text(`${all.length - shown.length} more who had a part have no lane here`);
};
