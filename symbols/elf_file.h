/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_ELF_FILE_H
#define ZED_SYMBOLS_ELF_FILE_H

#include "base/err.h"
#include "symbols/code_table.h"

/*
 * What is used of one ELF file.  It is read by a process of its own, the program zedsyms, which has
 * limits of memory and time: the file may be a stranger's, and a fault of the library that reads it
 * ends that process only.
 */
#define ELF_ID_MOST 64		     /* bytes of a build id */
#define ELF_LOADS_MOST 64	     /* segments that are loaded; linkers make 2 to 6 */
#define ELF_MARKS_MOST 2	     /* _text, _stext */
#define ELF_LINK_MOST 255	     /* bytes of the name of its debug file */
#define ELF_ANSWER_MOST (256u << 20) /* bytes of an answer of zedsyms */
#define ELF_SECONDS 20		     /* for one file */
#define ELF_FETCH_SECONDS 600	     /* for one from a server */

/* A part of the file that is in memory: bytes of it from OFF on are at VADDR. */
struct elf_load {
	uint64_t off, vaddr, size;
};

/* Where a kernel's image begins, by one of the names that perf has in a recording. */
struct elf_mark {
	char name[8];
	uint64_t address;
};

struct elf_file {
	uint8_t build_id[ELF_ID_MOST];
	size_t build_id_len;	      /* 0: it has none */
	char link[ELF_LINK_MOST + 1]; /* .gnu_debuglink: the name of its debug file; "": none */
	bool has_symtab;	      /* its symbols are all of them, not only the dynamic ones */
	bool has_dwarf;		      /* it has lines of the source (source_lines.h) */
	struct elf_load loads[ELF_LOADS_MOST];
	unsigned nloads;
	struct elf_mark marks[ELF_MARKS_MOST]; /* of a vmlinux; else none */
	unsigned nmarks;
	struct code_table table; /* by virtual addresses, sorted; names are demangled */
	struct code_table stubs; /* of a PLT: "puts@plt"; names are in the text of table */
};

/*
 * Read the file FD, which stays open, by the program READER (zedsyms); a file whose build id is not
 * ID (id_len 0: any) has no symbols.  0, or -1 with E: it is not an ELF file, is broken, or takes
 * more than it may.  The addresses of a module of the kernel, which is not linked, are offsets in
 * its .text, which the kernel loads first.
 */
int elf_file_read(struct elf_file *f, const char *reader, int fd, const uint8_t *id, size_t id_len,
		  struct err *e);

/*
 * The same for the file of the build id ID that a server of URLS (blanks between them) has: WHAT is
 * "executable" or "debuginfo".  It may take ELF_FETCH_SECONDS.
 */
int elf_file_fetch(struct elf_file *f, const char *reader, const char *urls, const char *what,
		   const uint8_t *id, size_t id_len, struct err *e);

/* The virtual address of the offset OFF in the file; false: that is not loaded. */
bool elf_file_vaddr(const struct elf_file *f, uint64_t off, uint64_t *vaddr);

void elf_file_fini(struct elf_file *f);

#endif
