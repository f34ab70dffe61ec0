// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder: the loop of a recording, from the start of a session to the end of its output: when
 * pages, rounds and what comes beside them are due, and processes excluded from the trace.
 */
#include "record/recorder.h"

#include "base/mem.h"
#include "base/mono.h"
#include "kernel/session/others.h"
#include "kernel/procs.h"
#include "record/counts.h"
#include "record/cpu_pages.h"
#include "record/sideband.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ull
#define LOOK_EVERY SECOND	  /* between checks for new events, and whether tracing is on */
#define NAMES_EVERY (SECOND / 2)  /* reading 6,500 names takes half a millisecond */
#define WATCH_EVERY (SECOND / 10) /* the watch's buffer takes longer than this to overflow */
#define IDLE_WAIT (SECOND / 2)	  /* how long a poll may last ... */
#define DUE_WAIT (SECOND / 4)	  /* ... if the output asks for the time: output_ops.due */
#define QUIET_ROUND (SECOND / 4)  /* between rounds while nothing comes: output.quiet_ns */
#define STEADY_AFTER SECOND	  /* of events without a pause ... */
#define STEADY_ROUND (30 * SECOND / 1000) /* rounds are rarer, as each makes events itself */
#define AWAY_MS 50 /* how often an output that is away is asked whether it can continue */
#define CHANGE_EVERY (SECOND / 4) /* at the latest, between two events of a change */
#define MAX_READERS 16

struct recorder {
	const struct recorder_opts *o;
	struct session *s;
	struct output *out;
	struct cpu_pages pages;
	struct pollfd *fds;
	struct sideband beside; /* names, losses, formats */
	uint64_t began, next_flush, next_look, next_names, next_readers; /* CLOCK_MONOTONIC, ns */
	uint64_t stamp; /* the trace clock at the start of the last round; 0: none */
	/*
	 * From then on (CLOCK_MONOTONIC) all events so far can be given, and poll() reports the
	 * next event: rounds, which tell the output that nothing came, are rare.
	 */
	uint64_t quiet;
	uint64_t busy_since; /* ... when that was last the case */
	uint64_t taken_at;   /* when full sub-buffers were last looked for */
	bool wakes;	     /* ... if it can (session_set_percent) */
	unsigned looks;	     /* looks for readers of our pipe */
	bool off_said, gone;
	bool asked;	      /* poll() reported a descriptor of the guest */
	uint64_t next_change; /* CLOCK_MONOTONIC, ns: the session's change is continued by then */
	struct others *others;
	int *busy;
	struct counts counts;
	struct budget *budget; /* NULL: no limits */
};

/* Bytes of one CPU before the others get their turn. */
static uint64_t turn_of(const struct recorder *r)
{
	return r->out->turn ? r->out->turn : CPU_TURN;
}

/* Handle what an output returned: true to continue. */
static bool taken(struct recorder *r, int rc)
{
	if (rc == OUTPUT_GONE)
		r->gone = true;
	return rc == 0;
}

/*
 * A round: pass on everything that is there, then the watermark.  A clock that cannot be read at
 * any time is sampled once a round, and the sample of the round before is used: two rounds are at
 * least the slack apart.
 */
static int make_round(struct recorder *r, struct err *e)
{
	uint64_t now, watermark;
	unsigned n = 0;
	int rc;

	TRY(session_now(r->s, &now, e));
	rc = cpupages_take(&r->pages, now, turn_of(r), e);
	if (rc || r->out->away || !r->out->ops->round)
		return rc;
	rc = sideband_watched(&r->beside, e);
	if (rc == 0)
		rc = sideband_losses(&r->beside, e);
	if (rc)
		return rc;
	if (session_clock_is_cheap(r->s))
		watermark = now > r->o->slack ? now - r->o->slack : 0;
	else
		watermark = r->stamp;
	r->stamp = now;
	for (unsigned i = 0; i < r->pages.n; i++)
		if (r->pages.v[i].busy)
			r->busy[n++] = r->pages.v[i].cpu;
	return watermark ? r->out->ops->round(r->out, watermark, r->busy, n, e) : 0;
}

