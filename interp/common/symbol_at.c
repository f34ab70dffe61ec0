/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_at: the function at an address of an event.
 */
#include "interp/common/symbol_at.h"

#include "trace/chain_frame.h"
#include "trace/machine.h"

/*
 * The kernel's.  What a perf.data says of it comes first: a program of BPF may have the address of
 * one that is in the symbols; modules that these lack are found by their files.
 */
static void kernel_function(const struct event *ev, uint64_t addr, struct symbol_at *out)
{
	struct machine *m = ev->type->machine;
	struct chain_frame f;
	struct mapping at;
	uint64_t start = 0;
	bool mapped = machine_mapped(m, ev, addr, true, &at);

	if (!mapped || !at.function)
		out->name = machine_symbol(m, addr, &start, &out->module);
	if (!out->name && mapped) {
		chain_resolve(ev, addr, true, &f);
		start = f.start;
		out->module = f.module;
		out->name = f.name;
	}
	out->off = addr - start;
}

void symbol_at(const struct event *ev, uint64_t addr, struct symbol_at *out)
{
	struct machine *m = ev->type->machine;
	struct code_symbol code;
	struct mapping at;

	*out = (struct symbol_at){ .name = NULL };
	/* What a program has mapped is not the kernel's. */
	if (machine_mapped(m, ev, addr, false, &at) && machine_code(m, &at, addr, &code)) {
		out->name = code.name;
		out->module = code.file;
		out->off = code.off;
		return;
	}
	kernel_function(ev, addr, out);
}
