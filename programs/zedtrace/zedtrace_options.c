// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedtrace_options: zedtrace's own options, and the mode they select.
 */
#include "base/ascii.h"
#include "programs/config.h"
#include "programs/conflicts.h"
#include "programs/reading.h"
#include "programs/zedtrace/zedtrace.h"
#include "record/net/wire.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int set_port(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	size_t digits = strspn(value, "0123456789");
	unsigned long n = strtoul(value, NULL, 10);

	((struct zedtrace *)c->arg)->serving.port = value;
	/* A word with letters may be a name from /etc/services. */
	if (*value && (value[digits] || (digits < 6 && n <= 65535)))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is not a port: they are 1 to 65535", value);
}

/* "12h", "90m", and the usual forms of a time, into *MS; 0: as ZERO says. */
static int long_time(const char *value, const char *zero, uint64_t *ms, struct err *e)
{
	size_t len = strlen(value);
	char unit = len > 1 && ascii_digit(value[len - 2]) ? value[len - 1] : '\0';
	uint64_t n = unit == 'h' ? 3600 : unit == 'm' ? 60 : 1, ns;
	char text[32];

	snprintf(text, sizeof(text), "%.*s", (int)(n > 1 ? len - 1 : len), value);
	if (len >= sizeof(text) || times_duration(text, &ns, e) < 0 ||
	    __builtin_mul_overflow(ns, n, &ns))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' is not a time: 24h, 90m, 30 (seconds); 0: %s", value, zero);
	if (ns && ns < 1000000000)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': a second is the least; 0: %s",
			       value, zero);
	*ms = ns / 1000000;
	return 0;
}

static int set_idle(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	return long_time(value, "never", &((struct zedtrace *)c->arg)->serving.idle, e);
}

static int set_reconnect(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	uint64_t *ms = &((struct zedtrace *)c->arg)->reconnect;

	TRY(long_time(value, "for ever", ms, e));
	*ms = *ms ? *ms : UINT64_MAX;
	return 0;
}

static int set_config(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	struct unattended *u = &((struct zedtrace *)c->arg)->unattended;

	u->config = value;
	u->check |= !strcmp(o->name, "check-config");
	return config_read(c, value, RECORD, u->check, e);
}

static int set_cgroup(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	return session_words_cgroup(c->session, value, e);
}

static const struct cli_word CODECS[] = {
	{ "none", CODEC_NONE }, { "zlib", CODEC_ZLIB }, { "zstd", CODEC_ZSTD }, { .name = NULL }
};

#define RECORDS "it is for recording: zedtrace [OPTION]... EVENT..."
#define SERVES "it is the server's: zedtrace -l [-p PORT] [-a ADDR] [-D DIR]"

/* In the order of enum zedtrace_mode. */
/* clang-format off */
static const struct cli_mode MODES[] = {
	{ "a recording", RECORDS },
	{ .name = "list" },
	{ "listen", SERVES },
	{ .name = "recover" },
	{ .name = "convert" },
	{ .name = "cleanup" },
	{ .name = "extract" },
	{ "status", "it is about a running recorder: zedtrace --status" },
	{ .name = "snapshot" },
	{ .name = NULL },
};
/* clang-format on */

#define Z(type, ...) OPT_##type(zedtrace, __VA_ARGS__)
#define SERVER .modes = LISTEN

