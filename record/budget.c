// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * budget: keeps a recording within limits of CPU time and events a second, by switching off the
 * event that fills the buffers most.  Which one that is, a sample of one sub-buffer of each CPU
 * shows, taken only while a limit is exceeded.
 */
#include "record/budget.h"

#include "base/mem.h"
#include "base/mono.h"
#include "kernel/tracefs.h"
#include "ring/record_count.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000ull
#define FIRST_WAIT (2 * SECOND)	 /* how long an event is off for the first time ... */
#define LAST_WAIT (600 * SECOND) /* ... and at most */
#define GOOD_TIMES 4		 /* on for so many times its last wait: it begins anew */
#define TYPES 65536		 /* common_type has 16 bits */
#define MOST_TIMES 64		 /* that one file has lines for, ... */
#define MOST_LINES 3000		 /* ... bytes: a stream takes 4 KiB of statistics */

struct budget_event {
	struct tracefs_event name; /* a copy */
	bool off;
	uint64_t wait;	  /* ns that it was or is off for; 0: it never was */
	uint64_t changed; /* CLOCK_MONOTONIC ns: when it was last switched */
	unsigned times;
	uint64_t total; /* ns that it was off, up to CHANGED */
};

/* When an event was off, in units of the trace clock. */
struct off_time {
	unsigned event;
	bool ended;
	uint64_t from, to;
};

struct budget {
	struct session *s;
	struct budget_limits limits;
	struct notes *notes;
	struct budget_event *events;
	unsigned nevents;
	unsigned *by_type; /* of TYPES: 1 + index in EVENTS; 0: not one of ours */
	double *share;	   /* of TYPES: events a second, as the sample shows them */
	const int *cpus;
	unsigned ncpus;
	uint64_t *seen;	       /* of CPU i: events so far */
	double *rates;	       /* ... and of the last second */
	uint64_t looked, used; /* CLOCK_MONOTONIC and CPU time, ns, at the last look; 0: none yet */
	double rate;	       /* events a second, of all CPUs together */
	double cpu;	       /* percent */
	struct off_time *v;
	size_t n, cap;
	uint64_t more;	/* off_times without room */
	bool none_said; /* that there is no event to switch off */
};

/* ---- which events there are ---- */

/* The number of EV as its records have it; 0: not known. */
static unsigned type_of(const struct session *s, const struct tracefs_event *ev)
{
	char dir[900], *text;
	unsigned long type;
	struct err e;

	snprintf(dir, sizeof(dir), "%s/events/%s/%s", session_dir(s), ev->system, ev->name);
	text = tracefs_text(dir, "id", NULL, &e);
	type = text ? strtoul(text, NULL, 10) : 0;
	free(text);
	return type < TYPES ? (unsigned)type : 0;
}

static void learn_events(struct budget *b)
{
	const struct tracefs_event *v = session_events(b->s, &b->nevents);

	b->events = mem_zalloc((b->nevents + 1) * sizeof(*b->events));
	for (unsigned i = 0; i < b->nevents; i++) {
		b->events[i].name = (struct tracefs_event){ mem_strdup(v[i].system),
							    mem_strdup(v[i].name) };
		b->by_type[type_of(b->s, &v[i])] = i + 1;
	}
	b->by_type[0] = 0;
}

struct budget *budget_new(struct session *s, const struct budget_limits *l, struct notes *n)
{
	struct budget *b = mem_zalloc(sizeof(*b));

	b->s = s;
	b->limits = *l;
	b->notes = n;
	b->by_type = mem_zalloc(TYPES * sizeof(*b->by_type));
	b->share = mem_zalloc(TYPES * sizeof(*b->share));
	b->ncpus = session_cpus(s, &b->cpus);
	b->seen = mem_zalloc((b->ncpus + 1) * sizeof(*b->seen));
	b->rates = mem_zalloc((b->ncpus + 1) * sizeof(*b->rates));
	learn_events(b);
	return b;
}

void budget_free(struct budget *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->nevents; i++) {
		free((char *)b->events[i].name.system);
		free((char *)b->events[i].name.name);
	}
	free(b->events);
	free(b->by_type);
	free(b->share);
	free(b->seen);
	free(b->rates);
	free(b->v);
	free(b);
}

/* ---- what it costs ---- */

