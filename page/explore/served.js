// SPDX-License-Identifier: GPL-2.0-or-later
// served: the answers of the server that the page came from. Each question is a GET below the page's own address; its
// times are ns (or ticks) after the trace's first event. saved.js has the same functions for a page without a server.
'use strict';
zed.served = function () {
	const pause = (ms, signal) => new Promise((done, fail) => {
		setTimeout(done, ms);
		if (signal)
			signal.addEventListener('abort', () => fail(new DOMException('', 'AbortError')));
	});

	async function ask(what, q, signal, turns = 0) {
		const words = Object.entries(q || {}).filter(([, v]) => v !== undefined && v !== null && v !== '')
			.map(([k, v]) => k + '=' + encodeURIComponent(v)).join('&');
		let reply, answer;

		try {
			reply = await fetch(what + (words && '?' + words), { signal, cache: 'no-store', credentials: 'omit' });
		} catch (e) {
			if (zed.is_abort(e))
				throw e;
			throw zed.fault('the server does not answer', 'It ends with Ctrl-C, and an hour after its last page was closed. Start it again: zedperl explore, and open the address that it prints.');
		}
		// More questions wait than the server keeps.
		if (reply.status === 503 && turns < 5) {
			await pause(200 << turns, signal);
			return ask(what, q, signal, turns + 1);
		}
		try {
			answer = await reply.json();
		} catch (e) {
			if (zed.is_abort(e))
				throw e;
			answer = null;
		}
		if (answer && typeof answer.error === 'string')
			throw zed.fault(answer.error);
		if (!reply.ok || !answer || typeof answer !== 'object')
			throw zed.fault(`the server's answer to '${what}' cannot be read (status ${reply.status})`, 'Is another server there by now? Open the address that zedperl explore printed.');
		return answer;
	}

	return {
		is_saved: false,
		head: signal => ask('head', {}, signal),
		findings: signal => ask('findings', {}, signal),
		lanes: (q, signal) => ask('lanes', q, signal),
		events: (q, signal) => ask('events', q, signal),
		find: (q, signal) => ask('find', q, signal),
		answer: (q, signal) => ask('answer', q, signal),
		alive: () => ask('alive').catch(() => null),
	};
};
