/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_CODE_FILES_H
#define ZED_SYMBOLS_CODE_FILES_H

#include "trace/finder.h"

/*
 * The functions of programs, libraries and modules of the kernel, out of their files: each is
 * opened when an address in it is asked for first, and only used if its build id is that of the
 * recording.  Looked at, in this order:
 *
 *	the program	~/.debug and the folders of --debug-dir, by its build id (perf archive, perf
 *			buildid-cache); its path below --symfs, or, for a recording of this machine,
 *			its path
 *	its symbols	in it: .symtab, else .dynsym and .gnu_debugdata; if it has no .symtab, its
 *			debug file: by its build id or by .gnu_debuglink, beside it and in
 *			/usr/lib/debug (below --symfs, if that is given) and the folders
 *			of --debug-dir
 *	a server	of debuginfod, if the user has said so: for a program, or a debug file, that
 *			is in none of these places
 *	JIT code	the jit-PID.dump that its process had mapped (jit_code.h), else
 *			/tmp/perf-PID.map; below --symfs or of this machine
 */
#define CODE_DEBUG_DIR "/usr/lib/debug" /* where debug files are, of all machines */
#define CODE_FILES_MOST 4096		/* of a run */
#define CODE_FILE_SIZE (4ull << 30)	/* bytes of one */
#define CODE_FILES_MEMORY (1ull << 30)	/* bytes of all their tables */
#define CODE_LINES_MOST 64		/* files whose lines are asked for, a process each */
#define CODE_FILES_NS 120000000000ull	/* reading them; a browser's libraries take 3 s */

struct code_files_opts {
	const char *reader; /* the path of zedsyms; NULL: it was not built */
	const char *symfs;  /* NULL: not given */
	const char *const *debug_dirs;
	unsigned ndebug_dirs;
	const char *vmlinux; /* the kernel's image, looked at first; NULL: not given */
	const char *urls;    /* servers of debuginfod that may be asked; NULL: none */
	bool lines;	     /* lines of the source will be asked for */
	struct notes *notes;
};

struct code_files;

/* O's texts are borrowed until it is freed. */
struct code_files *code_files_new(const struct code_files_opts *o);

/*
 * The file WHAT ("kallsyms") that perf's cache has for the build id ID, to be read: that of the
 * Nth folder of build ids.  -1: it has none; -2: there is no Nth folder.
 */
int code_files_cached(const struct code_files *c, const uint8_t *id, size_t len, const char *what,
		      unsigned n);

/* finder.code */
bool code_files_at(struct code_files *c, const struct mapping *m, uint64_t address,
		   struct code_symbol *out);

/*
 * The program's file that is mapped by M, to be read; borrowed until C is freed.  It is the one
 * that names are from, or would be, if it has any.  -1: there is none, or CODE_FILES_OPEN are open.
 */
int code_files_program(struct code_files *c, const struct mapping *m);
#define CODE_FILES_OPEN 256

/* finder.lines */
unsigned code_files_lines(struct code_files *c, const struct mapping *m, bool caller,
			  const struct code_line **out);

/* Report how many files' functions are not named, and why. */
void code_files_report(const struct code_files *c);

void code_files_free(struct code_files *c); /* NULL is fine */

#endif
