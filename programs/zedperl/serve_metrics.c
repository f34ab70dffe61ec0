// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve_metrics: serves the metrics of a script's run, or writes them to a file, during the run;
 * and the run's own metrics: events, losses, memory.
 */
#include "programs/zedperl/serve_metrics.h"

#include "base/mono.h"
#include "base/outfile.h"
#include "programs/http.h"
#include "programs/script/live_budget.h"
#include "programs/options.h"
#include "base/tcp.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG 128

/* The run's own metrics, in the order of the exposition. */
enum own {
	OWN_BUILD,
	OWN_EVENTS,
	OWN_RECORDS,
	OWN_LOST,
	OWN_PLACES,
	OWN_LATE,
	OWN_DAMAGED,
	OWN_SERIES,
	OWN_DROPPED,
	OWN_SWITCHED,
	OWN_CPU,
	OWN_MEMORY,
	OWN_START,
	OWNS,
};

#define MOST_SWITCHED 10000 /* events that can be switched off: a kernel has some thousand */

static const char *const VERSION_LABEL[] = { "version" };
static const char *const EVENT_LABEL[] = { "event" };

static const struct metric_spec OWN[OWNS] = {
	[OWN_BUILD] = { METRIC_GAUGE, "zed_build_info", "The version of zedperl.", VERSION_LABEL,
			1 },
	[OWN_EVENTS] = { METRIC_COUNTER, "zed_events_total", "Events that the run was given." },
	[OWN_RECORDS] = { METRIC_COUNTER, "zed_records_total",
			  "Records that were read, those that nothing asked for included." },
	[OWN_LOST] = { METRIC_COUNTER, "zed_lost_events_total",
		       "Events that were lost before they could be read, as far as they were "
		       "counted." },
	[OWN_PLACES] = { METRIC_COUNTER, "zed_lost_places_total",
			 "Places where events were lost without a number of their own." },
	[OWN_LATE] = { METRIC_COUNTER, "zed_late_events_total",
		       "Events that came after one of a later time." },
	[OWN_DAMAGED] = { METRIC_COUNTER, "zed_damaged_pieces_total",
			  "Damaged pieces of the input that were skipped." },
	[OWN_SERIES] = { METRIC_GAUGE, "zed_metric_series", "Series of the script's metrics." },
	[OWN_DROPPED] = { METRIC_COUNTER, "zed_metric_dropped_total",
			  "Updates of metrics that found no room for their labels (max_series)." },
	[OWN_SWITCHED] = { METRIC_COUNTER, "zed_switched_off_total",
			   "Times that an event was switched off for --max-rate or --max-cpu.",
			   EVENT_LABEL, 1 },
	[OWN_CPU] = { METRIC_COUNTER, "process_cpu_seconds_total",
		      "User and system CPU time spent in seconds.", .scale = -6 },
	[OWN_MEMORY] = { METRIC_GAUGE, "process_resident_memory_bytes",
			 "Resident memory size in bytes." },
	[OWN_START] = { METRIC_GAUGE, "process_start_time_seconds",
			"Start time of the process since unix epoch in seconds.", .scale = -3 },
};

/* ---- the run's own metrics ---- */

static void set_own(struct metrics_run *m, enum own which, uint64_t v)
{
	struct quantity a = quantity_of((struct number){ .v = v });
	struct key k;
	unsigned words;

	key_begin(&k);
	if (which == OWN_BUILD)
		key_text(&k, ZED_VERSION, strlen(ZED_VERSION));
	words = key_end(&k);
	series_set(metric_series(m->own[which], &k, words), &a);
}

static uint64_t wall_ms(void)
{
	return clock_ns(CLOCK_REALTIME) / 1000000;
}

static uint64_t cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec;
}

