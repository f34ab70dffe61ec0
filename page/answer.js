// SPDX-License-Identifier: GPL-2.0-or-later
// answer: one analysis's answer, its warnings, tables, pictures and limits, into places of a page.
'use strict';
zed.sentence = function (n) { return (n.n === undefined ? '' : n.n + ' ') + n.text; };
zed.is_limit = function (n) { return n.level || n.key === 'nothing'; };

// What changes how the answer is read: losses, and notes with a level; unless it was said by KNOWN, of all answers.
zed.warnings = function (to, d, known) {
	const said = (type, text) => known && known.has(text) || d3.select(to).append('p').attr('class', type).attr('role', 'note').text(text);

	zed.loss_texts(d).forEach(text => said('limit lost', text));
	d.notes.filter(zed.is_limit).forEach(n => said('limit', zed.sentence(n)));
};
zed.loss_texts = function (d) { return d.lost_text ? [`Lost: ${d.lost_text}; what they may have hidden is left out.`] : []; };
zed.warning_texts = function (d) { return zed.loss_texts(d).concat(d.notes.filter(zed.is_limit).map(zed.sentence)); };

// PLACES: elements for the first table (answer), wide pictures, narrow ones (pair), further tables.
zed.fill = function (places, d) {
	const drawn = new Set(d.pictures.filter(p => p.kind === 'histogram').map(p => p.name));
	const tables = d.tables.filter(t => !drawn.has(t.name) || !t.columns.some(c => c.key === 'bar'));
	const shown = d.limit || 20, worst = tables.findIndex(t => t.name === 'worst'), below = d.notes.filter(n => !zed.is_limit(n));

	// The worst cases come first: what happens once is not in sums.
	if (worst > 0)
		zed.table(places.answer, tables.splice(worst, 1)[0], Math.min(shown, 3));
	if (tables.length)
		zed.table(places.answer, tables[0], Math.min(shown, 12));
	d.pictures.forEach(p => zed[p.kind](p.kind === 'histogram' || p.kind === 'heat' ? places.pair : places.pictures, p));
	tables.slice(1).forEach(t => zed.table(places.tables, t, t.whole ? 200 : shown));
	if (below.length) {
		const section = d3.select(places.tables).append('section').attr('data-name', 'notes');

		section.append('h2').text('Limits of this answer');
		section.append('ul').attr('class', 'notes').selectAll('li').data(below).enter().append('li').text(zed.sentence);
	}
};

// All of an answer, into the element TO; KNOWN: warnings that stand elsewhere.
zed.answer = function (to, d, known) {
	const place = type => d3.select(to).append('div').attr('class', type).node();

	zed.warnings(place('warnings'), d, known);
	zed.fill({ answer: place('answer'), pictures: place('pictures'), pair: place('pair'), tables: place('tables') }, d);
};
