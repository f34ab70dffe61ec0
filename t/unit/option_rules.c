// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * conflicts: a program that is made up, with every kind of mode and rule, and command lines that
 * keep them or do not.  Without it what makes no sense is done all the same, or what does is
 * refused.
 *
 * of: programs/conflicts.c programs/options.c
 */
#include "programs/conflicts.h"
#include "t/lib/c/tap.h"

#include <string.h>
#include <unistd.h>

enum { WORK = 1, LIST = 2, SERVE = 4 };

struct made {
	bool fast, slow;
	const char *output, *live;
	unsigned port;
};

static int set_live(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	((struct made *)c->arg)->live = value;
	return 0;
}

static const struct cli_opt OPTS[] = {
	{ "list", 't', NULL, "", OPT_ASKS, .modes = LIST },
	{ "serve", 0, NULL, "", OPT_ASKS, .modes = SERVE },
	{ "output", 'o', "FILE", "", OPT_NAME(made, output), .modes = WORK | SERVE,
	  .instead = "nothing is written" },
	{ "port", 'p', "PORT", "", OPT_NUMBER(made, port, 9), .modes = SERVE },
	{ "fast", 0, NULL, "", OPT_FLAG(made, fast), .traits = CLI_SETS },
	{ "slow", 0, NULL, "", OPT_FLAG(made, slow) },
	{ "live", 0, "[=EVENTS]", "", OPT_CALL(set_live) },
	{ "verbose", 'v', NULL, "", OPT_ASKS, .modes = WORK | LIST | SERVE },
	{ .name = NULL },
};

static const struct cli_rule RULES[] = {
	{ 0, "fast", CLI_NOT_WITH, "slow", "one of them" },
	{ WORK, "output=-", CLI_NOT_WITH, "slow COMMAND", "a pipe waits for nobody" },
	{ 0, "live=*", CLI_NOT_WITH, "slow", "there are few" },
	{ SERVE, "output=-", CLI_NEEDS, "port fast", "needs -p" },
	{ 0, "fast+live", CLI_NEEDS, "output", "needs -o" },
	{ 0, "verbose", CLI_NOT_WITH, "SETS", "nothing is set" },
	{ .these = NULL },
};

static const struct cli_table TABLES[] = {
	{ .opts = OPTS, .modes = WORK, .rules = RULES },
	{ .opts = NULL },
};

static const struct cli_mode MODES[] = {
	{ "work", "it is for work" },
	{ .name = "list" },
	{ "serve", "it is the server's" },
	{ .name = NULL },
};

static const struct cli_spec SPEC = {
	.prog = "made",
	.tables = TABLES,
	.modes = MODES,
	.word = { "a word", WORK },
	.command_word = { "a command", WORK, "it is run" },
	.command = true,
};

/* What is said of a command line; "" where it is asked for MODE. */
static const char *said(const char *const *words, unsigned mode)
{
	static char text[400];
	struct made m = { .fast = false };
	char *argv[16] = { (char *)"made" };
	int argc = 1, status, old = dup(STDERR_FILENO);
	FILE *f = tmpfile();
	unsigned got = 0;
	size_t n;
	struct cli c;

	for (; *words; words++)
		argv[argc++] = (char *)*words;
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	cli_init(&c, &SPEC, &m);
	if (cli_parse(&c, argc, argv, &status))
		got = cli_asked(&c);
	cli_fini(&c);
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(old);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	if (!n && got != mode)
		snprintf(text, sizeof(text), "mode %u", got);
	return text;
}

#define WORDS(...) \
	(const char *const[]) \
	{ \
		__VA_ARGS__, NULL \
	}

static void keeps(unsigned mode, const char *const *words, const char *why)
{
	const char *text = said(words, mode);

	if (!ok(!*text, "%s", why))
		diag("%s", text);
}

static void refused(const char *const *words, const char *want, const char *why)
{
	const char *text = said(words, 0);

	if (!ok(!strncmp(text, "made: ", 6) && !strcmp(text + 6, want), "%s", why))
		diag("%s", text);
}

int main(void)
{
	keeps(WORK, WORDS("x"), "no option: the first mode");
	keeps(LIST, WORDS("-t", "-v"), "a mode, and an option of all");
	keeps(SERVE, WORDS("--serve", "-p", "7", "-o", "x"), "options of a mode");
	refused(WORDS("-t", "--serve"), "-t and --serve are different things: give one of them",
		"two modes (else: one is left out in silence)");
	refused(WORDS("-p", "7"), "-p does not go with work: it is the server's",
		"an option of another mode: what that one says");
	refused(WORDS("--slow", "-t"), "--slow does not go with -t: it is for work",
		"... or the mode of its table");
	refused(WORDS("-t", "-o", "x"), "-o does not go with -t: nothing is written",
		"... or what it says itself");
	refused(WORDS("--serve", "x"), "a word does not go with --serve: it is for work",
		"words have modes too");
	refused(WORDS("--serve", "--", "ls"), "a command does not go with --serve: it is run",
		"... and a command");

	refused(WORDS("--slow", "--fast"), "--fast does not go with --slow: one of them",
		"two options, in any order");
	refused(WORDS("-o", "-", "--slow"), "-o - does not go with --slow: a pipe waits for nobody",
		"a value");
	refused(WORDS("-o-", "--", "ls"),
		"-o - does not go with a command: a pipe waits for nobody",
		"one of several others");
	keeps(WORK, WORDS("-o", "x", "--slow"), "another value (else: too much is refused)");
	keeps(WORK, WORDS("-o", "-", "-o", "x", "--slow"), "the last value counts");
	refused(WORDS("-o", "x", "-o", "-", "--slow"),
		"-o - does not go with --slow: a pipe waits for nobody", "... and is named");
	refused(WORDS("--serve", "-p", "7", "--slow"),
		"--slow does not go with --serve: it is for work", "modes come first");
	refused(WORDS("--serve", "-o", "-"), "-o - needs -p", "a rule of one mode");
	keeps(SERVE, WORDS("--serve", "-o", "-", "-p", "7"), "... that is kept");
	keeps(WORK, WORDS("-o", "-"), "... and is none of another");
	refused(WORDS("--slow", "--live=a"), "--live=EVENTS does not go with --slow: there are few",
		"a value, whatever it is");
	keeps(WORK, WORDS("--live"), "an option whose value may be left out");
	refused(WORDS("--live=a", "--fast", "-v"), "--fast --live needs -o", "both together");
	keeps(WORK, WORDS("--live=a", "--fast", "-o", "x"), "... with what they need");
	keeps(WORK, WORDS("--slow", "--live"), "... and one of them alone");
	refused(WORDS("--fast", "-v"), "-v does not go with --fast: nothing is set", "a trait");
	return tap_done();
}
