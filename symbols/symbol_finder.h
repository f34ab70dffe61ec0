/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_SYMBOL_FINDER_H
#define ZED_SYMBOLS_SYMBOL_FINDER_H

#include "symbols/code_files.h"
#include "symbols/unwinder.h"

/*
 * The finder of a run: the symbols of kernels, and those of programs' files (code_files.h).  A
 * kernel's are those of the running one (kernel/running_kernel.h), else those that perf keeps with
 * its copies of programs, by build id; in both cases only if they are of the recording's boot.
 */
#define KERNELS_MOST 16		  /* tables of a run: inputs of one boot share theirs */
#define KERNEL_ID_MOST 20	  /* bytes of a build id: as long as SHA-1 */
#define KALLSYMS_MOST (64u << 20) /* bytes of a text; a distribution's kernel has 20 MiB */

struct symbol_finder {
	struct finder finder; /* what machines are given */
	struct code_files *files;
	struct unwinder *unwinder;
	struct symbols *running[2]; /* with modules, without; NULL: not asked for yet */
	struct cached_kernel {
		struct symbols *symbols;
		uint8_t build_id[KERNEL_ID_MOST];
		size_t build_id_len;
	} cached[KERNELS_MOST];
	unsigned ncached;
};

/* Prepare F; it does not move afterwards.  O's texts are borrowed until it is freed. */
void symbol_finder_init(struct symbol_finder *f, const struct code_files_opts *o);

void symbol_finder_fini(struct symbol_finder *f); /* a zeroed one is fine */

#endif