/* For recording, unless the row says otherwise. */
static const struct cli_opt OPTS[] = {
	{ "list", 't', NULL,
	  "list the events that this kernel offers (-v: with their\n"
	  "fields, numbers, states and filters)",
	  OPT_ASKS, .modes = LIST },
	{ "output", 'o', "FILE", "write FILE (default trace.dat); '-': a zed stream to a pipe",
	  Z(NAME, output), .modes = RECORD | LISTEN | RECOVER | CONVERT | EXTRACT,
	  .instead = "it writes no file; redirect its output with >FILE" },
	{ "for", 0, "SCRIPT", "record what SCRIPT handles", Z(TEXT, script) },
	{ "tracer", 0, "NAME",
	  "record what this tracer of the kernel writes (function,\n"
	  "function_graph); -p NAME is the same",
	  Z(NAME, tracer.name) },
	{ "function", 0, "'GLOB...'", "with --tracer: only these functions",
	  Z(NAME, tracer.functions) },
	{ "notrace", 0, "'GLOB...'", "with --tracer: not these functions",
	  Z(NAME, tracer.notrace) },
	{ "graph", 0, "'GLOB...'", "with --tracer function_graph: these, and what they call",
	  Z(NAME, tracer.graph) },
	{ "cgroup", 0, "PATH",
	  "only events of the tasks that are in this cgroup or below it\n"
	  "now, and of those that they create: /system.slice",
	  OPT_CALL(set_cgroup), .traits = CLI_SETS },
	{ "no-maps", 0, NULL,
	  "with --user-stack: do not record what processes have mapped,\n"
	  "which names of functions need",
	  Z(FLAG, no_maps) },
	{ "compress", 'z', "CODEC",
	  "pages and all with zlib or zstd; default: the metadata alone\n"
	  "(zstd); none: nothing.  With -o - or -h: zstd packs what is sent",
	  Z(WORD, codec, CODECS), .modes = RECORD | CONVERT | EXTRACT,
	  .instead = "it is for a file that is made: zedtrace -z CODEC EVENT..." },
	{ "max-size", 0, "SIZE",
	  "keep the newest SIZE bytes of data (K, M, G); with -l: take\n"
	  "no more from one client (default 1G; 0: no limit)",
	  Z(SIZE, max_size), .modes = RECORD | LISTEN,
	  .instead = "it limits a recording, or with -l each client" },
	{ "rotate", 0, "SIZE|TIME",
	  "one file after another, FILE.000001.dat and so on, each\n"
	  "of that size (100M) or that time (10min)",
	  Z(AMOUNT, rotate) },
	{ "flight", 0, "SIZE|TIME",
	  "keep only the newest (64M, 10s), in the kernel, and write them\n"
	  "to FILE.000001.dat and so on at SIGUSR1, at events of --when,\n"
	  "and without --when at the end",
	  Z(AMOUNT, flight) },
	{ "when", 0, "'SYS:EVENT[: EXPR]'",
	  "with --flight: write a file when this happens (may be repeated);\n"
	  "also 'wait:cpu delay > 5ms': a task waited that long for a CPU",
	  Z(TEXTS, when) },
	{ "synthetic", 0, "'NAME start=... end=...'",
	  "with --when: an event made of two, as zedperl --synthetic", Z(TEXTS, synthetic) },
	{ "keep", 0, "N", "with --rotate and --flight: keep only the newest N files",
	  Z(NUMBER, keep.files, INT_MAX) },
	{ "keep-size", 0, "SIZE", "with these: keep only the newest files, SIZE together",
	  Z(SIZE, keep.size) },
	{ "keep-free", 0, "SIZE", "with these: keep SIZE of the disk free", Z(SIZE, keep.free) },
	{ "exec", 0, "PROGRAM", "run PROGRAM FILE for each file that is complete", Z(NAME, exec) },
	{ "host", 'h', "HOST[:PORT]", "send to zedtrace -l or trace-cmd listen there",
	  Z(NAME, host), .instead = RECORDS " (help is --help)" },
	{ "reconnect", 0, "TIME",
	  "with -h: if the connection breaks, connect again for so long:\n"
	  "10m, 24h, 30 (seconds); 0: for ever",
	  OPT_CALL(set_reconnect) },
	{ "token-file", 0, "FILE",
	  "with -h and -l: a secret that server and clients have to know\n"
	  "(mode 0600; it is never sent)",
	  Z(NAME, token_file), .modes = RECORD | LISTEN,
	  .instead = "it is for the network: zedtrace -l, zedtrace -h HOST" },
	{ "listen", 'l', NULL, "receive from zedtrace -h and trace-cmd record -N", OPT_ASKS,
	  SERVER },
	{ "port", 'p', "PORT", "with -l: the port (default 12345)", OPT_CALL(set_port), SERVER,
	  .instead = SERVES "; where to send is said by -h HOST:PORT" },
	{ "address", 'a', "ADDR", "with -l: the address to serve (default: this machine only)",
	  Z(TEXT, serving.addr), SERVER },
	{ "dir", 'D', "DIR", "with -l: where each client gets a directory (default: here)",
	  Z(TEXT, serving.dir), SERVER },
	{ "max-total", 0, "SIZE",
	  "with -l: what all recordings in DIR may take together\n"
	  "(default 10G; 0: no limit)",
	  Z(SIZE, serving.max_total), SERVER },
	{ "max-cpus", 0, "N", "with -l: the most CPUs of one client (default 1024)",
	  Z(NUMBER, serving.max_cpus, WIRE_MAX_CPUS), SERVER },
	{ "idle", 0, "TIME",
	  "with -l: how long a client may be silent: 24h (the default),\n"
	  "90m, 30; 0: forever",
	  OPT_CALL(set_idle), SERVER },
	{ "stay", 0, NULL, "with -l -o -: do not end with the last client", Z(FLAG, serving.stay),
	  SERVER },
	{ "user", 0, "NAME", "with -l, as root: become NAME once it listens", Z(TEXT, serving.user),
	  SERVER },
	{ "date", 0, NULL, "record the time of day too, so that readers can show it",
	  Z(FLAG, date) },
	{ "realtime", 'r', "PRIO", "record with this real-time priority (1 to 99)",
	  Z(NUMBER, prio, 99) },
	{ "buffer-percent", 0, "N", "how full (%) a buffer is when we are woken (default 25)",
	  Z(NUMBER, percent, 100) },
	{ "instance", 0, "NAME",
	  "record what the tracing instance NAME traces, which somebody\n"
	  "else has set up ('.': the top one); nothing of it is changed",
	  Z(TEXT, instance) },
	{ "extract", 0, "NAME", "save what its buffers hold, and end", Z(TEXT, extract),
	  .modes = EXTRACT },
	{ "recover", 0, "DIR", "make a trace.dat of what a killed recorder left", Z(TEXT, recover),
	  .modes = RECOVER },
	{ "convert", 0, "STREAM", "make a trace.dat of a saved zed stream ('-': of a pipe)",
	  Z(TEXT, convert), .modes = CONVERT },
	{ "config", 0, "FILE",
	  "take options and events from FILE, a line each: rotate = 100M,\n"
	  "events = sched irq; again at SIGHUP",
	  OPT_CALL(set_config), .traits = CLI_LINE },
	{ "check-config", 0, "FILE", "only check such a FILE", OPT_CALL(set_config),
	  .traits = CLI_LINE },
	{ "status", 0, "[=PID]",
	  "what running recorders do: those with --rotate, --flight or\n"
	  "--config",
	  Z(TEXT, unattended.who), .modes = STATUS },
	{ "snapshot", 0, "[=PID]", "have one of them complete a file now, and print its name",
	  Z(TEXT, unattended.who), .modes = SNAPSHOT },
	{ "json", 0, NULL, "with --status: a line of JSON for each", Z(FLAG, unattended.json),
	  .modes = STATUS },
	{ "cleanup", 0, NULL, "remove the tracing instances that killed recorders left", OPT_ASKS,
	  .modes = CLEANUP },
	{ .name = NULL },
};

