/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_META_CHECK_H
#define ZED_RECORD_NET_SERVER_META_CHECK_H

#include "record/output.h"

/*
 * The metadata that a client sent - the beginning of a trace.dat v6 or v7, packed or not, in either
 * byte order, and not to be trusted - as the struct meta that outputs take.
 */
struct meta_check {
	struct meta meta; /* p and clock: freed by meta_check_fini() */
	bool big_endian;
	uint32_t data_off;  /* offset of the data in a sub-buffer */
	unsigned long_size; /* of the traced kernel */
	char *comms;	    /* names of its tasks as it began: lines "PID COMM\n" */
	size_t comms_len;
};

#define META_CHECK_MAX (64u << 20) /* bytes as sent, and bytes of all parts when unpacked: ... */
#define META_CHECK_FREE (1u << 20) /* ... this many are always allowed, and ... */
#define META_CHECK_RATIO 64	   /* ... this many more for each byte sent (real ratio: 6 to 20) */

/*
 * Read it from FD (borrowed, read by position).  NAME is for messages.  PAGE_SIZE is the size of
 * sub-buffers that the client declared.  Damage that is not fatal is reported to N.  -1 with E:
 * unusable.
 */
int meta_check_read(struct meta_check *r, int fd, const char *name, uint32_t page_size,
		    struct notes *n, struct err *e);
void meta_check_fini(struct meta_check *r);

#endif
