// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explore: `zedperl explore TRACE`: its options, where it listens, and what it tells the user.
 */
#include "programs/zedperl/explore/explore.h"

#include "base/tcp.h"
#include "programs/conflicts.h"
#include "programs/reading.h"
#include "programs/zedperl/explore/browser.h"
#include "programs/zedperl/explore/explore_server.h"
#include "programs/zedperl/explore/trace_trial.h"
#include "programs/zedperl/explore/view_process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BACKLOG 128

struct explore_words {
	const char *bind; /* NULL: not given */
	unsigned port;	  /* 0: any that is free */
	bool no_open;
	const char *answer; /* a request; NULL: serve */
};

#define W(type, ...) OPT_##type(explore_words, __VA_ARGS__)

static const struct cli_opt OPTS[] = {
	{ "bind", 0, "ADDRESS",
	  "listen at ADDRESS and not only for this machine: who has\n"
	  "the page's address can then read the trace over the network",
	  W(NAME, bind), .beyond = "the address is empty" },
	{ "port", 0, "N", "listen at this port (default: one that is free)", W(NUMBER, port, 65535),
	  .least = 1 },
	{ "no-open", 0, NULL, "do not open a browser", W(FLAG, no_open) },
	{ "answer", 0, "REQUEST",
	  "print the answer to one request as JSON, and serve nothing:\n"
	  "'events?from=0&to=1000000&count=10'",
	  W(NAME, answer) },
	{ .name = NULL },
};

static const struct cli_table TABLES[] = {
	{ .opts = OPTS },
	{ .opts = GENERAL, .of = CLI_OF_CLI },
	{ .opts = NULL },
};

static const struct cli_spec SPEC = {
	.prog = "zedperl",
	.usage = "zedperl explore [OPTION]... TRACE\n"
		 "zedperl explore --answer REQUEST TRACE",
	.about = "Look at a trace in a browser: its CPUs and tasks over time, down to the single\n"
		 "event; for any range that is chosen there, the answers of all analyses, with\n"
		 "their commands. Prints the page's address, which others cannot guess, and\n"
		 "serves it until Ctrl-C, or until an hour after the page was closed.",
	.more = "  zedperl explore trace.dat\n"
		"Exit status: 0; 2 usage, or the trace cannot be read.",
	.tables = TABLES,
	.word = { .name = "a trace" },
};

/* ---- where it listens ---- */

static bool is_wildcard(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr == htonl(INADDR_ANY);
	return a->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

/* Listen as W says.  *PORT: the one that the kernel chose; *ANY: at all addresses. */
static int listen_at(const struct explore_words *w, unsigned *port, bool *any, bool *local,
		     struct err *e)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *list;
	struct sockaddr_storage at = { .ss_family = AF_UNSPEC };
	const char *host = w->bind ? w->bind : "127.0.0.1";
	socklen_t len = sizeof(at);
	char service[16];
	int rc, fd = -1;

	snprintf(service, sizeof(service), "%u", w->port);
	rc = getaddrinfo(host, service, &hints, &list);
	if (rc)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "--bind %s: %s", host, gai_strerror(rc));
	for (struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = tcp_listen(a->ai_addr, a->ai_addrlen, BACKLOG, e);
		*any = is_wildcard(a->ai_addr);
	}
	freeaddrinfo(list);
	if (fd < 0)
		return err_within(e, "%s port %u", host, w->port);
	if (getsockname(fd, (struct sockaddr *)&at, &len) < 0) {
		close(fd);
		return err_sys(e, ERR_NO_OFF, "cannot tell the port");
	}
	*port = tcp_port(&at);
	*local = tcp_is_loopback(&at);
	return fd;
}

/* The address to open: of all addresses, that of this machine. */
static void print_address(const struct explore_site *site, char *url, size_t size)
{
	const struct admission *a = &site->admission;

	snprintf(url, size, "http://%s/%s/", a->any ? a->local : a->host, site->token.text);
	printf("%s\n", url);
	fflush(stdout);
}

/* ---- to its end ---- */

