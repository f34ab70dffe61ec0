// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_trial: opens a trace once before its server begins, so that what is wrong with it is said
 * to the user who starts that.
 */
#include "programs/zedperl/explore/trace_trial.h"

#include "programs/zedperl/explore/view_process.h"
#include "reader/open.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int tracetrial_file(struct explore *x, const char *who, struct err *e)
{
	const char *path = x->trace;

	if (source_is_read_once(path))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s needs a file: %s can be read only once; save it first", who,
			       strcmp(path, "-") ? path : "standard input");
	/* What is not there the trial says. */
	if (!source_stat(path, &x->file))
		x->file.st_mode = 0;
	return 0;
}

int tracetrial_open(const struct explore *x, bool *ok, struct err *e)
{
	pid_t pid = fork();
	int how = 0;

	if (pid == 0) {
		struct cli c;

		viewprocess_signals();
		alarm(TRIAL_TIME);
		explore_prepare(x, &c, 0, UINT64_MAX);
		/* Its messages are the user's: it says them itself. */
		_exit(explore_open(x, &c, e) < 0);
	}
	if (pid < 0)
		return err_sys(e, ERR_NO_OFF, "cannot start a process to read %s", x->trace);
	while (waitpid(pid, &how, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot wait for the process that reads %s",
				       x->trace);
	if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "%s: does not open in %d s", x->trace,
			       TRIAL_TIME);
	if (WIFSIGNALED(how))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "%s: the process that read it was ended by signal %d", x->trace,
			       WTERMSIG(how));
	*ok = WEXITSTATUS(how) == 0;
	return 0;
}
