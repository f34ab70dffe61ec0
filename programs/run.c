// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run: opens the inputs behind the filter, shows progress, catches signals, and makes the exit
 * status of how it ended.  Shared by zedperl and zedprint.
 */
#include "programs/options.h"

#include "base/mem.h"
#include "reader/model/cpustat.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

volatile int cli_stop;

/* What pump counts up once it has been told to stop: an event given away. */
static volatile unsigned beat;

#define STUCK_MS 400 /* without an event, after a signal: busy in one, or in write() */

static void on_alarm(int sig)
{
	static volatile unsigned seen;

	if (beat == seen)
		_exit(CLI_SIGNAL + cli_stop);
	seen = beat;
}

/* Wait for the end as long as there is some progress. */
static void on_signal(int sig)
{
	const struct timeval often = { .tv_usec = STUCK_MS * 1000 };
	const struct itimerval t = { often, often };
	struct sigaction sa = { .sa_handler = on_alarm };

	cli_stop = sig;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

void cli_catch(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}

static double seconds_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) / 1e9;
}

static double cpu_seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

#define PROGRESS_AFTER 1.0 /* seconds */
#define PROGRESS_EACH 0.2

static void show_progress(void *arg, const struct pump_stats *st)
{
	struct cli *c = arg;
	double t = seconds_since(&c->began), rate, part;
	char left[40] = "";

	if (t < PROGRESS_AFTER || t - c->progress_last < PROGRESS_EACH)
		return;
	c->progress_last = t;
	rate = (double)st->records / t;
	part = st->bytes_total ? (double)st->bytes_done / (double)st->bytes_total : 0;
	if (part > 1)
		part = 1;
	if (part > 0.005)
		snprintf(left, sizeof(left), ", %.0f s left", t / part - t);
	if (st->bytes_total)
		fprintf(stderr, "\r%s: %3.0f %%, ", c->spec->prog, part * 100);
	else
		fprintf(stderr, "\r%s: %.0f s, ", c->spec->prog, t);
	fprintf(stderr, "%" PRIu64 " event%s, %.0f events/s%s\033[K", st->records,
		plural(st->records), rate, left);
	fflush(stderr);
	c->progress_shown = true;
}

/* Not where output goes to a pipe, as to a pager, or floods this very terminal. */
static bool may_show_progress(const struct cli *c)
{
	const char *term = getenv("TERM");
	struct stat st;

	if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
		return false;
	if (fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return false;
	return !c->spec->floods || !isatty(STDOUT_FILENO);
}

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
	for (size_t i = 0; i < c->ninstances; i++) {
		struct buffer_names n = { .p = &c->pump };
		char list[600] = "";
		const char *b, *near;
		size_t len = 0;

		if (has_buffer(&c->pump, c->instances[i]))
			continue;
		near = nearest_name(c->instances[i], next_buffer, &n);
		n = (struct buffer_names){ .p = &c->pump };
		while ((b = next_buffer(&n)) && len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s\"%s\"", len ? ", " : "",
					b);
		cli_say(c, "--instance: no input has a buffer \"%s\"%s%s%s (there %s %s)",
			c->instances[i], near ? "; did you mean \"" : "", near ? near : "",
			near ? "\"?" : "", strchr(list, ',') ? "are" : "is", *list ? list : "none");
		return false;
	}
	return true;
}

