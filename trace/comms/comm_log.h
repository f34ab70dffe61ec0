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
#define COMMLOG_HEAD 13
#define COMMLOG_MAX_NAME 255

/* Behind the NUL that ends the command lines of a trace.dat, where other programs stop. */
#define COMMLOG_MAGIC "zednames"
#define COMMLOG_MAGIC_LEN 8
#define COMMLOG_MAX (64u << 20) /* bytes that a file has of them */

struct comm_record {
	uint64_t ts;
	int32_t pid;
	uint8_t len;
	const char *name; /* LEN bytes, no NUL behind them */
};

/* Bytes being gathered; zero-initialise, free p. */
struct commlog_buf {
	uint8_t *p;
	size_t len, cap;
};

void commlog_put(struct commlog_buf *b, uint64_t ts, int32_t pid, const char *name, size_t len);

/*
 * The record at *AT of the LEN bytes at P; *AT moves behind it.  False: there is no further whole
 * record (if *AT < LEN, the bytes there are not one).
 */
bool commlog_next(const uint8_t *p, size_t len, size_t *at, struct comm_record *r);

/*
 * The whole records of P by time, those of the same time in their order.  To be freed, *OUT_LEN
 * bytes, at most COMMLOG_MAX: the last ones are left out if there are more.
 */
uint8_t *commlog_sort(const uint8_t *p, size_t len, size_t *out_len);

/*
 * The records of P as lines "PID NAME\n", in their order; a newline in a name is shown as '?', as
 * other programs read one line for a name.  To be freed, *OUT_LEN bytes.
 */
char *commlog_lines(const uint8_t *p, size_t len, size_t *out_len);

#endif
