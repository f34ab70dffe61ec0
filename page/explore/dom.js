// SPDX-License-Identifier: GPL-2.0-or-later
// dom: elements, what is said to those who listen, and how a failure is shown. Texts are always text nodes.
'use strict';
zed.at = id => document.getElementById(id);

// An element; WHAT: its attributes, `text`, and functions for events (onclick). No style attribute: the policy has no
// room for one, and the CSSOM is used instead.
zed.make = function (tag, what, ...inside) {
	const e = document.createElement(tag);

	for (const [name, value] of Object.entries(what || {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (name === 'text')
			e.textContent = value;
		else if (name.startsWith('on'))
			e.addEventListener(name.slice(2), value);
		else
			e.setAttribute(name, value === true ? '' : value);
	}
	e.append(...inside.filter(i => i));
	return e;
};
zed.button = (text, label, f) => zed.make('button', { type: 'button', text, title: label, 'aria-label': label, onclick: f });

// For screen readers: the same text twice is said twice.
zed.say = function (text) {
	const said = zed.at('said');

	said.textContent = '';
	requestAnimationFrame(() => { said.textContent = text; });
};

// A failure that the user can do something about: what is wrong, and the next step.
zed.fault = (text, next) => Object.assign(new Error(text), { next });
zed.is_abort = e => e.name === 'AbortError';

// Shows FAULT in BOX, with a way to try AGAIN.
zed.show_fault = function (box, fault, again) {
	box.replaceChildren(zed.make('div', { class: 'fault', role: 'alert' },
		zed.make('b', { text: zed.capital(fault.message) }),
		fault.next && zed.make('span', { text: ' ' + fault.next }),
		again && zed.make('button', { type: 'button', text: 'try again', onclick: again })));
};
zed.capital = text => text.slice(0, 1).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

// Copies TEXT, and says so on the BUTTON; where the browser refuses, TEXT is shown to be copied by hand.
zed.copy = async function (button, text) {
	const was = button.textContent;

	try {
		await navigator.clipboard.writeText(text);
		button.textContent = 'copied';
		zed.say('copied');
		setTimeout(() => { button.textContent = was; }, 1500);
	} catch (e) {
		const field = zed.make('input', { class: 'to-copy', readonly: true, value: text, 'aria-label': 'to copy' });

		button.after(field);
		field.select();
		field.addEventListener('blur', () => field.remove());
	}
};

// Pictures of one OWNER (a panel): what it drew before is no longer drawn again when colours or widths change.
zed.owners = new Map();
zed.within = function (owner, make) {
	zed.drawn = [];
	try {
		make();
	} finally {
		zed.owners.set(owner, zed.drawn);
		zed.drawn = [].concat(...zed.owners.values());
	}
};

// Calls F once, WAIT ms after the last call.
zed.debounced = function (wait, f) {
	let timer = 0;

	return (...with_) => {
		clearTimeout(timer);
		timer = setTimeout(f, wait, ...with_);
	};
};

// Only the newest of several requests counts: each call ends the one before it.
zed.newest = function (f) {
	let control = null;

	return async (...with_) => {
		if (control)
			control.abort();
		const mine = control = new AbortController();

		try {
			return await f(mine.signal, ...with_);
		} catch (e) {
			if (mine === control && !zed.is_abort(e))
				throw e;
			return undefined;
		}
	};
};
