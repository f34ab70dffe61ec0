// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pump: the one loop, from open inputs to a sink: pulls the next event from the merge, filters it,
 * pushes it.  It also decides what damage costs.
 */
#include "reader/pump.h"

#include "base/mem.h"
#include "reader/open.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_EVERY 65536
#define WAIT_MS 10 /* between two looks at live sources, at most */

void pump_init(struct pump *p, const struct pump_opts *o)
{
	memset(p, 0, sizeof(*p));
	p->opts = *o;
	p->catalog = catalog_new();
	p->filter = filter_new();
	p->naming = naming_new();
	p->stats.first_ts = UINT64_MAX;
}

void pump_fini(struct pump *p)
{
	merge_free(p->merge);
	filter_free(p->filter);
	naming_free(p->naming);
	for (unsigned i = 0; i < p->nsources; i++)
		source_close(p->sources[i]);
	for (unsigned i = 0; p->periods && i < p->nsources; i++)
		free(p->periods[i]);
	free(p->periods);
	free(p->sources);
	free(p->fds);
	catalog_free(p->catalog);
	memset(p, 0, sizeof(*p));
}

/* Perf's clock, local_clock(), is ftrace's "perf" and, made monotonic, its "global". */
static bool same_clock(const char *a, const char *b)
{
	return !strcmp(a, b) || (!strcmp(a, "perf") && !strcmp(b, "global")) ||
	       (!strcmp(a, "global") && !strcmp(b, "perf"));
}

/* What is often taken for one clock: the defaults of perf and of ftrace. */
static bool are_defaults(const char *a, const char *b)
{
	return (!strcmp(a, "perf") && !strcmp(b, "local")) ||
	       (!strcmp(a, "local") && !strcmp(b, "perf"));
}

/* Inputs that are merged must have the same clock. */
static int check_clock(struct pump *p, const struct source *s, struct err *e)
{
	const char *clock = source_clock(s), *other;

	if (!s->nstreams)
		return 0;
	for (unsigned i = 0; i < p->nsources; i++) {
		if (!p->sources[i]->nstreams)
			continue;
		other = source_clock(p->sources[i]);
		if (same_clock(clock, other) || (s->is_wall && p->sources[i]->is_wall))
			continue;
		if (!p->opts.force_merge) {
			err_set(e, ERR_USAGE, ERR_NO_OFF,
				"its clock is \"%s\" and that of %s is \"%s\": times cannot be "
				"compared (--force-merge merges them all the same)",
				clock, p->sources[i]->in.path, other);
			if (are_defaults(clock, other))
				err_more(e, "perf's default clock is ftrace's perf and global, not "
					    "local: record with trace-cmd record -C perf, or with "
					    "perf record -k mono and -C mono");
			return err_path(e, s->in.path);
		}
		note_say(p->opts.source.notes, NOTE_WARN,
			 "%s has clock \"%s\" and %s has \"%s\": merged by "
			 "their bare numbers",
			 s->in.path, clock, p->sources[i]->in.path, other);
		return 0;
	}
	return 0;
}

/* Instances of a file may have different clocks; trace-cmd merges them by number, and so do we. */
static void check_instances(struct pump *p, const struct source *s)
{
	const struct buffer *first = NULL;

	for (unsigned i = 0; i < s->nbuffers; i++) {
		const struct buffer *b = &s->buffers[i];

		if (!b->ncpus || b->text)
			continue;
		if (!first)
			first = b;
		if (!strcmp(b->clock, first->clock))
			continue;
		note_say(p->opts.source.notes, NOTE_WARN,
			 "%s: buffer \"%s\" has clock \"%s\" and buffer \"%s\" has \"%s\": "
			 "merged by their bare numbers",
			 s->in.path, first->name, first->clock, b->name, b->clock);
		return;
	}
}

int pump_add(struct pump *p, struct source *s, struct err *e)
{
	if (check_clock(p, s, e) < 0) {
		source_close(s);
		return -1;
	}
	check_instances(p, s);
	s->machine.given = p->opts.source.symbols;
	s->num = p->nsources;
	p->sources = mem_realloc(p->sources, (p->nsources + 1) * sizeof(*p->sources));
	p->sources[p->nsources++] = s;
	return 0;
}

int pump_open(struct pump *p, const char *path, struct err *e)
{
	struct source *s = source_open(path, p->nsources, p->catalog, &p->opts.source, e);

	return s ? pump_add(p, s, e) : -1;
}

/* May events still come from S? */
static bool goes_on(const struct pump *p, const struct source *s)
{
	if (!p->started)
		return true;
	for (unsigned i = 0; i < s->nstreams; i++)
		if (merge_has(p->merge, s->streams[i]))
			return true;
	return false;
}

bool pump_halt(struct pump *p)
{
	bool live = false;

	if (p->halted)
		return false;
	for (unsigned i = 0; i < p->nsources; i++) {
		if (!goes_on(p, p->sources[i]))
			continue;
		if (!p->sources[i]->ops->stop)
			return false;
		live = true;
	}
	if (!live)
		return false;
	p->halted = true;
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->ops->stop && goes_on(p, p->sources[i]))
			p->sources[i]->ops->stop(p->sources[i]);
	return true;
}

