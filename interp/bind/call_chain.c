/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_chain: the call chain of an event as Perl values, for scripts written for perf.
 */
#include "interp/bind/call_chain.h"

#include "trace/chain.h"
#include "trace/machine.h"

#include <string.h>

/* Is this mark one of the kernel's own, not of user space or of a guest? */
static bool is_kernel(uint64_t mark)
{
	return (int64_t)mark == CHAIN_KERNEL;
}

/* False: it has no symbol. */
static bool add_symbol(pTHX_ HV *frame, struct machine *m, uint64_t ip)
{
	uint64_t start = 0, size = 0;
	const char *module = NULL;
	const char *name = machine_kernel_symbol(m, ip, &start, &size, &module);
	HV *sym;

	if (!name)
		return false;
	sym = newHV();
	hv_stores(sym, "name", newSVpv(name, 0));
	hv_stores(sym, "start", newSVuv(start));
	hv_stores(sym, "end", newSVuv(start + size));
	hv_stores(frame, "sym", newRV_noinc((SV *)sym));
	hv_stores(frame, "dso", module ? newSVpvf("[%s]", module) : newSVpvs("[kernel.kallsyms]"));
	return true;
}

/* The file mapped there; for the kernel's own code perf's name. */
static void add_file(pTHX_ HV *frame, const struct event *ev, uint64_t ip, bool kernel)
{
	static const char image[] = "[kernel.kallsyms]";
	const struct machine *m = ev->type->machine;
	const char *name;
	uint64_t off;

	if (!ev->sample || !m->ops->mapped)
		return;
	name = m->ops->mapped(m->arg, ev->sample, ip, kernel, &off);
	if (!name)
		return;
	if (kernel && !strncmp(name, image, sizeof(image) - 1)) {
		hv_stores(frame, "dso", newSVpvn(image, sizeof(image) - 1));
		return;
	}
	hv_stores(frame, "dso", newSVpv(name, 0));
	hv_stores(frame, "offset", newSVuv(off));
}

bool chain_next(const struct event *ev, uint32_t *i, uint64_t *address, bool *kernel)
{
	*kernel &= *i > 0;
	while (*i < ev->nchain) {
		uint64_t ip = ev->chain[(*i)++];

		if (!chain_is_mark(ip)) {
			*address = ip;
			return true;
		}
		if (chain_is_known(ip))
			*kernel = is_kernel(ip);
		*i += chain_has_cookie(ip);
	}
	return false;
}

SV *chain_name(pTHX_ const struct event *ev, uint64_t address, bool kernel)
{
	struct machine *m = ev->type->machine;
	uint64_t start = 0, size = 0, off;
	const char *module, *name = NULL;

	if (kernel) {
		name = machine_kernel_symbol(m, address, &start, &size, &module);
		off = address - start;
	} else if (ev->sample && m->ops->mapped) {
		name = m->ops->mapped(m->arg, ev->sample, address, kernel, &off);
	}
	return name ? newSVpvf("%s+0x%" UVxf, name, (UV)off) : newSVpvf("0x%" UVxf, (UV)address);
}

SV *chain_ref(pTHX_ const struct event *ev)
{
	AV *av = newAV();
	bool kernel = false;
	uint32_t i = 0;
	uint64_t ip;

	while (chain_next(ev, &i, &ip, &kernel)) {
		HV *frame = newHV();

		hv_stores(frame, "ip", newSVuv(ip));
		if (!kernel || !add_symbol(aTHX_ frame, ev->type->machine, ip))
			add_file(aTHX_ frame, ev, ip, kernel);
		av_push(av, newRV_noinc((SV *)frame));
	}
	return newRV_noinc((SV *)av);
}
