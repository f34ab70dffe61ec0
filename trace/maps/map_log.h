/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_MAPS_MAP_LOG_H
#define ZED_TRACE_MAPS_MAP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where in their memory processes have the code of files, with the times at which that was seen.
 *
 * As bytes (option MAPS of a trace.dat, MAPS frames of a zed stream) they are consecutive records,
 * little-endian on any machine, each with a head of 28 bytes: u32 length of what follows the head;
 * u32 pid; u64 from, u64 seen; u32 number.
 *
 * pid 0: a file, by its number, which comes before its first use: u32 major and u32 minor of its
 * device, u64 inode (0: none); u8 length of its build id (0: not known); the build id; the path,
 * up to the end of the record, as in /proc/PID/maps.
 *
 * Else one look at what the process can execute: { u64 start, u64 end, u64 off, u64 base, u32 file
 * } each.  OFF is the offset in the file of what is at start, BASE where the first mapping of that
 * file begins.  FROM is when the process began to run this program, SEEN when this was seen: stamps
 * of the trace clock, 0: before the recording.  Of one program there may be several looks, as it
 * loads libraries.  With a number, which is another process's, a look has no mappings: the process
 * has those of that one, as a new process has its parent's.  With neither, they are not known from
 * then on.
 */
#define MAP_LOG_HEAD 28
#define MAP_LOG_ENTRY 36     /* bytes of a mapping */
#define MAP_LOG_FILE 17	     /* bytes of a file before its build id */
#define MAP_LOG_PATH 4096    /* most bytes of a path */
#define MAP_LOG_ID 64	     /* most bytes of a build id */
#define MAP_LOG_ENTRIES 4096 /* most mappings of a look */
/* Most bytes of a record. */
#define MAP_LOG_RECORD (MAP_LOG_HEAD + MAP_LOG_ENTRIES * MAP_LOG_ENTRY)

/* Before them in the option of a trace.dat, as other writers may use its number. */
#define MAP_LOG_MAGIC "zed-maps"
#define MAP_LOG_MAGIC_LEN 8
#define MAP_LOG_MAX (16u << 20) /* bytes of them in a file: 30,000 processes with 15 libraries */

struct map_record {
	int32_t pid; /* 0: a file */
	uint32_t number;
	uint64_t from, seen;
	const uint8_t *p; /* LEN bytes after the head */
	uint32_t len;
};

struct map_file {
	uint32_t major, minor;
	uint64_t inode;
	const uint8_t *id;
	uint8_t id_len;
	uint16_t path_len;
	const char *path; /* not NUL-terminated */
};

struct map_entry {
	uint64_t start, end, off, base;
	uint32_t file;
};

/* A growing log; zero-initialise, free p. */
struct map_log_buf {
	uint8_t *p;
	size_t len, cap;
};

/* Add a record.  A file's path is cut at MAP_LOG_PATH. */
void map_log_put(struct map_log_buf *b, const struct map_record *r);
void map_log_put_file(struct map_log_buf *b, uint32_t number, const struct map_file *f);

/* ENTRY as bytes. */
void map_log_entry_put(uint8_t p[MAP_LOG_ENTRY], const struct map_entry *entry);

/*
 * The record at *AT of the LEN bytes at P; *AT moves past it.  False: no further complete record
 * (if *AT < LEN, the rest is invalid).
 */
bool map_log_next(const uint8_t *p, size_t len, size_t *at, struct map_record *r);

/* What R, a record of map_log_next(), has: its file, or its mapping I of map_log_count(). */
void map_log_file(const struct map_record *r, struct map_file *f);
void map_log_entry(const struct map_record *r, uint32_t i, struct map_entry *out);

static inline uint32_t map_log_count(const struct map_record *r)
{
	return r->pid ? r->len / MAP_LOG_ENTRY : 0;
}

/* The bytes of P that are complete records. */
size_t map_log_whole(const uint8_t *p, size_t len);

#endif
