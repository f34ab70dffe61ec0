// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * head: what the trace is: its file, machine and times, its CPUs, its losses, and which analyses
 * suit it.
 */
#include "programs/zedperl/explore/event_row.h"
#include "programs/zedperl/explore/event_tally.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/explore/lanes_index.h"
#include "programs/zedperl/explore/suits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The first picture waits for this: of a longer trace only the first part is counted.  With an
 * index it is only looked at, as the index does not say whether events have stacks.
 */
#define COUNTING_NS 400000000ull
#define LOOKING_NS 20000000ull
#define RECORDED_MOST 200 /* lines about the recording */

/* ---- how it was recorded ---- */

struct recorded {
	struct outbuf *o;
	unsigned n;
};

static void put_recorded(void *arg, const char *name, const char *text)
{
	struct recorded *r = arg;

	if (r->n == RECORDED_MOST)
		return;
	out_str(r->o, r->n++ ? ",[" : "[");
	out_json_name(r->o, name);
	out_char(r->o, ',');
	out_json_name(r->o, text);
	out_char(r->o, ']');
}

/* The same words as in zedprint --summary. */
static const char *end_of(const struct source *s)
{
	if (s->missing.bytes)
		return s->salvaged ? "cut off; its parts were found by search" : "cut off";
	return s->salvaged ? "unfinished; its parts were found by search" : "complete";
}

static void put_source(struct recorded *r, struct source *s)
{
	char text[SHOWN_NAME];

	snprintf(text, sizeof(text), "%s %s", s->ops->name, s->dialect);
	put_recorded(r, "format", text);
	put_recorded(r, "compression", s->compression);
	snprintf(text, sizeof(text), "%s%s", source_clock(s),
		 source_counts_ns(s) ? "" : " (not in ns)");
	put_recorded(r, "clock", text);
	if (s->cpu_count) {
		snprintf(text, sizeof(text), "%u", s->cpu_count);
		put_recorded(r, "CPUs", text);
	}
	put_recorded(r, "recording", end_of(s));
	if (s->ops->summary)
		s->ops->summary(s, put_recorded, r);
}

/* The first line of what the traced machine says of itself. */
static void put_machine(struct outbuf *o, struct source *s)
{
	size_t len;
	const char *text = machine_raw(&s->machine, TEXT_UNAME, &len);
	char *line = mem_strndup(text, len ? strnlen(text, len) : 0);

	line[strcspn(line, "\n")] = '\0';
	out_json_name(o, line);
	free(line);
}

/* ---- CPUs ---- */

static int by_cpu(const void *a, const void *b)
{
	const struct origin *x = ((const struct stream_tally *)a)->from,
			    *y = ((const struct stream_tally *)b)->from;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void put_time(struct outbuf *o, const char *name, const struct period *ends, uint64_t ts)
{
	out_str(o, name);
	if (period_any(ends))
		out_u64(o, ts);
	else
		out_str(o, "null");
}

static void put_cpu(struct outbuf *o, const struct stream_tally *s, const struct event_tally *t,
		    uint64_t base)
{
	out_printf(o, "{\"cpu\":%d,\"source\":%u", s->from->cpu, s->from->source);
	put_time(o, ",\"first\":", &s->ends, s->ends.first - base);
	put_time(o, ",\"last\":", &s->ends, s->ends.last - base);
	out_str(o, ",\"events\":");
	if (t->is_partly)
		out_str(o, "null}");
	else
		out_printf(o, "%" PRIu64 "}", s->n);
}

/* Those of all buffers together; sorts T's streams. */
static void put_cpus(struct outbuf *o, struct event_tally *t, uint64_t base)
{
	qsort(t->streams, t->nstreams, sizeof(*t->streams), by_cpu);
	out_char(o, '[');
	for (size_t i = 0, k; i < t->nstreams; i = k) {
		struct stream_tally all = t->streams[i];

		for (k = i + 1; k < t->nstreams && !by_cpu(&all, &t->streams[k]); k++) {
			const struct stream_tally *s = &t->streams[k];

			all.n += s->n;
			all.ends.first = s->ends.first < all.ends.first ? s->ends.first :
									  all.ends.first;
			all.ends.last = s->ends.last > all.ends.last ? s->ends.last : all.ends.last;
		}
		out_str(o, i ? "," : "");
		put_cpu(o, &all, t, base);
	}
	out_char(o, ']');
}

/* ---- the answer ---- */

/* In the part that was read, if it was a part. */
static void put_lost(struct outbuf *o, const struct event_tally *t)
{
	char text[LOSSES_TEXT];

	out_printf(o, "{\"events\":%" PRIu64 ",\"unsized\":%" PRIu64 ",\"text\":", t->lost.events,
		   losses_unknown(&t->lost));
	losses_text(&t->lost, " lost", text);
	out_json(o, text, strlen(text));
	out_char(o, '}');
}

static void put_counts(struct outbuf *o, struct cli *c, struct event_tally *t, uint64_t base)
{
	const struct suits_there there = {
		.catalog = c->run.pump.catalog,
		.stable = c->choice.stable,
		.counts = t->types,
		.n = t->ntypes,
		.is_partly = t->is_partly,
		.stack = t->stack,
		.loss = t->lost.places || t->lost.events,
	};

	out_str(o, t->is_partly ? ",\"counted\":false,\"events\":null" :
				  ",\"counted\":true,\"events\":");
	if (!t->is_partly)
		out_u64(o, t->n);
	out_str(o, ",\"cpus\":");
	put_cpus(o, t, base);
	out_str(o, ",\"lost\":");
	put_lost(o, t);
	out_str(o, ",\"answers\":");
	suits_put(o, &there);
}

/* From C's trace, which is open. */
static int answer(const struct explore *x, struct cli *c, struct outbuf *o, struct err *e)
{
	struct recorded recorded = { .o = o };
	const struct trace_index *index = explore_index(x, c);
	/* One that was made may have been removed since. */
	double made = x->indexed < 1 ? x->indexed : 0;
	struct pump *p = &c->run.pump;
	uint64_t base, length;
	struct event_tally t;

	TRY(explore_times(c, &base, &length, e));
	TRY(event_tally_read(&t, c, index ? LOOKING_NS : COUNTING_NS, e));
	if (index)
		event_tally_index(&t, c, index);
	out_str(o, "{\"version\":\"" ZED_VERSION "\",\"program\":\"zedperl\",\"files\":[");
	out_json(o, x->trace, strlen(x->trace));
	out_printf(o, "],\"base\":\"%" PRIu64 "\",\"length\":%" PRIu64 ",\"ticks\":%s,\"machine\":",
		   base, length, source_counts_ns(p->sources[0]) ? "false" : "true");
	put_machine(o, p->sources[0]);
	out_str(o, ",\"recorded\":[");
	for (unsigned i = 0; i < p->nsources; i++)
		put_source(&recorded, p->sources[i]);
	out_char(o, ']');
	put_counts(o, c, &t, base);
	out_printf(o, ",\"index\":{\"ready\":%s,\"done\":%.3f}}", index ? "true" : "false",
		   index ? 1 : made);
	event_tally_fini(&t);
	return 0;
}

int view_head(struct explore *x, const struct request *q, struct outbuf *o, struct err *e)
{
	struct cli c;
	int rc;

	explore_prepare(x, &c, 0, UINT64_MAX);
	rc = explore_open(x, &c, e) < 0 ? -1 : answer(x, &c, o, e);
	cli_fini(&c);
	return rc;
}
