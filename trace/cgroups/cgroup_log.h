/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CGROUPS_CGROUP_LOG_H
#define ZED_TRACE_CGROUPS_CGROUP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The cgroups of tasks with the times from which they are valid.
 *
 * As bytes (option CGROUPS of a trace.dat, CGROUPS frames of a zed stream) they are consecutive
 * records, little-endian on any machine: u64 time, a stamp of the trace clock as in ring-buffer
 * records, 0: from the start; u32 pid; u32 like; u16 length; the path, that many bytes, none of
 * them NUL.
 *
 * A path begins with '/', the root of its hierarchy, as in /proc/PID/cgroup.  A task that is like
 * another (like is not 0) has no path here: it has the cgroup that task "like" has at that time, as
 * a new task has its parent's.  Neither: its cgroup is not known from then on.
 */
#define CGROUP_LOG_HEAD 18
#define CGROUP_PATH_MAX 4096 /* bytes of a path: the kernel's PATH_MAX */

/* Before them in the option of a trace.dat, as other writers may use its number. */
#define CGROUP_LOG_MAGIC "zedcgrps"
#define CGROUP_LOG_MAGIC_LEN 8
#define CGROUP_LOG_MAX (16u << 20) /* bytes of them in a file: 900,000 new tasks */

struct cgroup_record {
	uint64_t ts;
	int32_t pid, like;
	uint16_t len;
	const char *path; /* LEN bytes, not NUL-terminated */
};

/* A growing log; zero-initialise, free p. */
struct cgroup_log_buf {
	uint8_t *p;
	size_t len, cap;
};

/* A path longer than CGROUP_PATH_MAX becomes an unknown one. */
void cgroup_log_put(struct cgroup_log_buf *b, const struct cgroup_record *r);

/*
 * The record at *AT of the LEN bytes at P; *AT moves past it.  False: no further complete record
 * (if *AT < LEN, the rest is invalid).
 */
bool cgroup_log_next(const uint8_t *p, size_t len, size_t *at, struct cgroup_record *r);

/* The bytes of P that are complete records. */
size_t cgroup_log_whole(const uint8_t *p, size_t len);

/*
 * The complete records of P by time, those of the same time in their order: *OUT_LEN bytes, to be
 * freed; at most CGROUP_LOG_MAX, the last ones are dropped if there are more.
 */
uint8_t *cgroup_log_sort(const uint8_t *p, size_t len, size_t *out_len);

#endif
