// SPDX-License-Identifier: GPL-2.0-or-later
// table: a table that is sorted by a click on a head and filtered by words; rows with a time jump there. The row of all
// rows is that of those which are left.
'use strict';

// How a column's value of all rows comes from those of ROWS: the names of columns tell, as they are the same in all tables.
zed.sum_rules = {
	sum: (rows, key) => d3.sum(rows, r => r[key]),
	max: (rows, key) => d3.max(rows, r => r[key]),
	min: (rows, key) => d3.min(rows, r => r[key]),
	mean: rows => { const n = d3.sum(rows, r => r.n); return n ? d3.sum(rows, r => r.total) / n : null; },
};
zed.sum_rule = function (key) {
	return /^p\d/.test(key) ? null : /^(?:max|longest)/.test(key) ? 'max' : /^min/.test(key) ? 'min' : key === 'avg' ? 'mean' : 'sum';
};

// Those of TABLE's columns whose rule gives what the table says of all: only these can be said of some rows. A percentile,
// or a number of tasks that several rows share, is none.
zed.summed = function (table) {
	const rules = new Map();

	for (const c of table.columns) {
		const rule = c.type === 'text' || !(c.key in table.all) ? null : zed.sum_rule(c.key), is = table.all[c.key];
		const got = rule && zed.sum_rules[rule](table.rows, c.key);

		if (typeof is === 'number' && typeof got === 'number' && Math.abs(got - is) <= 1e-9 * Math.abs(is))
			rules.set(c.key, rule);
	}
	return rules;
};

// The row of all, of ROWS.
zed.all_of = function (table, rules, rows) {
	const all = {}, named = table.columns.find(c => c.type === 'text' && table.all[c.key]);

	for (const { key } of table.columns)
		if (key in table.all)
			all[key] = rules.has(key) ? zed.sum_rules[rules.get(key)](rows, key) : null;
	if (named)
		all[named.key] = `${table.all[named.key]} of ${rows.length} row${rows.length === 1 ? '' : 's'}`;
	return all;
};

zed.table = function (to, table, shown) {
	const section = d3.select(to).append('section').attr('data-name', table.name);
	const numeric = c => c.type !== 'text';
	const span = row => zed.timeline && row.$span || null;
	const sorted = table.sorted && table.columns.find(c => c.key === table.sorted.key), rules = table.all && zed.summed(table);
	let by = null, down = true, words = [], all = table.rows.length <= shown;

	section.append('h2').text(table.title || table.name);
	if (!table.rows.length) {
		section.append('p').attr('class', 'hint').text('none');
		return section;
	}
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
		down = c === (by || sorted) ? !is_down() : numeric(c);
		by = c;
		fill();
	});
	// As it came, until the reader sorts it.
	const is_down = () => by || !sorted ? down : !!table.sorted.down;

	const type = (c, row) => c.type === 'varied' ? row.$type : c.type;
	const text = (c, row) => c.type === 'varied' && row.$type === 'share' && row[c.key] !== null ? zed.percent(row[c.key]) + ' %'
		: zed.cell(type(c, row), row[c.key]);
	const exact = (c, row) => { const t = zed.exact(type(c, row), row[c.key]); return t && t !== text(c, row) ? t : null; };

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

	function cells(tr, row, is_all) {
		if (jumps) {
			const where = !is_all && span(row), td = tr.append('td');

			if (where) {
				tr.attr('class', 'jumps').on('click', () => zed.timeline.jump(where));
				td.append('button').attr('type', 'button').attr('aria-label', 'show in the time line').text('\u2192');
			}
		}
		tr.selectAll('td.of').data(table.columns).enter().append('td')
			.attr('class', c => 'of' + (numeric(c) ? ' number' : text(c, row).length > 48 ? ' wide' : ''))
			.attr('title', c => exact(c, row)).text(c => c.key in row ? text(c, row) : '');
	}

	function fill() {
		const match = row => words.every(w => table.columns.some(c => text(c, row).toLowerCase().includes(w)));
		let rows = words.length ? table.rows.filter(match) : table.rows.slice();

		if (by)
			rows.sort(order);
		const found = rows.length, marked = by || sorted;

		foot.selectAll('tr').remove();
		if (table.all)
			cells(foot.append('tr'), words.length ? zed.all_of(table, rules, rows) : table.all, true);
		if (!all)
			rows = rows.slice(0, shown);
		body.selectAll('tr').remove();
		rows.forEach(row => cells(body.append('tr'), row));
		heads.attr('aria-sort', c => c === marked ? is_down() ? 'descending' : 'ascending' : null)
			.select('button').text(c => c.head + (c === marked ? is_down() ? ' \u25be' : ' \u25b4' : ''));
		more.style('display', found > shown ? null : 'none').text(all ? 'fewer' : 'all ' + found);
		said.text(words.length ? `${found} of ${table.rows.length} rows` : table.left ? table.rows.length + ' rows; ' + table.left + ' more are not on this page' + (table.more ? ': ' + table.more : '') : '');
		bar.style('display', table.rows.length > 8 || table.left || found > shown ? null : 'none');
	}

	zed.draw(fill);
	return section;
};
