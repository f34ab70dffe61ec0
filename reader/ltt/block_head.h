/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LTT_BLOCK_HEAD_H
#define ZED_READER_LTT_BLOCK_HEAD_H

#include "reader/ltt/facility/facility.h"

/*
 * The two headers at the start of each block of a tracefile, versions 0.4 to 0.7: the block's and
 * the trace's.  Packed; integers are in the byte order of the traced machine, known from the magic
 * number.  Sources: the document of LTTV 0.8.5 for 0.4 on 32 bits; for the others what LTTV 0.6.9
 * to 0.8.43 read and LTTng 0.4 to 0.5 wrote.
 */
#define LTT_MAGIC 0x00D6B7EDu
#define LTT_MAX_HEAD 135	  /* bytes of both headers, the longest */
#define LTT_MAX_BLOCK (64u << 20) /* bytes; LTTng's own were 64 KiB to 2 MiB */
#define LTT_OPEN UINT32_MAX	  /* lost_size of a block that the kernel never closed */

struct ltt_version;

/* The trace header. */
struct ltt_head {
	const struct ltt_version *version;
	bool big_endian, swap;
	uint32_t arch_type, arch_variant;
	uint32_t float_order; /* in its original byte order, never swapped; 0: not stated */
	unsigned arch_size;   /* bytes of a pointer: 4 or 8 */
	bool flight, heartbeat;
	bool tsc;	      /* false: events have microseconds since their block's begin */
	unsigned told_align;  /* has_alignment as written */
	unsigned align;	      /* its meaning: 0 packed, else the maximum in bytes */
	uint64_t freq, scale; /* counter cycles per second: freq * scale */
	uint64_t start_tsc;
	uint64_t start_ns;   /* wall clock when the counter was at start_tsc */
	uint32_t block_size; /* bytes */
	unsigned first;	     /* bytes of both headers: offset of the first event */
};

/* A block's own header. */
struct ltt_block {
	uint64_t tsc;  /* when it began */
	uint64_t ns;   /* the same by the wall clock; 0.7: 0 */
	uint32_t lost; /* unused bytes at its end; LTT_OPEN: not known */
	uint32_t size;
};

/*
 * Read the headers of a file's first block, of which LEN bytes (at most LTT_MAX_HEAD) are at P.  -1
 * with E (off: bytes from P): it is not a tracefile (ERR_UNKNOWN), or not a readable one.
 */
int ltt_head_read(struct ltt_head *h, const uint8_t *p, size_t len, struct err *e);

/*
 * Read the headers of any block of that file: H->first bytes at P.  Returns -1 with E (off: bytes
 * from P) if there is no block, or its size differs.
 */
int ltt_block_read(const struct ltt_head *h, const uint8_t *p, struct ltt_block *b, struct err *e);

/* The meaning of TOLD, a has_alignment, for pointers of ARCH_SIZE bytes.  -1: invalid. */
int ltt_align_of(uint32_t told, unsigned arch_size);

const char *ltt_version_name(const struct ltt_head *h);
enum ltt_gen ltt_version_gen(const struct ltt_head *h);
bool ltt_version_is_0_7(const struct ltt_head *h);

/* "i386": the name in files of facilities for one architecture; NULL: not known. */
const char *ltt_arch_name(uint32_t arch_type);

#endif
