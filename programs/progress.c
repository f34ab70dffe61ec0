// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * progress: the progress of a run as a line on a terminal, and its final numbers: --stats.
 */
#include "programs/open_inputs.h"

#include "base/mono.h"
#include "programs/options.h"
#include "trace/cpustat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static double seconds_since(uint64_t began)
{
	return (double)(mono_ns() - began) / 1e9;
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
	double t = seconds_since(c->run.began), rate, part;
	char left[40] = "";

	if (t < PROGRESS_AFTER || t - c->run.progress_last < PROGRESS_EACH)
		return;
	c->run.progress_last = t;
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
	c->run.progress_shown = true;
}

/* Not if output goes to a pipe, such as a pager, or floods this same terminal. */
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

void cli_began(struct cli *c, struct pump_opts *o)
{
	c->run.began = mono_ns();
	c->run.cpu_began = cpu_seconds();
	o->progress_arg = c;
	if (may_show_progress(c))
		o->progress = show_progress;
}

/* Events that the kernel itself dropped; known only for live inputs. */
static void say_dropped(struct cli *c)
{
	struct cpustat st, sum = { 0 };
	bool live = false;
	char others[60] = "";

	for (unsigned i = 0; i < c->run.pump.nsources; i++) {
		struct source *s = c->run.pump.sources[i];
		const char *p;
		size_t len;

		if (!s->ops->stop)
			continue;
		live = true;
		p = machine_raw(&s->machine, TEXT_CPUSTAT, &len);
		for (const char *end = p + len; cpustat_next(&p, end, &st);) {
			/* The buffers of CPUs that are not read overflow. */
			if (!filter_takes_cpu(c->run.pump.filter, st.cpu))
				continue;
			sum.overrun += st.overrun;
			sum.commit_overrun += st.commit_overrun;
			sum.dropped += st.dropped;
			sum.others += st.others;
		}
	}
	if (sum.others)
		snprintf(others, sizeof(others), ", and %" PRIu64 " read by other processes",
			 sum.others);
	if (live)
		cli_say(c,
			"dropped  %" PRIu64 " by the kernel (overrun %" PRIu64
			", commit overrun %" PRIu64 ", dropped %" PRIu64 ")%s",
			sum.overrun + sum.commit_overrun + sum.dropped, sum.overrun,
			sum.commit_overrun, sum.dropped, others);
}

static void say_lost(struct cli *c, const struct losses *l)
{
	char text[LOSSES_TEXT];

	cli_say(c, "lost     %s", losses_text(l, "", text));
}

void cli_say_stats(struct cli *c)
{
	const struct pump_stats *st = &c->run.pump.stats;
	double t = seconds_since(c->run.began), cpu = cpu_seconds() - c->run.cpu_began;

	cli_say(c, "records  %" PRIu64, st->records);
	cli_say(c, "passed   %" PRIu64, st->passed + st->early);
	if (st->early)
		cli_say(c, "early    %" PRIu64, st->early);
	say_lost(c, &st->losses);
	cli_say(c, "damaged  %" PRIu64, st->damaged);
	cli_say(c, "late     %" PRIu64, st->late);
	say_dropped(c);
	cli_say(c, "seconds  %.3f (%.3f of CPU)", t, cpu);
	cli_say(c, "events/s %.0f", t > 0 ? (double)st->records / t : 0);
}
