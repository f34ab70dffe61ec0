// SPDX-License-Identifier: GPL-2.0-or-later
// main: puts a page together from its data, and draws it again when the width, the colours or the paper change.
'use strict';
zed.head = function () {
	const d = zed.data, facts = d3.select('#facts');
	const fact = (name, value) => value !== undefined && value !== '' && (facts.append('b').text(value), facts.append('span').text(name + '   '));

	d3.select('h1').text(d.script + (d.what ? ': ' + d.what : ''));
	if (d.start !== undefined)
		facts.append('b').text(zed.duration(d.end - d.start)), facts.append('span').text(` from ${zed.time(d.start)} to ${zed.time(d.end)}${d.asked ? '; ' + d.asked : ''}. `);
	else
		facts.append('span').text('no events. ');
	fact(d.trace.cpus === 1 ? ' CPU. ' : ' CPUs. ', d.trace.cpus);
	if (d.trace.file)
		facts.append('span').text('From '), facts.append('b').text(d.trace.file), facts.append('span').text('. ');
	if (d.trace.uname)
		facts.append('span').text(d.trace.uname + '. ');
	if (d.lost_text)
		d3.select('#lost').append('p').attr('class', 'limit lost').attr('role', 'note').text(`Lost: ${d.lost_text}; what they may have hidden is left out.`);
	zed.limits('#lost', d.notes);
};

zed.body = async function () {
	const d = zed.data, at = name => document.getElementById(name);
	const drawn = new Set(d.pictures.filter(p => p.kind === 'histogram').map(p => p.name));
	const tables = d.tables.filter(t => !drawn.has(t.name) || !t.columns.some(c => c.key === 'bar'));
	const shown = d.limit || 20, worst = tables.findIndex(t => t.name === 'worst');

	if (at('timeline-data'))
		zed.make_timeline(at('timeline'), await zed.read_timeline(JSON.parse(at('timeline-data').textContent)));
	// The worst cases come first: what happens once is not in sums.
	if (worst > 0)
		zed.table(at('answer'), tables.splice(worst, 1)[0], Math.min(shown, 3));
	if (tables.length)
		zed.table(at('answer'), tables[0], Math.min(shown, 12));
	d.pictures.forEach(p => zed[p.kind](at(p.kind === 'histogram' || p.kind === 'heat' ? 'pair' : 'pictures'), p));
	tables.slice(1).forEach(t => zed.table(at('tables'), t, t.whole ? 200 : shown));
	const below = d.notes.filter(n => !zed.is_limit(n));

	if (below.length) {
		const section = d3.select(at('tables')).append('section').attr('data-name', 'notes');

		section.append('h2').text('Limits of this answer');
		section.append('ul').attr('class', 'notes').selectAll('li').data(below).enter().append('li').text(zed.sentence);
	}
	// Pictures that share a row have less room than when the first of them was drawn.
	zed.redraw();
};

zed.begin = async function () {
	zed.data = JSON.parse(document.getElementById('data').textContent);
	zed.head();
	await zed.body();
	let width = innerWidth, asked = false;

	const again = () => {
		if (!asked)
			requestAnimationFrame(() => { asked = false; zed.redraw(); });
		asked = true;
	};
	addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; again(); } });
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', zed.redraw);
	addEventListener('beforeprint', () => { zed.printing = true; zed.redraw(); });
	addEventListener('afterprint', () => { zed.printing = false; zed.redraw(); });
	addEventListener('keydown', e => { if (e.key === 'Escape') zed.hide(); });
};
zed.begin().then(() => { document.documentElement.dataset.ready = '1'; });