/* Enter the streams of the top buffers, or those of the instances; *SEQ numbers them. */
static void enter(struct pump *p, bool tops, unsigned *seq)
{
	unsigned buffer = 0;

	for (unsigned i = 0; i < p->nsources; i++) {
		struct source *src = p->sources[i];

		for (unsigned k = 0; k < src->nstreams; k++) {
			struct stream *s = src->streams[k];
			struct origin *from = (struct origin *)s->from;

			if (!*from->instance != tops)
				continue;
			s->seq = (*seq)++;
			from->source = i;
			from->buffer += buffer;
			/* Where no event can pass, not even the pages are read. */
			s->unread = !filter_takes_cpu(p->filter, from->cpu) ||
				    !filter_takes_instance(p->filter, from->instance);
			if (s->unread && !s->multiplexed)
				continue;
			p->filtered |= s->multiplexed;
			p->stats.bytes_total += s->bytes_total;
			merge_add(p->merge, s);
		}
		buffer += src->nbuffers;
	}
}

/* What S says of its machine: one line; "" where it says nothing. */
static size_t machine_of(struct source *s, const char **text)
{
	const char *nl;
	size_t len;

	*text = machine_raw(&s->machine, TEXT_UNAME, &len);
	if (!len) {
		*text = "";
		return 0;
	}
	nl = memchr(*text, '\n', len);
	return nl ? (size_t)(nl - *text) : strnlen(*text, len);
}

/*
 * Inputs of several machines, or of several recordings: this is reported once, as the same pid is
 * then another task in each.  The names of an event are those of its own input in any case.
 */
static void check_machines(struct pump *p)
{
	struct source *first = NULL, *other = NULL, *again = NULL;
	const char *name = "", *text, *differs = "";
	size_t len, n = 0, other_len = 0, differing = 0;

	for (unsigned i = 0; i < p->nsources; i++) {
		struct source *s = p->sources[i];

		len = machine_of(s, &text);
		if (!len || !s->nstreams)
			continue;
		if (!first) {
			first = s;
			name = text;
			n = len;
		} else if (len != n || memcmp(text, name, len)) {
			if (!differing++) {
				other = s;
				differs = text;
				other_len = len;
			}
		} else if (s->trace_id && first->trace_id && s->trace_id != first->trace_id) {
			again = again ? again : s;
		}
	}
	if (other)
		note_say(p->opts.source.notes, NOTE_WARN,
			 "%s is of \"%.*s\" and %s of \"%.*s\"%s: "
			 "one pid is another task in each",
			 first->in.path, (int)n, name, other->in.path, (int)other_len, differs,
			 differing > 1 ? ", and further inputs differ" : "");
	else if (again)
		note_say(p->opts.source.notes, NOTE_INFO,
			 "%s and %s are two recordings of one "
			 "machine: one pid may be another task in each",
			 first->in.path, again->in.path);
}

/*
 * Of events of the same time those of top buffers go first, in order of opening, then those of
 * instances: as in trace-cmd.
 */
static void start(struct pump *p)
{
	unsigned seq = 0;

	check_machines(p);
	p->merge = merge_new();
	enter(p, true, &seq);
	enter(p, false, &seq);
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->gate)
			merge_add(p->merge, p->sources[i]->gate);
	p->filtered |= !filter_empty(p->filter);
	p->started = true;
}

static void add_up(struct pump *p)
{
	struct pump_stats *st = &p->stats;

	st->early = st->records = st->lost = st->lost_unknown = st->bytes_done = 0;
	for (unsigned i = 0; i < p->nsources; i++)
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++) {
			const struct stream *s = p->sources[i]->streams[k];

			st->records += s->seen;
			st->early += s->taken;
			st->lost += s->lost;
			st->lost_unknown += s->lost_unknown;
			st->bytes_done += s->bytes_done;
		}
	st->late = p->merge ? merge_late(p->merge) : 0;
}

static void say_progress(struct pump *p)
{
	add_up(p);
	if (p->opts.progress)
		p->opts.progress(p->opts.progress_arg, &p->stats);
}

/*
 * A damaged piece: the first one of each stream is reported, all are counted.
 * Returns -1 when the run has to end for it.
 */
static int damaged(struct pump *p, struct err *e)
{
	p->stats.damaged++;
	if (p->opts.strict)
		return -1;
	if (merge_failed(p->merge)->damaged == 1)
		note_err(p->opts.source.notes, NOTE_DAMAGE, e);
	else if (p->opts.source.notes)
		p->opts.source.notes->damage++;
	return 0;
}

static inline enum verdict give(struct pump *p, struct sink *s, const struct event *ev,
				struct err *e)
{
	if (p->filtered && (ev->bare || !filter_pass(p->filter, ev))) {
		if (ev->lost && s->ops->lost)
			return s->ops->lost(s, ev, e);
		return SINK_MORE;
	}
	if (!p->stats.passed++)
		p->stats.first_ts = ev->ts;
	p->stats.last_ts = ev->ts;
	return s->ops->event(s, ev, e);
}

