// SPDX-License-Identifier: GPL-2.0-or-later
// find: the next or previous event of a task, a pid, a name of an event, or for which an expression is true.
'use strict';
zed.find_from = null;	// the last match: its time, and its number among the matches of that time

zed.find_event = zed.newest(async (signal, dir) => {
	const what = zed.at('find-what').value.trim(), pick = zed.state.pick, before = zed.find_from && zed.find_from.what === what && pick && pick.kind === 'event' && pick.at === zed.find_from.at ? zed.find_from : null;

	if (!what)
		return;
	const at = before ? before.at : pick && pick.kind === 'event' ? pick.at : dir > 0 ? Math.floor(zed.state.view[0]) : Math.ceil(zed.state.view[1]);

	try {
		const { row, error } = await zed.provider.find({ what, at, row: before ? before.row : undefined, dir }, signal);

		zed.at('trouble').replaceChildren();
		if (error)
			return zed.show_fault(zed.at('trouble'), zed.fault(error.text || String(error)));
		if (!row)
			return zed.show_fault(zed.at('trouble'), zed.fault(`no ${dir > 0 ? 'later' : 'earlier'} event of '${what}'`, before || at > 0 && dir > 0 ? 'The search begins where the view does: show the whole trace to search all of it.' : ''));
		zed.find_from = { what, at: row.at, row: row.row };
		zed.go_to_event(row);
	} catch (e) {
		if (zed.is_abort(e))
			throw e;
		zed.show_fault(zed.at('trouble'), e, () => zed.find_event(dir));
	}
});

zed.make_find = function () {
	zed.at('find').addEventListener('submit', e => { e.preventDefault(); zed.find_event(1); });
	zed.at('find-before').addEventListener('click', () => zed.find_event(-1));
	zed.at('find-what').addEventListener('keydown', e => {
		if (e.key === 'Enter' && e.shiftKey) {
			e.preventDefault();
			zed.find_event(-1);
		}
		if (e.key === 'Escape')
			e.target.blur();
	});
};
