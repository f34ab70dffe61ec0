/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_KERNEL_NAMES_H
#define ZED_SYMBOLS_KERNEL_NAMES_H

#include "symbols/code_files.h"

/*
 * The symbols of a recording's kernel, of these in this order:
 *
 *	the running kernel	if it is the recording's and of its boot: modules too
 *	the running kernel	if it has the recording's build id
 *	"kallsyms"		of perf's cache of that build id: ~/.debug, --debug-dir
 *	vmlinux			of that build id: that of --vmlinux, there, /usr/lib/debug, /boot,
 *				/lib/modules (below --symfs, if that is given), then a server, if
 *				the user said so
 *
 * KASLR moves a kernel as a whole: symbols of the same build but another boot are moved by the
 * difference of the symbol whose address the recording states, as perf does; those of modules are
 * left out then (a module's own file has them: code_files.h).  Without a build id in the recording
 * only the first one can be checked.
 */
#define KERNELS_MOST 16		  /* tables of a run: inputs of one boot share theirs */
#define KERNEL_ID_MOST 20	  /* bytes of a build id: as long as SHA-1 */
#define KERNEL_SYMBOL_MOST 63	  /* bytes of the symbol's name: "_text", "_stext" */
#define KALLSYMS_MOST (64u << 20) /* bytes of a text; a distribution's kernel has 20 MiB */

struct kernel_names {
	const struct code_files_opts *o;
	const struct code_files *files;
	struct symbols *running[2]; /* with modules, without; NULL: not asked for yet */
	struct kernel_of_build {
		struct symbols *symbols; /* NULL: none were found */
		uint8_t build_id[KERNEL_ID_MOST];
		size_t build_id_len;
		char symbol[KERNEL_SYMBOL_MOST + 1]; /* and where it is: which boot */
		uint64_t address;
		bool named, lined;	    /* symbols, and lines, were looked for */
		struct source_lines *lines; /* of its vmlinux; NULL: none were found */
		uint64_t ahead;		    /* to be added to an address for one of that */
	} builds[KERNELS_MOST];
	unsigned nbuilds;
};

/* Zero-initialised K for O and FILES, which are borrowed until kernel_names_fini(). */
void kernel_names_init(struct kernel_names *k, const struct code_files_opts *o,
		       const struct code_files *files);

/* finder.kernel */
int kernel_names_find(struct kernel_names *k, const struct kernel_identity *id,
		      const struct symbols **out, struct err *e);

/*
 * finder.kernel_lines: by a vmlinux, as above, that has DWARF; else by the debuginfo that a server
 * has.  Reported once, if there is none.
 */
unsigned kernel_names_lines(struct kernel_names *k, const struct kernel_identity *id,
			    uint64_t address, bool caller, const struct code_line **out);

void kernel_names_fini(struct kernel_names *k);

#endif
