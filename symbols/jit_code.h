/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_JIT_CODE_H
#define ZED_SYMBOLS_JIT_CODE_H

#include "symbols/code_files.h"

/*
 * The functions that processes compiled at run time, out of the files jit-PID.dump that they had
 * mapped (jit_dump.h): each is opened at the first address in code that no file is mapped in, below
 * the folder that programs' files of that recording are below.
 */
#define JIT_DUMPS_MOST 256	    /* of a run */
#define JIT_DUMPS_MEMORY (1u << 30) /* bytes of all tables */

struct jit_code;

struct jit_code *jit_code_new(struct notes *notes);

/*
 * The function that was at ADDRESS, mapped by M, at the time of M; ROOT: see above; NULL: none.
 * False: not known; the reason is given once for each file.
 */
bool jit_code_at(struct jit_code *j, const struct mapping *m, const char *root, uint64_t address,
		 struct code_symbol *out);

void jit_code_free(struct jit_code *j); /* NULL is fine */

#endif
