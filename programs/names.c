// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names: gives the inputs a finder of names, by the options, and finds the program that reads ELF
 * files.
 */
#include "programs/names.h"

#include "programs/installed.h"

#include <stdlib.h>
#include <unistd.h>

void names_begin(struct cli *c)
{
	struct code_files_opts o = { .symfs = c->words.symfs,
				     .debug_dirs = c->words.debug_dirs.v,
				     .ndebug_dirs = c->words.debug_dirs.n,
				     .vmlinux = c->words.vmlinux,
				     .urls = c->words.debuginfod,
				     .lines = c->words.lines,
				     .notes = &c->run.notes };

	c->run.reader = installed_program("zedsyms");
	o.reader = c->run.reader;
	if (!o.reader && (o.symfs || o.ndebug_dirs || o.urls || o.vmlinux || o.lines))
		cli_say(c, "zedsyms, which reads ELF files, is not beside this program: functions "
			   "of programs have no names (it is built where libdw is: Debian's "
			   "libdw-dev)");
	symbol_finder_init(&c->run.finder, &o);
	c->words.source.finder = &c->run.finder.finder;
}

void names_report(struct cli *c)
{
	if (c->run.finder.files)
		code_files_report(c->run.finder.files);
}

void names_end(struct cli *c)
{
	symbol_finder_fini(&c->run.finder);
	free(c->run.reader);
}
