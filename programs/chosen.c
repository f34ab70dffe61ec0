// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chosen: which events of the inputs were chosen: by buffer, CPU, time, name, expression and
 * number; and the stages for that between the run and its consumer.
 */
#include "programs/chosen.h"

#include "programs/options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct buffer_names {
	const struct pump *p;
	unsigned source, buffer;
};

static const char *next_buffer(void *arg)
{
	struct buffer_names *n = arg;

	while (n->source < n->p->nsources) {
		const struct source *s = n->p->sources[n->source];

		if (n->buffer < s->nbuffers)
			return s->buffers[n->buffer++].name;
		n->source++;
		n->buffer = 0;
	}
	return NULL;
}

static bool has_buffer(const struct pump *p, const char *name)
{
	struct buffer_names n = { .p = p };
	const char *b;

	while ((b = next_buffer(&n)))
		if (!strcmp(b, name))
			return true;
	return false;
}

static bool check_instances(struct cli *c)
{
	for (size_t i = 0; i < c->words.instances.n; i++) {
		struct buffer_names n = { .p = &c->run.pump };
		char list[600] = "";
		const char *b, *near;
		size_t len = 0;

		if (has_buffer(&c->run.pump, c->words.instances.v[i]))
			continue;
		near = nearest_name(c->words.instances.v[i], next_buffer, &n);
		n = (struct buffer_names){ .p = &c->run.pump };
		while ((b = next_buffer(&n)) && len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s\"%s\"", len ? ", " : "",
					b);
		cli_say(c, "--instance: no input has a buffer \"%s\"%s%s%s (there %s %s)",
			c->words.instances.v[i], near ? "; did you mean \"" : "", near ? near : "",
			near ? "\"?" : "", strchr(list, ',') ? "are" : "is", *list ? list : "none");
		return false;
	}
	return true;
}

/* A CPU that no input has is not an error, but no event will match. */
static void check_cpus(struct cli *c)
{
	int least = INT_MAX, most = -1;

	for (unsigned i = 0; i < c->run.pump.nsources; i++)
		for (unsigned k = 0; k < c->run.pump.sources[i]->nstreams; k++) {
			int cpu = c->run.pump.sources[i]->streams[k]->from->cpu;

			if (filter_takes_cpu(c->run.pump.filter, cpu))
				return;
			least = cpu < least ? cpu : least;
			most = cpu > most ? cpu : most;
		}
	if (most >= 0 && least < most)
		cli_say(c,
			"--cpu: no input has data of such a CPU; they have CPUs from %d to %d "
			"(zedprint --summary lists them)",
			least, most);
	else if (most >= 0)
		cli_say(c, "--cpu: no input has data of such a CPU; they have CPU %d", most);
}

/* Narrow the chosen time to FROM and TO. */
static void narrow(struct cli *c, uint64_t from, uint64_t to)
{
	if (from > c->choice.start)
		c->choice.start = from;
	if (to < c->choice.end)
		c->choice.end = to;
}

/* --relative: the time to subtract is known now, or when the first event comes. */
static void set_base(struct cli *c)
{
	struct period all;
	struct err e;

	if (!c->words.relative)
		return;
	if (period_all(&c->run.pump, &all, &e) < 0)
		c->run.pump.relative = true;
	else if (period_any(&all))
		c->run.pump.run.base = all.first;
}

static void cpu_text(const struct origin *from, char *buf, size_t size)
{
	snprintf(buf, size, *from->instance ? "CPU %d of buffer \"%s\"" : "CPU %d", from->cpu,
		 from->instance);
}

static int no_window(const struct cli *c, const struct period_end *ends, struct err *e)
{
	char late[300], early[300], begins[48], stops[48];

	if (!ends[0].from)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "there is no time at which all CPUs have data: none has any");
	cpu_text(ends[0].from, late, sizeof(late));
	cpu_text(ends[1].from, early, sizeof(early));
	times_text(&c->run.pump, ends[0].ts, begins, sizeof(begins));
	times_text(&c->run.pump, ends[1].ts, stops, sizeof(stops));
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "there is no time at which all CPUs have data: %s ends at %s, before %s "
		       "begins at %s: choose others with --cpu or --instance",
		       early, stops, late, begins);
}

