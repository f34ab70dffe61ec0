// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals: the first signal asks a recording or the server for a clean end, the second one ends it
 * at once, with its instances removed.
 */
#include "programs/zedtrace/signals.h"

#include "base/mono.h"
#include "base/suffix.h"
#include "programs/options.h"
#include "programs/stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* For the handler only: what a second signal has to remove and print. */
static char instance[SIGNALS_PATH], beside[SIGNALS_PATH];
static char also[4][SIGNALS_PATH + 8]; /* two instances, each after the one for its names */
static char last_words[640];
static volatile sig_atomic_t requested, reload;
static volatile sig_atomic_t may_leave; /* set: only INSTANCE and BESIDE have to be removed */
static volatile int64_t first_ms;

#define SAME_SIGNAL 300 /* ms: timeout(1) and sudo(8) send one signal twice */

static int64_t now_ms(void)
{
	return (int64_t)(mono_ns() / 1000000);
}

/* The first signal asks for a clean end.  The second one ends the process at once. */
static void on_signal(int sig)
{
	int saved = errno;
	ssize_t n;

	if (!cli_stop) {
		first_ms = now_ms();
		cli_stop = sig;
	} else if (may_leave && now_ms() - first_ms > SAME_SIGNAL) {
		/*
		 * An instance cannot be removed while one of its files is open; its pages in a pipe
		 * count, too.
		 */
		close_range(3, ~0u, 0);
		for (unsigned i = 0; i < 4; i++)
			if (*also[i])
				rmdir(also[i]);
		if (*instance) {
			rmdir(beside);
			rmdir(instance);
		}
		n = write(STDERR_FILENO, last_words, strlen(last_words));
		(void)n;
		_exit(128 + sig);
	}
	errno = saved;
}

/* poll() returns when the command ends. */
static void on_child(int sig)
{
}

static void catch_one(int sig, void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

/* By nohup(1). */
static bool hangup_is_ignored(void)
{
	struct sigaction was;

	return sigaction(SIGHUP, NULL, &was) == 0 && was.sa_handler == SIG_IGN;
}

void signals_catch(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] != SIGHUP || !hangup_is_ignored())
			catch_one(ends[i], on_signal);
	catch_one(SIGPIPE, SIG_IGN);
	catch_one(SIGXFSZ, SIG_IGN);
}

void signals_catch_child(void)
{
	catch_one(SIGCHLD, on_child);
}

static void on_request(int sig)
{
	requested = 1;
}

void signals_catch_request(void)
{
	catch_one(SIGUSR1, on_request);
}

bool signals_requested(void)
{
	bool was = requested;

	requested = 0;
	return was;
}

static void on_reload(int sig)
{
	reload = 1;
}

void signals_catch_reload(void)
{
	if (!hangup_is_ignored())
		catch_one(SIGHUP, on_reload);
}

bool signals_reload(void)
{
	bool was = reload;

	reload = 0;
	return was;
}

void signals_leave_also(const char *dir)
{
	unsigned i = *also[1] ? 2 : 0;

	snprintf(also[i], sizeof(also[i]), "%s.names", dir);
	snprintf(also[i + 1], sizeof(also[i + 1]), "%s", dir);
}

void signals_leave(const char *dir, const char *second)
{
	snprintf(beside, sizeof(beside), "%s", second);
	snprintf(instance, sizeof(instance), "%s", dir);
	for (unsigned i = 0; i < 4; i++)
		*also[i] = '\0';
	snprintf(last_words, sizeof(last_words), "zedtrace: ended at once\n");
	may_leave = true;
}

void signals_spooling(const char *path, bool parts)
{
	size_t len = parts ? suffix_stem(path, ".dat") : strlen(path);

	snprintf(last_words, sizeof(last_words),
		 "zedtrace: ended at once; zedtrace --recover %.*s%s.zed makes a "
		 "trace of what is there\n",
		 (int)(len < 500 ? len : 500), path, parts ? ".NNNNNN.dat" : "");
}

void signals_whole(void)
{
	snprintf(last_words, sizeof(last_words),
		 "zedtrace: ended at once; what was recorded is whole\n");
}
