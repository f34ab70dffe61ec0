/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number_tables: names of the numbers of errors and system calls, by input.
 */
#include "interp/common/number_tables.h"

#include "base/mem.h"
#include "trace/names/errnos.h"
#include "trace/names/syscalls.h"

#include <stdlib.h>

/* Of one machine. */
struct machine_numbers {
	struct sysnames calls;
	struct errnos errors;
};

struct number_tables {
	struct machine_numbers **v; /* by number of the input; NULL: not used yet */
	size_t cap;
	struct errnos usual; /* if there is no input */
	struct arena arena;
};

void number_tables_free(struct number_tables *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->cap; i++)
		free(t->v[i]);
	free(t->v);
	arena_fini(&t->arena);
	free(t);
}

static struct number_tables *tables_of(struct number_tables **t)
{
	if (!*t)
		*t = mem_zalloc(sizeof(**t));
	return *t;
}

static struct machine_numbers *numbers_of(struct number_tables *t, const struct source *s,
					  struct machine *m)
{
	struct machine_numbers *n;
	char arch[64];

	if (s->num >= t->cap)
		t->v = mem_grow_zeroed(t->v, &t->cap, (size_t)s->num + 1, sizeof(*t->v));
	if (!t->v[s->num]) {
		n = t->v[s->num] = mem_zalloc(sizeof(*n));
		sysnames_arch(m, arch, sizeof(arch));
		sysnames_of_machine(&n->calls, m, arch, &t->arena);
		errnos_load(&n->errors, arch, &t->arena);
	}
	return t->v[s->num];
}

/* The architecture of most machines. */
static const struct errnos *usual_errors(struct number_tables *t)
{
	if (!t->usual.n)
		errnos_load(&t->usual, "", &t->arena);
	return &t->usual;
}

const char *number_tables_errno(struct number_tables **t, const struct source *s, struct machine *m,
				uint64_t nr)
{
	struct number_tables *all = tables_of(t);

	return errnos_of(s ? &numbers_of(all, s, m)->errors : usual_errors(all), nr);
}

const char *number_tables_syscall(struct number_tables **t, const struct source *s,
				  struct machine *m, uint64_t nr)
{
	return s ? sysnames_of(&numbers_of(tables_of(t), s, m)->calls, nr) : NULL;
}
