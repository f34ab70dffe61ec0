// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocations: "(name+0x10) " of the caller precedes the text of the print format.
 */
#include "text/report/handlers_priv.h"

/* call_site */
void kmem_caller(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	uint64_t addr = handler_number(own, 0, ev), start;
	const char *module, *name = machine_symbol(ev->type->machine, addr, &start, &module);

	if (!name)
		return;
	out_char(o, '(');
	out_str(o, name);
	out_bytes(o, "+0x", 3);
	out_hex(o, addr - start);
	out_bytes(o, ") ", 2);
}
