// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * python_run: the run of a Python script over the open inputs: what zedpython adds to script_host,
 * which are the signals that end a run.
 */
#include "interp/python/perf/perf_convention.h"
#include "interp/python/script/pyscript.h"
#include "programs/script/script_host.h"
#include "programs/stop.h"
#include "programs/zedpython/zedpython.h"

#include <signal.h>

/* The first one lets the run come to its end, with trace_end; the second one is for the script. */
static void on_signal(int sig)
{
	if (cli_stop)
		pyscript_interrupt();
	cli_stop = sig;
}

/* Until the first event a signal is Python's own matter: KeyboardInterrupt. */
static void catch_signals(const struct cli *c)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal };
	bool live = pump_is_live(&c->run.pump);

	sigemptyset(&sa.sa_mask);
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]) - !live; i++)
		if (!pyscript_handles(signals[i]))
			sigaction(signals[i], &sa, NULL);
}

static struct stage *start_events(void *arg, struct err *e)
{
	catch_signals(arg);
	return script_start(arg, e);
}

/* The pump saw the signal, and not the script: say so as script_host knows it. */
static void blame_signal(const struct cli *c, struct script_result *r)
{
	if (r->end == RUN_SIGNALLED && !r->signal) {
		r->end = RUN_STOPPED;
		r->signal = cli_stop;
	}
	r->halted = cli_stop && c->run.pump.halted;
}

int zedpython_run(struct cli *c, struct zedpython *z)
{
	const struct py_line line = {
		.path = z->script.path,
		.code = z->script.code,
		.argv = z->args,
		.argc = z->nargs,
		.folders = (char **)z->folders.v,
		.nfolders = z->folders.n,
		.convention = &PERF_CONVENTION,
	};
	struct script_result r = { .status = -1 };
	struct host_opts o;
	bool ran, own = true; /* the status is the script's */
	int status;

	script_leave_stdin(c);
	script_host_opts(c, &o);
	o.start = start_events;
	script_watch_end(c);
	if (c->words.verbose)
		cli_say(c, "started with Python script %s", script_name(&z->script));
	ran = pyscript_run(&o, &line, &r) == 0;
	if (!ran || r.forked) {
		status = r.status;
	} else {
		blame_signal(c, &r);
		own = r.status >= 0;
		status = script_status(c, &r, "raised an exception");
		if (script_interrupted(&r) && !r.says_cut)
			script_say_interrupted(c);
	}
	return script_live_end(c, ran || r.forked ? &r : NULL, status, own);
}