static const struct cli_rule RULES[] = {
	{ RECORD, "function notrace graph", CLI_NEEDS, "tracer",
	  "chooses functions of a tracer: --tracer function" },
	{ RECORD, "no-maps", CLI_NEEDS, "user-stack",
	  "leaves out what is recorded for the stacks of --user-stack" },
	{ RECORD, "keep keep-size keep-free", CLI_NEEDS, "rotate flight",
	  "is about the files of --rotate and --flight" },
	{ RECORD, "exec", CLI_NOT_WITH, "host output=-", "it is for files that are made here" },
	{ RECORD, "synthetic", CLI_NEEDS, "when", "is what --when waits for: --when 'NAME EXPR'" },
	{ RECORD, "when", CLI_NEEDS, "flight", "writes what --flight SIZE or --flight TIME keeps" },
	{ RECORD, "WORDS for tracer flight buffer-percent filter pid cpu SETS", CLI_NOT_WITH,
	  "instance", "who made it has set what is traced" },
	{ RECORD, "max-size", CLI_NOT_WITH, "rotate", "--keep N limits what is kept" },
	{ RECORD, "rotate", CLI_NOT_WITH, "flight",
	  "--rotate keeps everything, --flight the newest" },
	{ RECORD, "max-size", CLI_NOT_WITH, "flight", "--flight SIZE" },
	{ RECORD, "realtime buffer-percent max-cpu max-rate", CLI_NOT_WITH, "flight",
	  "nothing is read until it is written" },
	{ RECORD, "flight", CLI_NOT_WITH, "host output=-", "it writes files here" },
	{ RECORD, "reconnect", CLI_NEEDS, "host", "is about a connection: -h HOST" },
	{ RECORD, "token-file", CLI_NEEDS, "host", "is for a server: -h HOST" },
	{ RECORD, "output", CLI_NOT_WITH, "host",
	  "the server writes the file (zedtrace -l -D DIR); without -h it is written here" },
	{ RECORD, "rotate", CLI_NOT_WITH, "host", "the server makes one file of a recording" },
	{ RECORD, "max-size", CLI_NOT_WITH, "host",
	  "the server sets the limit: zedtrace -l --max-size SIZE" },
	{ RECORD, "compress=zlib", CLI_NOT_WITH, "host", "what is sent is packed with zstd" },
	{ RECORD, "rotate", CLI_NOT_WITH, "output=-", "a stream is not a file" },
	{ RECORD, "max-size", CLI_NOT_WITH, "output=-",
	  "a stream has no size; -o FILE --max-size SIZE keeps the newest" },
	{ RECORD, "compress=zlib", CLI_NOT_WITH, "output=-", "a stream is packed with zstd" },
	{ LISTEN, "stay", CLI_NEEDS, "output=-",
	  "is about -o -: without it the server stays anyway" },
	{ LISTEN, "dir", CLI_NOT_WITH, "output=-",
	  "a stream goes to the pipe; without -o - files are written to DIR" },
	{ LISTEN, "max-total", CLI_NOT_WITH, "output=-",
	  "a stream fills no directory; --max-size SIZE ends it" },
	{ 0, "output=-", CLI_NOT_WITH, "recover convert extract",
	  "a trace.dat is not written to a pipe: -o FILE" },
	{ .these = NULL },
};

