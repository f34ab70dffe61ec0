// SPDX-License-Identifier: GPL-2.0-or-later
// notes: words pinned to a time: a flag above the lanes, and a list below them. They last as long as the page's tab,
// and are in a saved page.
'use strict';
zed.notes = [];
zed.notes_key = () => `zed notes ${(zed.head.files || []).join()} ${zed.head.base} ${zed.head.length}`;

zed.load_notes = function (notes) {
	let kept = null;

	try {
		kept = JSON.parse(sessionStorage.getItem(zed.notes_key()));
	} catch (e) {
		// A page from a file may have no storage.
	}
	zed.notes = (Array.isArray(kept) ? kept : notes || []).filter(n => n && Number.isFinite(n.at) && typeof n.text === 'string');
	zed.show_notes();
};
zed.keep_notes = function () {
	zed.notes.sort((a, b) => a.at - b.at);
	try {
		sessionStorage.setItem(zed.notes_key(), JSON.stringify(zed.notes));
	} catch (e) {
		// As above: they are then as long there as the page.
	}
	zed.show_notes();
};

zed.show_notes = function () {
	const list = zed.at('notes'), go = n => zed.timeline.jump({ from: n.at, to: n.at, pid: n.pid, cpu: n.cpu });

	list.hidden = !zed.notes.length;
	list.replaceChildren(...zed.notes.map((n, i) => zed.make('li', {}, zed.make('button', { type: 'button', class: 'to', text: zed.time(n.at), title: 'go there', onclick: () => go(n) }), zed.make('span', { text: n.text }),
		zed.button('\u00d7', `delete the note '${n.text}'`, () => { zed.notes.splice(i, 1); zed.keep_notes(); }))));
	zed.at('flags').replaceChildren(...zed.notes.map(n => zed.make('button', { type: 'button', class: 'flag', 'data-at': n.at, title: n.text, 'aria-label': `note at ${zed.time(n.at)}: ${n.text}`, tabindex: -1, onclick: () => go(n) })));
	zed.place_marks(zed.view);
};

// A field for a note at the cursor, what was chosen, or the middle.
zed.new_note = function () {
	const p = zed.state.pick, at = Math.round(p && p.kind === 'event' ? p.at : p && p.what !== 'task' ? p.from : zed.view.cursor !== null ? zed.view.cursor : (zed.view.from + zed.view.to) / 2);
	const list = zed.at('notes'), field = zed.make('input', { type: 'text', class: 'note-field', maxlength: 300, 'aria-label': `note at ${zed.time(at)}`, placeholder: `note at ${zed.time(at)}` });
	const done = keep => {
		const text = field.value.trim();

		item.remove();
		list.hidden = !zed.notes.length;
		if (keep && text) {
			zed.notes.push({ at, text, pid: p ? p.pid : undefined, cpu: p ? p.cpu : undefined });
			zed.keep_notes();
			zed.say('note pinned');
		}
	};
	const item = zed.make('li', {}, field, zed.button('pin', 'pin the note (Enter)', () => done(true)), zed.button('\u00d7', 'no note (Escape)', () => done(false)));

	field.addEventListener('keydown', e => {
		if (e.key === 'Enter' || e.key === 'Escape') {
			e.preventDefault();
			e.stopPropagation();
			done(e.key === 'Enter');
		}
	});
	list.hidden = false;
	list.append(item);
	field.focus();
};
