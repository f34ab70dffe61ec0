// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedtrace_options: zedtrace's own options, their help, and how their values are read.
 */
#include "base/ascii.h"
#include "programs/zedtrace/zedtrace.h"
#include "record/net/wire.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* An option that does no more than to keep its word, or to say that it was there. */
#define SET_MEMBER(member, what) \
	static int set_##member(struct cli *c, const char *value, struct err *e) \
	{ \
		((struct zedtrace *)c->arg)->member = what; \
		return 0; \
	}

SET_MEMBER(list, true)
SET_MEMBER(listen, true)
SET_MEMBER(cleanup, true)
SET_MEMBER(date, true)
SET_MEMBER(recover, value)
SET_MEMBER(extract, value)
SET_MEMBER(instance, value)
SET_MEMBER(convert, value)
SET_MEMBER(script, value)
SET_MEMBER(addr, value)
SET_MEMBER(dir, value)
SET_MEMBER(user, value)

/* The same for a name that must not be empty. */
static int set_name(const char **member, const char *value, struct err *e)
{
	*member = value;
	return *value ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "the name is empty");
}

static int set_output(struct cli *c, const char *value, struct err *e)
{
	return set_name(&((struct zedtrace *)c->arg)->output, value, e);
}

static int set_host(struct cli *c, const char *value, struct err *e)
{
	return set_name(&((struct zedtrace *)c->arg)->host, value, e);
}

static int set_tracer(struct cli *c, const char *value, struct err *e)
{
	return set_name(&((struct zedtrace *)c->arg)->tracer.name, value, e);
}

static int set_functions(struct cli *c, const char *value, struct err *e)
{
	return set_name(&((struct zedtrace *)c->arg)->tracer.functions, value, e);
}

static int set_notrace(struct cli *c, const char *value, struct err *e)
{
	return set_name(&((struct zedtrace *)c->arg)->tracer.notrace, value, e);
}

static int set_graph(struct cli *c, const char *value, struct err *e)
{
	return set_name(&((struct zedtrace *)c->arg)->tracer.graph, value, e);
}

static int set_port(struct cli *c, const char *value, struct err *e)
{
	size_t digits = strspn(value, "0123456789");
	unsigned long n = strtoul(value, NULL, 10);

	((struct zedtrace *)c->arg)->port = value;
	/* What has letters may be a name of /etc/services. */
	if (*value && (value[digits] || (digits < 6 && n <= 65535)))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no port: they are 1 to 65535", value);
}

/* A size, or 0 for none, which only a server takes: mode.c refuses it for a recording. */
static int parse_limit(const char *text, uint64_t *out, struct err *e)
{
	*out = 0;
	return strcmp(text, "0") ? session_size(text, 1, out, e) : 0;
}

static int set_max_size(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;

	z->max_size_said = true;
	return parse_limit(value, &z->max_size, e);
}

static int set_max_total(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;

	z->max_total_said = true;
	return parse_limit(value, &z->max_total, e);
}

static int set_max_cpus(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!ascii_digit(*value) || *end || !n || n > WIRE_MAX_CPUS)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no number of CPUs: 1 to %u",
			       value, WIRE_MAX_CPUS);
	z->max_cpus_said = true;
	z->max_cpus = n;
	return 0;
}

/* "12h", "90m", and what is a time elsewhere; 0: never. */
static int set_idle(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;
	size_t len = strlen(value);
	char unit = len > 1 && ascii_digit(value[len - 2]) ? value[len - 1] : '\0';
	uint64_t n = unit == 'h' ? 3600 : unit == 'm' ? 60 : 1;
	char text[32];

	snprintf(text, sizeof(text), "%.*s", (int)(n > 1 ? len - 1 : len), value);
	if (len >= sizeof(text) || times_duration(text, &z->idle, e) < 0 ||
	    __builtin_mul_overflow(z->idle, n, &z->idle))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' is no time: 24h, 90m, 30 (seconds); 0: never", value);
	if (z->idle && z->idle < 1000000000)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': a second is the least; 0: never",
			       value);
	z->idle /= 1000000;
	z->idle_said = true;
	return 0;
}

