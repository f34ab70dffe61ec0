// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedtrace: the program's main, and its short modes: list, repair, convert, clean up.
 */
#include "programs/zedtrace/zedtrace.h"

#include "programs/help.h"
#include "kernel/session/session.h"
#include "record/file/convert.h"
#include "record/file/spool.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int fail(struct cli *c, struct err *e)
{
	cli_say_err(c, e);
	return e->kind == ERR_FORMAT ? CLI_DAMAGE : CLI_USAGE;
}

static int list(struct cli *c, struct zedtrace *z)
{
	struct err e;

	if (zedtrace_list(c, z, &e) < 0)
		return fail(c, &e);
	return cli_end_output(c, CLI_OK);
}

static void say_cleanup(void *arg, const char *line)
{
	cli_puts(stdout, line);
	putchar('\n');
}

static int cleanup(struct cli *c)
{
	struct err e;
	int n = session_cleanup(say_cleanup, NULL, &e);

	if (n < 0) {
		cli_end_output(c, CLI_OK);
		return fail(c, &e);
	}
	if (n == 0)
		puts("nothing to remove");
	return cli_end_output(c, CLI_OK);
}

/* The end of a recording that was killed did not reach the disk. */
static void say_held(void *arg, const char *name, uint64_t events)
{
	cli_say(arg,
		"the instance %s of a recorder that was killed still holds %" PRIu64
		" event%s: zedtrace --extract %s -o FILE saves them, then --cleanup removes it",
		name, events, plural(events), name);
}

static int recover(struct cli *c, const struct zedtrace *z)
{
	uint64_t pages;
	struct err e;
	int status = CLI_OK;

	if (spool_recover(z->recover, z->output, &c->run.notes, &pages, &e) < 0)
		status = fail(c, &e);
	else
		cli_say(c, "%s: recovered, %" PRIu64 " page%s", z->recover, pages, plural(pages));
	session_each_dead(say_held, c);
	return status ? status : c->run.notes.damage ? CLI_DAMAGE : CLI_OK;
}

static int convert(struct cli *c, const struct zedtrace *z)
{
	struct spool_opts o = {
		.path = z->output ? z->output : DEFAULT_OUTPUT,
		.codec = z->codec,
		.plain = z->plain,
		.notes = &c->run.notes,
	};
	struct stat from, to;
	struct err e;

	if (stat(z->convert, &from) == 0 && stat(o.path, &to) == 0 && from.st_dev == to.st_dev &&
	    from.st_ino == to.st_ino)
		return cli_usage(c, false, "--convert %s: would overwrite what it reads: -o FILE",
				 z->convert);
	/* Ctrl-C is for the recorder at the other end of the pipe, which then ends the stream. */
	if (!strcmp(z->convert, "-"))
		signal(SIGINT, SIG_IGN);
	if (convert_stream(z->convert, &o, &e) < 0)
		return fail(c, &e);
	return c->run.notes.damage ? CLI_DAMAGE : CLI_OK;
}

static int run(struct cli *c, struct zedtrace *z)
{
	enum zedtrace_mode mode = zedtrace_asked(c, z);
	struct err e;

	if (mode && z->token_file && token_read(&z->token, z->token_file, &e) < 0)
		return fail(c, &e);
	switch (mode) {
	case RECORD:
		if (z->unattended.check)
			return zedtrace_check(c, z);
		return z->flight.bytes || z->flight.ns ? zedtrace_flight(c, z) :
							 zedtrace_record(c, z);
	case EXTRACT:
		return zedtrace_record(c, z);
	case LISTEN:
		return zedtrace_serve(c, z);
	case LIST:
		return list(c, z);
	case RECOVER:
		return recover(c, z);
	case CONVERT:
		return convert(c, z);
	case CLEANUP:
		return cleanup(c);
	case STATUS:
		return zedtrace_ask(c, z, STATUS);
	case SNAPSHOT:
		return zedtrace_ask(c, z, SNAPSHOT);
	}
	return CLI_USAGE;
}

/* Without any argument. */
static int short_usage(void)
{
	help_usage(&ZEDTRACE_SPEC, stderr);
	fprintf(stderr, "try '%s --help'\n", ZEDTRACE_SPEC.prog);
	return CLI_USAGE;
}

int main(int argc, char **argv)
{
	struct zedtrace z = ZEDTRACE_INIT;
	struct cli c;
	int status;

	z.unattended.argc = argc;
	z.unattended.argv = argv;
	cli_init(&c, &ZEDTRACE_SPEC, &z);
	c.session = &z.words;
	c.chooser = &SESSION_CHOOSER;
	if (argc < 2)
		status = short_usage();
	else if (cli_parse(&c, argc, argv, &status))
		status = run(&c, &z);
	cli_fini(&c);
	zedtrace_fini(&z);
	return status;
}
