/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CHAIN_FRAME_H
#define ZED_TRACE_CHAIN_FRAME_H

#include "trace/finder.h"
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
	bool inlined;		 /* the compiler put it into the function of the next frame */
	const char *source;	 /* the source file, as the compiler had it; NULL: not known ... */
	unsigned line;		 /* ... or not asked for */
};

/* ADDRESS of EV's chain, by the symbols of its machine's kernel and programs. */
void chain_resolve(const struct event *ev, uint64_t address, bool kernel, struct chain_frame *out);

/* Are functions that were inlined, and lines of the source, asked for (--inline)? */
bool chain_has_lines(const struct event *ev);

/*
 * The functions that the code at ADDRESS of EV's program, or of the KERNEL, is of, with --inline
 * (finder.lines); CALLER: of the call that returns there.  Returns how many; 0: not known, or not
 * asked for.
 */
unsigned chain_lines(const struct event *ev, uint64_t address, bool kernel, bool caller,
		     const struct code_line **out);

/*
 * The frames of a chain of EV as they are shown, the innermost first: those of its addresses, and,
 * with --inline, before each those of the functions that were inlined there, with the same address.
 * Zero-initialise, but for the first members.
 */
struct chain_walk {
	const struct event *ev;
	struct chain chain;
	bool no_kernel, no_user; /* these are left out */
	uint64_t address;	 /* of the current frame, and whether it is the kernel's */
	bool kernel;
	uint32_t i;  /* the next address */
	bool caller; /* the current address is one that a call returns to: the call is before it */
	bool within; /* frames of it are left: ... */
	const struct code_line *lines;
	unsigned nlines, line;
};

/* The next frame; texts of F are borrowed until the next call.  False: no more. */
bool chain_walk_next(struct chain_walk *w, struct chain_frame *f);

/*
 * It as text into BUF, returned: "schedule+0x2b"; without a function "/usr/bin/x+0x1234", else
 * "0x7f00"; "min (inlined)".  The name is cut if SIZE, at least 20, is too small.
 */
#define CHAIN_TEXT_MAX 4224
const char *chain_text(const struct chain_frame *f, uint64_t address, char *buf, size_t size);

/* Its place in the source, which is known, into BUF, returned: "a.c:12"; "a.c:?" without a line. */
const char *chain_source(const struct chain_frame *f, char *buf, size_t size);

#endif
