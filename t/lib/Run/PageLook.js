// SPDX-License-Identifier: GPL-2.0-or-later
// PageLook: faults in the look of a page, as a list of sentences: parts that are cut off, or cover each other.
(() => {
	const bad = [], width = document.documentElement.clientWidth;
	const name = e => `${e.tagName.toLowerCase()} '${(e.textContent || '').trim().slice(0, 30)}'`;
	const seen = e => { const b = e.getBoundingClientRect(); return b.width > 0 && b.height > 0 && getComputedStyle(e).visibility !== 'hidden'; };
	const all = what => [...document.querySelectorAll(what)].filter(seen);

	if (document.documentElement.scrollWidth > width)
		bad.push(`the page is ${document.documentElement.scrollWidth} wide where ${width} are`);
	for (const e of all('h1, h2, p, li, button, input, svg, canvas, svg text, .legend li, .scroll')) {
		const b = e.getBoundingClientRect();

		if (!e.closest('table') && !e.closest('.tip') && (b.left < -0.5 || b.right > width + 0.5))
			bad.push(`${name(e)} reaches from ${b.left} to ${b.right} where ${width} are`);
		if (!e.closest('.scroll') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth && getComputedStyle(e).overflow !== 'visible')
			bad.push(`${name(e)} is cut`);
	}
	for (const svg of all('svg')) {
		const box = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')].filter(seen);
		const boxes = texts.map(t => t.getBoundingClientRect());

		boxes.forEach((b, i) => {
			if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 2)
				bad.push(`${name(texts[i])} is cut by its picture`);
			for (let k = 0; k < i; k++)
				if (Math.min(b.right, boxes[k].right) - Math.max(b.left, boxes[k].left) > 1 &&
				    Math.min(b.bottom, boxes[k].bottom) - Math.max(b.top, boxes[k].top) > 3)
					bad.push(`${name(texts[i])} covers ${name(texts[k])}`);
		});
	}
	const blocks = all('main section > *').filter(e => !e.matches('.tip'));
	blocks.forEach((e, i) => {
		const b = e.getBoundingClientRect(), next = blocks[i + 1] && blocks[i + 1].getBoundingClientRect();

		if (next && blocks[i + 1].parentNode === e.parentNode && next.top < b.bottom - 1)
			bad.push(`${name(blocks[i + 1])} covers ${name(e)}`);
	});
	return bad;
})()
