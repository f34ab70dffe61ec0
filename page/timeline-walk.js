// SPDX-License-Identifier: GPL-2.0-or-later
// timeline-walk: the time line without a mouse: a lane is chosen, then its stretches one after the other; each is marked,
// and said in words.
'use strict';
zed.stretches = function (t, lane) { return (lane.kind === 'cpu' ? t.slices[lane.index] : t.pieces.get(lane.person)) || []; };

// The lane BY lanes further down; at first the uppermost.
zed.walk_lane = function (view, by) {
	view.at = view.at === undefined ? 0 : Math.max(0, Math.min(view.lanes.length - 1, view.at + by));
	view.probe = null;
	return view.lanes[view.at];
};

// The stretch of that lane after the last one (by 1) or before it (by -1), at first from the middle of the view on; undef:
// there is none.
zed.walk_stretch = function (view, by) {
	const lane = view.lanes[view.at] || zed.walk_lane(view, 0), list = zed.stretches(view.t, lane), middle = (view.from + view.to) / 2;
	const next = list[view.probe ? list.indexOf(view.probe) + by : zed.find(list.length, i => list[i].to, middle) - (by < 0 ? 1 : 0)];

	view.probe = next || view.probe;
	return next;
};

zed.draw_probe = function (view, g) {
	const lane = view.lanes[view.at], p = view.probe, x = time => view.left + (time - view.from) / (view.to - view.from) * (view.width - view.left);

	if (!lane || !p || p.to < view.from || p.from > view.to)
		return;
	const left = Math.max(view.left, x(p.from)), right = Math.min(view.width, x(p.to));

	g.strokeStyle = zed.color('mark');
	g.lineWidth = 2;
	g.strokeRect(left - 1, lane.y - 1, Math.max(3, right - left + 2), lane.height + 2);
};
