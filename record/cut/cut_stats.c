// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cut_stats: what the kernel counted of a recording, less the events that a cut leaves out.
 */
#include "record/cut/cut_stats.h"

#include "base/mem.h"
#include "trace/cpustat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE "left out:"
#define LINE_MAX 40 /* bytes of ours, its number included */

void cutstats_init(struct cut_stats *t, struct source *s)
{
	t->source = s;
	t->lacks = mem_alloc((s->nstreams + 1) * sizeof(*t->lacks));
	for (unsigned i = 0; i < s->nstreams; i++)
		t->lacks[i] = s->ops->lacks != NULL;
	if (s->ops->lacks)
		s->ops->lacks(s, t->lacks);
}

void cutstats_fini(struct cut_stats *t)
{
	free(t->lacks);
}

/* What the cut leaves out of what ST counts.  A CPU without a stream has nothing to leave out. */
static uint64_t left_out(const struct cut_stats *t, const struct cpustat *st, uint64_t chosen)
{
	uint64_t all = st->entries + st->read;

	for (unsigned i = 0; i < t->source->nstreams; i++)
		if (t->source->streams[i]->from->cpu == st->cpu) {
			uint64_t here = chosen + t->lacks[i] + st->others;

			return all > here ? all - here : 0;
		}
	return st->left_out;
}

/* The lines [P, END) but those of an earlier cut, to TO; returns what follows them. */
static char *copy_lines(char *to, const char *p, const char *end)
{
	while (p < end) {
		const char *nl = memchr(p, '\n', end - p);
		size_t n = (nl ? nl + 1 : end) - p;

		if (n < strlen(LINE) || memcmp(p, LINE, strlen(LINE))) {
			memcpy(to, p, n);
			to += n;
		}
		p += n;
	}
	return to;
}

char *cutstats_text(const struct cut_stats *t, const void *text, size_t len,
		    uint64_t (*chosen)(void *arg, int cpu), void *arg, size_t *out_len)
{
	const char *p = text, *end = p + strnlen(p, len), *at = p;
	size_t blocks = 1;
	struct cpustat st;
	char *out, *to;

	while (cpustat_next(&at, end, &st))
		blocks++;
	to = out = mem_alloc(len + blocks * LINE_MAX + 1);
	while (at = p, cpustat_next(&p, end, &st)) {
		uint64_t n = left_out(t, &st, chosen(arg, st.cpu));

		to = copy_lines(to, at, p);
		if (to > out && to[-1] != '\n')
			*to++ = '\n';
		if (n)
			to += snprintf(to, LINE_MAX, LINE " %" PRIu64 "\n", n);
	}
	to = copy_lines(to, at, end);
	*to++ = '\0';
	*out_len = to - out;
	return out;
}
