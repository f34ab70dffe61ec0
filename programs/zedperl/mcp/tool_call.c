// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tool_call: one call of a tool, from its arguments to its result, in a process of its own.
 */
#include "programs/zedperl/mcp/tool_call.h"

#include "base/io.h"
#include "base/mono.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/explore/view_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULT_MOST (1u << 20) /* bytes of a result that are read */

/* ---- its arguments ---- */

static const struct json_value *progress_token(const struct message *m)
{
	const struct json_value *token = json_member(json_member(m->params, "_meta"),
						     "progressToken");

	return message_is_id(token) ? token : NULL;
}

static void make_key(struct call *c)
{
	for (unsigned i = 0; i < c->work.nruns; i++)
		for (size_t k = 1; k < c->work.runs[i].n; k++)
			out_bytes(&c->key, c->work.runs[i].argv[k],
				  strlen(c->work.runs[i].argv[k]) + 1);
	for (unsigned i = 0; i < c->work.ntraces; i++)
		mcptrace_stamp(c->work.traces[i], &c->key);
}

static int take(struct call *c, const struct mcp_traces *t, int *code, struct err *e)
{
	const struct json_value *args = json_member(c->message.params, "arguments");
	const char *name = json_member_text(c->message.params, "name");

	*code = RPC_PARAMS;
	if (!name)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "tools/call needs the name of a tool");
	c->tool = tool_named(name);
	if (!c->tool)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "unknown tool '%.60s'", name);
	if (args && args->kind != JSON_OBJECT)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "arguments must be an object");
	/* What a model can mend is a result. */
	*code = 0;
	TRY(args_take(&c->args, args, name, c->tool->takes, c->tool->needs, e));
	TRY(c->tool->plan(&c->work, &c->args, t, e));
	make_key(c);
	return 0;
}

struct call *call_new(struct arena *a, const struct message *m, enum revision revision,
		      const struct mcp_traces *t, int *code, struct err *e)
{
	struct call *c = mem_zalloc(sizeof(*c));

	c->message = *m;
	c->revision = revision;
	c->token = progress_token(m);
	c->ended = c->result = c->said = -1;
	work_init(&c->work);
	if (take(c, t, code, e) < 0) {
		call_free(c);
		return NULL;
	}
	c->arena = *a;
	*a = (struct arena){ .blocks = NULL };
	return c;
}

/* ---- its result ---- */

void call_error(struct outbuf *body, const char *text)
{
	out_str(body, "\"content\":[{\"type\":\"text\",\"text\":");
	out_json(body, text, strlen(text));
	out_str(body, "}],\"isError\":true");
}

/* How a process tells that its result is there. */
#define DONE 'd'
#define DONE_WITH_ERROR 'e'

/* In its process. */
static char answer(struct call *c, struct outbuf *o)
{
	char text[sizeof(((struct err *)0)->msg) + 320];
	struct content t;
	struct err e;

	content_init(&t, c->tool->name, &c->args);
	if (c->tool->answer(&t, &c->work, &c->args, &e) == 0 && content_end(&t, o, &e) == 0)
		return DONE;
	o->len = 0;
	call_error(o, err_text(&e, text, sizeof(text)));
	return DONE_WITH_ERROR;
}

/* The client's streams are not for what runs here. */
static bool take_descriptors(const struct call *c)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	return null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
	       dup2(c->said, STDERR_FILENO) >= 0;
}

/* Never returns, and frees nothing. */
static void live(struct call *c, int ended)
{
	struct outbuf o = { 0 };
	char done;

	setpgid(0, 0);
	viewprocess_signals();
	if (!take_descriptors(c))
		_exit(1);
	viewprocess_confine();
	done = answer(c, &o);
	if (io_write(c->result, o.p, o.len))
		io_write(ended, &done, 1);
	_exit(0);
}

/* ---- in the server ---- */

static int prepare(struct call *c, int ends[2], struct err *e)
{
	c->result = memfd_create("result", MFD_CLOEXEC);
	c->said = memfd_create("messages", MFD_CLOEXEC);
	if (c->result < 0 || c->said < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot prepare an answer");
	return 0;
}

int call_start(struct call *c, struct err *e)
{
	pid_t parent = getpid();
	int ends[2];

	TRY(prepare(c, ends, e));
	c->ended = ends[0];
	c->began = mono_ns();
	c->pid = fork();
	if (c->pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent)
			live(c, ends[1]);
		_exit(1);
	}
	close(ends[1]);
	if (c->pid < 0) {
		c->pid = 0;
		return err_sys(e, ERR_NO_OFF, "cannot start a process for an answer");
	}
	/* Here too, so that it is true before it is ended. */
	setpgid(c->pid, c->pid);
	return 0;
}

/* End all that it has started and left running, and wait for it. */
static int reap(struct call *c)
{
	int how = 0;

	if (!c->pid)
		return 0;
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &how, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	return how;
}

static void put_failure(struct outbuf *body, int how)
{
	char text[200];

	if (WIFSIGNALED(how) && (WTERMSIG(how) == SIGXCPU || WTERMSIG(how) == SIGALRM))
		snprintf(text, sizeof(text),
			 "the answer took too long (%d s at most): choose a shorter range",
			 VIEW_TIME);
	else if (WIFSIGNALED(how))
		snprintf(text, sizeof(text),
			 "the answer's process was ended by signal %d: choose a shorter range",
			 WTERMSIG(how));
	else
		snprintf(text, sizeof(text),
			 "the answer needs more memory than it may have: choose a shorter range");
	call_error(body, text);
}

bool call_end(struct call *c, struct outbuf *body)
{
	char done = 0;
	bool is_done = read(c->ended, &done, 1) == 1;
	int how = reap(c);
	size_t from = body->len;
	ssize_t n = 0;

	if (is_done)
		n = io_pread(c->result, out_room(body, RESULT_MOST), RESULT_MOST, 0);
	if (n > 0) {
		body->len += (size_t)n;
		return done == DONE;
	}
	body->len = from;
	put_failure(body, how);
	return false;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

void call_free(struct call *c)
{
	reap(c);
	close_one(c->ended);
	close_one(c->result);
	close_one(c->said);
	work_fini(&c->work);
	outbuf_fini(&c->key);
	arena_fini(&c->arena);
	free(c);
}
