/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMM_LOG_H
#define ZED_TRACE_COMMS_COMM_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of tasks with the times from which they are valid.
 *
 * As bytes (NAMES frames of a zed stream, the network, after the command lines of a trace.dat) they
 * are consecutive records, little-endian on any machine: u64 time, a stamp of the trace clock as in
 * ring-buffer records, 0: from the start; u32 pid; u8 length; the name, that many bytes, none of
 * them NUL.
 */
#define COMM_LOG_HEAD 13
#define COMM_LOG_MAX_NAME 255

/* After the NUL that ends the command lines of a trace.dat, where other programs stop. */
#define COMM_LOG_MAGIC "zednames"
#define COMM_LOG_MAGIC_LEN 8
#define COMM_LOG_MAX (64u << 20) /* bytes of them in a file */

struct comm_record {
	uint64_t ts;
	int32_t pid;
	uint8_t len;
	const char *name; /* LEN bytes, not NUL-terminated */
};

/* A growing log; zero-initialise, free p. */
struct comm_log_buf {
	uint8_t *p;
	size_t len, cap;
};

void comm_log_put(struct comm_log_buf *b, uint64_t ts, int32_t pid, const char *name, size_t len);

/*
 * The record at *AT of the LEN bytes at P; *AT moves past it.  False: no further complete record
 * (if *AT < LEN, the rest is invalid).
 */
bool comm_log_next(const uint8_t *p, size_t len, size_t *at, struct comm_record *r);

/*
 * The complete records of P by time, those of the same time in their order: *OUT_LEN bytes, to be
 * freed; at most COMM_LOG_MAX, the last ones are dropped if there are more.
 */
uint8_t *comm_log_sort(const uint8_t *p, size_t len, size_t *out_len);

/*
 * The records of P as lines "PID NAME\n", in their order; a newline in a name is shown as '?', as
 * other programs read one line per name.  *OUT_LEN bytes, to be freed.
 */
char *comm_log_lines(const uint8_t *p, size_t len, size_t *out_len);

#endif
