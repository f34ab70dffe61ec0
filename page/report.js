// SPDX-License-Identifier: GPL-2.0-or-later
// report: a page of several answers: what sticks out, a time line, a table of contents, then each answer.
'use strict';
zed.findings = function (to, findings) {
	const section = d3.select(to).append('section').attr('data-name', 'findings');

	section.append('h2').text('What sticks out');
	if (!findings.length)
		section.append('p').attr('class', 'hint').text('nothing');
	const items = section.append('ul').attr('class', 'findings').selectAll('li').data(findings).enter().append('li');
	items.append('span').text(f => f.text + ' ');
	items.filter(f => zed.timeline && f.at !== undefined && f.key !== 'cpu').append('button').attr('type', 'button').text('show')
		.attr('aria-label', f => 'show in the time line: ' + f.text).on('click', f => zed.timeline.jump({ from: f.at, to: f.to, pid: f.pid }));
	items.filter(f => zed.data.answers.some(a => a.name === f.answer)).append('a').attr('href', f => '#' + f.answer).text(f => f.answer);
};

zed.contents = function (to, answers) {
	const list = d3.select(to).append('nav').attr('class', 'contents').attr('aria-label', 'contents').append('ul');
	const items = list.selectAll('li').data(answers).enter().append('li');

	items.append('a').attr('href', a => '#' + a.name).text(a => a.name);
	items.append('span').text(a => ' ' + (a.data ? a.purpose : 'has no answer'));
};

zed.part = function (to, a, known) {
	const part = d3.select(to).append('section').attr('class', 'part').attr('id', a.name).attr('aria-label', a.name);

	part.append('h2').attr('class', 'name').text(a.name);
	part.append('p').text(a.purpose);
	part.append('p').attr('class', 'hint').append('code').text(a.command);
	if (a.data)
		zed.answer(part.node(), a.data, known);
	else
		a.why.split('\n').forEach(line => part.append('p').attr('class', 'limit').attr('role', 'note').text(line));
};

zed.body = async function () {
	const d = zed.data, at = name => document.getElementById(name);

	if (at('timeline-data'))
		zed.make_timeline(at('timeline'), await zed.read_timeline(JSON.parse(at('timeline-data').textContent)));
	zed.findings(at('answer'), d.findings);
	zed.contents(at('answer'), d.answers);
	const known = new Set(zed.warning_texts(d));

	d.answers.forEach(a => zed.part(at('tables'), a, known));
	zed.redraw();
	// The place in the address was not there yet when the page was loaded.
	const there = location.hash && at(decodeURIComponent(location.hash.slice(1)));
	if (there)
		there.scrollIntoView();
};
zed.begin();
