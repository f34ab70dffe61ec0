/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_SIDEBAND_H
#define ZED_RECORD_SIDEBAND_H

#include "kernel/session/watch.h"
#include "record/counts.h"
#include "record/output.h"
#include "record/task_names.h"
#include "trace/cgroups/cgroup_log.h"
#include "trace/comms/comm_log.h"
#include "trace/maps/map_log.h"

/*
 * What a recorder gives its output besides pages: the names and cgroups of tasks, what processes
 * have mapped, numbers of lost events, and the formats of events that are added meanwhile.
 */
struct sideband {
	struct session *s; /* borrowed, as are: */
	struct output *out;
	struct notes *notes;
	struct counts *counts;
	struct names *names;
	struct watch *watch;	      /* reports each new name with its time; NULL: nothing does */
	struct comm_log_buf log;      /* of these, those that the output has not been given yet */
	struct task_cgroups *cgroups; /* NULL: not followed, or the output does not take them */
	struct cgroup_log_buf moves;  /* the same of these */
	struct task_maps *maps;	      /* NULL: not asked for, or the output does not take them */
	struct map_log_buf mapped;    /* the same of these */
	/* Of each CPU: lost events when that was last looked at, and those the output knows of. */
	uint64_t *lost, *told_lost;
};

/*
 * Begin with the names of tasks that exist.  The members before `names` are set, and COUNTS need
 * not be initialised yet; the others are zero.  AHEAD, of the session, is taken over in any case;
 * NULL: the watch is begun here.  MAPS: what processes have mapped is asked for.
 */
void sideband_open(struct sideband *b, struct watch_ahead *ahead, bool maps);
void sideband_close(struct sideband *b);

/* These give the output what there is since the last call.  As output_ops. */
int sideband_watched(struct sideband *b, struct err *e); /* names with their times, cgroups ... */
int sideband_names(struct sideband *b, struct err *e);	 /* ... and those that come without */

/* The next sideband_watched() is due then (CLOCK_MONOTONIC, ns), if it need not be before UNTIL. */
uint64_t sideband_due(const struct sideband *b, uint64_t until);

/* The last sideband_watched(), at the end; reports what is missing.  As output_ops. */
int sideband_last(struct sideband *b, struct err *e);

/* Look at the kernel's counts of lost events: reads a file for each CPU. */
void sideband_look_at_losses(struct sideband *b);
/*
 * Give the output what was lost when that was last looked at, once the pages that were there then
 * have been taken: a sub-buffer says what was lost since the one before it was taken, so the second
 * one after the look, or the lack of one, has told all.  As output_ops.
 */
int sideband_losses(struct sideband *b, struct err *e);

/* session_rescan() and session_change_step(): the output is given the formats.  As output_ops. */
int sideband_rescan(struct sideband *b, struct err *e);
int sideband_change_step(struct sideband *b, struct err *e);

/* END gets all known names, borrowed until the next call. */
void sideband_all_names(struct sideband *b, struct output_end *end);

/*
 * The output has begun another file: it gets all names again, and losses from there on.  As
 * output_ops.
 */
int sideband_again(struct sideband *b, struct err *e);

#endif