static const struct cli_table TABLES[] = {
	{ .opts = OPTS, .modes = RECORD, .rules = RULES },
	{ .opts = SESSION_OPTIONS, .of = CLI_OF_SESSION, .modes = RECORD, .rules = SESSION_RULES },
	{ .opts = CHOOSING, .of = CLI_OF_CLI, .modes = RECORD },
	{ .opts = GENERAL, .of = CLI_OF_CLI },
	{ .opts = NULL },
};

const struct cli_spec ZEDTRACE_SPEC = {
	.prog = "zedtrace",
	.usage = "zedtrace [OPTION]... EVENT... [-- COMMAND [ARG]...]\n"
		 "zedtrace [OPTION]... EVENT... -o - | zedperl -i - SCRIPT\n"
		 "zedtrace -t [-v] [EVENT]...\n"
		 "zedtrace -l [-p PORT] [-a ADDR] [-D DIR]\n"
		 "zedtrace --instance NAME [OPTION]... | --extract NAME [-o FILE]\n"
		 "zedtrace --recover DIR | --convert STREAM [-o FILE]\n"
		 "zedtrace --config FILE | --check-config FILE | --status | --snapshot\n"
		 "zedtrace --cleanup",
	.about = "Record events of the running kernel.  EVENT: a subsystem (sched), one event\n"
		 "(sched:sched_switch), a pattern ('block:*_rq_*'), or a stable event: what this\n"
		 "kernel has for it (sched:switch).",
	.more = "  zedtrace sched block -d 10\n"
		"  zedtrace sched workqueue -o - | zedperl -i - countall.pl\n"
		"  zedtrace -c raw_syscalls -- ls -l\n"
		"Exit status: 0, or that of COMMAND; 1 something was damaged or not recorded;\n"
		"2 usage, no rights, nothing recorded; 126, 127 COMMAND could not be executed.",
	.tables = TABLES,
	.modes = MODES,
	.word = { .name = "an event", .modes = RECORD | LIST },
	.command_word = { "a command", RECORD, RECORDS " -- COMMAND" },
	.endless = true,
	.command = true,
};

