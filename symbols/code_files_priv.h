/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_CODE_FILES_PRIV_H
#define ZED_SYMBOLS_CODE_FILES_PRIV_H

#include "base/hash_index.h"
#include "symbols/code_files.h"
#include "symbols/code_table.h"
#include "symbols/elf_file.h"

/* code_files.c has all files of a run and what they answer; code_find.c finds and reads one. */

/* Why the functions of a file have no names. */
enum code_lack {
	CODE_FOUND,
	CODE_ELSEWHERE, /* of another machine, and no folder with its files was given */
	CODE_NO_READER,
	CODE_NO_ID,
	CODE_NO_FILE,
	CODE_OTHER_ID,
	CODE_BROKEN, /* reported when it was read */
	CODE_EMPTY,
	CODE_TOO_MANY,
	CODE_LACKS
};

struct code_file {
	char *file;
	int32_t pid; /* of JIT code; else 0 */
	uint8_t id[ELF_ID_MOST];
	size_t id_len;
	bool stated; /* the recording has the id; else it is that of the file */
	uint32_t major, minor;
	uint64_t inode;
	bool from_base; /* its mappings are */
	enum code_lack lack;
	uint64_t unnamed;	       /* addresses in it without a name */
	struct elf_file *elf;	       /* the program; NULL: JIT code */
	struct code_table own, *table; /* table: own, or that of elf */
	/* What is added to the program's addresses for those of the table, of its debug file. */
	uint64_t ahead, debug_ahead;
	char *shown;		    /* code_symbol.file: of JIT code, of modules; else NULL */
	struct source_lines *lines; /* NULL: it has none, or they were not asked for */
	bool debug_lines;	    /* those of its debug file */
	bool too_many;		    /* it has them, but CODE_LINES_MOST others were before it */
	bool opened;		    /* fd was asked for ... */
	int fd;			    /* ... and is the program; -1: none */
};

struct code_files {
	struct code_files_opts o;
	char *cache; /* ~/.debug; NULL: no home */
	struct jit_code *jit;
	unsigned nlines; /* files with lines */
	struct hash_index index;
	struct code_file **v;
	size_t cap;
	uint64_t bytes; /* of all tables */
	uint64_t spent; /* ns of reading files */
	int *keep; /* of the file that is needed only the head is read, and it stays open here */
	unsigned nopen;
};

/* ---- code_find.c ---- */

/* The folder that M's file is below, as recorded; NULL: it is another machine's. */
const char *code_root_of(const struct code_files *c, const struct mapping *m);

/*
 * Find and read F, of which the mapping M is: an ELF file with its debug file, or the map of code
 * that a process compiled.  Sets table, or lack.
 */
void code_find_elf(struct code_files *c, struct code_file *f, const struct mapping *m);
void code_find_map(struct code_files *c, struct code_file *f, const struct mapping *m);

/* Find F's program again, only to open it.  The caller closes it; -1: it is not there any more. */
int code_find_again(struct code_files *c, struct code_file *f, const struct mapping *m);

#endif