/*
 * One event of a change of the session's, which may take the kernel as long as a buffer takes to
 * fill.  So while pages wait (FULL), these come first, for a time.
 */
static int change_events(struct recorder *r, bool full, struct err *e)
{
	int rc;

	if (!session_is_changing(r->s) || (full && mono_ns() < r->next_change))
		return 0;
	rc = sideband_change_step(&r->beside, e);
	r->next_change = mono_ns() + CHANGE_EVERY;
	return rc;
}

static int keep_budget(struct recorder *r, struct err *e)
{
	int rc;

	if (!r->budget || !budget_exceeded(r->budget))
		return 0;
	rc = cpupages_sample(&r->pages, budget_see, r->budget, e);
	if (rc == 0)
		budget_switch_off(r->budget);
	return rc;
}

/* The budget, and what changes rarely: the output's files, new events, whether tracing is on. */
static int look_around(struct recorder *r, struct err *e)
{
	int rc;

	if (r->out->ops->check)
		TRY(r->out->ops->check(r->out, e));
	rc = sideband_rescan(&r->beside, e);
	/* First: who reads the message may make the kernel count anew at once. */
	sideband_look_at_losses(&r->beside);
	others_say(r->others, r->o->notes);
	for (unsigned i = 0; i < r->pages.n; i++)
		r->pages.v[i].offline = false;
	if (!session_is_on(r->s)) {
		if (!r->off_said && !session_is_ours(r->s))
			note_say(r->o->notes, NOTE_WARN, "tracing is off in %s", session_dir(r->s));
		else if (!r->off_said)
			note_say(r->o->notes, NOTE_WARN,
				 "another process switched tracing off in this instance: nothing "
				 "is recorded until echo 1 > %s/tracing_on",
				 session_dir(r->s));
		r->off_said = true;
	}
	return rc ? rc : keep_budget(r, e);
}

/*
 * Exclude the readers of our pipe from the system calls.  A shell starts them about when it starts
 * us, and holds the pipe itself until it has; so the parent counts only if it stays.
 */
static void exclude_readers(struct recorder *r)
{
	/* The first look is before the start, the others so long after it. */
	static const uint64_t after[] = { SECOND / 50, SECOND / 4, SECOND, 3 * SECOND };
	pid_t pids[MAX_READERS];
	unsigned n;
	struct err e;

	r->next_readers = UINT64_MAX;
	if (r->o->reader_of < 0)
		return;
	n = procs_pipe_readers(r->o->reader_of, pids, MAX_READERS);
	for (unsigned i = 0; i < n; i++) {
		if (pids[i] == procs_parent() && n > 1 && r->looks < 3)
			continue;
		if (session_exclude(r->s, pids[i], &e) < 0) {
			note_err(r->o->notes, NOTE_WARN, &e);
			return;
		}
	}
	if (r->looks < sizeof(after) / sizeof(after[0]))
		r->next_readers = r->began + after[r->looks++];
}

static bool ended(const struct recorder *r, uint64_t now)
{
	return *r->o->stop || (r->o->over && r->o->over(r->o->arg)) ||
	       (r->o->seconds > 0 && (double)(now - r->began) >= r->o->seconds * 1e9);
}

/*
 * Wait until a buffer fills, or there is something else to do.  True: there may be full
 * sub-buffers.  (After IDLE_WAIT in any case, as poll() does not report some.)
 */
