// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * High resolution timers: the function of one is shown with its offset, "tick_nohz_handler/0x0".
 */
#include "text/report/handlers_priv.h"

static void function(struct outbuf *o, struct machine *m, uint64_t addr)
{
	const char *module, *name;
	uint64_t start;

	out_bytes(o, " function=", 10);
	name = machine_symbol(m, addr, &start, &module);
	if (!name) {
		out_printf(o, "0x%08llx", (unsigned long long)addr);
		return;
	}
	out_str(o, name);
	out_bytes(o, "/0x", 3);
	out_hex(o, addr - start);
}

static void timer(struct outbuf *o, uint64_t addr)
{
	out_bytes(o, "hrtimer=0x", 10);
	out_hex(o, addr);
}

/* hrtimer, function, expires, softexpires */
void hrtimer_start(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	timer(o, handler_number(own, 0, ev));
	function(o, ev->type->machine, handler_number(own, 1, ev));
	out_bytes(o, " expires=", 9);
	out_u64(o, handler_number(own, 2, ev));
	out_bytes(o, " softexpires=", 13);
	out_u64(o, handler_number(own, 3, ev));
}

/* hrtimer, function, now */
void hrtimer_expire(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	timer(o, handler_number(own, 0, ev));
	out_bytes(o, " now=", 5);
	out_u64(o, handler_number(own, 2, ev));
	function(o, ev->type->machine, handler_number(own, 1, ev));
}
