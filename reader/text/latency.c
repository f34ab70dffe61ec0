// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * latency: the column of flags that every event has, as trace-cmd report prints it: interrupts off,
 * need to reschedule, interrupt context, depth of preempt_disable(), migrate_disable() and locks.
 */
#include "reader/text/latency.h"

#include "base/outbuf.h"
#include "reader/model/field.h"

#include <string.h>

static uint64_t common_field(const struct event *ev, const char *name, bool *have)
{
	const struct field *f = field_find(ev->type, name);

	*have = f && (f->kind == FIELD_INT || f->kind == FIELD_UINT) &&
		(uint64_t)f->off + f->size <= ev->size;
	return *have ? field_scalar(f, ev) : 0;
}

size_t text_latency(const struct event *ev, char *buf, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	bool have;
	unsigned flags = common_field(ev, "common_flags", &have);
	unsigned count = common_field(ev, "common_preempt_count", &have);
	int64_t migrate, lock;
	bool have_migrate, have_lock;
	struct outbuf o = { 0 };
	size_t n;

	out_char(&o, flags & 1 ? 'd' : flags & 2 ? 'X' : '.');
	out_char(&o, flags & 4 ? 'N' : '.');
	out_char(&o, (flags & 0x18) == 0x18 ? 'H' : flags & 8 ? 'h' : flags & 0x10 ? 's' : '.');
	out_char(&o, count & 15 ? hex[count & 15] : '.');
	if (count & 0xf0)
		out_hex(&o, count >> 4);
	else
		out_char(&o, '.');
	migrate = common_field(ev, "common_migrate_disable", &have_migrate);
	lock = common_field(ev, "common_lock_depth", &have_lock);
	if (have_migrate && migrate < 0)
		out_char(&o, '.');
	else if (have_migrate)
		out_i64(&o, migrate);
	if (have_lock && lock < 0)
		out_char(&o, '.');
	else if (have_lock)
		out_i64(&o, lock);
	n = o.len < size ? o.len : size - 1;
	memcpy(buf, o.p, n);
	buf[n] = '\0';
	outbuf_fini(&o);
	return n;
}
