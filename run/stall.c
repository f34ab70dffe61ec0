// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stall: notices that the events of all sources wait for one that is silent.
 */
#include "run/stall.h"

#include "base/mono.h"

void stall_look(struct stall *s, const struct merge *m, struct notes *n)
{
	uint64_t watermark = 0, now = mono_ns();
	const struct stream *of = merge_waits_for(m, &watermark);

	if (of != s->of || watermark != s->watermark) {
		*s = (struct stall){ .of = of, .watermark = watermark, .since = now };
		return;
	}
	if (!of || s->said || now - s->since < STALL_NS)
		return;
	s->said = true;
	note_say(n, NOTE_WARN,
		 "%s: nothing has come from it for %u s: the events of the others wait for its own",
		 of->from->path, (unsigned)(STALL_NS / 1000000000));
}
