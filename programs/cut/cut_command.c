// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cut_command: --cut, the chosen part of one trace as a trace.dat of its own.
 */
#include "programs/cut/cut_command.h"

#include "programs/chosen.h"
#include "programs/open_inputs.h"
#include "programs/stop.h"
#include "programs/cut/target.h"
#include "run/drain.h"
#include "record/cut/cut.h"
#include "record/cut/stretches.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* Refuse what cannot be cut, and say what to do instead. */
static int check(struct cli *c)
{
	const struct source *s = c->run.pump.sources[0];

	if (c->run.pump.nsources > 1)
		return cli_usage(
			c, false,
			"--cut takes one trace, not %u: cut each of them (zedprint and zedperl "
			"read several files together)",
			c->run.pump.nsources);
	if (!s->ops->metadata)
		return cli_usage(
			c, false,
			"%s: --cut copies records of the kernel's ring buffer, and this %s "
			"has none: zedprint -f json prints the chosen events",
			s->in.path, s->ops->name);
	if (!s->nstreams && source_has_text(s))
		return cli_usage(c, false,
				 "%s: contains the text of a latency tracer and no records: "
				 "nothing to cut",
				 s->in.path);
	if (c->words.synthetic.n)
		return cli_usage(
			c, false,
			"--cut copies records of the trace: --synthetic makes events that are not "
			"in it");
	if (c->choice.events && words_have_stable(c->choice.events))
		return cli_usage(
			c, false,
			"--cut copies the trace's own events: name these with --event "
			"(sched:sched_switch), not stable ones (zedperl --list shows both)");
	return CLI_OK;
}

int cli_cut_name(const char **path, const char *value, struct err *e)
{
	if (*path)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "a second file: only one cut at a time");
	if (!*value)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "the name is empty");
	if (!strcmp(value, "-"))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "cannot write to standard output: a cut needs to seek (for a file "
			       "named -, write ./-)");
	*path = value;
	return 0;
}

static bool in_window(void *arg, uint64_t ts)
{
	const struct cli *c = arg;

	return ts >= c->choice.start && ts <= c->choice.end;
}

static bool in_times(void *arg, uint64_t ts)
{
	return times_have(arg, ts);
}

/* What there is to write, and how far it got. */
struct cut_job {
	struct cli *c;
	const char *path;
	struct target target;
	struct cut *cut;
};

/* Make the file, and the sink for its events. */
static int job_begin(struct cut_job *j, bool (*in_time)(void *arg, uint64_t ts), void *arg)
{
	struct cut_opts o = {
		.path = j->path, .notes = &j->c->run.notes, .in_time = in_time, .arg = arg
	};
	struct err e, other;

	if (target_open(&j->target, j->c, j->path, false, "--cut", &e) == 0)
		j->cut = cut_new(&o, &e);
	if (j->cut)
		return CLI_OK;
	err_path(&e, j->path);
	cli_say_err(j->c, &e);
	target_close(&j->target, false, &other);
	return CLI_USAGE;
}

/* The run ended with END, and E if that is RUN_FAILED: write the file if it is complete. */
static enum run_end job_write(struct cut_job *j, enum run_end end, struct err *e)
{
	struct cli *c = j->c;
	/* Stopped: --head has all its events. */
	bool whole = end == RUN_DONE || end == RUN_STOPPED;
	uint64_t n = cut_records(j->cut);
	struct err other;

	if (whole && cut_write(j->cut, j->target.fd, e) < 0) {
		whole = false;
		end = RUN_FAILED;
	}
	cut_free(j->cut);
	if (target_close(&j->target, whole, whole ? e : &other) < 0 && whole) {
		whole = false;
		end = RUN_FAILED;
	}
	if (end == RUN_FAILED)
		err_path(e, j->path);
	if (whole && n)
		note_say(&c->run.notes, NOTE_INFO, "%s: %" PRIu64 " record%s", j->path, n,
			 plural(n));
	else if (whole)
		note_say(&c->run.notes, NOTE_WARN, "%s: no event was chosen: the file has none",
			 j->path);
	return end;
}

int cli_cut(struct cli *c, const char *path)
{
	struct cut_job j = { .c = c, .path = path };
	int status = check(c);
	enum run_end end;
	struct err e;

	if (status == CLI_OK)
		status = job_begin(&j, in_window, c);
	if (status != CLI_OK)
		return status;
	cli_catch();
	end = run_into(&c->run.pump, cli_limit(c, &c->run.pump.stage), cut_sink(j.cut), &e);
	end = job_write(&j, end, &e);
	return cli_finish(c, end, &e);
}

int cli_cut_check(struct cli *c)
{
	const struct source *s = c->run.pump.sources[0];
	int status = check(c);
	struct stat st;

	if (status != CLI_OK)
		return status;
	/* "-" is standard input, which is already open: a file of that name may exist as well. */
	if (s->ops->stop || !strcmp(s->in.path, "-") || stat(s->in.path, &st) < 0 ||
	    !S_ISREG(st.st_mode))
		return cli_usage(c, false,
				 "%s: --cut reads the trace a second time, once the script has "
				 "marked what to keep: save it to a file first (zedtrace -o FILE)",
				 s->in.path);
	return CLI_OK;
}

/* Read the input again, leaving out only what is outside of the times. */
static enum run_end read_again(struct cli *c, struct cut_job *j, const struct times *t,
			       struct err *e)
{
	/* Notices about the input have already been given. */
	struct pump_opts o = { .source = c->words.source,
			       .strict = c->words.strict,
			       .stop = &cli_stop };
	enum run_end end = RUN_FAILED;
	uint64_t from = 1, to = 0;
	struct pump p;

	o.source.notes = NULL;
	o.source.keep_names = true;
	times_ends(t, &from, &to);
	pump_init(&p, &o);
	filter_times(p.filter, from, to);
	if (pump_open(&p, c->run.pump.sources[0]->in.path, e) == 0 &&
	    filter_compile(p.filter, p.catalog, NULL, e) == 0)
		end = run_into(&p, &p.stage, cut_sink(j->cut), e);
	end = job_write(j, end, e);
	pump_fini(&p);
	return end;
}

int cli_cut_times(struct cli *c, const char *path, struct times *t)
{
	struct cut_job j = { .c = c, .path = path };
	int status;
	enum run_end end;
	struct err e;

	times_settle(t);
	status = job_begin(&j, in_times, t);
	if (status != CLI_OK)
		return status;
	cli_catch();
	end = read_again(c, &j, t, &e);
	if (end == RUN_FAILED)
		cli_say_err(c, &e);
	return end == RUN_FAILED    ? CLI_DAMAGE :
	       end == RUN_SIGNALLED ? CLI_SIGNAL + cli_stop :
				      CLI_OK;
}
