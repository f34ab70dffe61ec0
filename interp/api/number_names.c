/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number_names: names of the numbers of a machine: of its system calls, errors and devices.
 */
#include "interp/api/api.h"

#include "trace/names/errnos.h"
#include "trace/names/syscalls.h"

#include <stdlib.h>

/* The names of numbers on one machine: looked up at the first use. */
struct numbers {
	struct sysnames calls;
	struct errnos errors;
};

struct api_numbers {
	struct numbers **v; /* by number of the input; NULL: not used yet */
	size_t cap;
	struct errnos usual; /* if there is no input */
	struct arena arena;
};

void api_numbers_free(struct perlsink *ps)
{
	if (!ps->numbers)
		return;
	for (size_t i = 0; i < ps->numbers->cap; i++)
		free(ps->numbers->v[i]);
	free(ps->numbers->v);
	arena_fini(&ps->numbers->arena);
	free(ps->numbers);
	ps->numbers = NULL;
}

static struct api_numbers *all_numbers(struct perlsink *ps)
{
	if (!ps->numbers)
		ps->numbers = mem_zalloc(sizeof(*ps->numbers));
	return ps->numbers;
}

static struct numbers *numbers_of(struct perlsink *ps, struct source *s)
{
	struct api_numbers *all = all_numbers(ps);
	struct machine *m = api_machine_of(ps, s);
	struct numbers *n;
	char arch[64];

	if (s->num >= all->cap)
		all->v = mem_grow_zeroed(all->v, &all->cap, (size_t)s->num + 1, sizeof(*all->v));
	if (!all->v[s->num]) {
		n = all->v[s->num] = mem_zalloc(sizeof(*n));
		sysnames_arch(m, arch, sizeof(arch));
		sysnames_of_machine(&n->calls, m, arch, &all->arena);
		errnos_load(&n->errors, arch, &all->arena);
	}
	return all->v[s->num];
}

/* The architecture of most machines. */
static const struct errnos *usual_errors(struct perlsink *ps)
{
	struct api_numbers *all = all_numbers(ps);

	if (!all->usual.n)
		errnos_load(&all->usual, "", &all->arena);
	return &all->usual;
}

/* The magnitude of an integer that may be negative, as results of system calls are. */
static UV magnitude(pTHX_ SV *sv)
{
	IV v;

	SvGETMAGIC(sv);
	v = SvIV_nomg(sv);
	return SvIsUV(sv) ? SvUV_nomg(sv) : v < 0 ? 0 - (UV)v : (UV)v;
}

XS_INTERNAL(api_errno_name)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const char *name;
	struct source *s;

	api_usage(aTHX_ items != 1 && items != 2, "Zed::errno_name(NUMBER [, SOURCE])");
	s = api_source_of(aTHX_ ps, items == 2 ? ST(1) : NULL);
	name = errnos_of(s ? &numbers_of(ps, s)->errors : usual_errors(ps), magnitude(aTHX_ ST(0)));
	if (!name)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(name, 0));
}

XS_INTERNAL(api_syscall_name)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const char *name = NULL;
	struct source *s;

	api_usage(aTHX_ items != 1 && items != 2, "Zed::syscall_name(NUMBER [, SOURCE])");
	s = api_source_of(aTHX_ ps, items == 2 ? ST(1) : NULL);
	SvGETMAGIC(ST(0));
	if (s)
		name = sysnames_of(&numbers_of(ps, s)->calls, SvUV_nomg(ST(0)));
	if (!name)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(name, 0));
}

/* The kernel's own dev_t: 12 bits of major, 20 of minor (include/linux/kdev_t.h). */
#define DEV_MINOR_BITS 20

XS_INTERNAL(api_dev)
{
	dXSARGS;
	UV dev;

	api_usage(aTHX_ items != 1, "Zed::dev(NUMBER)");
	SvGETMAGIC(ST(0));
	if (!SvOK(ST(0)))
		XSRETURN_UNDEF;
	dev = SvUV_nomg(ST(0));
	RETURN_SV(newSVpvf("%" UVuf ":%" UVuf, dev >> DEV_MINOR_BITS,
			   dev & ((1u << DEV_MINOR_BITS) - 1)));
}

const struct api_sub API_NUMBERS[] = {
	{ "Zed::errno_name", api_errno_name },
	{ "Zed::syscall_name", api_syscall_name },
	{ "Zed::dev", api_dev },
	{ .name = NULL },
};
