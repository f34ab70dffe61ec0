// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * notperl: scripts that are not Perl: for another tool, or with event names as in options.
 */
#include "programs/zedperl/notperl.h"

#include "base/suffix.h"
#include "programs/zedperl/zedperl.h"

#include <stdio.h>
#include <string.h>

bool notperl_is(const char *script, char name[256])
{
	FILE *in = fopen(script, "re");
	char line[256] = "";

	if (in) {
		if (!fgets(line, sizeof(line), in))
			line[0] = '\0';
		fclose(in);
	}
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "#!", 2) && !strstr(line, "perl"))
		snprintf(name, 256, "%s", line + 2 + strspn(line + 2, " "));
	else if (suffix_is(script, ".py"))
		snprintf(name, 256, "python");
	else
		return false;
	return true;
}

/* Code as bpftrace takes it? */
static void say_bpftrace(struct cli *c, const struct zedperl *z)
{
	for (size_t i = 1; i < z->perl.argc; i++)
		if (!strncmp(z->perl.argv[i], "tracepoint:", strlen("tracepoint:")))
			cli_say(c, "that is bpftrace's language, and -e takes perl's: zedperl help "
				   "coming-from has the one beside the other");
}

/* "sub sched:sched_switch", written as in options, is for perl an attribute of sub sched. */
static void say_one_colon(struct cli *c, const char *death)
{
	static const char start[] = "Invalid CODE attribute: ";
	const char *name = death + sizeof(start) - 1;
	int len = strncmp(death, start, sizeof(start) - 1) ? 0 : strcspn(name, " (");

	if (len)
		cli_say(c, "the name of a handler has two colons: sub SYSTEM::%.*s", len, name);
}

void notperl_say(struct cli *c, const struct zedperl *z, const char *death)
{
	say_one_colon(c, death);
	say_bpftrace(c, z);
}
