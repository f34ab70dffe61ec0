// SPDX-License-Identifier: GPL-2.0-or-later
// flame: stacks as a flame graph: the outermost frame at the top, as wide as all that was below it; a click, or the
// Enter key, makes a frame the whole width. Frames with the words that are searched for are marked. The picture is as
// high as the longest stack with a share of a pixel.
'use strict';
// PICTURE.rest: n stacks that it has no room for, and their weight: not a function, and last.
zed.flame_tree = function (picture) {
	const root = { name: 'all', value: 0, children: new Map() }, rest = picture.rest;

	for (const [stack, weight] of picture.stacks) {
		let at = root;

		for (const name of stack.split(';')) {
			if (!at.children.has(name))
				at.children.set(name, { name, value: 0, children: new Map() });
			at = at.children.get(name);
		}
		at.value += weight;
	}
	if (rest)
		root.children.set(rest, { name: `(${zed.count(rest.n)} other stack${rest.n === 1 ? '' : 's'})`, value: rest.weight, rest: true, children: new Map() });
	return d3.hierarchy(root, d => [...d.children.values()]).sum(d => d.value)
		.sort((a, b) => !!a.data.rest - !!b.data.rest || b.value - a.value || (a.data.name < b.data.name ? -1 : 1));
};

// ROOT and what is below it, as far as it is a pixel wide, with the frames that ROOT is in above it: x and w are shares of
// the width.
zed.flame_frames = function (root, width) {
	const above = root.ancestors().slice(1).reverse(), frames = above.map((d, depth) => ({ d, x: 0, w: 1, depth, above: true }));
	const todo = [{ d: root, x: 0, w: 1, depth: above.length }];

	while (todo.length) {
		const f = todo.pop(), below = [];
		let x = f.x;

		frames.push(f);
		for (const d of f.d.children || []) {
			const w = d.value / root.value;

			if (w * width >= 1)
				below.push({ d, x, w, depth: f.depth + 1 });
			x += w;
		}
		todo.push(...below.reverse());
	}
	return frames;
};

// Does D's name have all WORDS?  The weight of all below D, itself included, that is in such a frame.
zed.flame_has = function (d, words) {
	return d.parent && !d.data.rest && words.length > 0 && words.every(w => d.data.name.toLowerCase().includes(w));
};
zed.flame_found = function (d, words) {
	return zed.flame_has(d, words) ? d.value : d3.sum(d.children || [], c => zed.flame_found(c, words));
};

zed.flame = function (to, picture) {
	const box = zed.section(to, picture.title, picture.name, 'the outermost frame above; width: ' + (picture.unit === 'ns' ? 'time' : picture.unit) + '; a click makes a frame the whole width, Escape goes back');
	const tree = zed.flame_tree(picture), total = tree.value, high = 18;
	const amount = v => picture.unit === 'ns' ? zed.duration(v) : `${zed.count(v)} ${picture.unit}`;
	const share = d => `${zed.percent(d.value / total)} %`;
	const bar = d3.select(box.node().parentNode).insert('div', '.picture').attr('class', 'bar');
	let root = tree, words = [];

	bar.append('input').attr('type', 'search').attr('placeholder', 'search').attr('aria-label', `search functions of ${picture.title}`)
		.on('input', function () {
			words = this.value.toLowerCase().split(/\s+/).filter(w => w);
			said.text(words.length ? `${zed.percent(zed.flame_found(tree, words) / total)} % in functions with this name` : '');
			draw();
		});
	const said = bar.append('span').attr('class', 'hint').attr('role', 'status');

	// As much of its name and its share as there is room for.
	function label(f, room) {
		const letters = Math.floor((f.w * room - 8) / 7.4), name = f.d.data.name, both = `${name} ${share(f.d)}`;

		return both.length <= letters ? both : name.length <= letters ? name : name.slice(0, Math.max(1, letters - 1)) + '\u2026';
	}
	// By an arrow: the frame around it, the widest in it, or one beside it.
	function beside(frames, f, key) {
		const of = d => frames.find(g => g.d === d), row = frames.filter(g => g.depth === f.depth).sort((a, b) => a.x - b.x);

		return key === 'ArrowUp' ? of(f.d.parent) : key === 'ArrowDown' ? frames.find(g => g.d.parent === f.d) : zed.neighbour(row, f, key);
	}

	function draw() {
		const frames = zed.flame_frames(root, Math.max(240, box.node().clientWidth)), height = high * (1 + d3.max(frames, f => f.depth)) + 2;
		const svg = zed.svg(box, height, `${picture.title}: ${amount(total)} in ${picture.stacks.length + (picture.rest ? picture.rest.n : 0)} stacks`), room = svg.property('room');
		const found = f => zed.flame_has(f.d, words), color = zed.flame_colors(found), describe = f => `${f.d.data.name}\n${amount(f.d.value)}, ${share(f.d)}`;
		const g = svg.selectAll('.frame').data(frames).enter().append('g').attr('class', 'frame').classed('found', found).classed('rest', f => !!f.d.data.rest)
			.attr('transform', f => `translate(${(f.x * room).toFixed(2)},${f.depth * high + 1})`)
			.on('click', zoom).on('mousemove', f => zed.tip(d3.event, describe(f))).on('mouseleave', zed.hide);

		zed.rove(g, describe, (f, key) => beside(frames, f, key), f => zoom(f, true));
		g.on('keydown.back', () => d3.event.key === 'Escape' && zoom({ d: tree }, true));
		g.append('rect').attr('width', f => Math.max(0.5, f.w * room - 0.6)).attr('height', high - 1).attr('rx', 1.5).attr('fill', color);
		g.filter(f => f.w * room > 30).append('text').attr('x', 4).attr('y', 13).text(f => label(f, room))
			.style('fill', f => zed.ink_on(color(f)));
		return g;
	}
	// KEPT: the keyboard stays at the frame.
	function zoom(f, kept) {
		root = f.d;
		zed.hide();
		const frame = draw().filter(g => g.d === root).node();

		if (kept === true)
			frame.focus();
	}
	zed.draw(draw);
};

// The colour of a frame, as the sheet is now: functions of one name have one, of some from amber to yellow.
zed.flame_colors = function (found) {
	const [first, last, rest, above, marked] = ['flame-a', 'flame-b', 'flame-rest', 'line', 'found'].map(zed.color);
	const some = d3.quantize(d3.interpolateLab(first, last), 16);

	return f => found(f) ? marked : f.d.data.rest ? rest : f.above ? above : some[zed.number_of(f.d.data.name, 16)];
};
