// SPDX-License-Identifier: GPL-2.0-or-later
// flame: stacks as a flame graph: the outermost frame at the top, as wide as all that was below it; a click, or the
// Enter key, makes a frame the whole width.
'use strict';
zed.flame_tree = function (stacks) {
	const root = { name: 'all', value: 0, children: new Map() };

	for (const [stack, weight] of stacks) {
		let at = root;

		for (const name of stack.split(';')) {
			if (!at.children.has(name))
				at.children.set(name, { name, value: 0, children: new Map() });
			at = at.children.get(name);
		}
		at.value += weight;
	}
	return d3.hierarchy(root, d => [...d.children.values()]).sum(d => d.value).sort((a, b) => b.value - a.value || (a.data.name < b.data.name ? -1 : 1));
};

zed.flame = function (to, picture) {
	const box = zed.section(to, picture.title, picture.name, 'the outermost frame above; width: ' + (picture.unit === 'ns' ? 'time' : picture.unit) + '; a click makes a frame the whole width, Escape goes back');
	const tree = zed.flame_tree(picture.stacks), total = tree.value, high = 18;
	const amount = v => picture.unit === 'ns' ? zed.duration(v) : `${zed.count(v)} ${picture.unit}`;
	let root = tree;

	function draw() {
		const width = Math.max(240, box.node().clientWidth), least = root.value / width / 2;
		const above = root.ancestors().slice(1).reverse(), frames = [];

		above.forEach((d, depth) => frames.push({ d, x: 0, w: 1, depth }));
		(function place(d, x, depth) {
			frames.push({ d, x, w: d.value / root.value, depth });
			let at = x;

			for (const c of d.children || []) {
				if (c.value >= least)
					place(c, at, depth + 1);
				at += c.value / root.value;
			}
		})(root, 0, above.length);
		const height = high * (1 + d3.max(frames, f => f.depth)) + 2;
		const svg = zed.svg(box, height, `${picture.title}: ${amount(total)} in ${picture.stacks.length} stacks`), room = svg.property('room');
		const zoom = f => { root = f.d; zed.hide(); draw(); };
		const dark = zed.is_dark();
		const g = svg.selectAll('.frame').data(frames).enter().append('g').attr('class', 'frame').attr('tabindex', 0).attr('role', 'button')
			.attr('aria-label', f => `${f.d.data.name}, ${amount(f.d.value)}`).attr('transform', f => `translate(${(f.x * room).toFixed(2)},${f.depth * high + 1})`)
			.on('click', zoom).on('keydown', f => { if (d3.event.key === 'Enter') zoom(f); if (d3.event.key === 'Escape') { root = tree; draw(); } })
			.on('mousemove', f => zed.tip(d3.event, `${f.d.data.name}\n${amount(f.d.value)}, ${zed.percent(f.d.value / total)} %`)).on('mouseleave', zed.hide);

		g.append('rect').attr('width', f => Math.max(0.5, f.w * room - 0.6)).attr('height', high - 1).attr('rx', 1.5)
			.attr('fill', f => f.depth < above.length ? zed.color('line') : d3.hsl(18 + zed.hue(f.d.data.name) % 40, 0.75, dark ? 0.6 : 0.68));
		g.filter(f => f.w * room > 30).append('text').attr('x', 4).attr('y', 13).text(f => {
			const letters = Math.floor((f.w * room - 8) / 7.4);

			return f.d.data.name.length > letters ? f.d.data.name.slice(0, Math.max(1, letters - 1)) + '\u2026' : f.d.data.name;
		}).filter(f => f.depth < above.length).style('fill', zed.color('ink'));
	}
	zed.draw(draw);
};
