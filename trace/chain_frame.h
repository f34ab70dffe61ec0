/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CHAIN_FRAME_H
#define ZED_TRACE_CHAIN_FRAME_H

#include "trace/unwound.h"

/*
 * The addresses of a chain without its marks: *ADDRESS and whether it is the KERNEL's, from *I (0
 * first) on; *I is moved past it.  False: no more.
 */
bool chain_next(const struct chain *c, uint32_t *i, uint64_t *address, bool *kernel);

/* What is known of an address of a chain; texts are borrowed until the next event. */
struct chain_frame {
	const char *name; /* the function; NULL: not known */
	uint64_t off;	  /* of the address in the function */
	uint64_t start,
		end; /* the function: addresses in the kernel, of a program offsets in file */
	const char *module;	 /* of the kernel; NULL: its image, or not the kernel */
	const char *file;	 /* what is mapped there; NULL: not known, or a kernel's name is */
	uint64_t file_off;	 /* of the address in it */
	const uint8_t *build_id; /* of FILE, as recorded */
	size_t build_id_len;	 /* 0: the recording has none */
};

/* ADDRESS of EV's chain, by the symbols of its machine's kernel and programs. */
void chain_resolve(const struct event *ev, uint64_t address, bool kernel, struct chain_frame *out);

/*
 * It as text into BUF, returned: "schedule+0x2b"; without a function "/usr/bin/x+0x1234", else
 * "0x7f00".  The name is cut if SIZE, at least 20, is too small.
 */
#define CHAIN_TEXT_MAX 4224
const char *chain_text(const struct chain_frame *f, uint64_t address, char *buf, size_t size);

#endif
