/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_ASSEMBLE_META_H
#define ZED_RECORD_FILE_ASSEMBLE_META_H

#include "record/file/assemble.h"

/* The metadata around the pages of an assembly, for assemble.c. */
struct beginning {
	uint8_t *p; /* freed by the owner of the struct */
	size_t len;
	struct dat7_head head;
	uint64_t done_off;
};

/* Read A's metadata from their file.  -1 with E, B->p is freed then. */
int beginning_load(struct beginning *b, const struct assembly *a, struct err *e);

/* Write its sections and options anew, as W packs them. */
int beginning_repack(const struct beginning *b, struct dat7_writer *w, struct err *e);

/* The pages and their BUFFER section are written: the rest of the file. */
int tail_write(const struct assembly *a, const struct beginning *b, struct dat7_writer *w,
	       struct err *e);

/* All of the LEN bytes at OFF of FD.  -1 with E, also where the file ends before. */
int load_at(int fd, uint8_t *p, size_t len, uint64_t off, struct err *e);

#endif
