// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The futex system call: which of its arguments are used depends on the operation
 * (include/uapi/linux/futex.h).
 */
#include "text/report/handlers_priv.h"

enum { UADDR, OP, VAL, UTIME, UADDR2, VAL3 }; /* the fields, in the order of the table */

#define FUTEX_PRIVATE 128
#define FUTEX_REALTIME 256

/* How an argument is shown. */
enum { HEX = 1, DEC = 2 };

static const struct {
	const char *name;
	uint8_t val;   /* HEX, DEC or 0: not shown */
	uint8_t utime; /* HEX: a time; DEC: val2, a number of waiters */
	bool uaddr2, val3;
} ops[] = {
	{ "FUTEX_WAIT", HEX, HEX, false, false },
	{ "FUTEX_WAKE", DEC, 0, false, false },
	{ "FUTEX_FD", DEC, 0, false, false },
	{ "FUTEX_REQUEUE", DEC, DEC, true, false },
	{ "FUTEX_CMP_REQUEUE", DEC, DEC, true, true },
	{ "FUTEX_WAKE_OP", DEC, DEC, true, true },
	{ "FUTEX_LOCK_PI", 0, HEX, false, false },
	{ "FUTEX_UNLOCK_PI", 0, 0, false, false },
	{ "FUTEX_TRYLOCK_PI", 0, 0, false, false },
	{ "FUTEX_WAIT_BITSET", HEX, HEX, false, true },
	{ "FUTEX_WAKE_BITSET", DEC, 0, false, true },
	{ "FUTEX_WAIT_REQUEUE_PI", HEX, HEX, true, true },
	{ "FUTEX_CMP_REQUEUE_PI", DEC, DEC, true, true },
	{ "FUTEX_LOCK_PI2", 0, HEX, false, false },
};

#define NOPS (sizeof(ops) / sizeof(ops[0]))

static void hex(struct outbuf *o, const char *name, uint64_t v)
{
	out_printf(o, " %s=0x%08llx", name, (unsigned long long)v);
}

static void number(struct outbuf *o, const char *name, uint64_t v)
{
	out_printf(o, " %s=%llu", name, (unsigned long long)v);
}

/* Newer operations: the number, with all arguments. */
void futex_enter(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	uint8_t val = HEX, utime = HEX;
	bool uaddr2 = true, val3 = true;
	uint64_t v[6], op;

	for (unsigned i = 0; i < 6; i++)
		v[i] = handler_number(own, i, ev);
	op = v[OP] & ~(uint64_t)(FUTEX_PRIVATE | FUTEX_REALTIME);
	out_bytes(o, "op=", 3);
	if (op < NOPS) {
		out_str(o, ops[op].name);
		val = ops[op].val;
		utime = ops[op].utime;
		uaddr2 = ops[op].uaddr2;
		val3 = ops[op].val3;
	} else {
		out_u64(o, op);
	}
	if (v[OP] & FUTEX_PRIVATE)
		out_str(o, "|FUTEX_PRIVATE_FLAG");
	if (v[OP] & FUTEX_REALTIME)
		out_str(o, "|FUTEX_CLOCK_REALTIME");
	hex(o, "uaddr", v[UADDR]);
	if (val == HEX)
		hex(o, "val", v[VAL]);
	else if (val)
		number(o, "val", v[VAL]);
	if (utime == HEX)
		hex(o, "utime", v[UTIME]);
	else if (utime)
		number(o, "val2", v[UTIME]);
	if (uaddr2)
		hex(o, "uaddr2", v[UADDR2]);
	if (val3)
		hex(o, "val3", v[VAL3]);
}