static bool wait_for_data(struct recorder *r)
{
	uint64_t now = mono_ns(), until = now + (r->out->ops->due ? DUE_WAIT : IDLE_WAIT);
	unsigned watched = r->beside.watch ?
				   watch_fds(r->beside.watch, r->fds + r->pages.n, r->pages.n) :
				   0;
	unsigned own = r->pages.n + watched, guests = 0;
	bool quiet = r->wakes && r->out->flush_ns && now >= r->quiet;
	bool full = false;
	struct timespec t;

	session_set_percent(r->s, quiet ? 0 : r->o->percent);
	if (until > r->next_flush)
		until = r->next_flush;
	if (until > r->next_look)
		until = r->next_look;
	if (until > r->next_readers)
		until = r->next_readers;
	if (r->beside.maps && until > r->next_names)
		until = r->next_names;
	if (r->o->seconds > 0 && (double)(until - r->began) > r->o->seconds * 1e9)
		until = r->began + (uint64_t)(r->o->seconds * 1e9);
	if (r->o->guest)
		guests = r->o->guest->fds(r->o->guest->arg, r->fds + own, RECORDER_GUEST_FDS,
					  &until);
	if (session_is_changing(r->s))
		until = now;
	for (unsigned i = 0; i < r->pages.n; i++)
		r->fds[i] = (struct pollfd){ .fd = r->pages.v[i].offline ? -1 : r->pages.v[i].fd,
					     .events = POLLIN };
	until = until > now ? until - now : 0;
	t.tv_sec = (time_t)(until / SECOND);
	t.tv_nsec = (long)(until % SECOND);
	/* The watch has the same CPUs, and the same ones are offline. */
	for (unsigned i = 0; i < watched; i++)
		if (r->pages.v[i].offline)
			r->fds[r->pages.n + i].fd = -1;
	if (ppoll(r->fds, own + guests, &t, NULL) <= 0)
		return mono_ns() >= r->taken_at + IDLE_WAIT;
	for (unsigned i = 0; i < guests; i++)
		r->asked |= r->fds[own + i].revents != 0;
	for (unsigned i = 0; i < watched; i++) {
		short got = r->fds[r->pages.n + i].revents;

		/* Names fill their buffers: a storm of new tasks. */
		if (got & POLLIN)
			r->next_names = 0;
		if (got & (POLLERR | POLLHUP | POLLNVAL))
			r->pages.v[i].offline = true;
	}
	for (unsigned i = 0; i < r->pages.n; i++) {
		if (quiet && r->fds[i].revents & POLLIN)
			r->next_flush = now;
		full |= r->fds[i].revents != 0;
		if (r->fds[i].revents & (POLLERR | POLLHUP | POLLNVAL))
			r->pages.v[i].offline = true;
	}
	return full && !quiet;
}

static uint64_t quiet_round(const struct recorder *r)
{
	return r->out->quiet_ns ? r->out->quiet_ns : QUIET_ROUND;
}

/*
 * The round of NOW (CLOCK_MONOTONIC), rounds being FLUSH apart; and the time of the next.
 */
static int flush_round(struct recorder *r, uint64_t now, uint64_t flush, struct err *e)
{
	uint64_t before = r->out->bytes;
	int rc = make_round(r, e);

	if (now >= r->quiet)
		r->busy_since = now;
	if (now - r->busy_since > STEADY_AFTER && flush < STEADY_ROUND)
		flush = STEADY_ROUND;
	if (r->out->bytes != before)
		r->quiet = now + r->o->slack + flush;
	r->next_flush = now + (r->wakes && now >= r->quiet ? quiet_round(r) : flush);
	r->taken_at = now;
	return rc;
}

/* The statistics of one CPU, the first, also say which events were off. */
static void add_switched(struct recorder *r)
{
	for (unsigned i = 0; i < r->counts.n; i++)
		if (r->counts.stats[i]) {
			r->counts.stats[i] = budget_in_stats(r->budget, r->counts.stats[i]);
			return;
		}
}

/* What an output is given at its end. */
static struct output_end end_of(struct recorder *r, const struct recorder_result *res)
{
	add_switched(r);
	return (struct output_end){ .cpus = r->counts.cpus,
				    .stats = r->counts.stats,
				    .read = r->counts.read,
				    .ncpus = r->counts.n,
				    .events = res->events,
				    .dropped = res->dropped };
}

