/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_DAT_HEAD_H
#define ZED_RECORD_DAT_HEAD_H

#include "reader/dat/dat.h"
#include "base/pack/codec.h"

/* The beginning of a trace.dat v7 (format.md 1) up to its first DONE(0), in memory. */
struct dat7_head {
	bool big_endian;
	unsigned long_size; /* of the traced kernel */
	uint32_t page_size; /* sub-buffer, bytes */
	enum codec codec;
};

#define DAT7_PACKED 1 /* bit of a section's flags (format.md 1.2): it is compressed */

/*
 * Read the header and the chain of options of the beginning of a file, at P: H gets what
 * dat7_writer_resume() needs (page_size as the header has it), *DONE_OFF the offset of the DONE(0).
 * -1 with E: it is not a v7, is truncated, or the chain does not end in it.
 */
int dat7_look(const void *p, size_t len, struct dat7_head *h, uint64_t *done_off, struct err *e);

/*
 * Call GIVE with every option but DONE, in order, of a beginning that dat7_look() accepted; -1 with
 * E of GIVE ends it.
 */
int dat7_each_option(const void *p, size_t len,
		     int (*give)(void *arg, unsigned id, const uint8_t *payload, size_t size,
				 struct err *e),
		     void *arg, struct err *e);

#endif
