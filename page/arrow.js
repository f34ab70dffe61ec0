// SPDX-License-Identifier: GPL-2.0-or-later
// arrow: from one place of a canvas to another, bent where both are on one line.
'use strict';
zed.paint_arrow = function (g, x0, y0, x1, y1, color) {
	const lift = y0 === y1 ? 14 : 0;

	g.strokeStyle = g.fillStyle = color;
	g.lineWidth = 1.5;
	g.beginPath();
	g.moveTo(x0, y0);
	g.bezierCurveTo(x0 + (x1 - x0) / 3, y0 - lift, x1 - (x1 - x0) / 3, y1 - lift, x1, y1);
	g.stroke();
	g.beginPath();
	g.arc(x0, y0, 2.5, 0, 7);
	g.fill();
	g.beginPath();
	g.moveTo(x1 + 1, y1);
	g.lineTo(x1 - 6, y1 - 3.5);
	g.lineTo(x1 - 6, y1 + 3.5);
	g.fill();
};
