// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mcp_server: the loop of `zedperl mcp`: messages come, calls run beside each other, results go.
 * It never opens a trace: whatever one makes a reader do, the server goes on.
 */
#include "programs/zedperl/mcp/mcp_server.h"

#include "base/io.h"
#include "base/mono.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/mcp/tool_call.h"
#include "programs/zedperl/mcp/kept.h"
#include "programs/zedperl/mcp/message_lines.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NSEC 1000000000ull

struct mcp_server {
	const struct mcp_traces *traces;
	struct lines in;
	int out;
	bool is_gone;			  /* no process reads OUT any more */
	enum revision agreed;		  /* by initialize */
	struct call *calls[SERVER_CALLS]; /* in the order in which they came */
	unsigned ncalls, running;
	struct kept_calls kept;
	struct outbuf line; /* the message that is written */
};

/* ---- what goes out ---- */

static void write_line(struct mcp_server *s)
{
	if (!s->is_gone && !io_write(s->out, s->line.p, s->line.len))
		s->is_gone = true;
	s->line.len = 0;
}

static void send_error(struct mcp_server *s, const struct json_value *id, enum rpc_error code,
		       const char *text, const char *data)
{
	message_error(&s->line, id, code, text, data);
	write_line(s);
}

/* A result of revision R with the members BODY, which is freed. */
static void send_result(struct mcp_server *s, const struct json_value *id, enum revision r,
			bool cacheable, struct outbuf *body)
{
	struct outbuf all = { 0 };

	revision_put(&all, r, cacheable);
	out_bytes(&all, body->p, body->len);
	/* An empty one. */
	if (all.len && all.p[all.len - 1] == ',')
		all.len--;
	message_result(&s->line, id, all.p, all.len);
	outbuf_fini(&all);
	outbuf_fini(body);
	write_line(s);
}

/* ---- calls ---- */

static unsigned running_most(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > SERVER_RUNNING ? SERVER_RUNNING : (unsigned)n;
}

static void forget_call(struct mcp_server *s, unsigned i)
{
	s->running -= s->calls[i]->pid != 0;
	call_free(s->calls[i]);
	s->ncalls--;
	memmove(s->calls + i, s->calls + i + 1, (s->ncalls - i) * sizeof(*s->calls));
}

static void end_call(struct mcp_server *s, unsigned i)
{
	struct call *c = s->calls[i];
	struct outbuf body = { 0 };

	s->running--;
	if (call_end(c, &body))
		kept_add(&s->kept, &c->key, &c->work);
	send_result(s, c->message.id, c->revision, false, &body);
	forget_call(s, i);
}

static void fail_call(struct mcp_server *s, unsigned i, const struct err *e)
{
	struct outbuf body = { 0 };

	call_error(&body, e->msg);
	send_result(s, s->calls[i]->message.id, s->calls[i]->revision, false, &body);
	forget_call(s, i);
}

/* As many as may run at once. */
static void start_calls(struct mcp_server *s)
{
	struct err e;

	for (unsigned i = 0; i < s->ncalls && s->running < running_most();) {
		struct call *c = s->calls[i];

		if (c->pid) {
			i++;
			continue;
		}
		if (kept_files(&s->kept, &c->key, &c->work, &e) < 0 || call_start(c, &e) < 0) {
			fail_call(s, i, &e);
			continue;
		}
		s->running++;
		i++;
	}
}

static int find_call(const struct mcp_server *s, const struct json_value *id)
{
	for (unsigned i = 0; i < s->ncalls; i++)
		if (message_same_id(s->calls[i]->message.id, id))
			return (int)i;
	return -1;
}

static void report_progress(struct mcp_server *s, struct call *c)
{
	unsigned seconds = (unsigned)((mono_ns() - c->began) / NSEC);

	if (!c->token || seconds < c->progress + SERVER_PROGRESS)
		return;
	c->progress = seconds;
	out_str(&s->line, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
			  "\"params\":{\"progressToken\":");
	message_put(&s->line, c->token);
	out_printf(&s->line, ",\"progress\":%u,\"message\":\"%s has run for %u s\"}}\n", seconds,
		   c->tool->name, seconds);
	write_line(s);
}

