/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number_names: names of the numbers of a machine: of its system calls, errors and devices.
 */
#include "interp/api/api.h"

#include "interp/common/number_tables.h"

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
	name = number_tables_errno(&ps->numbers, s, s ? api_machine_of(ps, s) : NULL,
				   magnitude(aTHX_ ST(0)));
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
		name = number_tables_syscall(&ps->numbers, s, api_machine_of(ps, s),
					     SvUV_nomg(ST(0)));
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