/* The second number of /proc/self/statm: pages. */
static uint64_t resident_bytes(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%*u %llu", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

struct switched {
	struct metrics_run *m;
	unsigned n;
};

static void set_switched(void *arg, const struct tracefs_event *ev, unsigned times)
{
	struct switched *s = arg;
	struct quantity a = quantity_of((struct number){ .v = times });
	char name[300];
	struct key k;

	snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
	key_begin(&k);
	key_text(&k, name, strlen(name));
	series_set(metric_series(s->m->own[OWN_SWITCHED], &k, key_end(&k)), &a);
	s->n++;
}

static void tell_own(void *arg)
{
	struct metrics_run *m = arg;
	const struct pump_stats *st = pump_count(&m->cli->run.pump);
	struct switched switched = { .m = m };

	if (m->budget)
		budget_each(m->budget->budget, set_switched, &switched);

	set_own(m, OWN_BUILD, 1);
	set_own(m, OWN_EVENTS, st->passed + st->early);
	set_own(m, OWN_RECORDS, st->records);
	set_own(m, OWN_LOST, st->losses.events);
	set_own(m, OWN_PLACES, st->losses.unsized);
	set_own(m, OWN_LATE, st->late);
	set_own(m, OWN_DAMAGED, st->damaged);
	/* Our own do not count for the script: one of each, but OWN_SWITCHED. */
	set_own(m, OWN_SERIES, metrics_count(m->all) - (OWNS - 1) - switched.n);
	set_own(m, OWN_DROPPED, metrics_dropped(m->all));
	set_own(m, OWN_CPU, cpu_us());
	set_own(m, OWN_MEMORY, resident_bytes());
	set_own(m, OWN_START, m->began_ms);
}

static void add_own(struct metrics_run *m)
{
	struct err e;

	m->all = metrics_new(&m->cli->run.notes);
	for (unsigned i = 0; i < OWNS; i++) {
		struct metric_spec spec = OWN[i];

		if (i == OWN_SWITCHED && !m->budget)
			continue;
		spec.max_series = i == OWN_SWITCHED ? MOST_SWITCHED : 1;
		m->own[i] = metric_add(m->all, &spec, &e);
	}
	metrics_ask(m->all, tell_own, m);
}

/* ---- during the run ---- */

static uint64_t now_ms(void)
{
	return mono_ns() / 1000000;
}

static int write_text(int fd, const char *name, const char *path, const struct outbuf *text,
		      struct err *e)
{
	TRY(write_at(fd, text->p, text->len, 0, e));
	if (fchmod(fd, 0644) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot make it readable");
	if (rename(name, path) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot rename the new file into place");
	return 0;
}

/*
 * PATH becomes TEXT at once: a reader meanwhile sees the old or the new one whole.  Others
 * may read it (0644), as node-exporter has a user of its own; its collector takes only names that
 * end in .prom, so it never sees the file that becomes PATH.  -1 with E: PATH is as it was.
 */
static int replace_file(const char *path, const struct outbuf *text, struct err *e)
{
	char *name;
	int fd = outfile_beside(path, &name, e), rc;

	if (fd < 0)
		return err_path(e, path);
	rc = write_text(fd, name, path, text, e);
	if (close(fd) < 0 && rc == 0)
		rc = err_sys(e, ERR_NO_OFF, "cannot write");
	if (rc < 0) {
		unlink(name);
		err_path(e, path);
	}
	free(name);
	return rc;
}

static bool write_file(struct metrics_run *m)
{
	struct outbuf o = { .p = NULL };
	struct err e;
	int rc;

	metrics_text(m->all, FORM_PROMETHEUS, &o);
	rc = replace_file(m->file, &o, &e);
	outbuf_fini(&o);
	if (rc < 0 && !m->failing)
		cli_say_err(m->cli, &e);
	m->failing = rc < 0;
	return rc == 0;
}

static void look(void *arg)
{
	struct metrics_run *m = arg;
	uint64_t now = now_ms();

	if (m->http)
		http_turn(m->http, now);
	if (m->file && now >= m->write_at) {
		write_file(m);
		m->write_at = now_ms() + (m->every + 999999) / 1000000;
	}
}

static int fds(void *arg, struct pollfd *v, int room, int *ms)
{
	struct metrics_run *m = arg;
	uint64_t now = now_ms(), left = m->write_at > now ? m->write_at - now : 0;

	if (m->file && left < (uint64_t)*ms)
		*ms = (int)left;
	return m->http ? http_fds(m->http, v, room, ms) : 0;
}

static void text(void *arg, enum metrics_form form, struct outbuf *o)
{
	metrics_text(((struct metrics_run *)arg)->all, form, o);
}

/* ---- start and end ---- */

/* "9435", "127.0.0.1:9435", "[::1]:9435", "localhost:9435": a bare PORT means this host. */
static int read_address(const char *s, char host[256], char service[32], struct err *e)
{
	const char *digits = *s == ':' ? s + 1 : s;
	size_t len = strlen(s);
	bool any = len > 2 && !strcmp(s + len - 2, ":0"); /* port 0 cannot be connected to */
	char name[512];

	if (*digits && strspn(digits, "0123456789") == strlen(digits)) {
		snprintf(host, 256, "127.0.0.1");
		snprintf(service, 32, "%.31s", digits);
	} else {
		snprintf(name, sizeof(name), "%.*s", (int)(any ? len - 2 : len), s);
		TRY(tcp_name(name, 0, host, service, e));
		if (!any && !strcmp(service, "0"))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "'%s' names no port: write ADDRESS:PORT, 127.0.0.1:9435, or "
				       "PORT alone for this host's own",
				       s);
	}
	if (strspn(service, "0123456789") != strlen(service) || strlen(service) > 5 ||
	    atoi(service) > 65535)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': %s is not a port: 1 to 65535", s,
			       service);
	return 0;
}

static int listen_at(const char *address, char host[256], struct err *e)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *list;
	char service[32];
	int rc, fd = -1;

	TRY(read_address(address, host, service, e));
	rc = getaddrinfo(host, service, &hints, &list);
	if (rc)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: %s", host, gai_strerror(rc));
	for (struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = tcp_listen(a->ai_addr, a->ai_addrlen, BACKLOG, e);
	freeaddrinfo(list);
	return fd;
}

/* Report the address: the port may be one that the kernel chose. */
static void say_where(struct cli *c, int fd)
{
	struct sockaddr_storage a = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(a);
	char host[64];
	bool v6;

	if (getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		return;
	tcp_text(&a, host);
	v6 = strchr(host, ':') != NULL;
	cli_say(c, "metrics: http://%s%s%s:%u/metrics", v6 ? "[" : "", host, v6 ? "]" : "",
		tcp_port(&a));
}

bool metrics_wanted(const struct metrics_run *m)
{
	return m->address || m->file;
}

bool metrics_begin(struct metrics_run *m, struct cli *c)
{
	char host[256];
	struct err e;
	int fd;

	m->cli = c;
	m->began_ms = wall_ms();
	if (!m->every)
		m->every = METRICS_EVERY;
	add_own(m);
	if (m->address) {
		fd = listen_at(m->address, host, &e);
		if (fd < 0) {
			err_within(&e, "--metrics");
			cli_say_err(c, &e);
			return false;
		}
		say_where(c, fd);
		m->http = http_new(fd, host, text, m);
	}
	if (m->address || m->file) {
		m->guest = (struct poll_hook){ .look = look, .fds = fds, .arg = m };
		c->run.guest = &m->guest;
	}
	return true;
}

bool metrics_finish(struct metrics_run *m)
{
	m->failing = false;
	return !m->file || write_file(m);
}

void metrics_end(struct metrics_run *m)
{
	http_free(m->http);
	metrics_free(m->all);
}