/* The output continues with another file: what is there now still belongs to the old one. */
static int turn_over(struct recorder *r, struct err *e)
{
	struct recorder_result so_far;
	struct output_end end;
	uint64_t now;
	int rc;

	TRY(session_now(r->s, &now, e));
	rc = r->out->away ? 0 : cpupages_take(&r->pages, now, turn_of(r), e);
	if (rc == 0)
		rc = sideband_names(&r->beside, e);
	if (rc)
		return rc;
	counts_take(&r->counts, false, &so_far);
	end = end_of(r, &so_far);
	sideband_all_names(&r->beside, &end);
	rc = r->out->ops->next(r->out, &end, e);
	recorder_result_fini(&so_far);
	return rc ? rc : sideband_again(&r->beside, e);
}

static void look_guest(struct recorder *r, uint64_t now)
{
	const struct recorder_guest *g = r->o->guest;
	bool asked = r->asked;

	r->asked = false;
	if (g)
		g->look(g->arg, r, asked, now);
}

void recorder_progress(const struct recorder *r, struct recorder_progress *p)
{
	counts_peek(&r->counts, &p->events, &p->lost);
	p->bytes = r->out->bytes;
	p->ns = mono_ns() - r->began;
}

static int record_loop(struct recorder *r, struct err *e)
{
	uint64_t flush = r->out->flush_ns ? r->out->flush_ns : UINT64_MAX / 4;
	int rc = 0;

	/* The sample of the round before is used (make_round). */
	if (!session_clock_is_cheap(r->s) && flush < r->o->slack)
		flush = r->o->slack;
	r->quiet = r->began + r->o->slack + flush;
	r->wakes = session_set_percent(r->s, 0);
	r->next_flush = r->began + flush;
	r->next_look = r->began + LOOK_EVERY;
	r->next_names = sideband_due(&r->beside, r->began + NAMES_EVERY);
	while (!rc) {
		uint64_t now = mono_ns();
		bool full = false;

		if (ended(r, now))
			break;
		look_guest(r, now);
		if (now >= r->next_readers)
			exclude_readers(r);
		if (now >= r->next_look) {
			r->next_look = now + LOOK_EVERY;
			rc = look_around(r, e);
		} else if (now >= r->next_names) {
			rc = sideband_names(&r->beside, e);
			r->next_names = sideband_due(
				&r->beside, now + (r->beside.watch ? WATCH_EVERY : NAMES_EVERY));
		} else if (r->out->away) {
			poll(NULL, 0, AWAY_MS);
		} else if (now >= r->next_flush) {
			rc = flush_round(r, now, flush, e);
		} else if (wait_for_data(r)) {
			full = true;
			r->taken_at = mono_ns();
			rc = cpupages_take(&r->pages, 0, turn_of(r), e);
		}
		if (!rc)
			rc = change_events(r, full, e);
		if (!rc && r->out->ops->due && r->out->ops->due(r->out, mono_ns()))
			rc = turn_over(r, e);
	}
	return rc;
}

static int finish(struct recorder *r, struct recorder_result *res, bool failed, struct err *e)
{
	struct output_end end;
	int rc;

	counts_take(&r->counts, true, res);
	for (unsigned i = 0; i < r->pages.n; i++) {
		res->cpus[i].bytes = r->pages.v[i].bytes;
		res->bytes += r->pages.v[i].bytes;
	}
	if (r->gone)
		return 0;
	if (!failed && others_say(r->others, r->o->notes) && r->out->ops->found)
		others_say_read(counts_own(r->out, res, r->counts.stats), r->o->notes);
	rc = sideband_last(&r->beside, e);
	end = end_of(r, res);
	sideband_all_names(&r->beside, &end);
	return rc ? rc : r->out->ops->end(r->out, &end, e);
}

/* Full sub-buffers, until there are none: perhaps more than one file's. */
static int drain_turns(struct recorder *r, struct err *e)
{
	uint64_t before;
	int rc;

	do {
		before = r->out->bytes;
		rc = r->out->away ? 0 : cpupages_take(&r->pages, 0, turn_of(r), e);
		if (!rc && r->out->ops->due(r->out, 0))
			rc = turn_over(r, e);
	} while (!rc && (r->out->bytes != before || r->out->away));
	return rc;
}

