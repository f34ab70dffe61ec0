// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_maps: what the processes of this machine have mapped, by time, for the names of functions in
 * the stacks of programs while they are traced.
 */
#include "base/mem.h"
#include "kernel/session/task_maps.h"
#include "reader/live/live_priv.h"
#include "trace/maps/map_table.h"
#include "trace/stack_chain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* Pass on what is new. */
static void take(struct live *l)
{
	struct map_log_buf *b = &l->maps.log;
	struct map_record r;
	size_t at = 0;

	while (map_log_next(b->p, b->len, &at, &r))
		l->maps.dropped += !map_table_apply(l->maps.table, &r);
	b->len = 0;
}

void live_follow_maps(struct source *s)
{
	struct live *l = (struct live *)s;

	l->maps.tasks = taskmaps_new(l->session, l->watch);
	if (!l->maps.tasks)
		return;
	l->maps.table = map_table_new();
	uname(&l->maps.here);
	taskmaps_all(l->maps.tasks, &l->maps.log);
	take(l);
}

void live_maps_look(struct live *l, bool last)
{
	if (!l->maps.tasks)
		return;
	taskmaps_follow(l->maps.tasks, l->watch, &l->maps.log);
	take(l);
	if (!last)
		return;
	taskmaps_say_missing(l->maps.tasks, l->notes);
	if (l->maps.dropped)
		note_say(l->notes, NOTE_WARN,
			 "what processes had mapped: too much to keep: %" PRIu64
			 " records dropped: names are missing in stacks",
			 l->maps.dropped);
}

void live_maps_fini(struct live *l)
{
	taskmaps_free(l->maps.tasks);
	map_table_free(l->maps.table);
	free(l->maps.log.p);
}

bool live_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		 struct mapping *out)
{
	struct live *l = arg;
	int32_t pid = kernel || !l->maps.table ? 0 : stack_process(ev);
	struct map_found x;

	if (pid <= 0 || !map_table_find(l->maps.table, pid, ev->ts, address, &x))
		return false;
	*out = (struct mapping){ .file = x.path,
				 .host = l->maps.here.nodename,
				 .pid = pid,
				 .off = x.off,
				 .build_id = x.id,
				 .build_id_len = x.id_len,
				 .major = x.major,
				 .minor = x.minor,
				 .inode = x.inode,
				 .written = (int64_t)time(NULL),
				 .ts = TS_UNKNOWN };
	return true;
}

uint64_t live_generation(void *arg, const struct event *ev, bool kernel)
{
	const struct live *l = arg;
	int32_t pid = kernel || !l->maps.table ? 0 : stack_process(ev);

	return pid > 0 ? map_table_generation(l->maps.table, pid, ev->ts) : 0;
}