static void measure(struct budget *b)
{
	uint64_t now = mono_ns(), used = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	double ns = (double)(now - b->looked);
	struct cpu_stats st;
	struct err e;

	b->rate = 0;
	for (unsigned i = 0; i < b->ncpus; i++) {
		uint64_t all;

		b->rates[i] = 0;
		if (session_stats(b->s, b->cpus[i], &st, NULL, &e) < 0)
			continue;
		all = st.read + st.entries + st.overrun + st.commit_overrun + st.dropped;
		if (b->looked && all > b->seen[i])
			b->rates[i] = (double)(all - b->seen[i]) * 1e9 / ns;
		b->seen[i] = all;
		b->rate += b->rates[i];
	}
	b->cpu = b->looked ? (double)(used - b->used) * 100 / ns : 0;
	b->looked = now;
	b->used = used;
}

/* ---- off and on ---- */

static void begin_time(struct budget *b, unsigned event)
{
	struct off_time t = { .event = event };
	struct err e;

	if (b->n >= MOST_TIMES || session_now(b->s, &t.from, &e) < 0) {
		b->more++;
		return;
	}
	b->v = mem_grow(b->v, &b->cap, b->n + 1, sizeof(*b->v));
	b->v[b->n++] = t;
}

static void end_time(struct budget *b, unsigned event, uint64_t to)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].event == event && !b->v[i].ended) {
			b->v[i].ended = true;
			b->v[i].to = to;
		}
}

static void switch_on(struct budget *b, unsigned i)
{
	struct budget_event *ev = &b->events[i];
	uint64_t now = mono_ns(), to;
	struct err e;

	/* The time before: no event is in the time that it was off. */
	if (session_now(b->s, &to, &e) < 0 || session_switch(b->s, &ev->name, true, &e) < 0) {
		/* Its module has gone, say: tried again. */
		ev->total += now - ev->changed;
		ev->changed = now;
		return;
	}
	end_time(b, i, to);
	ev->off = false;
	ev->total += now - ev->changed;
	ev->changed = now;
	note_say(b->notes, NOTE_WARN, "%s:%s is switched on again", ev->name.system, ev->name.name);
}

bool budget_exceeded(struct budget *b)
{
	uint64_t now = mono_ns();

	measure(b);
	for (unsigned i = 0; i < b->nevents; i++)
		if (b->events[i].off && now - b->events[i].changed >= b->events[i].wait)
			switch_on(b, i);
	if ((b->limits.rate && b->rate > (double)b->limits.rate) ||
	    (b->limits.cpu && b->cpu > b->limits.cpu)) {
		memset(b->share, 0, TYPES * sizeof(*b->share));
		return true;
	}
	b->none_said = false;
	return false;
}

struct sampled {
	struct budget *b;
	double each; /* events a second that one record stands for */
};

static void see_type(void *arg, unsigned type)
{
	struct sampled *s = arg;

	s->b->share[type] += s->each;
}

void budget_see(void *arg, int cpu, const uint8_t *p, uint32_t len)
{
	struct sampled s = { .b = arg };
	uint32_t head = session_page_head(s.b->s);
	unsigned n = records_in_page(p, len, head);

	for (unsigned i = 0; i < s.b->ncpus && n; i++)
		if (s.b->cpus[i] == cpu)
			s.each = s.b->rates[i] / n;
	records_types_in_page(p, len, head, see_type, &s);
}

/* The busiest event of the sample that can be switched off; NULL: there is none. */
static struct budget_event *busiest(struct budget *b, double *rate)
{
	struct budget_event *found = NULL;

	*rate = 0;
	for (unsigned type = 0; type < TYPES; type++) {
		struct budget_event *ev = b->by_type[type] ? &b->events[b->by_type[type] - 1] :
							     NULL;

		if (!ev || ev->off || b->share[type] <= *rate)
			continue;
		found = ev;
		*rate = b->share[type];
	}
	return found;
}

/* "--max-rate 1000 is exceeded (5230 events/s)". */
static const char *why(const struct budget *b, char *buf, size_t size)
{
	if (b->limits.rate && b->rate > (double)b->limits.rate)
		snprintf(buf, size, "--max-rate %" PRIu64 " is exceeded (%.0f events/s)",
			 b->limits.rate, b->rate);
	else
		snprintf(buf, size, "--max-cpu %u is exceeded (%.1f %%)", b->limits.cpu, b->cpu);
	return buf;
}

