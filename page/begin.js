// SPDX-License-Identifier: GPL-2.0-or-later
// begin: what every page begins with: its data, its head; then zed.body draws it, and again when the width, the colours
// or the paper change.
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
	zed.warnings('#lost', d);
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
	document.documentElement.dataset.ready = '1';
};
