// SPDX-License-Identifier: GPL-2.0-or-later
// main: the page of one answer.
'use strict';
zed.body = async function () {
	const d = zed.data, at = name => document.getElementById(name);

	if (at('timeline-data'))
		zed.make_timeline(at('timeline'), await zed.read_timeline(JSON.parse(at('timeline-data').textContent)));
	zed.fill({ answer: at('answer'), pictures: at('pictures'), pair: at('pair'), tables: at('tables') }, d);
	// Pictures that share a row have less room than when the first of them was drawn.
	zed.redraw();
};
zed.begin();
