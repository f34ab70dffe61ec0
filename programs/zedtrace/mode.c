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
	case EXTRACT:
		return "--extract";
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
			 (z->cleanup ? CLEANUP : 0) | (z->extract ? EXTRACT : 0);
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

static bool is_some(const struct amount *a)
{
	return a->bytes || a->ns;
}

/* Is every option that was given one of MODE's? */
static bool check_options(struct cli *c, const struct zedtrace *z, enum mode mode)
{
	const char *of_session = session_words_given(&z->words);
	const struct {
		const char *name;
		bool given;
		unsigned modes;
		const char *instead;
	} rules[] = {
		{ "-o", z->output, RECORD | LISTEN | RECOVER | CONVERT | EXTRACT,
		  "it writes no file; redirect its output with >FILE" },
		{ "--for", z->script, RECORD, RECORDS },
		{ of_session ? of_session : "", of_session, RECORD, RECORDS },
		{ "-F", z->words.nfilters, RECORD, RECORDS },
		{ "-P", z->words.npids, RECORD, RECORDS },
		{ "--cpu", z->words.cpus, RECORD, RECORDS },
		{ "-h", z->host, RECORD, RECORDS " (help is --help)" },
		{ "-z", z->compress, RECORD | CONVERT | EXTRACT,
		  "it is for a file that is made: zedtrace -z CODEC EVENT..." },
		{ "--max-size", z->max_size_said, RECORD | LISTEN,
		  "it limits a recording, or with -l each client" },
		{ "--instance", z->instance, RECORD, RECORDS },
		{ "--tracer", z->tracer.name, RECORD, RECORDS },
		{ "--function", z->tracer.functions, RECORD, RECORDS },
		{ "--notrace", z->tracer.notrace, RECORD, RECORDS },
		{ "--graph", z->tracer.graph, RECORD, RECORDS },
		{ "--date", z->date, RECORD, RECORDS },
		{ "-r", z->prio, RECORD, RECORDS },
		{ "--buffer-percent", z->percent, RECORD, RECORDS },
		{ "--rotate", is_some(&z->rotate), RECORD, RECORDS },
		{ "--keep", z->keep, RECORD, RECORDS },
		{ "--flight", is_some(&z->flight), RECORD, RECORDS },
		{ "--when", z->nwhen, RECORD, RECORDS },
		{ "-p", z->port, LISTEN, z->host ? "write -h HOST:PORT" : SERVES },
		{ "-a", z->addr, LISTEN, SERVES },
		{ "-D", z->dir, LISTEN, SERVES },
		{ "--max-total", z->max_total_said, LISTEN, SERVES },
		{ "--max-cpus", z->max_cpus_said, LISTEN, SERVES },
		{ "--idle", z->idle_said, LISTEN, SERVES },
		{ "--stay", z->stay, LISTEN, SERVES },
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
	else if (is_some(&z->rotate))
		cli_usage(c, false, "--rotate does not go with -o -: a stream is no file");
	else if (z->max_size && !z->listen)
		cli_usage(c, false,
			  "--max-size does not go with -o -: a stream has no size; "
			  "-o FILE --max-size SIZE keeps the newest");
	else if (z->compress && z->codec == CODEC_ZLIB)
		cli_usage(c, false, "-z zlib does not go with -o -: a stream is packed with zstd");
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
	else if (is_some(&z->rotate))
		cli_usage(c, false,
			  "--rotate does not go with -h: the server makes one file of a recording");
	else if (z->max_size)
		cli_usage(c, false,
			  "--max-size does not go with -h: the server sets the limit: "
			  "zedtrace -l --max-size SIZE");
	else if (z->compress && z->codec == CODEC_ZLIB)
		cli_usage(c, false,
			  "-z zlib does not go with -h: what is sent is packed with zstd");
	else
		return true;
	return false;
}

/* --flight keeps its own files. */
static bool check_flight(struct cli *c, const struct zedtrace *z)
{
	if (z->host || is_stream(z))
		cli_usage(c, false, "--flight does not go with %s: it writes files here",
			  z->host ? "-h" : "-o -");
	else if (is_some(&z->rotate))
		cli_usage(c, false,
			  "--flight keeps the newest, --rotate everything: give one of them");
	else if (z->max_size)
		cli_usage(c, false, "--max-size does not go with --flight: --flight SIZE");
	else if (z->prio || z->percent)
		cli_usage(c, false,
			  "%s does not go with --flight: nothing is read until it is written",
			  z->prio ? "-r" : "--buffer-percent");
	else if (z->flight.bytes && z->words.buffer_kb)
		cli_usage(c, false, "-b does not go with --flight SIZE, which says the same");
	else
		return true;
	return false;
}

/* What is set in an instance is its owner's to choose. */
static bool check_instance(struct cli *c, const struct zedtrace *z)
{
	const char *sets = c->nargs	       ? "an event" :
			   z->script	       ? "--for" :
			   z->tracer.name      ? "--tracer" :
			   is_some(&z->flight) ? "--flight" :
			   z->percent	       ? "--buffer-percent" :
						 session_words_set(&z->words);

	if (sets)
		cli_usage(c, false,
			  "%s does not go with --instance: who made it has set what is traced",
			  sets);
	return !sets;
}

static bool check_record(struct cli *c, const struct zedtrace *z)
{
	struct err e;

	if (!z->tracer.name && (z->tracer.functions || z->tracer.notrace || z->tracer.graph))
		cli_usage(c, false, "%s chooses functions of a tracer: --tracer function",
			  z->tracer.functions ? "--function" :
			  z->tracer.notrace   ? "--notrace" :
						"--graph");
	else if (!c->nargs && !z->script && !z->instance && !z->tracer.name)
		cli_usage(c, true,
			  "no event is named: zedtrace EVENT... (zedtrace -t lists "
			  "them, --for SCRIPT takes a script's)");
	else if (c->command && !c->command[0])
		cli_usage(c, true, "no command behind --: zedtrace EVENT... -- COMMAND");
	else if (z->max_size_said && !z->max_size)
		cli_usage(c, false, "--max-size: '0' is no size: without it there is no limit");
	else if (z->keep && !is_some(&z->rotate) && !is_some(&z->flight))
		cli_usage(c, false, "--keep is about the files of --rotate and --flight");
	else if (z->nwhen && !is_some(&z->flight))
		cli_usage(c, false, "--when writes what --flight SIZE or --flight TIME keeps");
	else if (z->max_size && is_some(&z->rotate))
		cli_usage(c, false,
			  "--max-size does not go with --rotate: --keep N limits what is kept");
	else if (session_words_check(&z->words, c->command, &e) < 0)
		cli_usage(c, true, "%s", e.msg);
	else if (is_some(&z->flight) && !z->instance)
		return check_flight(c, z);
	else
		return (!z->instance || check_instance(c, z)) &&
		       (!z->host || check_sending(c, z)) && (!is_stream(z) || check_stream(c, z));
	return false;
}

static bool check_listen(struct cli *c, const struct zedtrace *z)
{
	if (z->output && !is_stream(z))
		cli_usage(c, false,
			  "-o %s does not go with -l: each client gets "
			  "DIR/ADDRESS-TIME/trace.dat (-D DIR); -o - feeds a pipe",
			  z->output);
	else if (z->stay && !is_stream(z))
		cli_usage(c, false, "--stay is about -o -: without it the server stays anyway");
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
	case EXTRACT:
		ok = ok && check_file(c, z);
		break;
	case LIST:
	case CLEANUP:
		break;
	}
	return ok ? mode : 0;
}