/* What is left. */
static int drain(struct recorder *r, struct err *e)
{
	uint64_t before;
	int rc = 0;

	/* An instance of another program continues: take what has come up to now. */
	if (!session_is_ours(r->s) && session_is_on(r->s)) {
		TRY(session_now(r->s, &before, e));
		return cpupages_take(&r->pages, before, UINT64_MAX, e);
	}
	do {
		if (r->out->ops->due)
			rc = drain_turns(r, e);
		if (!rc)
			rc = cpupages_drain(&r->pages, e);
	} while (!rc && r->out->away);
	return rc;
}

static int run(struct recorder *r, struct recorder_result *res, struct err *e)
{
	struct err first;
	uint64_t traced;
	int rc, last;

	r->began = mono_ns();
	exclude_readers(r);
	TRY(session_start(r->s, e));
	/* Only now: on a busy machine the start takes long, and that time was not recorded. */
	r->began = mono_ns();
	if (r->o->started)
		r->o->started(r->o->arg);
	rc = record_loop(r, e);
	taken(r, rc);
	if (r->o->guest)
		r->o->guest->ends(r->o->guest->arg);
	/* Whatever ended it: switch tracing off first, then take what is still there. */
	last = session_stop(r->s, rc < 0 ? &first : e);
	traced = mono_ns() - r->began;
	if (rc == 0 && last < 0)
		rc = last;
	if (rc == 0) {
		rc = drain(r, e);
		taken(r, rc);
	}
	last = finish(r, res, rc < 0, rc < 0 ? &first : e);
	taken(r, last);
	if (rc >= 0 && last < 0)
		rc = last;
	if (rc < 0 || r->gone || r->out->gaps)
		counts_own(r->out, res, NULL);
	res->gone = r->gone;
	res->own = r->out->own;
	res->switched = budget_report(r->budget);
	res->ns = traced;
	return rc < 0 ? -1 : 0;
}

static int prepare(struct recorder *r, struct err *e)
{
	unsigned n;

	r->beside = (struct sideband){
		.s = r->s, .out = r->out, .notes = r->o->notes, .counts = &r->counts
	};
	sideband_open(&r->beside, r->o->names, r->o->maps);
	TRY(cpupages_init(&r->pages, r->s, r->out, r->o->notes, e));
	n = r->pages.n;
	counts_init(&r->counts, r->s, r->o->notes);
	r->others = r->counts.others = others_open(r->s);
	if (r->o->budget.cpu || r->o->budget.rate)
		r->budget = budget_new(r->s, &r->o->budget, r->o->notes);
	r->fds = mem_zalloc((2 * n + 1 + RECORDER_GUEST_FDS) * sizeof(*r->fds));
	r->busy = mem_zalloc((n + 1) * sizeof(*r->busy));
	return 0;
}

int recorder_run(const struct recorder_opts *o, struct recorder_result *res, struct err *e)
{
	struct recorder r = { .o = o, .s = o->session, .out = o->output };
	int rc = -1;

	memset(res, 0, sizeof(*res));
	if (prepare(&r, e) < 0)
		goto out;
	o->meta->watched = r.beside.watch != NULL;
	rc = r.out->ops->begin(r.out, o->meta, e);
	if (rc == 0)
		rc = sideband_names(&r.beside, e);
	if (rc == 0)
		rc = run(&r, res, e);
	res->gone = r.gone |= rc == OUTPUT_GONE;
	rc = rc < 0 ? -1 : 0;
out:
	sideband_close(&r.beside);
	others_close(r.others);
	budget_free(r.budget);
	cpupages_fini(&r.pages);
	counts_fini(&r.counts);
	free(r.fds);
	free(r.busy);
	return rc;
}

void recorder_result_fini(struct recorder_result *r)
{
	free(r->cpus);
	free(r->switched);
	memset(r, 0, sizeof(*r));
}
