// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explore_server: who is answered, and when: admits a request, has its view made by a process when
 * there is a CPU for it, and hands the answer to libmicrohttpd.
 */
#include "programs/zedperl/explore/explore_server.h"

#ifdef ZED_MICROHTTPD

#include "base/mono.h"
#include "programs/zedperl/explore/index_process.h"
#include "programs/zedperl/explore/view_process.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define NS 1000000000ull

/* A request that has shown the token, from its head to the end of its answer. */
struct view_call {
	struct explore_server *server;
	struct view_call *next;
	struct MHD_Connection *connection;
	const struct explore_view *view; /* NULL: the page */
	bool bad;			 /* its parameters are, as `why` says */
	struct err why;
	struct request request;
	struct view_process process;
	enum { CALL_NEW, CALL_WAITS, CALL_RUNS, CALL_READY, CALL_GONE } state;
	unsigned status;
	uint64_t size;
};

struct explore_client {
	struct MHD_Connection *connection; /* NULL: free */
	int fd;
	uint64_t since; /* mono_ns(): its connection, its last request, or its answer */
	bool calls;	/* a view is being made: it is not ended for others */
	bool reads;	/* the answer of a view, which is kept until all of it is sent */
	bool ended;	/* it was: libmicrohttpd will close it */
};

struct explore_server {
	struct explore_site *site;
	struct index_process index;
	struct MHD_Daemon *daemon;
	struct view_call *calls; /* those that wait or run, in the order of their arrival */
	unsigned waiting, running, most;
	struct explore_client clients[EXPLORE_CLIENTS];
	uint64_t asked; /* mono_ns(): the last request with the token */
};

/* ---- answers ---- */

static void add_headers(struct MHD_Response *r, const char *type, const char *policy)
{
	const char *const v[][2] = {
		{ "Content-Type", type },
		{ "Content-Security-Policy", policy },
		{ "Cache-Control", "no-store" },
		{ "Referrer-Policy", "no-referrer" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
	};

	for (unsigned i = 0; i < sizeof(v) / sizeof(*v); i++)
		MHD_add_response_header(r, v[i][0], v[i][1]);
}

#define NO_POLICY "default-src 'none'; frame-ancestors 'none'"
#define JSON_TYPE "application/json"

/* R is queued and put. */
static enum MHD_Result queue(struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
{
	enum MHD_Result done;

	if (!r)
		return MHD_NO;
	done = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return done;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status)
{
	static const struct refusal {
		unsigned status;
		const char *text;
	} texts[] = {
		{ 400, "a request without a body, please\n" },
		{ 403, "forbidden: not asked by the page that was served here\n" },
		{ 404, "not found\n" },
		{ 405, "only GET\n" },
	};
	const struct refusal *t = texts;
	struct MHD_Response *r;

	while (t->status != status)
		t++;
	r = MHD_create_response_from_buffer(strlen(t->text), (void *)(uintptr_t)t->text,
					    MHD_RESPMEM_PERSISTENT);
	if (r)
		add_headers(r, "text/plain; charset=utf-8", NO_POLICY);
	if (r && status == 405)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	return queue(c, status, r);
}

/* TEXT as JSON: {"error":"TEXT"}; NULL: {}. */
static enum MHD_Result say_json(struct MHD_Connection *c, unsigned status, const char *text)
{
	struct outbuf o = { 0 };
	struct MHD_Response *r;

	out_str(&o, text ? "{\"error\":" : "{");
	if (text)
		out_json(&o, text, strlen(text));
	out_char(&o, '}');
	r = MHD_create_response_from_buffer(o.len, o.p, MHD_RESPMEM_MUST_COPY);
	outbuf_fini(&o);
	if (r)
		add_headers(r, JSON_TYPE, NO_POLICY);
	return queue(c, status, r);
}

static enum MHD_Result give_page(struct explore_server *s, struct MHD_Connection *c)
{
	const struct explore_page *p = &s->site->page;
	struct MHD_Response *r = MHD_create_response_from_buffer(p->html.len, p->html.p,
								 MHD_RESPMEM_PERSISTENT);

	if (r)
		add_headers(r, "text/html; charset=utf-8", p->policy.p);
	return queue(c, 200, r);
}

/* ---- clients ---- */

static struct explore_client *client_of(struct explore_server *s, struct MHD_Connection *c)
{
	for (unsigned i = 0; i < EXPLORE_CLIENTS; i++)
		if (s->clients[i].connection == c)
			return &s->clients[i];
	return NULL;
}

/*
 * It is crowded: the connection that asked nothing for longest makes room.  The places beyond that
 * are for those that come before libmicrohttpd has seen its end.
 */
static void make_room(struct explore_server *s)
{
	struct explore_client *oldest = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < EXPLORE_CLIENTS; i++) {
		struct explore_client *c = &s->clients[i];

		if (!c->connection || c->ended)
			continue;
		n++;
		if (!c->calls && (!oldest || c->since < oldest->since))
			oldest = c;
	}
	if (n < EXPLORE_CROWDED || !oldest)
		return;
	shutdown(oldest->fd, SHUT_RDWR);
	oldest->ended = true;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **socket,
			  enum MHD_ConnectionNotificationCode code)
{
	struct explore_server *s = cls;
	struct explore_client *c;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		c = client_of(s, connection);
		if (c)
			c->connection = NULL;
		return;
	}
	c = client_of(s, NULL);
	if (c)
		*c = (struct explore_client){
			.connection = connection,
			.fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
				      ->connect_fd,
			.since = mono_ns(),
		};
	make_room(s);
}

