// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stats: the kernel's statistics of a CPU: over resets, and as text with the counts of a part of a
 * run.
 */
#include "base/mem.h"
#include "kernel/session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Does the kernel count anew since T->last? */
static bool is_reset(struct stats_total *t, const struct cpu_stats *st, unsigned noticed)
{
	const struct cpu_stats *last = &t->last;
	bool lower = st->read < last->read || st->overrun < last->overrun ||
		     st->commit_overrun < last->commit_overrun || st->dropped < last->dropped;
	bool more = noticed != t->noticed, known = more && t->ahead;

	t->ahead = !more && (t->ahead || lower);
	t->noticed = noticed;
	return lower || (more && !known);
}

void stats_total_take(struct stats_total *t, struct cpu_stats *st, unsigned noticed)
{
	struct cpu_stats *last = &t->last, *kept = &t->kept;

	if (is_reset(t, st, noticed)) {
		kept->read += last->read;
		kept->overrun += last->overrun;
		kept->commit_overrun += last->commit_overrun;
		kept->dropped += last->dropped;
		t->reset = true;
	}
	*last = *st;
	st->read += kept->read;
	st->overrun += kept->overrun;
	st->commit_overrun += kept->commit_overrun;
	st->dropped += kept->dropped;
}

char *session_stats_since(const char *all, const struct cpu_stats *now,
			  const struct cpu_stats *since, bool last)
{
	const struct {
		const char *key;
		uint64_t value;
	} lines[] = {
		{ "entries: ", last ? now->entries : 0 },
		{ "overrun: ", last ? now->overrun - since->overrun : 0 },
		{ "commit overrun: ", now->commit_overrun - since->commit_overrun },
		{ "dropped events: ", now->dropped - since->dropped },
		{ "read events: ", now->read - since->read },
	};
	char *text = NULL;
	size_t size = 0;
	FILE *f = mem_check(open_memstream(&text, &size));

	for (const char *p = all; *p;) {
		size_t len = strcspn(p, "\n");
		bool ours = false;

		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && !ours; i++) {
			ours = !strncmp(p, lines[i].key, strlen(lines[i].key));
			if (ours)
				fprintf(f, "%s%" PRIu64 "\n", lines[i].key, lines[i].value);
		}
		if (!ours)
			fprintf(f, "%.*s\n", (int)len, p);
		p += len + (p[len] == '\n');
	}
	mem_close(f);
	return text;
}

char *session_stats_add(char *text, const char *key, uint64_t count)
{
	size_t len = text ? strlen(text) : 0;
	char line[64];

	if (!count || !text)
		return text;
	snprintf(line, sizeof(line), "%s: %" PRIu64 "\n", key, count);
	text = mem_realloc(text, len + strlen(line) + 1);
	memcpy(text + len, line, strlen(line) + 1);
	return text;
}
