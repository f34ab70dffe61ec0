// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The flags column of a line, from the fields common_flags and common_preempt_count that every
 * event has, with the letters of the kernel's `trace` file or of trace-cmd report.
 */
#include "text/flags.h"

#include "base/outbuf.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/steps/tracers.h"

#include <stdio.h>

/* Bits of common_flags. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_LAZY = 0x02, /* before Linux 6.13: interrupt state unknown */
	FLAG_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
	FLAG_PREEMPT = 0x20, /* reschedule needed, in the preempt count */
	FLAG_NMI = 0x40,
	FLAG_BH_OFF = 0x80,
};

static const char DEPTH[] = ".123456789abcdef";

static const struct field *small(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->loc == FIELD_AT && f->size == 1 ? f : NULL;
}

static const struct field *number(const struct etype *t, const char *name)
{
	const struct field *f = field_find(t, name);

	return f && f->loc == FIELD_AT && field_is_int(f) ? f : NULL;
}

void flags_init(struct flags *f, const struct etype *type)
{
	f->bits = small(type, "common_flags");
	f->count = small(type, "common_preempt_count");
	f->migrate = number(type, "common_migrate_disable");
	f->lock = number(type, "common_lock_depth");
	/*
	 * Since Linux 6.13 bit 2 means "reschedule lazily"; before, that the machine does not
	 * report whether interrupts are off.
	 */
	f->lazy = machine_since(type->machine, 6, 13);
}

/* ---- the kernel's ---- */

static char irqs(unsigned flags, bool lazy)
{
	if (flags & FLAG_BH_OFF)
		return flags & FLAG_IRQS_OFF ? 'D' : 'b';
	return flags & FLAG_IRQS_OFF ? 'd' : !lazy && flags & FLAG_LAZY ? 'X' : '.';
}

static char resched(unsigned flags, bool lazy)
{
	/* Index bits: needed, lazy, in the preempt count. */
	static const char by[] = ".pnNlLbB";
	unsigned i = (flags & FLAG_PREEMPT ? 1 : 0) | (flags & FLAG_RESCHED ? 2 : 0) |
		     (lazy && flags & FLAG_LAZY ? 4 : 0);

	return by[i];
}

static char context(unsigned flags)
{
	bool hard = flags & FLAG_HARDIRQ;

	if (flags & FLAG_NMI)
		return hard ? 'Z' : 'z';
	if (flags & FLAG_SOFTIRQ)
		return hard ? 'H' : 's';
	return hard ? 'h' : '.';
}

/* ---- trace-cmd's ---- */

static size_t depth_of(char *buf, const struct field *f, const struct event *ev)
{
	int64_t v = (int64_t)field_scalar(f, ev);

	if (v < 0) {
		buf[0] = '.';
		return 1;
	}
	return (size_t)snprintf(buf, 22, "%lld", (long long)v);
}

static size_t report(const struct flags *f, const struct event *ev, unsigned bits, char *buf)
{
	size_t n = 5;

	buf[0] = bits & FLAG_IRQS_OFF ? 'd' : !f->lazy && bits & FLAG_LAZY ? 'X' : '.';
	buf[1] = bits & FLAG_RESCHED ? 'N' : '.';
	if (f->migrate)
		n += depth_of(buf + n, f->migrate, ev);
	if (f->lock)
		n += depth_of(buf + n, f->lock, ev);
	return n;
}

size_t flags_put(const struct flags *f, enum dialect dialect, const struct event *ev, char *buf)
{
	unsigned bits = f->bits ? ev->data[f->bits->off] : 0;
	unsigned count = f->count ? ev->data[f->count->off] : 0;

	buf[0] = irqs(bits, f->lazy);
	buf[1] = resched(bits, f->lazy);
	buf[2] = context(bits);
	buf[3] = DEPTH[count & 15];
	buf[4] = DEPTH[count >> 4];
	return dialect == DIALECT_REPORT ? report(f, ev, bits, buf) : 5;
}

size_t flags_none(char *buf)
{
	memset(buf, '.', 5);
	return 5;
}
