/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_ASSEMBLE_META_H
#define ZED_RECORD_FILE_ASSEMBLE_META_H

#include "record/file/assemble.h"
#include "record/file/preamble.h"

/* For assemble.c.  The pages and their BUFFER section are written: the rest of the file. */
int tail_write(const struct assembly *a, const struct preamble *b, struct dat7_writer *w,
	       struct err *e);

#endif