static void set_calls(struct explore_server *s, struct MHD_Connection *connection, bool calls,
		      bool reads)
{
	struct explore_client *c = client_of(s, connection);

	if (!c)
		return;
	c->calls = calls;
	c->reads = reads;
	c->since = mono_ns();
}

/*
 * One more answer is asked for.  Of too many that are not read to their end, that which is read
 * for longest is ended.  False: there is no place.
 */
static bool make_place(struct explore_server *s)
{
	struct explore_client *oldest = NULL;
	uint64_t now = mono_ns();
	unsigned n = 0;

	for (unsigned i = 0; i < EXPLORE_CLIENTS; i++) {
		struct explore_client *c = &s->clients[i];

		if (!c->connection || c->ended || !c->reads)
			continue;
		n++;
		if (!oldest || c->since < oldest->since)
			oldest = c;
	}
	if (n < EXPLORE_UNREAD)
		return true;
	if (now - oldest->since < EXPLORE_READ * NS)
		return false;
	shutdown(oldest->fd, SHUT_RDWR);
	oldest->ended = true;
	return true;
}

/* ---- calls of views ---- */

static void unlink_call(struct view_call *v)
{
	struct view_call **at = &v->server->calls;

	while (*at && *at != v)
		at = &(*at)->next;
	if (*at)
		*at = v->next;
	v->server->waiting -= v->state == CALL_WAITS;
	v->server->running -= v->state == CALL_RUNS;
}

/* Its connection continues: handle() is called again. */
static void resume(struct view_call *v, int state)
{
	unlink_call(v);
	v->state = state;
	MHD_resume_connection(v->connection);
}

static void start_one(struct view_call *v)
{
	struct explore_server *s = v->server;
	struct err e;

	indexprocess_look(&s->index);
	s->waiting--;
	s->running++;
	v->state = CALL_RUNS;
	if (viewprocess_start(&v->process, s->site->x, v->view, &v->request, &e) == 0)
		return;
	/* Out of processes or memory: for this request, and not for the server. */
	v->status = 500;
	resume(v, CALL_READY);
}

/* As many as there are CPUs, in the order of their arrival. */
static void start_calls(struct explore_server *s)
{
	struct view_call *next;

	for (struct view_call *v = s->calls; v && s->running < s->most; v = next) {
		next = v->next;
		if (v->state == CALL_WAITS)
			start_one(v);
	}
}

static enum MHD_Result wait_for_view(struct view_call *v)
{
	struct explore_server *s = v->server;
	struct view_call **at = &s->calls;

	if (s->waiting == EXPLORE_WAITING || !make_place(s))
		return say_json(v->connection, 503, "busy: too many requests wait");
	while (*at)
		at = &(*at)->next;
	*at = v;
	v->state = CALL_WAITS;
	s->waiting++;
	set_calls(s, v->connection, true, false);
	MHD_suspend_connection(v->connection);
	return MHD_YES;
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **of,
			 enum MHD_RequestTerminationCode how)
{
	struct view_call *v = *of;

	set_calls(cls, connection, false, false);
	if (!v)
		return;
	if (v->state == CALL_WAITS || v->state == CALL_RUNS)
		unlink_call(v);
	viewprocess_stop(&v->process);
	free(v);
	*of = NULL;
}

/* ---- requests ---- */

/* The file goes to the response, which closes it. */
static enum MHD_Result give_answer(struct view_call *v)
{
	struct MHD_Response *r;

