/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMM_LOG_H
#define ZED_TRACE_COMMS_COMM_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of tasks with the times from which they hold.
 *
 * As bytes (frames NAMES of a zed stream, the network, behind the command lines of a trace.dat)
 * they are records one behind another, little endian whatever the machine: u64 time, a stamp of the
 * trace clock as records of the ring buffer have it, 0: from the start; u32 pid; u8 length; so many
 * bytes of name, any but NUL.
 */
#define COMM_LOG_HEAD 13
#define COMM_LOG_MAX_NAME 255

/* Behind the NUL that ends the command lines of a trace.dat, where other programs stop. */
#define COMM_LOG_MAGIC "zednames"
#define COMM_LOG_MAGIC_LEN 8
#define COMM_LOG_MAX (64u << 20) /* bytes that a file has of them */

struct comm_record {
	uint64_t ts;
	int32_t pid;
	uint8_t len;
	const char *name; /* LEN bytes, no NUL behind them */
};

/* Bytes being gathered; zero-initialise, free p. */
struct comm_log_buf {
	uint8_t *p;
	size_t len, cap;
};

void comm_log_put(struct comm_log_buf *b, uint64_t ts, int32_t pid, const char *name, size_t len);

/*
 * The record at *AT of the LEN bytes at P; *AT moves behind it.  False: there is no further whole
 * record (if *AT < LEN, the bytes there are not one).
 */
bool comm_log_next(const uint8_t *p, size_t len, size_t *at, struct comm_record *r);

/*
 * The whole records of P by time, those of the same time in their order.  To be freed, *OUT_LEN
 * bytes, at most COMM_LOG_MAX: the last ones are left out if there are more.
 */
uint8_t *comm_log_sort(const uint8_t *p, size_t len, size_t *out_len);

/*
 * The records of P as lines "PID NAME\n", in their order; a newline in a name is shown as '?', as
 * other programs read one line for a name.  To be freed, *OUT_LEN bytes.
 */
char *comm_log_lines(const uint8_t *p, size_t len, size_t *out_len);

#endif