static volatile int stopped;

static void on_stop(int sig)
{
	stopped = sig;
}

static void catch_stop(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_stop }, was;

	sigemptyset(&sa.sa_mask);
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		/* As nohup has it. */
		if (sigaction(all[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaction(all[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int serve_site(struct cli *c, const struct explore_words *w, struct explore_site *site,
		      int fd, struct err *e)
{
	struct explore_server *server = exploreserver_new(fd, site, e);
	struct browser b = { .file = "" };
	char url[ADMISSION_HOST + 64];
	int rc;

	if (!server)
		return -1;
	catch_stop();
	print_address(site, url, sizeof(url));
	if (!w->no_open)
		browser_open(&b, url);
	rc = exploreserver_run(server, &stopped, e);
	exploreserver_free(server);
	browser_close(&b);
	return rc;
}

static int serve(struct cli *c, const struct explore_words *w, struct explore *x, struct err *e)
{
	struct explore_site site = { .x = x };
	bool any = false, local = true;
	unsigned port;
	int fd, rc;

	TRY(pagetoken_make(&site.token, e));
	TRY(explorepage_make(&site.page, x->trace, e));
	fd = listen_at(w, &port, &any, &local, e);
	if (fd >= 0) {
		admission_init(&site.admission, w->bind ? w->bind : "127.0.0.1", any, port);
		if (!local)
			cli_say(c,
				"--bind %s: anyone with the address below can read the trace "
				"over the network, which nothing encrypts",
				w->bind);
	}
	rc = fd < 0 ? -1 : serve_site(c, w, &site, fd, e);
	explorepage_fini(&site.page);
	return rc;
}

/* --answer: messages of the trace are part of the answer. */
static int answer_one(const struct explore_words *w, struct explore *x)
{
	struct outbuf o = { 0 };
	const struct explore_view *view;
	unsigned status = 400;
	struct request q;
	struct err e;
	int said = memfd_create("messages", MFD_CLOEXEC);

	if (said >= 0) {
		dup2(said, STDERR_FILENO);
		close(said);
	}
	if (request_parse(w->answer, &view, &q, &e) == 0) {
		status = view_answered(x, view, &q, &o);
	} else {
		out_str(&o, "{\"error\":");
		out_json(&o, e.msg, strlen(e.msg));
		out_char(&o, '}');
	}
	fwrite(o.p, 1, o.len, stdout);
	putchar('\n');
	outbuf_fini(&o);
	if (fflush(stdout))
		return CLI_DAMAGE;
	return status == 200 ? CLI_OK : status == 400 ? CLI_USAGE : CLI_DAMAGE;
}

static int run(struct cli *c, const struct explore_words *w)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct explore x = { .program = program, .index_file = -1 };
	bool ok = false;
	struct err e;

	/* Ignored, it would take the status of each process that is waited for. */
	signal(SIGCHLD, SIG_DFL);
	if (!cli_asked(c))
		return CLI_USAGE;
	if (c->words.nargs != 1)
		return cli_usage(c, true,
				 c->words.nargs ? "explore shows one trace: '%s' is a second one" :
						  "explore needs a trace%.0s",
				 c->words.nargs ? c->words.args[1] : "");
	x.trace = c->words.args[0];
	program[n > 0 ? n : 0] = '\0';
	if (tracetrial_file(&x, "explore", &e) < 0) {
		cli_say_err(c, &e);
		return CLI_USAGE;
	}
	if (w->answer)
		return answer_one(w, &x);
	if (tracetrial_open(&x, &ok, &e) == 0 && !ok)
		return CLI_USAGE;
	if (ok && serve(c, w, &x, &e) == 0)
		return CLI_OK;
	cli_say_err(c, &e);
	return CLI_USAGE;
}

int explore_command(int argc, char **argv)
{
	struct explore_words w = { .bind = NULL };
	struct cli c;
	int status = 0;

	cli_init(&c, &SPEC, &w);
	if (cli_parse(&c, argc, argv, &status))
		status = run(&c, &w);
	cli_fini(&c);
	return status;
}
