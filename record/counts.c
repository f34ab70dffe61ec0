// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counts: the kernel's statistics of a recording, and how much of what they count is in its output.
 */
#include "record/counts.h"

#include "base/mem.h"
#include "kernel/session/others.h"

#include <stdlib.h>
#include <string.h>

void counts_init(struct counts *t, struct session *s, struct notes *notes)
{
	*t = (struct counts){ .s = s, .notes = notes };
	t->n = session_cpus(s, &t->cpus);
	t->before = mem_zalloc((t->n + 1) * sizeof(*t->before));
	t->part = mem_zalloc((t->n + 1) * sizeof(*t->part));
	t->total = mem_zalloc((t->n + 1) * sizeof(*t->total));
	t->stats = mem_zalloc((t->n + 1) * sizeof(*t->stats));
	t->read = mem_zalloc((t->n + 1) * sizeof(*t->read));
	for (unsigned i = 0; i < t->n && !session_is_ours(s); i++) {
		struct cpu_stats st;
		struct err none;

		if (session_stats(s, t->cpus[i], &st, NULL, &none) == 0)
			t->before[i] = t->part[i] = t->total[i].last = st;
	}
}

void counts_fini(struct counts *t)
{
	for (unsigned i = 0; t->stats && i < t->n; i++)
		free(t->stats[i]);
	free(t->stats);
	free(t->before);
	free(t->part);
	free(t->total);
	free(t->read);
	*t = (struct counts){ 0 };
}

uint64_t counts_lost(struct counts *t, unsigned i)
{
	const struct cpu_stats *part = &t->part[i];
	struct cpu_stats st;
	struct err none;

	if (others_stats(t->others, t->s, t->cpus[i], &t->total[i], &st, NULL, &none) < 0)
		return 0;
	return st.overrun - part->overrun + st.commit_overrun - part->commit_overrun + st.dropped -
	       part->dropped;
}

static void take_cpu(struct counts *t, unsigned i, bool last, struct recorder_cpu *c)
{
	const struct cpu_stats *before = &t->before[i];
	struct cpu_stats st, *part = &t->part[i];
	bool whole = last && !part->read && !part->overrun && !part->commit_overrun;
	struct err e;
	char *text;

	free(t->stats[i]);
	t->stats[i] = NULL;
	t->read[i] = 0;
	if (others_stats(t->others, t->s, c->cpu, &t->total[i], &st, &text, &e) < 0) {
		note_err(t->notes, NOTE_DAMAGE, &e);
		return;
	}
	whole = whole && !t->total[i].reset;
	c->events = st.read - before->read;
	c->overrun = st.overrun - before->overrun;
	c->commit_overrun = st.commit_overrun - before->commit_overrun;
	/*
	 * What was not read (an unreadable file, a consumer that has exited) is lost as well,
	 * except for what waits for its owner.
	 */
	c->dropped = st.dropped - before->dropped + (session_is_ours(t->s) ? st.entries : 0);
	t->read[i] = st.read - part->read;
	t->stats[i] = whole ? text : session_stats_since(text, &st, part, last);
	if (!whole)
		free(text);
	*part = st;
}

static void add_up(struct recorder_result *res)
{
	res->events = res->dropped = res->bytes = 0;
	for (unsigned i = 0; i < res->ncpus; i++) {
		const struct recorder_cpu *c = &res->cpus[i];

		res->events += c->events;
		res->bytes += c->bytes;
		res->dropped += c->overrun + c->commit_overrun + c->dropped;
	}
}

void counts_take(struct counts *t, bool last, struct recorder_result *res)
{
	*res = (struct recorder_result){ .ncpus = t->n };
	res->cpus = mem_zalloc((t->n + 1) * sizeof(*res->cpus));
	for (unsigned i = 0; i < t->n; i++) {
		res->cpus[i].cpu = t->cpus[i];
		take_cpu(t, i, last, &res->cpus[i]);
	}
	add_up(res);
}

void counts_peek(const struct counts *t, uint64_t *events, uint64_t *lost)
{
	*events = *lost = 0;
	for (unsigned i = 0; i < t->n; i++) {
		const struct cpu_stats *before = &t->before[i];
		struct cpu_stats st;
		struct err none;

		if (others_stats(t->others, t->s, t->cpus[i], &t->total[i], &st, NULL, &none) < 0)
			continue;
		*events += st.read - before->read + st.entries;
		*lost += st.overrun - before->overrun + st.commit_overrun - before->commit_overrun +
			 st.dropped - before->dropped;
	}
}

/* Events of C that the kernel counts as read, but that did not reach the reader, were dropped. */
static uint64_t take_off(struct recorder_cpu *c, uint64_t got)
{
	uint64_t less = c->events > got ? c->events - got : 0;

	c->dropped += less;
	c->events = got;
	if (!got)
		c->bytes = 0; /* its file has gone */
	return less;
}

uint64_t counts_own(struct output *out, struct recorder_result *res, char **stats)
{
	uint64_t less = 0;

	res->at_most = !out->ops->found;
	if (res->at_most)
		return 0;
	for (unsigned i = 0; i < res->ncpus; i++) {
		int64_t found = out->ops->found(out, res->cpus[i].cpu);
		uint64_t missing = found >= 0 ? take_off(&res->cpus[i], (uint64_t)found) : 0;

		if (stats)
			stats[i] = others_in_stats(stats[i], missing);
		less += missing;
	}
	add_up(res);
	return less;
}
