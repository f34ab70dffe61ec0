/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FLIGHT_NAMES_PAST_H
#define ZED_RECORD_FLIGHT_NAMES_PAST_H

#include "record/output.h"

/*
 * The names and cgroups of all tasks as they were a while ago, and how they have changed since, and
 * what processes have mapped: for recordings that are written after their events.
 */
struct names_past;

/* Begins now.  S, not started yet, and N are borrowed.  MAPS: with what processes have mapped. */
struct names_past *namespast_new(struct session *s, bool maps, struct notes *n);
void namespast_free(struct names_past *p);

/* Read what the kernel reported: about once a second, and when the descriptors are readable. */
void namespast_tend(struct names_past *p);

/* As watch_fds(). */
struct pollfd;
unsigned namespast_fds(const struct names_past *p, struct pollfd *fds, unsigned max);

/* Do the names, with their times, come from the kernel's events (meta.watched)? */
bool namespast_watched(const struct names_past *p);

/*
 * Give OUT, which has begun, all of them with their times.  As output_ops.names, .cgroups and
 * .maps.
 */
int namespast_give(struct names_past *p, struct output *out, struct err *e);

/* The last name of each task, as struct output_end has them; borrowed until the next call. */
void namespast_last(struct names_past *p, const char **text, size_t *len);

#endif
