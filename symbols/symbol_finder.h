/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_SYMBOL_FINDER_H
#define ZED_SYMBOLS_SYMBOL_FINDER_H

#include "symbols/code_files.h"
#include "symbols/kernel_names.h"
#include "symbols/unwinder.h"

/*
 * The finder of a run: the symbols of kernels (kernel_names.h), and those of files: of programs and
 * of modules (code_files.h).
 */
struct symbol_finder {
	struct finder finder; /* what machines are given */
	struct code_files_opts o;
	struct code_files *files;
	struct unwinder *unwinder;
	struct kernel_names kernels;
};

/* Prepare F; it does not move afterwards.  O's texts are borrowed until it is freed. */
void symbol_finder_init(struct symbol_finder *f, const struct code_files_opts *o);

void symbol_finder_fini(struct symbol_finder *f); /* a zeroed one is fine */

#endif
