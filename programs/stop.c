// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stop: the signals that ask for the end of a run.  The first one lets it finish, as long as there
 * is progress.
 */
#include "programs/stop.h"

#include "programs/options.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

volatile int cli_stop;

volatile unsigned cli_beat;

#define STUCK_MS 400 /* without a beat, after a signal: busy with one event, or in write() */

static volatile sig_atomic_t ending;

static void on_alarm(int sig)
{
	static volatile unsigned seen;

	if (cli_beat == seen && !ending)
		_exit(CLI_SIGNAL + cli_stop);
	seen = cli_beat;
}

/* Wait for the end as long as there is progress. */
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

void cli_ending(void)
{
	ending = true;
}