static int set_rotate(struct cli *c, const char *value, struct err *e)
{
	return amount_parse(value, &((struct zedtrace *)c->arg)->rotate, e);
}

static int set_flight(struct cli *c, const char *value, struct err *e)
{
	return amount_parse(value, &((struct zedtrace *)c->arg)->flight, e);
}

static int set_when(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;

	z->when = mem_grow(z->when, &z->cap_when, z->nwhen + 1, sizeof(*z->when));
	z->when[z->nwhen++] = value;
	return 0;
}

/* A number from 1 to MOST: WHAT. */
static int parse_number(const char *value, unsigned long most, const char *what, unsigned *out,
			struct err *e)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!ascii_digit(*value) || *end || !n || n > most)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no %s", value, what);
	*out = (unsigned)n;
	return 0;
}

static int set_keep(struct cli *c, const char *value, struct err *e)
{
	return parse_number(value, INT_MAX, "number of files", &((struct zedtrace *)c->arg)->keep,
			    e);
}

static int set_prio(struct cli *c, const char *value, struct err *e)
{
	return parse_number(value, 99, "priority: 1 to 99", &((struct zedtrace *)c->arg)->prio, e);
}

static int set_percent(struct cli *c, const char *value, struct err *e)
{
	return parse_number(value, 100, "percentage: 1 to 100",
			    &((struct zedtrace *)c->arg)->percent, e);
}

static int set_stay(struct cli *c, const char *value, struct err *e)
{
	((struct zedtrace *)c->arg)->stay = true;
	return 0;
}

static int set_compress(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;
	int codec = codec_find(value);

	if (codec < 0)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "no compression '%s': there are none, zlib and zstd", value);
	z->compress = value;
	z->codec = codec;
	return 0;
}