/* A CPU that no input has is not wrong, but nothing will come of it. */
static void check_cpus(struct cli *c)
{
	int least = INT_MAX, most = -1;

	for (unsigned i = 0; i < c->pump.nsources; i++)
		for (unsigned k = 0; k < c->pump.sources[i]->nstreams; k++) {
			int cpu = c->pump.sources[i]->streams[k]->from->cpu;

			if (filter_takes_cpu(c->pump.filter, cpu))
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

/* Narrow the time that is asked for to FROM and TO. */
static void narrow(struct cli *c, uint64_t from, uint64_t to)
{
	if (from > c->start)
		c->start = from;
	if (to < c->end)
		c->end = to;
}

/* --relative: what is taken off is known now, or when the first event comes. */
static void set_base(struct cli *c)
{
	struct period all;
	struct err e;

	if (!c->relative)
		return;
	if (period_all(&c->pump, &all, &e) < 0)
		c->pump.relative = true;
	else if (period_any(&all))
		c->pump.run.base = all.first;
}

static int find_times(struct cli *c, struct err *e)
{
	struct period common;
	bool records;
	uint64_t ts;

	if (c->from.kind != TIME_OPEN) {
		if (times_resolve(&c->from, &c->pump, &ts, &records, e) < 0)
			return err_within(e, "--start");
		narrow(c, records ? ts : 0, UINT64_MAX);
	}
	if (c->to.kind != TIME_OPEN) {
		if (times_resolve(&c->to, &c->pump, &ts, &records, e) < 0)
			return err_within(e, "--end");
		narrow(c, 0, records ? ts : UINT64_MAX);
	}
	if (c->around.kind != TIME_OPEN) {
		uint64_t span = c->around_span;

		if (times_resolve(&c->around, &c->pump, &ts, &records, e) < 0)
			return err_within(e, "--around");
		if (records)
			narrow(c, ts > span ? ts - span : 0,
			       span < UINT64_MAX - ts ? ts + span : UINT64_MAX);
	}
	if (c->common_window) {
		if (period_common(&c->pump, &common, e) < 0)
			return err_within(e, "--common-window");
		if (!period_any(&common)) {
			err_set(e, ERR_USAGE, ERR_NO_OFF,
				"there is no time at which all CPUs have data: choose some of them "
				"with --cpu or --instance");
			return err_within(e, "--common-window");
		}
		narrow(c, common.first, common.last);
	}
	return 0;
}

/* What the options of times mean for the inputs. */
static bool set_times(struct cli *c)
{
	struct err e;

	set_base(c);
	if (find_times(c, &e) < 0) {
		cli_say_err(c, &e);
		return false;
	}
	if (c->start > c->end) {
		cli_usage(c, false, "%s: no event can pass",
			  c->around.kind == TIME_OPEN && !c->common_window ?
				  "--start lies behind --end" :
				  "the times that are asked for have nothing in common");
		return false;
	}
	filter_times(c->pump.filter, c->start, c->end);
	return true;
}

static bool takes_type(void *arg, const struct etype *t)
{
	struct cli *c = arg;

	return words_take(c->events, t) || synthetic_takes(c->synthetic, t);
}

static bool compile_terms(struct cli *c, struct notes *n)
{
	struct err e;

	if (c->events)
		filter_types(c->pump.filter, takes_type, c);
	if (filter_compile(c->pump.filter, c->pump.catalog, n, &e) == 0)
		return true;
	err_within(&e, "-F");
	cli_say_err(c, &e);
	return false;
}

/* --synthetic: before --event and -F, which may be about what it makes. */
static bool define(struct cli *c)
{
	struct err e;

	if (!c->stable)
		c->stable = c->own_stable = stable_new();
	c->synthetic = synthetic_new(c->pump.catalog, c->stable, &c->notes);
	for (size_t i = 0; i < c->ndefined; i++) {
		if (synthetic_add_text(c->synthetic, c->defined[i], &e))
			continue;
		err_within(&e, "--synthetic");
		cli_say_err(c, &e);
		return false;
	}
	return true;
}

/* Bind -F and --event to what the inputs have. */
static bool compile_filter(struct cli *c)
{
	struct err e;

	if (c->events && words_bind(c->events, c->stable, c->pump.catalog, &e) < 0) {
		err_within(&e, "--event");
		cli_say_err(c, &e);
		return false;
	}
	if (!compile_terms(c, &c->notes))
		return false;
	cli_want(c, NULL);
	return true;
}

void cli_want(struct cli *c, const uint8_t *want)
{
	unsigned n = catalog_count(c->pump.catalog);
	uint8_t *both;

	/* All that were chosen are counted; times count from the first event, whatever it is. */
	if (c->head || c->tail || c->pump.relative)
		want = NULL;
	if (c->pump.relative || (!c->events && (!want || !synthetic_any(c->synthetic)))) {
		catalog_want(c->pump.catalog, want);
		return;
	}
	/* The script may have defined more of them since. */
	if (c->events && synthetic_any(c->synthetic))
		compile_terms(c, NULL);
	both = mem_alloc((size_t)n + 1);
	for (unsigned i = 0; i < n; i++) {
		const struct etype *t = catalog_at(c->pump.catalog, i);

		both[i] = ((!want || want[i]) && filter_takes_type(c->pump.filter, t)) ||
			  synthetic_takes(c->synthetic, t);
	}
	catalog_want(c->pump.catalog, both);
	free(both);
}

struct sink *cli_limit(struct cli *c, struct sink *s)
{
	if (!c->head && !c->tail)
		return s;
	if (!c->limit)
		c->limit = limit_new(c->head, c->tail, &c->notes);
	return limit_sink(c->limit, s);
}

static bool shows_type(void *arg, const struct etype *t)
{
	struct cli *c = arg;

	return !c->events || words_take(c->events, t);
}

static bool passes_filter(void *arg, const struct event *ev)
{
	struct cli *c = arg;

	return filter_pass(c->pump.filter, ev);
}

struct sink *cli_synthetic(struct cli *c, struct sink *to)
{
	const struct synthetic_gate gate = {
		.shows = c->events ? shows_type : NULL,
		.passes = filter_empty(c->pump.filter) ? NULL : passes_filter,
		.arg = c,
	};

	return synthetic_any(c->synthetic) ? synthetic_before(c->synthetic, to, &gate) : to;
}

static bool add_live(struct cli *c)
{
	struct err e;
	struct source *s = c->open_live(c, &e);

	if (s && pump_add(&c->pump, s, &e) == 0)
		return true;
	cli_say_err(c, &e);
	return false;
}

/*
 * Each input keeps a descriptor, an LTT trace one for each of its files: take as many as the system
 * allows.  Children inherit the limit, which does no harm.
 */
static void raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* Out of descriptors: going on would give the answer for whichever inputs came first. */
static bool is_exhausted(struct cli *c, unsigned opened, const struct err *e)
{
	struct rlimit l;

	if (e->kind != ERR_SYS || (e->sys != EMFILE && e->sys != ENFILE))
		return false;
	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		l.rlim_max = 0;
	cli_say(c,
		"only %u of %u inputs can be open at once: this process may have %llu files "
		"open (root, or a login session with a higher ulimit -Hn, can have more)",
		opened, c->ninputs, (unsigned long long)l.rlim_max);
	return true;
}

bool cli_open(struct cli *c, int *status)
{
	struct pump_opts o = {
		.source = c->source,
		.strict = c->strict,
		.force_merge = c->force_merge,
		.stop = &cli_stop,
		.halt_first = true,
		.beat = &beat,
		.progress_arg = c,
	};
	struct err e;

	*status = CLI_USAGE;
	raise_limit();
	clock_gettime(CLOCK_MONOTONIC, &c->began);
	c->cpu_began = cpu_seconds();
	if (may_show_progress(c))
		o.progress = show_progress;
	pump_init(&c->pump, &o);
	c->pump_ready = true;
	filter_free(c->pump.filter);
	c->pump.filter = c->filter;
	c->filter = NULL;
	for (unsigned i = 0; i < c->ninputs; i++) {
		if (pump_open(&c->pump, c->inputs[i], &e) == 0)
			continue;
		cli_say_err(c, &e);
		c->failed++;
		if (e.kind == ERR_USAGE || c->strict || is_exhausted(c, i, &e))
			return false;
	}
	if (c->open_live && !add_live(c))
		return false;
	if (!c->pump.nsources || !check_instances(c))
		return false;
	if (!set_times(c) || !define(c) || !compile_filter(c))
		return false;
	check_cpus(c);
	return true;
}

/* What the kernel itself dropped; only live inputs tell. */
static void say_dropped(struct cli *c)
{
	struct cpustat st, sum = { 0 };
	bool live = false;

	for (unsigned i = 0; i < c->pump.nsources; i++) {
		struct source *s = c->pump.sources[i];
		const char *p;
		size_t len;

		if (!s->ops->stop)
			continue;
		live = true;
		p = machine_raw(&s->machine, TEXT_CPUSTAT, &len);
		for (const char *end = p + len; cpustat_next(&p, end, &st);) {
			/* The buffers of CPUs that nobody reads overflow. */
			if (!filter_takes_cpu(c->pump.filter, st.cpu))
				continue;
			sum.overrun += st.overrun;
			sum.commit_overrun += st.commit_overrun;
			sum.dropped += st.dropped;
		}
	}
	if (live)
		cli_say(c,
			"dropped  %" PRIu64 " by the kernel (overrun %" PRIu64
			", commit overrun %" PRIu64 ", dropped %" PRIu64 ")",
			sum.overrun + sum.commit_overrun + sum.dropped, sum.overrun,
			sum.commit_overrun, sum.dropped);
}

static void say_stats(struct cli *c)
{
	const struct pump_stats *st = &c->pump.stats;
	double t = seconds_since(&c->began), cpu = cpu_seconds() - c->cpu_began;

	cli_say(c, "records  %" PRIu64, st->records);
	cli_say(c, "passed   %" PRIu64, st->passed + st->early);
	if (st->lost_unknown)
		cli_say(c, "lost     %" PRIu64 ", and an unknown number at %" PRIu64 " place%s",
			st->lost, st->lost_unknown, plural(st->lost_unknown));
	else
		cli_say(c, "lost     %" PRIu64, st->lost);
	cli_say(c, "damaged  %" PRIu64, st->damaged);
	cli_say(c, "late     %" PRIu64, st->late);
	say_dropped(c);
	cli_say(c, "seconds  %.3f (%.3f of CPU)", t, cpu);
	cli_say(c, "events/s %.0f", t > 0 ? (double)st->records / t : 0);
}

/* ---- what was asked for and never came ---- */

#define MAX_SAID 5 /* pids that are reported one by one */

static void time_text(const struct cli *c, uint64_t ts, char *buf, size_t size)
{
	bool ns = true;

	/* As it would be shown. */
	ts -= ts > c->pump.run.base ? c->pump.run.base : ts;
	for (unsigned i = 0; i < c->pump.nsources; i++)
		ns &= c->pump.sources[i]->clock_is_ns || !c->pump.sources[i]->nstreams;
	if (ns)
		snprintf(buf, size, "%" PRIu64 ".%09" PRIu64, ts / 1000000000, ts % 1000000000);
	else
		snprintf(buf, size, "%" PRIu64 "ns", ts);
}

/* --start or --end that leaves nothing.  True: said. */
static bool say_times(struct cli *c)
{
	char from[48], to[48], asked[48];
	uint64_t first, last;

	if (!filter_met(c->pump.filter, &first, &last) || (c->start <= last && c->end >= first))
		return false;
	time_text(c, first, from, sizeof(from));
	time_text(c, last, to, sizeof(to));
	time_text(c, c->start > last ? c->start : c->end, asked, sizeof(asked));
	if (c->start > last)
		cli_say(c, "--start %s is after the end: the events are from %s to %s", asked, from,
			to);
	else
		cli_say(c, "--end %s is before the beginning: the events are from %s to %s", asked,
			from, to);
	return true;
}

/* The named task whose pid is nearest to PID; NULL: no input has names. */
static const char *nearest_task(const struct cli *c, int32_t pid, int32_t *near)
{
	const char *name = NULL;
	int64_t best = INT64_MAX;

	for (unsigned i = 0; i < c->pump.nsources; i++) {
		struct machine *s = &c->pump.sources[i]->machine;

		for (unsigned k = 0, n = machine_comm_count(s); k < n; k++) {
			int32_t has;
			const char *comm = machine_comm_at(s, k, &has);
			int64_t d = llabs((int64_t)has - pid);

			if (!d || d >= best)
				continue;
			best = d;
			*near = has;
			name = comm;
		}
	}
	return name;
}

static void say_pids(struct cli *c)
{
	size_t i = 0, more = 0;
	int32_t pid, near = 0;

	for (unsigned said = 0; filter_unmet_pid(c->pump.filter, &i, &pid); said++) {
		const char *name;

		if (said >= MAX_SAID) {
			more++;
			continue;
		}
		name = nearest_task(c, pid, &near);
		if (name)
			cli_say(c,
				"--pid %d: no event is of this task; the nearest that the trace "
				"names is %d (%s)",
				pid, near, name);
		else
			cli_say(c, "--pid %d: no event is of this task", pid);
	}
	if (more)
		cli_say(c, "--pid: nor of %zu more", more);
}

/* An empty answer may be a mistake in the question: say what the trace has instead. */
static void say_unmet(struct cli *c)
{
	uint64_t first, last;

	if (say_times(c))
		return;
	say_pids(c);
	if (!c->pump.stats.passed && filter_has_expr(c->pump.filter) &&
	    filter_met(c->pump.filter, &first, &last))
		cli_say(c, "-F: no event passed");
}

int cli_finish(struct cli *c, enum run_end end, const struct err *e)
{
	cli_clear(c);
	if (end == RUN_FAILED)
		cli_say_err(c, e);
	if (end == RUN_DONE)
		say_unmet(c);
	if (c->stats)
		say_stats(c);
	if (end == RUN_FAILED)
		return e->kind == ERR_USAGE ? CLI_USAGE : CLI_DAMAGE;
	if (end == RUN_SIGNALLED)
		return CLI_SIGNAL + cli_stop;
	return c->failed || c->notes.damage || c->pump.stats.damaged ? CLI_DAMAGE : CLI_OK;
}
