// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options: zedtrace's own options, their help, and how their values are read.
 */
#include "base/cpulist.h"
#include "base/mem.h"
#include "programs/zedtrace/zedtrace.h"
#include "reader/kernel/procs.h"
#include "record/net/wire.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Bytes: "4096", "64K", "16M", "2G"; a bare number counts UNIT. */
static int parse_size(const char *text, uint64_t unit, uint64_t *out, struct err *e)
{
	static const char SUFFIXES[] = "KMG";
	const char *s = text, *suffix;
	uint64_t n = 0;
	bool bad = !isdigit((unsigned char)*s);

	for (; isdigit((unsigned char)*s); s++)
		bad |= __builtin_mul_overflow(n, 10ull, &n) ||
		       __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n);
	if (*s) {
		suffix = strchr(SUFFIXES, toupper((unsigned char)*s));
		bad |= !suffix || s[1];
		unit = suffix ? 1024ull << (10 * (suffix - SUFFIXES)) : 1;
	}
	if (bad || __builtin_mul_overflow(n, unit, out) || !*out)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' is no size: write a number, with K, M or G behind it", text);
	return 0;
}

static int parse_kb(const char *text, unsigned *out, struct err *e)
{
	uint64_t bytes;

	TRY(parse_size(text, 1024, &bytes, e));
	if (bytes / 1024 > INT_MAX)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is more than there can be", text);
	*out = bytes / 1024;
	return 0;
}

/* "12,34": processes that are there, added to *PIDS. */
static int parse_pids(const char *text, pid_t **pids, size_t *n, size_t *cap, struct err *e)
{
	const char *s = text;

	for (;;) {
		uint64_t pid = 0;
		const char *from = s;

		for (; isdigit((unsigned char)*s) && pid <= INT_MAX; s++)
			pid = pid * 10 + (*s - '0');
		if (s == from || !pid || pid > INT_MAX || (*s && *s != ','))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "'%s' is no list of process numbers: 12,34", text);
		if (!procs_start(pid))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "there is no process %" PRIu64 " (ps -e lists them)", pid);
		*pids = mem_grow(*pids, cap, *n + 1, sizeof(**pids));
		(*pids)[(*n)++] = pid;
		if (!*s++)
			return 0;
	}
}

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
SET_MEMBER(children, true)
SET_MEMBER(recover, value)
SET_MEMBER(convert, value)
SET_MEMBER(clock, value)
SET_MEMBER(script, value)
SET_MEMBER(port, value)
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

static int set_filter(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;

	z->filters = mem_grow(z->filters, &z->cap_filters, z->nfilters + 1, sizeof(*z->filters));
	z->filters[z->nfilters++] = value;
	return 0;
}

static int set_pids(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;

	return parse_pids(value, &z->pids, &z->npids, &z->cap_pids, e);
}

static int set_exclude(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;

	return parse_pids(value, &z->exclude, &z->nexclude, &z->cap_exclude, e);
}

static int set_cpus(struct cli *c, const char *value, struct err *e)
{
	uint64_t bits[CPULIST_MAX / 64] = { 0 };
	size_t bad = 0;

	((struct zedtrace *)c->arg)->cpus = value;
	if (!*value || cpulist_parse(value, strlen(value), bits, &bad) < 0)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no list of CPUs: 0,2-5", value);
	return 0;
}

static int set_buffer(struct cli *c, const char *value, struct err *e)
{
	return parse_kb(value, &((struct zedtrace *)c->arg)->buffer_kb, e);
}

static int set_subbuf(struct cli *c, const char *value, struct err *e)
{
	return parse_kb(value, &((struct zedtrace *)c->arg)->subbuf_kb, e);
}

/* A size, or 0 for none, which only a server takes: mode.c refuses it for a recording. */
static int parse_limit(const char *text, uint64_t *out, struct err *e)
{
	*out = 0;
	return strcmp(text, "0") ? parse_size(text, 1, out, e) : 0;
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

	if (!isdigit((unsigned char)*value) || *end || !n || n > WIRE_MAX_CPUS)
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
	char unit = len > 1 && isdigit((unsigned char)value[len - 2]) ? value[len - 1] : '\0';
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

static int set_duration(struct cli *c, const char *value, struct err *e)
{
	struct zedtrace *z = c->arg;

	TRY(times_duration(value, &z->duration, e));
	return z->duration ? 0 :
			     err_set(e, ERR_USAGE, ERR_NO_OFF,
				     "0 seconds record nothing; without -d Ctrl-C ends");
}

static int set_slack(struct cli *c, const char *value, struct err *e)
{
	return times_duration(value, &((struct zedtrace *)c->arg)->slack, e);
}

static const struct cli_opt OPTS[] = {
	{ "list", 't', NULL,
	  "list the events that this kernel offers (-v: with their\n"
	  "fields, numbers, states and filters)",
	  CLI_SET(set_list) },
	{ "output", 'o', "FILE", "write FILE (default trace.dat); '-': a zed stream to a pipe",
	  CLI_SET(set_output) },
	{ "for", 0, "SCRIPT", "record what SCRIPT handles", CLI_SET(set_script) },
	{ "duration", 'd', "TIME", "end after so many seconds (2.5) or 500ms",
	  CLI_SET(set_duration) },
	{ "filter", 'F', "'SYS[:EVENT]: EXPR'",
	  "of these events only those for which EXPR holds, decided in\n"
	  "the kernel: 'block: cpu == 1 and dev != 8388608'",
	  CLI_SET(set_filter) },
	{ "pid", 'P', "PID", "only events of this task (12,34: of these)", CLI_SET(set_pids) },
	{ "children", 'c', NULL, "and of those that it makes; with a command: only of these",
	  CLI_SET(set_children) },
	{ "cpu", 0, "LIST", "only these CPUs: 0,2-5", CLI_SET(set_cpus) },
	{ "clock", 'C', "CLOCK", "stamp with CLOCK (default mono)", CLI_SET(set_clock) },
	{ "buffer", 'b', "KB", "memory for each CPU (default: the kernel's); 16M: 16384",
	  CLI_SET(set_buffer) },
	{ "subbuf", 's', "KB", "size of a sub-buffer (default: the kernel's, a page)",
	  CLI_SET(set_subbuf) },
	{ "compress", 'z', "CODEC", "none (default), zlib or zstd", CLI_SET(set_compress) },
	{ "max-size", 0, "SIZE",
	  "keep the newest SIZE bytes of data (K, M, G); with -l: take\n"
	  "no more from one client (default 1G; 0: no limit)",
	  CLI_SET(set_max_size) },
	{ "slack", 0, "TIME", "how late an event may be seen (default 20ms)", CLI_SET(set_slack) },
	{ "exclude", 0, "PID",
	  "keep this process out of syscalls and raw_syscalls, as\n"
	  "zedtrace itself and the reader of its pipe are",
	  CLI_SET(set_exclude) },
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
	  "90m, 30; 0: for ever",
	  CLI_SET(set_idle) },
	{ "user", 0, "NAME", "with -l, as root: become NAME once it listens", CLI_SET(set_user) },
	{ "recover", 0, "DIR", "make a trace.dat of what a recording that died left",
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
	.no_reading = true,
	.command = true,
	.no_e = "events are named without it: zedtrace sched block:block_rq_issue",
};