/* ---- requests ---- */

static void refuse_call(struct mcp_server *s, const struct message *m, enum revision r,
			const char *text)
{
	struct outbuf body = { 0 };

	call_error(&body, text);
	send_result(s, m->id, r, false, &body);
}

static void take_call(struct mcp_server *s, struct arena *a, const struct message *m,
		      enum revision r)
{
	struct call *c;
	struct err e;
	int code;

	if (find_call(s, m->id) >= 0) {
		send_error(s, m->id, RPC_REQUEST, "a call with this id has no answer yet", NULL);
		return;
	}
	if (s->ncalls == SERVER_CALLS) {
		refuse_call(s, m, r, "too many calls at once: wait for the results of some");
		return;
	}
	c = call_new(a, m, r, s->traces, &code, &e);
	if (c)
		s->calls[s->ncalls++] = c;
	else if (code)
		send_error(s, m->id, (enum rpc_error)code, e.msg, NULL);
	else
		refuse_call(s, m, r, e.msg);
}

static void answer_initialize(struct mcp_server *s, const struct message *m)
{
	const char *version = json_member_text(m->params, "protocolVersion");
	struct outbuf body = { 0 };

	if (!version) {
		send_error(s, m->id, RPC_PARAMS, "initialize needs protocolVersion", NULL);
		return;
	}
	s->agreed = revision_agree(version);
	revision_put_initialize(&body, s->agreed);
	send_result(s, m->id, s->agreed, false, &body);
}

static void answer_list(struct mcp_server *s, const struct message *m, enum revision r)
{
	struct outbuf body = { 0 };

	if (json_member(m->params, "cursor")) {
		send_error(s, m->id, RPC_PARAMS, "invalid cursor: all tools are in one page", NULL);
		return;
	}
	tools_put(&body, s->traces);
	send_result(s, m->id, r, true, &body);
}

static void answer_discover(struct mcp_server *s, const struct message *m, enum revision r)
{
	struct outbuf body = { 0 };

	revision_put_discover(&body);
	send_result(s, m->id, r, true, &body);
}

static void answer_ping(struct mcp_server *s, const struct message *m, enum revision r)
{
	struct outbuf body = { 0 };

	send_result(s, m->id, r, false, &body);
}

/* Of each era its methods: ping has gone, server/discover has come. */
static void answer(struct mcp_server *s, struct arena *a, const struct message *m, enum revision r)
{
	bool is_stateless = r == REVISION_2026_07_28;
	char text[120];

	if (!strcmp(m->method, "tools/call"))
		take_call(s, a, m, r);
	else if (!strcmp(m->method, "tools/list"))
		answer_list(s, m, r);
	else if (is_stateless && !strcmp(m->method, "server/discover"))
		answer_discover(s, m, r);
	else if (!is_stateless && !strcmp(m->method, "ping"))
		answer_ping(s, m, r);
	else {
		snprintf(text, sizeof(text), "no method '%.60s'", m->method);
		send_error(s, m->id, RPC_METHOD, text, NULL);
	}
}

static void take_request(struct mcp_server *s, struct arena *a, const struct message *m)
{
	struct outbuf data = { 0 };
	enum rpc_error code;
	enum revision r;
	struct err e;

	/* It says itself which revision it is about. */
	if (!strcmp(m->method, "initialize")) {
		answer_initialize(s, m);
		return;
	}
	/* Clients look so whether a server is there at all. */
	if (!strcmp(m->method, "ping") && s->agreed == REVISION_NONE &&
	    !json_member(m->params, "_meta")) {
		answer_ping(s, m, REVISION_2025_11_25);
		return;
	}
	r = revision_of(m, s->agreed, &code, &data, &e);
	if (r != REVISION_NONE)
		answer(s, a, m, r);
	else
		send_error(s, m->id, code, e.msg, data.len ? out_end(&data) : NULL);
	outbuf_fini(&data);
}