/* How long EV is to be off this time. */
static uint64_t next_wait(const struct budget_event *ev, uint64_t now)
{
	if (!ev->wait || now - ev->changed > GOOD_TIMES * ev->wait)
		return FIRST_WAIT;
	return 2 * ev->wait < LAST_WAIT ? 2 * ev->wait : LAST_WAIT;
}

void budget_switch_off(struct budget *b)
{
	char text[120];
	double rate;
	struct budget_event *ev = busiest(b, &rate);
	uint64_t now = mono_ns();
	struct err e;

	if (!ev) {
		if (!b->none_said)
			note_say(b->notes, NOTE_WARN,
				 "%s, but the buffers have no event that could be switched off",
				 why(b, text, sizeof(text)));
		b->none_said = true;
		return;
	}
	if (session_switch(b->s, &ev->name, false, &e) < 0) {
		err_within(&e, "%s", why(b, text, sizeof(text)));
		note_err(b->notes, NOTE_WARN, &e);
		return;
	}
	ev->wait = next_wait(ev, now);
	ev->off = true;
	ev->changed = now;
	ev->times++;
	begin_time(b, (unsigned)(ev - b->events));
	note_say(b->notes, NOTE_WARN,
		 "%s: %s:%s, about %.0f/s, is switched off, and on again in %" PRIu64 " s",
		 why(b, text, sizeof(text)), ev->name.system, ev->name.name, rate,
		 (uint64_t)(ev->wait / SECOND));
	/* What came until now must not cost the next one its turn. */
	measure(b);
}

/* ---- what a reader is told ---- */

/* "switched off: sched:sched_switch from 17 to 23". */
static void put_time(const struct budget *b, const struct off_time *t, char *line, size_t size)
{
	const struct tracefs_event *ev = &b->events[t->event].name;
	char to[24] = "the end";

	if (t->ended)
		snprintf(to, sizeof(to), "%" PRIu64, t->to);
	snprintf(line, size, "switched off: %s:%s from %" PRIu64 " to %s\n", ev->system, ev->name,
		 t->from, to);
}

/* All that have ended are done with: one that is still off is so in the next file, too. */
static void forget_ended(struct budget *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->n; i++)
		if (!b->v[i].ended)
			b->v[kept++] = b->v[i];
	b->n = kept;
	b->more = 0;
}

char *budget_in_stats(struct budget *b, char *text)
{
	size_t size = 0, len = 0;
	uint64_t more = b ? b->more : 0;
	char *out = NULL, line[400];
	FILE *f;

	if (!b || !text || (!b->n && !more))
		return text;
	f = mem_check(open_memstream(&out, &size));
	fprintf(f, "%s", text);
	for (size_t i = 0; i < b->n; i++) {
		put_time(b, &b->v[i], line, sizeof(line));
		len += strlen(line);
		if (len < MOST_LINES)
			fprintf(f, "%s", line);
		else
			more++;
	}
	if (more)
		fprintf(f, "switched off, further times: %" PRIu64 "\n", more);
	mem_close(f);
	forget_ended(b);
	free(text);
	return mem_check(out);
}

void budget_each(const struct budget *b,
		 void (*fn)(void *arg, const struct tracefs_event *ev, unsigned times), void *arg)
{
	for (unsigned i = 0; b && i < b->nevents; i++)
		if (b->events[i].times)
			fn(arg, &b->events[i].name, b->events[i].times);
}

char *budget_report(const struct budget *b)
{
	uint64_t now = mono_ns();
	size_t size = 0;
	char *out = NULL;
	FILE *f = mem_check(open_memstream(&out, &size));

	for (unsigned i = 0; b && i < b->nevents; i++) {
		const struct budget_event *ev = &b->events[i];
		uint64_t total = ev->total + (ev->off ? now - ev->changed : 0);

		if (ev->times)
			fprintf(f, "Switched off: %s:%s, %u time%s, %.1f s together\n",
				ev->name.system, ev->name.name, ev->times, plural(ev->times),
				(double)total / 1e9);
	}
	mem_close(f);
	if (size)
		return mem_check(out);
	free(out);
	return NULL;
}
