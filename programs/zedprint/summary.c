// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * summary: zedprint --summary, what each input is, its number of events of each type and CPU, and
 * what was lost or damaged.
 */
#include "programs/zedprint/zedprint.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "run/drain.h"
#include "run/period.h"
#include "trace/loss.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Losses: those in the chosen time; those that have no place, so that it is not known whether they
 * are in it; and those that began in the chosen time or before it, and end after it.
 */
struct lost {
	struct losses in, rest;
	uint64_t beyond, beyond_events;
};

/* Of one stream: events that passed the filter, and the losses in the chosen time. */
struct stream_count {
	const struct origin *from;
	uint64_t n;
	struct lost lost;
};

struct summary {
	struct sink sink;
	const struct pump *pump;
	struct stream_count *streams, *last; /* sorted by address of `from` */
	size_t nstreams;
	struct lost lost; /* of all */
	bool windowed;	  /* a time was asked for ... */
	uint64_t end;	  /* ... and its last moment */
	uint64_t *types;  /* by etype idx */
	size_t cap_types;
};

static int compare_counters(const void *a, const void *b)
{
	const struct stream_count *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static enum verdict summary_begin(struct sink *sink, const struct run_info *run, struct err *e)
{
	struct summary *s = (struct summary *)sink;
	size_t n = 0;

	for (unsigned i = 0; i < run->nsources; i++)
		s->nstreams += run->sources[i]->nstreams;
	s->streams = mem_zalloc((s->nstreams + 1) * sizeof(*s->streams));
	for (unsigned i = 0; i < run->nsources; i++)
		for (unsigned k = 0; k < run->sources[i]->nstreams; k++)
			s->streams[n++].from = run->sources[i]->streams[k]->from;
	qsort(s->streams, s->nstreams, sizeof(*s->streams), compare_counters);
	s->last = s->streams;
	return SINK_MORE;
}

static struct stream_count *counter_of(const struct summary *s, const struct origin *from)
{
	struct stream_count key = { .from = from };

	return bsearch(&key, s->streams, s->nstreams, sizeof(key), compare_counters);
}

/* The streams of the source that came last. */
static bool summary_more(struct sink *sink)
{
	struct summary *s = (struct summary *)sink;
	const struct run_info *run = &s->pump->run;
	const struct source *src = run->sources[run->nsources - 1];

	s->streams = mem_realloc(s->streams,
				 (s->nstreams + src->nstreams + 1) * sizeof(*s->streams));
	for (unsigned k = 0; k < src->nstreams; k++)
		s->streams[s->nstreams++] = (struct stream_count){ .from = src->streams[k]->from };
	s->streams[s->nstreams] = (struct stream_count){ 0 };
	qsort(s->streams, s->nstreams, sizeof(*s->streams), compare_counters);
	s->last = s->streams;
	return true;
}

static struct stream_count *look_up(struct summary *s, const struct event *ev)
{
	if (s->last->from != ev->from)
		s->last = counter_of(s, ev->from);
	return s->last;
}

static enum verdict summary_lost(struct sink *sink, const struct event *ev, struct err *e)
{
	struct summary *s = (struct summary *)sink;

	losses_place(&look_up(s, ev)->lost.in, ev->lost);
	losses_place(&s->lost.in, ev->lost);
	return SINK_MORE;
}

static void add_beyond(struct lost *to, uint32_t count)
{
	to->beyond++;
	to->beyond_events += count == LOST_UNKNOWN ? 0 : count;
}

static void summary_beyond(struct sink *sink, const struct event *ev)
{
	struct summary *s = (struct summary *)sink;

	if (ev->ts <= s->end || (ev->lost_since != TS_UNKNOWN && ev->lost_since >= s->end))
		return;
	add_beyond(&look_up(s, ev)->lost, ev->lost);
	add_beyond(&s->lost, ev->lost);
}

static enum verdict summary_event(struct sink *sink, const struct event *ev, struct err *e)
{
	struct summary *s = (struct summary *)sink;

	if (ev->lost)
		summary_lost(sink, ev, e);
	if (ev->type->idx >= s->cap_types)
		s->types = mem_grow_zeroed(s->types, &s->cap_types, (size_t)ev->type->idx + 1,
					   sizeof(*s->types));
	s->types[ev->type->idx]++;
	look_up(s, ev)->n++;
	return SINK_MORE;
}

static const struct sink_ops SUMMARY_OPS = {
	.begin = summary_begin,
	.event = summary_event,
	.lost = summary_lost,
	.lost_beyond = summary_beyond,
	.more = summary_more,
};

/* "label        " with room for the longest one. */
static void label(const char *text)
{
	printf("  %-12s ", text);
}

/* Of a chosen time only what is known to be in it; "0 lost" within a loss would be wrong. */
static void print_lost(const struct lost *lost, bool windowed)
{
	struct losses all = lost->in;
	char text[LOSSES_TEXT];

	if (!windowed)
		losses_add(&all, &lost->rest);
	if (!all.events && !losses_unknown(&all) && lost->beyond)
		printf("an unknown number lost");
	else
		printf("%s", losses_text(&all, " lost", text));
}

/* What is shown of a file in separate lines; a kernel has at most 8192 CPUs. */
#define MAX_SHOWN_BUFFERS 1000
#define MAX_SHOWN_LINES 10000

static void print_more(uint64_t n, const char *what)
{
	if (n)
		printf("  and %" PRIu64 " more %s\n", n, what);
}

static void show_time(uint64_t ts, bool ns)
{
	if (ns)
		printf("%" PRIu64 ".%09" PRIu64, ts / 1000000000, ts % 1000000000);
	else
		printf("%" PRIu64, ts);
}

/*
 * A line of the recorder's (record/budget.h): "switched off: EVENT from T1 to T2".  Returns whether
 * LINE is one; shown only with SHOW.
 */
static bool summarize_switched(const struct source *s, const char *line, bool show)
{
	static const char key[] = "switched off: ", further[] = "switched off, further times: ";
	const char *name = line + sizeof(key) - 1, *from, *to;
	bool ns = source_counts_ns(s);

	if (!strncmp(line, further, sizeof(further) - 1)) {
		label("switched off");
		printf("%" PRIu64 " further times\n",
		       (uint64_t)strtoull(line + sizeof(further) - 1, NULL, 10));
		return true;
	}
	if (strncmp(line, key, sizeof(key) - 1))
		return false;
	from = strstr(name, " from ");
	to = from ? strstr(from, " to ") : NULL;
	if (!to || !show)
		return true;
	label("switched off");
	cli_put(stdout, name, (size_t)(from - name), 0);
	printf(" was switched off from ");
	show_time(strtoull(from + 6, NULL, 10), ns);
	printf(" to ");
	if (ascii_digit(to[4]))
		show_time(strtoull(to + 4, NULL, 10), ns);
	else
		printf("the end");
	printf("%s\n", s->is_wall ? " (of the trace clock)" : "");
	return true;
}

/* What the statistics of the recording say is missing: losses that are not 0, by CPU; events. */
static void summarize_statistics(struct source *s)
{
	static const char *const LOSSES[] = { "overrun", "commit overrun", "dropped events",
					      "read by others" };
	size_t len, n;
	const char *text = machine_raw(&s->machine, TEXT_CPUSTAT, &len);
	uint64_t shown = 0;
	char cpu[40] = "";

	for (const char *end = text + len; text < end; text += n + 1) {
		const char *nl = memchr(text, '\n', end - text), *colon;
		char line[400];

		n = nl ? (size_t)(nl - text) : (size_t)(end - text);
		snprintf(line, sizeof(line), "%.*s", (int)(n < 399 ? n : 399), text);
		colon = strchr(line, ':');
		if (!colon)
			continue;
		if (summarize_switched(s, line, shown < MAX_SHOWN_LINES)) {
			shown++;
			continue;
		}
		if (!strncmp(line, "CPU:", 4)) {
			snprintf(cpu, sizeof(cpu), "%.30s", line + 4 + strspn(line + 4, " "));
			continue;
		}
		for (size_t i = 0; i < sizeof(LOSSES) / sizeof(LOSSES[0]); i++) {
			size_t k = strlen(LOSSES[i]);

			if (strncmp(line, LOSSES[i], k) || line[k] != ':' ||
			    strtoull(line + k + 1, NULL, 10) == 0 || shown++ >= MAX_SHOWN_LINES)
				continue;
			label("statistics");
			printf("cpu ");
			cli_puts(stdout, cpu);
			printf(": %s %" PRIu64 "\n", LOSSES[i],
			       (uint64_t)strtoull(line + k + 1, NULL, 10));
		}
	}
	print_more(shown > MAX_SHOWN_LINES ? shown - MAX_SHOWN_LINES : 0, "statistics");
}

static uint64_t text_bytes(struct cli *c, struct source *s, const struct buffer *b)
{
	uint64_t pos = 0, sum = 0;
	char buf[16384];
	struct err e;
	ssize_t n;

	if (!s->ops->text)
		return 0;
	while ((n = s->ops->text(s, b, &pos, buf, sizeof(buf), &e)) > 0)
		sum += n;
	if (n < 0) {
		err_path(&e, s->in.path);
		note_err(&c->run.notes, NOTE_DAMAGE, &e);
	}
	return sum;
}

static void summary_line(void *arg, const char *name, const char *text)
{
	label(name);
	cli_puts(stdout, text);
	putchar('\n');
}

static void summarize_buffers(struct cli *c, const struct summary *sum, struct source *s)
{
	unsigned stream = 0, shown = 0;

	for (unsigned i = 0; i < s->nbuffers && i < MAX_SHOWN_BUFFERS; i++) {
		const struct buffer *b = &s->buffers[i];
		uint64_t n;

		label("buffer");
		printf("\"");
		cli_puts(stdout, b->name);
		if (b->text) {
			n = text_bytes(c, s, b);
			printf("\": text of a latency tracer, %" PRIu64 " byte%s\n", n, plural(n));
			continue;
		}
		printf("\": clock ");
		cli_puts(stdout, b->clock);
		if (b->page_size)
			printf(", pages of %u bytes", b->page_size);
		printf(", %u CPU%s\n", b->ncpus, plural(b->ncpus));
		for (unsigned k = 0; k < b->ncpus && stream < s->nstreams; k++, stream++) {
			const struct stream *st = s->streams[stream];

			if (shown == MAX_SHOWN_LINES)
				continue;
			shown++;
			n = counter_of(sum, st->from)->n;
			printf("    cpu %-8d %" PRIu64 " event%s, ", b->cpus[k].cpu, n, plural(n));
			print_lost(&counter_of(sum, st->from)->lost, sum->windowed);
			printf(", %" PRIu64 " byte%s\n", b->cpus[k].size, plural(b->cpus[k].size));
		}
	}
	if (s->nbuffers > MAX_SHOWN_BUFFERS)
		print_more(s->nbuffers - MAX_SHOWN_BUFFERS, "buffers");
	print_more(stream - shown, "CPUs of these buffers");
}

/* A recorder that was killed, and a file that was cut off, may both be without their end. */
static void summarize_end(const struct source *s)
{
	label("recording");
	if (s->missing.bytes)
		printf("cut off: at least %" PRIu64 " byte%s missing at its end%s\n",
		       s->missing.bytes, s->missing.bytes == 1 ? " is" : "s are",
		       s->salvaged ? "; its parts were found by search" : "");
	else
		puts(s->salvaged ? "unfinished; its parts were found by search" : "complete");
}

static void summarize_source(struct cli *c, struct summary *sum, struct source *s)
{
	const char *text;
	size_t len;

	cli_puts(stdout, s->in.path);
	printf(":\n");
	label("format");
	printf("%s ", s->ops->name);
	cli_puts(stdout, s->dialect);
	putchar('\n');
	label("byte order");
	printf("%s endian, longs of %u bytes\n", s->machine.big_endian ? "big" : "little",
	       s->machine.long_size);
	label("compression");
	cli_puts(stdout, s->compression);
	puts(s->pages_bare ? ", the metadata alone" : "");
	label("clock");
	cli_puts(stdout, source_clock(s));
	printf("%s\n", !source_counts_ns(s) ? " (not in ns)" :
		       !s->clock_is_ns	    ? " (shown in ns)" :
					      "");
	text = machine_raw(&s->machine, TEXT_UNAME, &len);
	if (len) {
		label("machine");
		len = strnlen(text, len);
		cli_put(stdout, text, memchr(text, '\n', len) ? strcspn(text, "\n") : len, 0);
		putchar('\n');
	}
	label("CPUs");
	if (s->cpu_count)
		printf("%u\n", s->cpu_count);
	else
		printf("unknown\n");
	summarize_end(s);
	if (s->ops->summary)
		s->ops->summary(s, summary_line, NULL);
	summarize_statistics(s);
	summarize_buffers(c, sum, s);
}

/* Types of the same name from several inputs are one. */
static void summarize_types(const struct summary *s)
{
	const struct etype **types = mem_alloc((s->cap_types + 1) * sizeof(*types));
	unsigned n = 0;

	for (unsigned i = 0; i < s->cap_types; i++)
		if (s->types[i])
			types[n++] = catalog_at(s->pump->catalog, i);
	qsort(types, n, sizeof(*types), etype_order);
	if (n)
		printf("events:\n");
	for (unsigned i = 0, k; i < n; i = k) {
		const struct etype *t = types[i];
		uint64_t sum = 0;

		for (k = i; k < n && !etype_compare(t, types[k]); k++)
			sum += s->types[types[k]->idx];
		printf("  ");
		cli_puts(stdout, t->system);
		printf("::");
		cli_puts(stdout, t->name);
		printf(" %" PRIu64 "\n", sum);
	}
	free(types);
}

static void summarize_beyond(const struct lost *lost)
{
	label("");
	if (lost->beyond_events)
		printf("an unknown share of %" PRIu64 " in ", lost->beyond_events);
	else
		printf("an unknown share of ");
	printf("%" PRIu64 " loss%s%s\n", lost->beyond, lost->beyond == 1 ? "" : "es",
	       lost->beyond == 1 ? " that ends later" : " that end later");
}

static void summarize_losses(const struct summary *s)
{
	label("losses");
	print_lost(&s->lost, s->windowed);
	putchar('\n');
	if (s->lost.beyond)
		summarize_beyond(&s->lost);
	if (!s->lost.rest.events || !s->windowed)
		return;
	label("");
	printf("%" PRIu64 " of the whole trace lost at unknown times, perhaps in this one\n",
	       s->lost.rest.events);
}

static void summarize_total(struct cli *c, const struct summary *s)
{
	const struct pump_stats *st = &c->run.pump.stats;
	bool ns = true;

	for (unsigned i = 0; i < c->run.pump.nsources; i++)
		ns &= c->run.pump.sources[i]->clock_is_ns || !c->run.pump.sources[i]->nstreams;
	printf("total:\n");
	label("events");
	printf("%" PRIu64, st->passed);
	/* How many there are at other times is not known if these were not read. */
	if (st->skipped)
		printf(" (filtered)");
	else if (st->passed != st->records)
		printf(" of %" PRIu64 " (filtered)", st->records);
	putchar('\n');
	if (st->first_ts != UINT64_MAX) {
		label("time");
		show_time(st->first_ts, ns);
		printf(" to ");
		show_time(st->last_ts, ns);
		printf(" (");
		/* With clocks that differ the last event need not be the latest. */
		show_time(st->last_ts > st->first_ts ? st->last_ts - st->first_ts : 0, ns);
		printf("%s)\n", ns ? " s" : "");
	}
	summarize_losses(s);
	label("damage");
	if (c->run.notes.damage)
		printf("%" PRIu64 " piece%s skipped\n", c->run.notes.damage,
		       plural(c->run.notes.damage));
	else
		printf("none\n");
}

/* Losses that only the statistics know. */
static void add_rest(void *arg, const struct losses_rest *r)
{
	struct summary *s = arg;

	if (!r->of && !filter_takes_cpu(s->pump->filter, r->cpu))
		return;
	losses_rest(&s->lost.rest, r);
	if (r->of)
		losses_rest(&counter_of(s, r->of->from)->lost.rest, r);
}

/* The last moment that was asked for; UINT64_MAX: none, or it is before the trace. */
static uint64_t last_asked(struct cli *c)
{
	struct period all;
	struct err e;

	if (c->choice.end != UINT64_MAX && period_all(&c->run.pump, &all, &e) == 0 &&
	    c->choice.end < all.first)
		return UINT64_MAX;
	return c->choice.end;
}

enum run_end summary_print(struct cli *c, struct err *e)
{
	struct summary s = {
		.sink.ops = &SUMMARY_OPS,
		.pump = &c->run.pump,
		.windowed = c->choice.start || c->choice.end != UINT64_MAX,
		.end = last_asked(c),
	};
	enum run_end end = run_into(&c->run.pump, &c->run.pump.stage, &s.sink, e);

	cli_clear(c);
	for (unsigned i = 0; i < c->run.pump.nsources && end == RUN_DONE; i++)
		losses_each_rest(c->run.pump.sources[i], add_rest, &s);
	for (unsigned i = 0; i < c->run.pump.nsources; i++)
		summarize_source(c, &s, c->run.pump.sources[i]);
	summarize_types(&s);
	summarize_total(c, &s);
	free(s.streams);
	free(s.types);
	return end;
}
