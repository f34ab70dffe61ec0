// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_open: opens the trace for one view, as the command line does, with its messages as errors.
 */
#include "programs/zedperl/explore/explore_priv.h"

#include "programs/reading.h"
#include "reader/open.h"
#include "run/period.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct cli_table TABLES[] = {
	{ .opts = CHOOSING, .of = CLI_OF_CLI },
	{ .opts = READING, .of = CLI_OF_CLI, .rules = READING_RULES },
	{ .opts = NULL },
};

static const struct cli_spec SPEC = {
	.prog = "zedperl",
	.usage = "",
	.about = "",
	.tables = TABLES,
};

/* So much after the first record, in whatever its clock counts. */
static struct time_word after_first(uint64_t v)
{
	return (struct time_word){
		.kind = TIME_FROM_FIRST, .ns = v, .ticks = v, .bare = true, .text = "from, to"
	};
}

void explore_prepare(const struct explore *x, struct cli *c, uint64_t from, uint64_t to)
{
	cli_init(c, &SPEC, NULL);
	cli_input(c, x->trace);
	if (from)
		c->words.times.from = after_first(from);
	if (to != UINT64_MAX)
		c->words.times.to = after_first(to);
}

/* E becomes the first line of what was printed to FD since FROM, without the program's name. */
static int take_said(int fd, off_t from, struct err *e)
{
	static const char prog[] = "zedperl: ";
	char text[sizeof(e->msg)], *said = text;
	ssize_t n = fd >= 0 ? pread(fd, text, sizeof(text) - 1, from) : -1;

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(said, prog, sizeof(prog) - 1))
		said += sizeof(prog) - 1;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s", *said ? said : "the trace cannot be read");
}

/* A file that was replaced, or is written to: answers would be of different traces. */
static bool has_changed(const struct explore *x)
{
	const struct stat *was = &x->file;
	struct stat now;

	return S_ISREG(was->st_mode) &&
	       (!source_stat(x->trace, &now) || now.st_dev != was->st_dev ||
		now.st_ino != was->st_ino || now.st_size != was->st_size ||
		now.st_mtim.tv_sec != was->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != was->st_mtim.tv_nsec);
}

int explore_open(const struct explore *x, struct cli *c, struct err *e)
{
	/*
	 * In a child stderr is a file that the server keeps; elsewhere messages are shown as they
	 * come.
	 */
	off_t from = lseek(STDERR_FILENO, 0, SEEK_CUR);
	int status;

	if (has_changed(x))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the trace has changed: start zedperl explore again");
	if (cli_open(c, &status))
		return 0;
	return take_said(from >= 0 ? STDERR_FILENO : -1, from, e);
}

int explore_times(struct cli *c, uint64_t *base, uint64_t *length, struct err *e)
{
	struct period all;

	TRY(period_all(&c->run.pump, &all, e));
	if (!period_any(&all))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "the trace has no events");
	*base = all.first;
	*length = all.last - all.first;
	return 0;
}
