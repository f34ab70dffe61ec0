/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LIVE_LIVE_PRIV_H
#define ZED_READER_LIVE_LIVE_PRIV_H

/* Shared by live.c, live_machine.c and live_maps.c. */

#include "kernel/session/task_cgroups.h"
#include "reader/live/live.h"
#include "reader/live/pipe_feed.h"
#include "ring/clock.h"
#include "ring/ring.h"
#include "trace/machine.h"
#include "trace/maps/map_log.h"

#include <sys/utsname.h>

/*
 * One instance while it is read.  Parts with functions of their own (session, watch, others,
 * live_time) are structs; the rest is live.c's and live_machine.c's.
 */
struct live {
	struct source base; /* must be first */
	struct session *session;
	struct catalog *catalog;
	struct notes *notes;
	struct idmap ids;
	struct clock clock; /* nothing to correct */
	struct page_layout layout;
	struct buffer buffer;
	struct origin *origins; /* of the streams, as are feeds and fds */
	struct feed **feeds;
	int *fds;
	struct cpu_stats *before; /* of each stream's CPU when we attached to another's instance */
	struct stats_total *totals; /* of each stream's CPU, over resets by others */
	struct live_time time;
	char **formats; /* the types point into these */
	size_t nformats, cap_formats;
	char *texts[NTEXT];
	size_t text_lens[NTEXT];
	bool asked[NTEXT];
	char *comms;	   /* saved_cmdlines, last version read */
	uint64_t comms_at; /* wall ns */
	bool off_said;
	struct others *others;	      /* other users of our instance ... */
	bool touched;		      /* ... have touched its buffers */
	struct watch *watch;	      /* all names with times; NULL: only some, from /proc */
	struct task_cgroups *cgroups; /* NULL: not followed */
	struct cgroup_log_buf moves;
	struct live_maps {
		struct task_maps *tasks; /* NULL: not asked for */
		struct map_table *table;
		struct map_log_buf log;
		uint64_t dropped; /* records that TABLE had no room for */
		struct utsname here;
	} maps;
	struct stream
		watermark_stream; /* no event is delivered before the names of its time are known */
	struct origin watermark_from;
	uint64_t watched_at; /* wall ns; 0: not yet */
	uint64_t done;	     /* bytes read up to the last wait */
	uint64_t quiet_at;   /* wall ns when there was last nothing here */
};

/* Texts and names of the machine; the argument is the struct live. */
extern const struct machine_ops LIVE_MACHINE;

/* ---- live_maps.c ---- */

/* What the watch has just seen of processes; LAST: and no more will come. */
void live_maps_look(struct live *l, bool last);
void live_maps_fini(struct live *l);

/* machine_ops.mapped and .generation. */
bool live_mapped(void *arg, const struct event *ev, uint64_t address, bool kernel,
		 struct mapping *out);
uint64_t live_generation(void *arg, const struct event *ev, bool kernel);

/* ---- live_machine.c ---- */

/* Before tracing begins: read the current names and cgroups of tasks, and watch for new ones. */
void live_watch_names(struct live *l);

#endif
