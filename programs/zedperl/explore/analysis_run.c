// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis_run: an analysis as a process, by the command line that a user would write.
 */
#include "programs/zedperl/explore/analysis_run.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- its command line ---- */

void analysis_word(struct analysis_words *w, const char *fmt, ...)
{
	va_list ap, again;
	char *text;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	text = mem_alloc((size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	w->argv = mem_grow(w->argv, &w->cap, w->n + 2, sizeof(*w->argv));
	w->argv[w->n++] = text;
	w->argv[w->n] = NULL;
}

void analysis_words_fini(struct analysis_words *w)
{
	while (w->n)
		free(w->argv[--w->n]);
	free(w->argv);
	*w = (struct analysis_words){ 0 };
}

static void out_shell(struct outbuf *o, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

	if (*word && !word[strspn(word, plain)]) {
		out_str(o, word);
		return;
	}
	out_char(o, '\'');
	for (; *word; word++)
		if (*word == '\'')
			out_str(o, "'\\''");
		else
			out_char(o, *word);
	out_char(o, '\'');
}

void analysis_shown(const struct analysis_words *w, struct outbuf *o)
{
	out_str(o, w->program ? w->program : "zedperl");
	for (size_t i = 1; i < w->n; i++) {
		out_char(o, ' ');
		out_shell(o, w->argv[i]);
	}
}

/* ---- its run ---- */

struct analysis_pipe {
	int fd; /* -1: at its end */
	struct outbuf *to;
	size_t most;
	bool cut; /* what is more than MOST is dropped; else it is an error */
};

/* In the new process. */
static void become(const struct analysis_words *w, const int out[2], const int said[2],
		   pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* This program, also where its file was replaced. */
	if (null >= 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
	    dup2(null, STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 &&
	    dup2(said[1], STDERR_FILENO) >= 0)
		execv("/proc/self/exe", w->argv);
	_exit(127);
}

static int take_piece(struct analysis_pipe *p, struct err *e)
{
	char *to = out_room(p->to, 65536);
	ssize_t n = read(p->fd, to, 65536);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0) {
		close(p->fd);
		p->fd = -1;
		return 0;
	}
	if (p->to->len + (size_t)n <= p->most) {
		p->to->len += (size_t)n;
		return 0;
	}
	if (p->cut)
		return 0;
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the answer is larger than %zu MiB: choose less",
		       p->most >> 20);
}

static int take_both(struct analysis_pipe pipes[2], struct err *e)
{
	while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
		struct pollfd v[2] = { { .fd = pipes[0].fd, .events = POLLIN },
				       { .fd = pipes[1].fd, .events = POLLIN } };

		if (poll(v, 2, -1) < 0 && errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot wait for an analysis");
		for (unsigned i = 0; i < 2; i++)
			if (pipes[i].fd >= 0 && v[i].revents)
				TRY(take_piece(&pipes[i], e));
	}
	return 0;
}

static void close_both(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

int analysis_run(const struct analysis_words *w, struct outbuf *out, struct outbuf *said,
		 int *status, struct err *e)
{
	struct analysis_pipe pipes[2];
	pid_t pid, parent = getpid();
	int o[2], s[2], rc, how = 0;

	if (pipe2(o, O_CLOEXEC) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot make a pipe");
	if (pipe2(s, O_CLOEXEC) < 0) {
		close_both(o);
		return err_sys(e, ERR_NO_OFF, "cannot make a pipe");
	}
	pid = fork();
	if (pid == 0)
		become(w, o, s, parent);
	if (pid < 0) {
		close_both(o);
		close_both(s);
		return err_sys(e, ERR_NO_OFF, "cannot start an analysis");
	}
	close(o[1]);
	close(s[1]);
	pipes[0] = (struct analysis_pipe){ .fd = o[0], .to = out, .most = ANALYSIS_OUT };
	pipes[1] = (struct analysis_pipe){
		.fd = s[0], .to = said, .most = ANALYSIS_SAID, .cut = true
	};
	rc = take_both(pipes, e);
	if (rc < 0)
		kill(pid, SIGKILL);
	for (unsigned i = 0; i < 2; i++)
		if (pipes[i].fd >= 0)
			close(pipes[i].fd);
	while (waitpid(pid, &how, 0) < 0)
		if (errno != EINTR)
			return rc < 0 ? rc : err_sys(e, ERR_NO_OFF, "cannot wait for an analysis");
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	return rc;
}