	if (v->process.answer < 0)
		return say_json(v->connection, 500,
				"there is no process or memory for an answer now");
	r = MHD_create_response_from_fd64(v->size, v->process.answer);
	if (!r)
		return MHD_NO;
	v->process.answer = -1;
	set_calls(v->server, v->connection, false, true);
	add_headers(r, JSON_TYPE, NO_POLICY);
	return queue(v->connection, v->status, r);
}

/* What the head of a request says that matters here. */
struct request_head {
	struct admission_head from;
	bool body;
};

static enum MHD_Result take_header(void *cls, enum MHD_ValueKind kind, const char *name,
				   const char *value)
{
	struct request_head *head = cls;
	struct admission_head *h = &head->from;

	head->body |= !strcasecmp(name, "Content-Length") || !strcasecmp(name, "Transfer-Encoding");
	h->hosts += !strcasecmp(name, "Host");
	if (!strcasecmp(name, "Host"))
		h->host = value;
	else if (!strcasecmp(name, "Origin"))
		h->origin = value ? value : "";
	else if (!strcasecmp(name, "Sec-Fetch-Site"))
		h->site = value ? value : "";
	else if (!strcasecmp(name, "Sec-Fetch-Mode"))
		h->mode = value;
	else if (!strcasecmp(name, "Sec-Fetch-Dest"))
		h->dest = value;
	return MHD_YES;
}

struct param_taker {
	struct request_reader reader;
	struct view_call *call;
};

static enum MHD_Result take_param(void *cls, enum MHD_ValueKind kind, const char *name,
				  size_t name_len, const char *value, size_t value_len)
{
	struct param_taker *t = cls;

	t->call->bad = request_take(&t->reader, name, value, value_len, &t->call->why) < 0;
	return t->call->bad ? MHD_NO : MHD_YES;
}

/* It is answered when all of it has come: else libmicrohttpd closes the connection. */
static enum MHD_Result begin_call(struct explore_server *s, struct MHD_Connection *c,
				  const struct explore_view *view, void **of)
{
	struct view_call *v = mem_zalloc(sizeof(*v));
	struct param_taker t = { .call = v };

	viewprocess_init(&v->process);
	v->server = s;
	v->connection = c;
	v->view = view;
	*of = v;
	if (!view)
		return MHD_YES;
	request_begin(&t.reader, view, &v->request);
	MHD_get_connection_values_n(c, MHD_GET_ARGUMENT_KIND, take_param, &t);
	v->bad = v->bad || request_end(&t.reader, &v->why) < 0;
	return MHD_YES;
}

static bool is_get(const char *method)
{
	return !strcmp(method, "GET") || !strcmp(method, "HEAD");
}

/* The head of a request is complete. */
static enum MHD_Result begin(struct explore_server *s, struct MHD_Connection *c, const char *url,
			     const char *method, void **of)
{
	const char *what = pagetoken_below(&s->site->token, url);
	struct request_head h = { .body = false };
	const struct explore_view *view;

	set_calls(s, c, false, false);
	MHD_get_connection_values(c, MHD_HEADER_KIND, take_header, &h);
	if (!admission_passes(&s->site->admission, &h.from, what && !*what))
		return refuse(c, 403);
	if (!what)
		return refuse(c, 404);
	if (!is_get(method))
		return refuse(c, 405);
	/* It would have to be waited for. */
	if (h.body)
		return refuse(c, 400);
	s->asked = mono_ns();
	view = *what ? view_find_named(what) : NULL;
	return *what && !view ? refuse(c, 404) : begin_call(s, c, view, of);
}

/* All of it has come. */
static enum MHD_Result proceed(struct view_call *v)
{
	if (!v->view)
		return give_page(v->server, v->connection);
	if (v->bad)
		return say_json(v->connection, 400, v->why.msg);
	return v->view->make ? wait_for_view(v) : say_json(v->connection, 200, NULL);
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *len, void **of)
{
	struct view_call *v = *of;

	if (!v)
		return begin(cls, c, url, method, of);
	switch (v->state) {
	case CALL_NEW:
		return proceed(v);
	case CALL_READY:
		return give_answer(v);
	default:
		return MHD_NO;
	}
}

/*
 * As libmicrohttpd's own, but a NUL is not the end of a text: it becomes a letter that nothing
 * has.
 */
