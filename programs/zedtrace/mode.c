// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mode: which of its jobs zedtrace is asked to do, and which options go with that one and with each
 * other.
 */
#include "programs/zedtrace/mode.h"

#include <string.h>
#include <unistd.h>

static const char *mode_name(enum mode mode)
{
	switch (mode) {
	case LIST:
		return "-t";
	case LISTEN:
		return "-l";
	case RECOVER:
		return "--recover";
	case CONVERT:
		return "--convert";
	case CLEANUP:
		return "--cleanup";
	case RECORD:
		break;
	}
	return "a recording";
}

/* 0: more than one was asked for, and said. */
static enum mode asked_mode(struct cli *c, const struct zedtrace *z)
{
	unsigned modes = (z->list ? LIST : 0) | (z->listen ? LISTEN : 0) |
			 (z->recover ? RECOVER : 0) | (z->convert ? CONVERT : 0) |
			 (z->cleanup ? CLEANUP : 0);
	unsigned first = modes & -modes, second = modes & ~first;

	if (!modes)
		return RECORD;
	if (!second)
		return first;
	cli_usage(c, true, "%s and %s are different things: give one of them", mode_name(first),
		  mode_name(second & -second));
	return 0;
}

#define RECORDS "it is for recording: zedtrace [OPTION]... EVENT..."
#define SERVES "it is the server's: zedtrace -l [-p PORT] [-a ADDR] [-D DIR]"

/* Is every option that was given one of MODE's? */
static bool check_options(struct cli *c, const struct zedtrace *z, enum mode mode)
{
	const struct {
		const char *name;
		bool given;
		unsigned modes;
		const char *instead;
	} rules[] = {
		{ "-o", z->output, RECORD | LISTEN | RECOVER | CONVERT,
		  "it writes no file; redirect its output with >FILE" },
		{ "--for", z->script, RECORD, RECORDS },
		{ "-d", z->duration, RECORD, RECORDS },
		{ "-F", z->nfilters, RECORD, RECORDS },
		{ "-P", z->npids, RECORD, RECORDS },
		{ "-c", z->children, RECORD, RECORDS },
		{ "--cpu", z->cpus, RECORD, RECORDS },
		{ "-C", z->clock, RECORD, RECORDS },
		{ "-b", z->buffer_kb, RECORD, RECORDS },
		{ "-s", z->subbuf_kb, RECORD, RECORDS },
		{ "--slack", z->slack != UINT64_MAX, RECORD, RECORDS },
		{ "--exclude", z->nexclude, RECORD, RECORDS },
		{ "-h", z->host, RECORD, RECORDS " (help is --help)" },
		{ "-z", z->compress, RECORD | CONVERT,
		  "it is for a file that is made: zedtrace -z CODEC EVENT..." },
		{ "--max-size", z->max_size_said, RECORD | LISTEN,
		  "it limits a recording, or with -l each client" },
		{ "-p", z->port, LISTEN, z->host ? "write -h HOST:PORT" : SERVES },
		{ "-a", z->addr, LISTEN, SERVES },
		{ "-D", z->dir, LISTEN, SERVES },
		{ "--max-total", z->max_total_said, LISTEN, SERVES },
		{ "--max-cpus", z->max_cpus_said, LISTEN, SERVES },
		{ "--idle", z->idle_said, LISTEN, SERVES },
		{ "--user", z->user, LISTEN, SERVES },
		{ "a command", c->command, RECORD, RECORDS " -- COMMAND" },
		{ "an event", c->nargs, RECORD | LIST, RECORDS },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].given && !(rules[i].modes & mode)) {
			cli_usage(c, false, "%s does not go with %s: %s", rules[i].name,
				  mode_name(mode), rules[i].instead);
			return false;
		}
	return true;
}

static bool is_stream(const struct zedtrace *z)
{
	return z->output && !strcmp(z->output, "-");
}

static bool check_stream(struct cli *c, const struct zedtrace *z)
{
	if (isatty(STDOUT_FILENO))
		cli_usage(c, false,
			  "-o -: a zed stream is nothing for a terminal: "
			  "zedtrace ... -o - | zedperl -i - SCRIPT");
	else if (z->max_size && !z->listen)
		cli_usage(c, false,
			  "--max-size does not go with -o -: a stream has no size; "
			  "-o FILE --max-size SIZE keeps the newest");
	else if (z->compress && z->codec != CODEC_NONE)
		cli_usage(c, false, "-z does not go with -o -: write zedtrace ... -o - | %s",
			  z->codec == CODEC_ZSTD ? "zstd" : "gzip");
	else
		return true;
	return false;
}

static bool check_sending(struct cli *c, const struct zedtrace *z)
{
	if (z->output)
		cli_usage(c, false,
			  "-o does not go with -h: the server writes the file "
			  "(zedtrace -l -D DIR); without -h it is written here");
	else if (z->max_size)
		cli_usage(c, false,
			  "--max-size does not go with -h: the server sets the limit: "
			  "zedtrace -l --max-size SIZE");
	else if (z->compress && z->codec != CODEC_NONE)
		cli_usage(c, false,
			  "-z does not go with -h: pages are sent as they are; "
			  "-o FILE -z CODEC writes a file here");
	else
		return true;
	return false;
}

static bool check_record(struct cli *c, const struct zedtrace *z)
{
	if (!c->nargs && !z->script)
		cli_usage(c, true,
			  "no event is named: zedtrace EVENT... (zedtrace -t lists "
			  "them, --for SCRIPT takes a script's)");
	else if (c->command && !c->command[0])
		cli_usage(c, true, "no command behind --: zedtrace EVENT... -- COMMAND");
	else if (z->max_size_said && !z->max_size)
		cli_usage(c, false, "--max-size: '0' is no size: without it there is no limit");
	else if (z->children && !z->npids && !c->command)
		cli_usage(c, true,
			  "-c needs a task or a command to follow: -P PID -c, or "
			  "-c EVENT... -- COMMAND");
	else
		return (!z->host || check_sending(c, z)) && (!is_stream(z) || check_stream(c, z));
	return false;
}

static bool check_listen(struct cli *c, const struct zedtrace *z)
{
	if (z->output && !is_stream(z))
		cli_usage(c, false,
			  "-o %s does not go with -l: each client gets "
			  "DIR/ADDRESS-TIME/trace.dat (-D DIR); -o - feeds a pipe",
			  z->output);
	else if (is_stream(z) && z->dir)
		cli_usage(c, false,
			  "-D does not go with -o -: a stream goes to the pipe; "
			  "without -o - files are written to DIR");
	else if (is_stream(z) && z->max_total_said)
		cli_usage(c, false,
			  "--max-total does not go with -o -: a stream fills no "
			  "directory; --max-size SIZE ends it");
	else
		return !is_stream(z) || check_stream(c, z);
	return false;
}

static bool check_file(struct cli *c, const struct zedtrace *z)
{
	if (!is_stream(z))
		return true;
	cli_usage(c, false, "-o -: a trace.dat is not written to a pipe: -o FILE");
	return false;
}

enum mode mode_find(struct cli *c, const struct zedtrace *z)
{
	enum mode mode = asked_mode(c, z);
	bool ok = mode && check_options(c, z, mode);

	switch (mode) {
	case RECORD:
		ok = ok && check_record(c, z);
		break;
	case LISTEN:
		ok = ok && check_listen(c, z);
		break;
	case RECOVER:
	case CONVERT:
		ok = ok && check_file(c, z);
		break;
	case LIST:
	case CLEANUP:
		break;
	}
	return ok ? mode : 0;
}