/* ---- selecting the mode ---- */

/* "-p function_graph", as in other recorders: not a port, so no server is meant. */
static void take_tracer(struct cli *c, struct zedtrace *z)
{
	const char *port = z->serving.port;

	if (!port || cli_given(c, "listen") || z->host || ascii_digit(*port) || z->tracer.name)
		return;
	z->tracer.name = port;
	z->serving.port = NULL;
	cli_given_as(c, "port", "tracer");
}

/* Errors that depend on more than which options are given; NULL: none. */
static const char *wrong(const struct cli *c, const struct zedtrace *z, enum zedtrace_mode mode)
{
	bool stream = z->output && !strcmp(z->output, "-");

	if (mode == LISTEN && z->output && !stream)
		return "-o FILE does not go with -l: each client gets DIR/ADDRESS-TIME/trace.dat "
		       "(-D DIR); -o - feeds a pipe";
	if (stream && isatty(STDOUT_FILENO))
		return "-o -: binary output is not written to a terminal: zedtrace ... -o - | "
		       "zedperl -i - SCRIPT";
	if (mode != RECORD)
		return NULL;
	if (!c->words.nargs && !z->script && !z->instance && !z->tracer.name)
		return "no event is named: zedtrace EVENT... (zedtrace -t lists them, --for SCRIPT "
		       "takes a script's)";
	if (c->words.command && !c->words.command[0])
		return "no command after --: zedtrace EVENT... -- COMMAND";
	if (cli_given(c, "max-size") && !z->max_size)
		return "--max-size: '0' is not a size: without it there is no limit";
	if (cli_given(c, "keep-size") && !z->keep.size)
		return "--keep-size: 0 keeps nothing: leave the option out for no limit";
	if (cli_given(c, "keep-free") && !z->keep.free)
		return "--keep-free: 0 keeps nothing free: without the option it is the same";
	if (z->flight.bytes && z->words.buffer_kb)
		return "-b does not go with --flight SIZE, which says the same";
	return NULL;
}

void zedtrace_fini(struct zedtrace *z)
{
	event_names_fini(&z->events);
	texts_fini(&z->when);
	texts_fini(&z->synthetic);
	token_fini(&z->token);
	stable_free(z->stable);
	session_words_fini(&z->words);
}

enum zedtrace_mode zedtrace_asked(struct cli *c, struct zedtrace *z)
{
	const char *text;
	enum zedtrace_mode mode;

	take_tracer(c, z);
	z->plain = cli_given(c, "compress") && z->codec == CODEC_NONE;
	mode = cli_asked(c);
	text = mode ? wrong(c, z, mode) : NULL;
	if (text)
		cli_usage(c, false, "%s", text);
	return text ? 0 : mode;
}
