// SPDX-License-Identifier: GPL-2.0-or-later
// chain: where a time went: one bar of parts in their order, and below it a lane for each who had a part in it.
'use strict';
zed.chain_kinds = [[/^runs?\b/, 'run'], [/preempt|waits for a CPU|ready|pending|late|queue/, 'ready'], [/device|disk|block/, 'blocked'], [/softirq/, 'softirq'], [/interrupt|irq/, 'irq'], [/unknown/, 'unknown']];

// The variable of the sheet for each word of PARTS: those of a kind have that of the kind, others one of the tasks' that is
// none of these.
zed.chain_others = [5, 7, 4, 6, 8];
zed.chain_colors = function (parts) {
	const colors = new Map();
	let others = 0;

	for (const { what } of parts) {
		const kind = zed.chain_kinds.find(k => k[0].test(what));

		if (!colors.has(what))
			colors.set(what, kind ? kind[1] : others < zed.chain_others.length ? `task-${zed.chain_others[others++]}` : 'task-rest');
	}
	return colors;
};

zed.chain = function (to, picture) {
	const box = zed.section(to, picture.title, picture.name), parts = picture.parts, first = parts[0].from, last = parts[parts.length - 1].to;
	const all = [...new Set(parts.map(p => p.actor))], shown = all.slice(0, 24), colors = zed.chain_colors(parts);
	const describe = p => [`${p.what}${p.actor ? ', ' + p.actor : ''}`, `${zed.time(p.from)} to ${zed.time(p.to)}`, `${zed.duration(p.to - p.from)}, ${zed.percent((p.to - p.from) / (last - first || 1))} %`, p.detail || ''].filter(l => l).join('\n');
	const jump = zed.timeline ? p => zed.timeline.jump({ from: p.from, to: p.to, pid: p.pid }) : null;

	zed.draw(() => {
		const top = 44, high = 20, height = top + high * shown.length + 30, svg = zed.svg(box, height, `${picture.title}: ${parts.length} parts, ${zed.duration(last - first)}`);
		const room = svg.property('room'), left = room < 600 ? 84 : 170, x = d3.scaleLinear().domain([first, last]).range([left, room - 12]);
		const few = Math.max(2, Math.floor((room - left) / 95)), by = d3.tickStep(0, last - first, few), ticks = d3.scaleLinear().domain([0, last - first]).ticks(few);
		const wide = p => Math.max(1, x(p.to) - x(p.from)), color = p => zed.color(colors.get(p.what));
		const name = (text, letters) => text.length > letters ? text.slice(0, Math.max(1, letters - 1)) + '\u2026' : text;

		svg.append('g').attr('class', 'grid').selectAll('line').data(ticks).enter().append('line')
			.attr('x1', t => x(first + t)).attr('x2', t => x(first + t)).attr('y1', 6).attr('y2', height - 26);
		zed.tick_names(svg, ticks, by, t => x(first + t), height - 8);
		svg.append('text').attr('x', 0).attr('y', 26).text(zed.duration(last - first));
		svg.selectAll('.lane').data(shown).enter().append('text').attr('class', 'lane').attr('x', 0).attr('y', (a, i) => top + i * high + 14).text(a => name(a || 'unknown', Math.floor((left - 6) / 7)));

		const part = (sel, y, height) => sel.append('rect').attr('class', 'cell').attr('x', p => x(p.from)).attr('width', wide).attr('y', y).attr('height', height)
			.attr('fill', color).on('mousemove', p => zed.tip(d3.event, describe(p))).on('mouseleave', zed.hide).on('click', jump);
		const bar = part(svg.selectAll('.part').data(parts).enter(), 10, 24).attr('stroke', zed.color('paper')).attr('stroke-width', p => wide(p) > 4 ? 1 : 0);

		zed.rove(bar, describe, (p, key) => zed.neighbour(parts, p, key), jump);
		part(svg.selectAll('.of').data(parts.filter(p => shown.includes(p.actor))).enter(), p => top + shown.indexOf(p.actor) * high + 3, high - 6);
		svg.selectAll('.word').data(parts.filter(p => wide(p) > 60)).enter().append('text').attr('class', 'word').attr('x', p => x(p.from) + 5).attr('y', 26)
			.style('fill', p => zed.ink_on(color(p))).text(p => name(p.what, Math.floor((wide(p) - 10) / 7)));
	});
	zed.legend(box.node().parentNode, [...colors].map(([text, color]) => ({ color, text })));
	if (all.length > shown.length)
		d3.select(box.node().parentNode).append('p').attr('class', 'hint').text(`${all.length - shown.length} more who had a part have no lane here`);
};
