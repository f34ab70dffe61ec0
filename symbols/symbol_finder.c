// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol_finder: the places of names that a recording lacks, as one object for its machine.
 */
#include "symbols/symbol_finder.h"

#include <string.h>

static int kernel(void *arg, const struct kernel_identity *id, const struct symbols **out,
		  struct err *e)
{
	return kernel_names_find(&((struct symbol_finder *)arg)->kernels, id, out, e);
}

static bool code(void *arg, const struct mapping *m, uint64_t address, struct code_symbol *out)
{
	return code_files_at(((struct symbol_finder *)arg)->files, m, address, out);
}

static unsigned unwind(void *arg, const struct user_state *s, const struct address_space *space,
		       uint64_t *ips, unsigned most)
{
	return unwinder_stack(((struct symbol_finder *)arg)->unwinder, s, space, ips, most);
}

static unsigned lines(void *arg, const struct mapping *m, bool caller, const struct code_line **out)
{
	return code_files_lines(((struct symbol_finder *)arg)->files, m, caller, out);
}

static unsigned kernel_lines(void *arg, const struct kernel_identity *id, uint64_t address,
			     bool caller, const struct code_line **out)
{
	return kernel_names_lines(&((struct symbol_finder *)arg)->kernels, id, address, caller,
				  out);
}

void symbol_finder_init(struct symbol_finder *f, const struct code_files_opts *o)
{
	memset(f, 0, sizeof(*f));
	f->o = *o;
	f->finder = (struct finder){ .kernel = kernel,
				     .code = code,
				     .unwind = unwind,
				     .lines = o->lines ? lines : NULL,
				     .kernel_lines = o->lines ? kernel_lines : NULL,
				     .arg = f };
	f->files = code_files_new(o);
	f->unwinder = unwinder_new(o->reader, f->files, o->notes);
	kernel_names_init(&f->kernels, &f->o, f->files);
}

void symbol_finder_fini(struct symbol_finder *f)
{
	unwinder_free(f->unwinder);
	code_files_free(f->files);
	kernel_names_fini(&f->kernels);
	memset(f, 0, sizeof(*f));
}
