// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped: which file a process had mapped at an address, by whatever the recording says of that.
 */
#include "reader/dat/mapped.h"

#include "base/mem.h"
#include "reader/dat/proc_maps.h"
#include "trace/maps/map_table.h"
#include "trace/stack_chain.h"

#include <string.h>

/* The second word of "Linux HOST RELEASE ..."; NULL: not stated. */
static const char *host_of(struct dat *d)
{
	const char *host = d->texts.uname ? strchr(d->texts.uname, ' ') : NULL;

	if (!d->texts.host && host)
		d->texts.host = mem_strndup(host + 1, strcspn(host + 1, " "));
	return d->texts.host;
}

/* ---- looks, by time ---- */

static uint64_t time_of(const struct dat *d, uint64_t stamp)
{
	return stamp ? clock_apply(&d->clock, 0, stamp) : 0;
}

size_t dat_take_maps(struct dat *d, const uint8_t *p, size_t len)
{
	struct map_record r;
	size_t at = 0;
	bool more = false;

	if (!d->looks)
		d->looks = map_table_new();
	while (map_log_next(p, len, &at, &r)) {
		r.from = time_of(d, r.from);
		r.seen = time_of(d, r.seen);
		more |= !map_table_apply(d->looks, &r);
	}
	/* Once, as each frame of a stream may have more. */
	if (more && !d->looks_cut)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: mappings of processes: too many, or out of order: some are left out",
			 d->base.in.path);
	d->looks_cut |= more;
	return at;
}

static void take_option(struct dat *d, const struct dat_option *o)
{
	size_t taken;

	if (o->id != DAT_MAPS || o->len < MAP_LOG_MAGIC_LEN ||
	    memcmp(o->p, MAP_LOG_MAGIC, MAP_LOG_MAGIC_LEN) != 0)
		return;
	taken = MAP_LOG_MAGIC_LEN +
		dat_take_maps(d, o->p + MAP_LOG_MAGIC_LEN, o->len - MAP_LOG_MAGIC_LEN);
	if (taken < o->len)
		note_say(d->notes, NOTE_DAMAGE,
			 "%s: mappings of processes: invalid after %zu of %zu bytes: the rest is "
			 "left out",
			 d->base.in.path, taken, o->len);
}

/* They may come in frames, too, and then from an empty table on. */
static const struct map_table *looks_of(struct dat *d)
{
	if (!d->looks) {
		d->looks = map_table_new();
		for (size_t i = 0; i < d->kept.n; i++)
			take_option(d, &d->kept.v[i]);
	}
	return map_table_is_empty(d->looks) ? NULL : d->looks;
}

static bool look_up(struct dat *d, const struct map_table *t, int32_t pid, uint64_t ts,
		    uint64_t address, struct mapping *out)
{
	struct map_found x;

	if (!map_table_find(t, pid, ts, address, &x))
		return false;
	*out = (struct mapping){ .file = x.path,
				 .pid = pid,
				 .off = x.off,
				 .build_id = x.id,
				 .build_id_len = x.id_len,
				 .major = x.major,
				 .minor = x.minor,
				 .inode = x.inode,
				 .written = d->written,
				 .ts = TS_UNKNOWN };
	return true;
}

/* ---- of an event ---- */

bool dat_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		struct mapping *out)
{
	struct dat *d = arg;
	int32_t pid = kernel ? 0 : stack_process(ev);
	const struct map_table *t = pid > 0 ? looks_of(d) : NULL;

	if (pid <= 0 ||
	    !(t ? look_up(d, t, pid, ev->ts, address, out) : proc_maps_find(d, pid, address, out)))
		return false;
	out->host = host_of(d);
	return true;
}

/* Without times each process has its own, which never change. */
uint64_t dat_generation(void *arg, const struct event *ev, bool kernel)
{
	int32_t pid = kernel ? 0 : stack_process(ev);
	const struct map_table *t = pid > 0 ? looks_of(arg) : NULL;

	return t ? map_table_generation(t, pid, ev->ts) : (uint32_t)pid;
}
