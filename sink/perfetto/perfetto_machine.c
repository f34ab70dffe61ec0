// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto_machine: what was traced: the kernel's release, its tasks with their names, the time of
 * day.
 */
#include "sink/perfetto/perfetto_priv.h"

#include "sink/perfetto/proto.h"

/* protos/perfetto/trace: trace_packet, system_info, process_tree, clock_snapshot */
#define TRACE_PACKET 1
#define PACKET_PROCESSES 2
#define PACKET_CLOCKS 6
#define PACKET_TIMESTAMP 8
#define PACKET_SYSTEM 45
#define SYSTEM_UTSNAME 1
#define UTSNAME_SYSNAME 1
#define UTSNAME_RELEASE 3
#define UTSNAME_MACHINE 4
#define TREE_PROCESSES 1
#define TREE_THREADS 2
#define PROCESS_PID 1
#define PROCESS_CMDLINE 3
#define THREAD_TID 1
#define THREAD_NAME 2
#define THREAD_TGID 3
#define CLOCKS_CLOCK 1
#define CLOCK_ID 1
#define CLOCK_TIME 2
#define CLOCK_REALTIME 1
#define CLOCK_BOOTTIME 6

#define TASKS_A_PACKET 1000

/* Word N of "Linux HOST RELEASE MACHINE", -1: the last; *LEN 0: none. */
static const char *word(const char *text, size_t len, int n, size_t *word_len)
{
	const char *end = text + len, *found = text;

	*word_len = 0;
	for (int i = 0; text < end; i++) {
		const char *stop = memchr(text, ' ', (size_t)(end - text));

		stop = stop ? stop : end;
		if (i == n || n < 0) {
			found = text;
			*word_len = (size_t)(stop - text);
		}
		if (i == n)
			break;
		text = stop < end ? stop + 1 : end;
	}
	return found;
}

/* Does a kernel of unknown release have the task states of Linux 4.14? */
static bool has_idle_state(const struct catalog *c)
{
	const struct etype *t = catalog_find(c, "sched", "sched_switch", 0);

	return t && memmem(t->format, t->format_len, "\"I\"", 3);
}

static void put_plain(struct outbuf *o, unsigned field, const char *text, size_t len)
{
	size_t at = proto_begin(o, field);

	out_bytes(o, text, len);
	proto_plain(o, at);
	proto_end(o, at);
}

static void system_info(struct outbuf *o, const struct run_info *run)
{
	size_t len, n, packet, system, uts;
	const char *text = machine_raw(&run->sources[0]->machine, TEXT_UNAME, &len), *w, *nl;

	nl = memchr(text, '\n', len);
	len = nl ? (size_t)(nl - text) : strnlen(text, len);
	if (!len && !has_idle_state(run->catalog))
		return;
	packet = proto_begin(o, TRACE_PACKET);
	system = proto_begin(o, PACKET_SYSTEM);
	uts = proto_begin(o, SYSTEM_UTSNAME);
	proto_str(o, UTSNAME_SYSNAME, "Linux");
	w = word(text, len, 2, &n);
	if (n)
		put_plain(o, UTSNAME_RELEASE, w, n);
	else
		proto_str(o, UTSNAME_RELEASE, "4.14.0");
	w = word(text, len, -1, &n);
	if (n)
		put_plain(o, UTSNAME_MACHINE, w, n);
	proto_end(o, uts);
	proto_end(o, system);
	proto_end(o, packet);
}

/* One task; a kernel trace does not say which process it belongs to. */
static void put_task(struct outbuf *o, int32_t pid, const char *name)
{
	size_t in = proto_begin(o, TREE_PROCESSES), len = strlen(name);

	proto_uint(o, PROCESS_PID, (uint64_t)pid);
	put_plain(o, PROCESS_CMDLINE, name, len);
	proto_end(o, in);
	in = proto_begin(o, TREE_THREADS);
	proto_uint(o, THREAD_TID, (uint64_t)pid);
	put_plain(o, THREAD_NAME, name, len);
	proto_uint(o, THREAD_TGID, (uint64_t)pid);
	proto_end(o, in);
}

static void tasks(struct outbuf *o, const struct run_info *run, uint64_t ts)
{
	struct comms *comms = run->sources[0]->machine.comms;
	unsigned n = comms_count(comms), i = 0;

	while (i < n) {
		size_t packet = proto_begin(o, TRACE_PACKET), tree;
		unsigned stop = n - i > TASKS_A_PACKET ? i + TASKS_A_PACKET : n;

		proto_uint(o, PACKET_TIMESTAMP, ts);
		tree = proto_begin(o, PACKET_PROCESSES);
		for (; i < stop; i++) {
			int32_t pid;
			const char *name = comms_nth(comms, i, &pid);

			if (pid > 0)
				put_task(o, pid, name);
		}
		proto_end(o, tree);
		proto_end(o, packet);
	}
}

/* Times count from 1970, which is declared to the engine. */
static void wall_clock(struct outbuf *o, uint64_t ts)
{
	static const unsigned ids[] = { CLOCK_BOOTTIME, CLOCK_REALTIME };
	size_t packet = proto_begin(o, TRACE_PACKET), snapshot = proto_begin(o, PACKET_CLOCKS);

	for (unsigned i = 0; i < 2; i++) {
		size_t clock = proto_begin(o, CLOCKS_CLOCK);

		proto_uint(o, CLOCK_ID, ids[i]);
		proto_uint(o, CLOCK_TIME, ts);
		proto_end(o, clock);
	}
	proto_end(o, snapshot);
	proto_end(o, packet);
}

void perfetto_machine(struct outbuf *o, const struct run_info *run, uint64_t ts)
{
	system_info(o, run);
	if (run->sources[0]->is_wall && !run->base)
		wall_clock(o, ts);
	tasks(o, run, ts);
}

void perfetto_tasks(struct outbuf *o, const struct run_info *run)
{
	if (comms_are_streamed(run->sources[0]->machine.comms))
		tasks(o, run, 0);
}