static size_t unescape(void *cls, struct MHD_Connection *c, char *text)
{
	size_t len = MHD_http_unescape(text);

	for (size_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = 1;
	return len;
}

/* ---- the loop ---- */

struct explore_server *exploreserver_new(int fd, struct explore_site *site, struct err *e)
{
	struct explore_server *s = mem_zalloc(sizeof(*s));
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	s->site = site;
	s->most = cpus < 1 ? 1 : cpus > EXPLORE_RUNNING ? EXPLORE_RUNNING : (unsigned)cpus;
	s->asked = mono_ns();
	/* clang-format off */
	s->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, s,
		MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)EXPLORE_CLIENTS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)EXPLORE_HEAD,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)EXPLORE_QUIET,
		MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
		MHD_OPTION_END);
	/* clang-format on */
	if (s->daemon) {
		indexprocess_start(&s->index, site->x);
		return s;
	}
	err_sys(e, ERR_NO_OFF, "libmicrohttpd does not start");
	close(fd);
	free(s);
	return NULL;
}

/* The client has closed its end, so it does not wait any more. */
static bool is_gone(const struct pollfd *p)
{
	return p->revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL);
}

/* After a wait: V's process has ended, or its client has gone. */
static void look_at(struct view_call *v, const struct pollfd *client, const struct pollfd *ended)
{
	if (is_gone(client)) {
		viewprocess_stop(&v->process);
		resume(v, CALL_GONE);
	} else if (v->state == CALL_RUNS && ended->revents) {
		v->status = viewprocess_end(&v->process, &v->size);
		resume(v, CALL_READY);
	}
}

#define CALLS_MOST (EXPLORE_CLIENTS + 1)

/* How long to wait at most, in ns. */
static uint64_t patience(struct explore_server *s, uint64_t now)
{
	uint64_t left = s->asked + EXPLORE_IDLE * NS;
	MHD_UNSIGNED_LONG_LONG ms;

	left = left > now ? left - now : 0;
	/* An answer that is still being made is waited for. */
	if (s->calls && left < NS)
		left = NS;
	if (MHD_get_timeout(s->daemon, &ms) == MHD_YES && ms < left / 1000000)
		left = ms * 1000000;
	return left;
}

/* Wait for something to do. */
static void wait_for_any(struct explore_server *s, uint64_t ns, const sigset_t *during)
{
	struct pollfd fds[2 + 2 * CALLS_MOST];
	struct view_call *calls[CALLS_MOST], *v;
	const struct timespec t = { (time_t)(ns / NS), (long)(ns % NS) };
	unsigned n = 0;

	fds[0] = (struct pollfd){
		.fd = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
		.events = POLLIN,
	};
	fds[1] = (struct pollfd){ .fd = s->index.ended, .events = POLLIN };
	for (v = s->calls; v && n < CALLS_MOST; v = v->next) {
		fds[2 + 2 * n] = (struct pollfd){
			.fd = MHD_get_connection_info(v->connection,
						      MHD_CONNECTION_INFO_CONNECTION_FD)
				      ->connect_fd,
			.events = POLLRDHUP,
		};
		fds[3 + 2 * n] = (struct pollfd){ .fd = v->process.ended, .events = POLLIN };
		calls[n++] = v;
	}
	if (ppoll(fds, 2 + 2 * n, &t, during) <= 0)
		return;
	if (fds[1].revents)
		indexprocess_end(&s->index);
	for (unsigned i = 0; i < n; i++)
		look_at(calls[i], &fds[2 + 2 * i], &fds[3 + 2 * i]);
}

int exploreserver_run(struct explore_server *s, const volatile int *stop, struct err *e)
{
	sigset_t ends, before;

	/* They arrive while it waits, so none is missed between the look and the wait. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	while (!*stop) {
		uint64_t now = mono_ns();

		if (now - s->asked >= EXPLORE_IDLE * NS && !s->calls)
			break;
		if (MHD_run(s->daemon) != MHD_YES) {
			sigprocmask(SIG_SETMASK, &before, NULL);
			return err_set(e, ERR_SYS, ERR_NO_OFF, "libmicrohttpd cannot continue");
		}
		start_calls(s);
		wait_for_any(s, patience(s, now), &before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return 0;
}

void exploreserver_free(struct explore_server *s)
{
	if (!s)
		return;
	while (s->calls) {
		viewprocess_stop(&s->calls->process);
		resume(s->calls, CALL_GONE);
	}
	MHD_stop_daemon(s->daemon);
	indexprocess_stop(&s->index);
	free(s);
}

#else

struct explore_server *exploreserver_new(int fd, struct explore_site *site, struct err *e)
{
	err_set(e, ERR_USAGE, ERR_NO_OFF,
		"explore: this zedperl was built without libmicrohttpd: install its headers "
		"(Debian: libmicrohttpd-dev; Fedora: libmicrohttpd-devel), then make");
	return NULL;
}

int exploreserver_run(struct explore_server *s, const volatile int *stop, struct err *e)
{
	return 0;
}

void exploreserver_free(struct explore_server *s)
{
}

#endif