static enum verdict push(struct pump *p, struct sink *s, const struct event *ev, struct err *e)
{
	const struct etype *t = ev->type;
	struct machine *names = t->machine;
	enum verdict v;

	if (machine_go_on(names, ev->ts))
		catalog_see_names(p->catalog);
	if (t->naming && !ev->bare) {
		if (naming_see(p->naming, ev))
			catalog_see_names(p->catalog);
		/* No sink wants it. */
		if (t->unused && !ev->lost)
			return SINK_MORE;
	}
	v = give(p, s, ev, e);
	/* At once: streams skip unwanted types when they are asked for the next event. */
	if (!names->due && machine_catch_up(names))
		catalog_see_names(p->catalog);
	return v;
}

/* Append the descriptors of S to the N in fds; returns their number. */
static int add_fds(struct pump *p, struct source *s, int n)
{
	for (;;) {
		int room = (int)p->cap_fds - n, got = s->ops->fds(s, p->fds + n, room);

		if (got < room)
			return n + got;
		/* There may be more of them. */
		p->fds = mem_grow(p->fds, &p->cap_fds, p->cap_fds + 16, sizeof(*p->fds));
	}
}

/* Nothing to do until something comes (live).  The sink goes first: it may have output to flush. */
static enum verdict wait_for_more(struct pump *p, struct sink *s, struct err *e)
{
	int n = 0;

	say_progress(p);
	if (s->ops->idle) {
		enum verdict v = s->ops->idle(s, e);

		if (v != SINK_MORE)
			return v;
	}
	for (unsigned i = 0; i < p->nsources; i++)
		if (p->sources[i]->ops->fds)
			n = add_fds(p, p->sources[i], n);
	poll(p->fds, n, WAIT_MS);
	return SINK_MORE;
}

/* Until something ends the run. */
static enum run_end loop(struct pump *p, struct sink *s, struct err *e)
{
	unsigned ticks = 0;

	for (;;) {
		const struct event *ev;
		enum verdict v;
		enum pull rc;

		if (p->opts.stop && *p->opts.stop &&
		    !(p->opts.halt_first && (p->halted || pump_halt(p))))
			return RUN_SIGNALLED;
		rc = merge_next(p->merge, &ev, e);
		if (__builtin_expect(rc == PULL_OK, 1)) {
			if (__builtin_expect(p->relative, 0)) {
				p->relative = false;
				p->run.base = ev->ts;
			}
			v = push(p, s, ev, e);
		} else if (rc == PULL_EOF) {
			return RUN_DONE;
		} else if (rc == PULL_WAIT) {
			v = wait_for_more(p, s, e);
		} else if (rc == PULL_AGAIN) {
			say_progress(p);
			continue;
		} else {
			if (damaged(p, e) < 0)
				return RUN_FAILED;
			continue;
		}
		if (v == SINK_STOP)
			return RUN_STOPPED;
		if (v == SINK_ERR)
			return RUN_FAILED;
		if (++ticks == PROGRESS_EVERY) {
			ticks = 0;
			say_progress(p);
		}
	}
}

/*
 * What S takes in any order it gets from the streams themselves, without the merge; unless events
 * have to pass a filter, or the first one says what is taken off all times.
 */
static void offer_early(struct pump *p, struct sink *s)
{
	if (s && (!s->ops->early || p->filtered || p->relative))
		s = NULL;
	for (unsigned i = 0; i < p->nsources; i++)
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++)
			p->sources[i]->streams[k]->early = s;
}

enum run_end pump_events(struct pump *p, struct sink *s, struct err *e)
{
	enum run_end end;

	if (!p->started)
		start(p);
	offer_early(p, s);
	end = loop(p, s, e);
	offer_early(p, NULL);
	/* Whoever asks for a name after the last event gets the one of the end. */
	for (unsigned i = 0; end == RUN_DONE && i < p->nsources; i++)
		machine_go_on(machine_of_names(&p->sources[i]->machine), UINT64_MAX);
	say_progress(p);
	return end;
}

static bool is_over(const struct run_info *run, const struct stream *s)
{
	const struct pump *p = (const struct pump *)run;

	return p->merge && !merge_has(p->merge, s);
}

enum run_end pump_run(struct pump *p, struct sink *s, struct err *e)
{
	enum run_end end = RUN_STOPPED;
	enum verdict v = SINK_MORE;
	struct err last;

	p->run.catalog = p->catalog;
	p->run.sources = p->sources;
	p->run.nsources = p->nsources;
	p->run.is_over = is_over;
	if (s->ops->begin)
		v = s->ops->begin(s, &p->run, e);
	if (v == SINK_MORE)
		end = pump_events(p, s, e);
	else if (v == SINK_ERR)
		end = RUN_FAILED;
	if (s->ops->end && s->ops->end(s, &last) == SINK_ERR && end != RUN_FAILED) {
		*e = last;
		end = RUN_FAILED;
	}
	return end;
}
