// SPDX-License-Identifier: GPL-2.0-or-later
// table: a table that is sorted by a click on a head and filtered by words; rows with a time jump there.
'use strict';
zed.table = function (to, table, shown) {
	const section = d3.select(to).append('section').attr('data-name', table.name);
	const numeric = c => c.type !== 'text';
	const span = row => zed.timeline && row.$span || null;
	let by = null, down = true, words = [], all = table.rows.length <= shown;

	section.append('h2').text(table.title || table.name);
	const bar = section.append('div').attr('class', 'bar');
	if (table.rows.length > 8)
		bar.append('input').attr('type', 'search').attr('placeholder', 'filter').attr('aria-label', 'filter rows of ' + (table.title || table.name))
			.on('input', function () { words = this.value.toLowerCase().split(/\s+/).filter(w => w); fill(); });
	const said = bar.append('span').attr('class', 'hint').attr('role', 'status');
	const more = bar.append('button').attr('type', 'button').on('click', () => { all = !all; fill(); });
	const grid = section.append('div').attr('class', 'scroll').attr('tabindex', 0).attr('role', 'region')
		.attr('aria-label', table.title || table.name).append('table');
	const head = grid.append('thead').append('tr');
	const body = grid.append('tbody'), foot = grid.append('tfoot');
	const jumps = table.rows.some(span);

	if (jumps)
		head.append('th').append('span').attr('class', 'hint').text('');
	const heads = head.selectAll('th.of').data(table.columns).enter().append('th').attr('scope', 'col')
		.attr('class', c => 'of' + (numeric(c) ? ' number' : ''));
	heads.append('button').attr('type', 'button').on('click', c => {
		down = by === c ? !down : numeric(c);
		by = c;
		fill();
	});

	const text = (c, row) => c.type === 'varied' && row.$type === 'share' && row[c.key] !== null ? zed.percent(row[c.key]) + ' %'
		: zed.cell(c.type === 'varied' ? row.$type : c.type, row[c.key]);

	function order(a, b) {
		const x = a[by.key], y = b[by.key];

		if (x === y)
			return 0;
		if (x === null || x === undefined)
			return 1;
		if (y === null || y === undefined)
			return -1;
		return (x < y ? -1 : 1) * (down ? -1 : 1);
	}

	function cells(tr, row) {
		if (jumps) {
			const where = row !== table.all && span(row), td = tr.append('td');

			if (where) {
				tr.attr('class', 'jumps').on('click', () => zed.timeline.jump(where));
				td.append('button').attr('type', 'button').attr('aria-label', 'show in the time line').text('\u2192');
			}
		}
		tr.selectAll('td.of').data(table.columns).enter().append('td')
			.attr('class', c => 'of' + (numeric(c) ? ' number' : text(c, row).length > 48 ? ' wide' : ''))
			.text(c => c.key in row ? text(c, row) : '');
	}

	function fill() {
		const match = row => words.every(w => table.columns.some(c => text(c, row).toLowerCase().includes(w)));
		let rows = words.length ? table.rows.filter(match) : table.rows.slice();

		if (by)
			rows.sort(order);
		const found = rows.length;

		if (!all)
			rows = rows.slice(0, shown);
		// It is about all rows, not about those that are left.
		foot.style('display', words.length ? 'none' : null);
		body.selectAll('tr').remove();
		rows.forEach(row => cells(body.append('tr'), row));
		heads.attr('aria-sort', c => c === by ? down ? 'descending' : 'ascending' : null)
			.select('button').text(c => c.head + (c === by ? down ? ' \u25be' : ' \u25b4' : ''));
		more.style('display', found > shown ? null : 'none').text(all ? 'fewer' : 'all ' + found);
		said.text(words.length ? found + ' of ' + table.rows.length + (table.all ? ' rows; the row of all of them is hidden' : '') : table.left ? table.rows.length + ' rows; ' + table.left + ' more are not on this page' : '');
		bar.style('display', table.rows.length > 8 || table.left || found > shown ? null : 'none');
	}

	if (table.all)
		cells(foot.append('tr'), table.all);
	if (!table.rows.length)
		section.append('p').attr('class', 'hint').text('none');
	zed.draw(fill);
	return section;
};