static int find_times(struct cli *c, struct err *e)
{
	struct period_end ends[2];
	struct period common;
	bool records;
	uint64_t ts;

	if (c->words.times.from.kind != TIME_OPEN) {
		if (times_resolve(&c->words.times.from, &c->run.pump, &ts, &records, e) < 0)
			return err_within(e, "--start");
		narrow(c, records ? ts : 0, UINT64_MAX);
	}
	if (c->words.times.to.kind != TIME_OPEN) {
		if (times_resolve(&c->words.times.to, &c->run.pump, &ts, &records, e) < 0)
			return err_within(e, "--end");
		narrow(c, 0, records ? ts : UINT64_MAX);
	}
	if (c->words.times.around.kind != TIME_OPEN) {
		uint64_t span;

		if (times_resolve(&c->words.times.around, &c->run.pump, &ts, &records, e) < 0 ||
		    times_span(&c->words.times.span, &c->run.pump, &span, e) < 0)
			return err_within(e, "--around");
		if (records)
			narrow(c, ts > span ? ts - span : 0,
			       span < UINT64_MAX - ts ? ts + span : UINT64_MAX);
	}
	if (c->words.times.common_window) {
		if (period_common(&c->run.pump, &common, ends, e) < 0 ||
		    (!period_any(&common) && no_window(c, ends, e) < 0))
			return err_within(e, "--common-window");
		narrow(c, common.first, common.last);
	}
	return 0;
}

/* Where part I of the time from LO to HI begins.  (hi - lo) * i may take more than 64 bits. */
static uint64_t part_begin(const struct cli *c, uint64_t lo, uint64_t hi, unsigned i)
{
	uint64_t span = hi - lo;

	return lo + span / c->words.parts * i + span % c->words.parts * i / c->words.parts;
}

/*
 * Only a part of the time: the trace's time is divided equally, and the first and the last part are
 * open, so that each event and each loss is in one of them.  If there is less time than parts, some
 * are empty.
 */
static void part_times(struct cli *c, const struct period *all)
{
	struct pump_part part = { .last = c->words.part == c->words.parts };
	uint64_t lo = all->first, hi = all->last, next;

	lo = lo > c->choice.start ? lo : c->choice.start;
	hi = hi < c->choice.end ? hi : c->choice.end;
	/* There are no events: the last part is as good as any. */
	if (!period_any(all) || lo > hi)
		lo = hi = c->choice.start;
	part.start = part_begin(c, lo, hi, c->words.part - 1);
	next = part_begin(c, lo, hi, c->words.part);
	part.end = part.last ? c->choice.end : next - 1;
	if (part.start == lo && (part.last || next > lo))
		part.start = c->choice.start;
	if (!part.last && next <= part.start) {
		part.start = 1;
		part.end = 0;
	}
	pump_part(&c->run.pump, &part);
}

static bool take_part(struct cli *c)
{
	struct period all;
	struct err e;

	if (!c->words.parts)
		return true;
	if (c->run.pump.nsources != 1 || !c->run.pump.sources[0]->ops->ends ||
	    c->run.pump.sources[0]->in.piped)
		err_set(&e, ERR_USAGE, ERR_NO_OFF,
			"when the one trace begins and ends is known only when it has been read: "
			"it has no parts");
	else if (period_all(&c->run.pump, &all, &e) == 0) {
		part_times(c, &all);
		return true;
	}
	err_within(&e, "--part");
	cli_say_err(c, &e);
	return false;
}

/* The chosen times are an empty range. */
static void say_no_time(struct cli *c)
{
	char start[48], end[48], from[48], to[48], events[160] = "";
	bool plain = c->words.times.around.kind == TIME_OPEN && !c->words.times.common_window;
	struct period all;
	struct err e;

	times_text(&c->run.pump, c->choice.start, start, sizeof(start));
	times_text(&c->run.pump, c->choice.end, end, sizeof(end));
	if (period_all(&c->run.pump, &all, &e) == 0 && period_any(&all)) {
		times_text(&c->run.pump, all.first, from, sizeof(from));
		times_text(&c->run.pump, all.last, to, sizeof(to));
		snprintf(events, sizeof(events), "; the events are from %s to %s", from, to);
	}
	if (plain)
		cli_usage(c, false, "--start %s is after --end %s: no event can pass%s", start, end,
			  events);
	else
		cli_usage(c, false,
			  "the times that are asked for have nothing in common, as one begins at "
			  "%s and one ends at %s: no event can pass%s",
			  start, end, events);
}