static const struct cli_opt OPTS[] = {
	{ "list", 't', NULL,
	  "list the events that this kernel offers (-v: with their\n"
	  "fields, numbers, states and filters)",
	  CLI_SET(set_list) },
	{ "output", 'o', "FILE", "write FILE (default trace.dat); '-': a zed stream to a pipe",
	  CLI_SET(set_output) },
	{ "for", 0, "SCRIPT", "record what SCRIPT handles", CLI_SET(set_script) },
	{ "tracer", 0, "NAME",
	  "record what this tracer of the kernel writes (function,\n"
	  "function_graph); -p NAME is the same",
	  CLI_SET(set_tracer) },
	{ "function", 0, "'GLOB...'", "with --tracer: only these functions",
	  CLI_SET(set_functions) },
	{ "notrace", 0, "'GLOB...'", "with --tracer: not these functions", CLI_SET(set_notrace) },
	{ "graph", 0, "'GLOB...'", "with --tracer function_graph: these, and what they call",
	  CLI_SET(set_graph) },
	{ "compress", 'z', "CODEC",
	  "pages and all with zlib or zstd; default: the metadata alone\n"
	  "(zstd); none: nothing.  With -o - or -h: zstd packs what is sent",
	  CLI_SET(set_compress) },
	{ "max-size", 0, "SIZE",
	  "keep the newest SIZE bytes of data (K, M, G); with -l: take\n"
	  "no more from one client (default 1G; 0: no limit)",
	  CLI_SET(set_max_size) },
	{ "rotate", 0, "SIZE|TIME",
	  "one file after another, FILE.000001.dat and so on, each\n"
	  "of that size (100M) or that time (10min)",
	  CLI_SET(set_rotate) },
	{ "flight", 0, "SIZE|TIME",
	  "keep only the newest (64M, 10s), in the kernel, and write them\n"
	  "to FILE.000001.dat and so on at SIGUSR1, at events of --when,\n"
	  "and without --when at the end",
	  CLI_SET(set_flight) },
	{ "when", 0, "'SYS:EVENT[: EXPR]'",
	  "with --flight: write a file when this happens (may be repeated)", CLI_SET(set_when) },
	{ "keep", 0, "N", "with --rotate and --flight: keep only the newest N files",
	  CLI_SET(set_keep) },
	{ "host", 'h', "HOST[:PORT]", "send to zedtrace -l or trace-cmd listen there",
	  CLI_SET(set_host) },
	{ "listen", 'l', NULL, "receive from zedtrace -h and trace-cmd record -N",
	  CLI_SET(set_listen) },
	{ "port", 'p', "PORT", "with -l: the port (default 12345)", CLI_SET(set_port) },
	{ "address", 'a', "ADDR", "with -l: the address to serve (default: this machine only)",
	  CLI_SET(set_addr) },
	{ "dir", 'D', "DIR", "with -l: where each client gets a directory (default: here)",
	  CLI_SET(set_dir) },
	{ "max-total", 0, "SIZE",
	  "with -l: what all recordings in DIR may take together\n"
	  "(default 10G; 0: no limit)",
	  CLI_SET(set_max_total) },
	{ "max-cpus", 0, "N", "with -l: the most CPUs of one client (default 1024)",
	  CLI_SET(set_max_cpus) },
	{ "idle", 0, "TIME",
	  "with -l: how long a client may be silent: 24h (the default),\n"
	  "90m, 30; 0: forever",
	  CLI_SET(set_idle) },
	{ "stay", 0, NULL, "with -l -o -: do not end with the last client", CLI_SET(set_stay) },
	{ "user", 0, "NAME", "with -l, as root: become NAME once it listens", CLI_SET(set_user) },
	{ "date", 0, NULL, "record the time of day too, so that readers can show it",
	  CLI_SET(set_date) },
	{ "realtime", 'r', "PRIO", "record with this real-time priority (1 to 99)",
	  CLI_SET(set_prio) },
	{ "buffer-percent", 0, "N", "how full (%) a buffer is when we are woken (default 25)",
	  CLI_SET(set_percent) },
	{ "instance", 0, "NAME",
	  "record what the tracing instance NAME traces, which somebody\n"
	  "else has set up ('.': the top one); nothing of it is changed",
	  CLI_SET(set_instance) },
	{ "extract", 0, "NAME", "save what its buffers hold, and end", CLI_SET(set_extract) },
	{ "recover", 0, "DIR", "make a trace.dat of what a killed recorder left",
	  CLI_SET(set_recover) },
	{ "convert", 0, "STREAM", "make a trace.dat of a saved zed stream ('-': of a pipe)",
	  CLI_SET(set_convert) },
	{ "cleanup", 0, NULL, "remove the tracing instances that killed recorders left",
	  CLI_SET(set_cleanup) },
	{ .name = NULL },
};

const struct cli_spec ZEDTRACE_SPEC = {
	.prog = "zedtrace",
	.usage = "zedtrace [OPTION]... EVENT... [-- COMMAND [ARG]...]\n"
		 "zedtrace [OPTION]... EVENT... -o - | zedperl -i - SCRIPT\n"
		 "zedtrace -t [-v] [EVENT]...\n"
		 "zedtrace -l [-p PORT] [-a ADDR] [-D DIR]\n"
		 "zedtrace --instance NAME [OPTION]... | --extract NAME [-o FILE]\n"
		 "zedtrace --recover DIR | --convert STREAM [-o FILE]\n"
		 "zedtrace --cleanup",
	.about = "Record events of the running kernel.  EVENT: a subsystem (sched), one event\n"
		 "(sched:sched_switch), a pattern ('block:*_rq_*'), or a stable event: what this\n"
		 "kernel has for it (sched:switch).",
	.more = "  zedtrace sched block -d 10\n"
		"  zedtrace sched workqueue -o - | zedperl -i - countall.pl\n"
		"  zedtrace -c raw_syscalls -- ls -l\n"
		"Exit status: 0, or that of COMMAND; 1 something was damaged or not recorded;\n"
		"2 usage, no rights, nothing recorded; 126, 127 COMMAND could not be executed.",
	.opts = OPTS,
	.session = SESSION_OPTIONS,
	.no_reading = true,
	.command = true,
};
