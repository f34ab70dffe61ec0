// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scheduler's switches and wakeups, which also supply task names.
 */
#include "text/report/handlers_priv.h"

/* Use the name in field I of EV for PID from now on. */
static struct span learn(const struct own *own, unsigned i, const struct event *ev, int32_t pid)
{
	struct span s;

	field_span(own->field[i], ev, &s);
	s.len = strnlen((const char *)s.p, s.len);
	memory_learn(own->memory, ev->type->machine, pid, (const char *)s.p, s.len);
	return s;
}

/* prev_comm, prev_pid, next_comm, next_pid; the text is a form of the print format. */
void sched_switch(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	learn(own, 0, ev, (int32_t)handler_number(own, 1, ev));
	learn(own, 2, ev, (int32_t)handler_number(own, 3, ev));
}

/* comm, pid, prio; and, in some kernels, target_cpu and success */
void sched_wakeup(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)
{
	int32_t pid = (int32_t)handler_number(own, 1, ev);
	struct span comm = learn(own, 0, ev, pid);

	out_bytes(o, (const char *)comm.p, comm.len);
	out_char(o, ':');
	out_i64(o, pid);
	out_bytes(o, " [", 2);
	out_i64(o, (int64_t)handler_number(own, 2, ev));
	out_char(o, ']');
	if (own->field[4]) {
		out_bytes(o, " success=", 9);
		out_i64(o, (int64_t)handler_number(own, 4, ev));
	}
	if (own->field[3]) {
		out_bytes(o, " CPU:", 5);
		out_u64_pad(o, handler_number(own, 3, ev), 3, '0');
	}
}