/* Apply the time options to the inputs. */
static bool set_times(struct cli *c)
{
	struct err e;

	set_base(c);
	if (find_times(c, &e) < 0) {
		cli_say_err(c, &e);
		return false;
	}
	if (c->choice.start > c->choice.end) {
		say_no_time(c);
		return false;
	}
	filter_times(c->run.pump.filter, c->choice.start, c->choice.end);
	return take_part(c);
}

/* The same for the run: what the options choose may change before it, such as for each question. */
static struct event_choice *choice_of(struct cli *c)
{
	c->choice.by = (struct event_choice){
		.pump = &c->run.pump,
		.events = c->choice.events,
		.stable = c->choice.stable,
		.synthetic = c->choice.synthetic,
		.counts = c->words.head || c->words.tail,
	};
	return &c->choice.by;
}

static bool compile_terms(struct cli *c)
{
	char name[CLI_NAME_SIZE];
	struct err e;

	if (choice_compile(choice_of(c), &c->run.notes, &e) == 0)
		return true;
	err_within(&e, "%s", cli_name_of(c, "filter", name));
	cli_say_err(c, &e);
	return false;
}

bool cli_stable(struct cli *c)
{
	struct err e;

	if (c->choice.stable)
		return true;
	c->choice.stable = stable_new();
	for (size_t i = 0; i < c->words.stable.n; i++) {
		if (stable_add_path(c->choice.stable, c->words.stable.v[i], &e) == 0)
			continue;
		err_path(&e, c->words.stable.v[i]);
		cli_say_err(c, &e);
		return false;
	}
	return true;
}

/* --synthetic: before --event and -F, which may name the events it makes. */
static bool define(struct cli *c)
{
	struct err e;

	c->choice.synthetic = synthetic_new(c->run.pump.catalog, c->choice.stable, &c->run.notes);
	synthetic_time(c->choice.synthetic, c->choice.start,
		       c->words.parts ? c->run.pump.part.end : c->choice.end);
	for (size_t i = 0; i < c->words.synthetic.n; i++) {
		if (synthetic_add_text(c->choice.synthetic, c->words.synthetic.v[i], &e))
			continue;
		err_within(&e, "--synthetic");
		cli_say_err(c, &e);
		return false;
	}
	return true;
}

/* Bind -F and --event to the inputs' events. */
static bool compile_filter(struct cli *c)
{
	struct err e;

	if (c->choice.events &&
	    words_bind(c->choice.events, c->choice.stable, c->run.pump.catalog, &e) < 0) {
		err_within(&e, "--event");
		cli_say_err(c, &e);
		return false;
	}
	if (!compile_terms(c))
		return false;
	cli_want(c, NULL);
	return true;
}

void cli_want(struct cli *c, const uint8_t *want)
{
	choice_want(choice_of(c), want);
}

struct stage *cli_limit(struct cli *c, struct stage *from)
{
	if (!c->words.head && !c->words.tail)
		return from;
	c->run.pump.in_order = true;
	c->choice.limit = limit_new(c->words.head, c->words.tail, from, &c->run.notes);
	return limit_stage(c->choice.limit);
}

struct stage *cli_synthetic(struct cli *c, struct stage *from)
{
	return choice_synthetic(choice_of(c), from);
}

void cli_skip_head(struct cli *c)
{
	struct source *s = c->run.pump.nsources == 1 ? c->run.pump.sources[0] : NULL;

	if (c->words.tail && s && s->ops->last && !c->choice.events &&
	    filter_empty(c->run.pump.filter) && !synthetic_any(c->choice.synthetic))
		c->run.pump.from = s->ops->last(s, c->words.tail);
}

bool cli_choose(struct cli *c)
{
	if (!check_instances(c) || !set_times(c) || !define(c) || !compile_filter(c))
		return false;
	check_cpus(c);
	return true;
}