/* Others are of no interest here; what is wrong with one is not said. */
static void take_notification(struct mcp_server *s, const struct message *m)
{
	const struct json_value *id = json_member(m->params, "requestId");
	int i;

	if (strcmp(m->method, "notifications/cancelled") != 0 || !message_is_id(id))
		return;
	i = find_call(s, id);
	if (i >= 0)
		forget_call(s, (unsigned)i);
}

static void take_message(struct mcp_server *s, const char *line, size_t len)
{
	struct arena a = { .blocks = NULL };
	enum rpc_error code;
	struct message m;
	struct err e;

	if (message_parse(&m, &a, line, len, &code, &e) < 0)
		send_error(s, m.id, code, e.msg, NULL);
	else if (m.method && m.id)
		take_request(s, &a, &m);
	else if (m.method)
		take_notification(s, &m);
	arena_fini(&a);
}

static bool is_blank(const char *line, size_t len)
{
	while (len && strchr(" \t\r", *line)) {
		line++;
		len--;
	}
	return !len;
}

static void take_lines(struct mcp_server *s)
{
	const char *line;
	enum line_got got;
	size_t len;

	while ((got = lines_next(&s->in, &line, &len)) != LINE_NONE && !s->is_gone)
		if (got == LINE_TOO_LONG)
			send_error(s, NULL, RPC_REQUEST, "a message has at most 1 MiB", NULL);
		else if (!is_blank(line, len))
			take_message(s, line, len);
}

/* ---- the loop ---- */

/* Until something comes, a call ends, or progress is due. */
static int wait_for(struct mcp_server *s, struct pollfd *fds, struct err *e)
{
	bool is_due = false;

	fds[0] = (struct pollfd){ .fd = s->in.ended ? -1 : s->in.fd, .events = POLLIN };
	/* Whether it is read at all: of a pipe, its reader. */
	fds[1] = (struct pollfd){ .fd = s->out };
	for (unsigned i = 0; i < s->ncalls; i++) {
		const struct call *c = s->calls[i];

		fds[2 + i] = (struct pollfd){ .fd = c->pid ? c->ended : -1, .events = POLLIN };
		is_due |= c->pid && c->token;
	}
	if (poll(fds, 2 + s->ncalls, is_due ? 1000 * SERVER_PROGRESS : -1) < 0 && errno != EINTR)
		return err_sys(e, ERR_NO_OFF, "cannot wait for messages");
	return 0;
}

/* Those that have ended, from the last on: the others keep their places. */
static void look_at_calls(struct mcp_server *s, const struct pollfd *fds)
{
	for (unsigned i = s->ncalls; i-- > 0;)
		if (fds[2 + i].revents)
			end_call(s, i);
	for (unsigned i = 0; i < s->ncalls; i++)
		if (s->calls[i]->pid)
			report_progress(s, s->calls[i]);
}

static int turn(struct mcp_server *s, struct err *e)
{
	struct pollfd fds[2 + SERVER_CALLS];

	memset(fds, 0, sizeof(fds));
	TRY(wait_for(s, fds, e));
	if (fds[1].revents & (POLLERR | POLLNVAL))
		s->is_gone = true;
	look_at_calls(s, fds);
	if (fds[0].revents)
		lines_read(&s->in);
	take_lines(s);
	start_calls(s);
	return 0;
}

int mcpserver_run(const struct mcp_traces *t, int in, int out, struct err *e)
{
	struct mcp_server s = { .traces = t, .in = { .fd = in }, .out = out };
	int rc = 0;

	while (rc == 0 && !s.is_gone && (!s.in.ended || s.ncalls))
		rc = turn(&s, e);
	while (s.ncalls)
		forget_call(&s, s.ncalls - 1);
	kept_fini(&s.kept);
	lines_fini(&s.in);
	outbuf_fini(&s.line);
	return rc;
}
