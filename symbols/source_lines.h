/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_SOURCE_LINES_H
#define ZED_SYMBOLS_SOURCE_LINES_H

#include "base/err.h"
#include "trace/finder.h"

/*
 * Lines of the source, and functions that the compiler inlined, of one ELF file that has DWARF: a
 * process of zedsyms, which is started at the first address and stays, answers each address once.
 */
#define LINES_SECONDS 15	  /* for one answer: the first one lists the units */
#define LINES_NS 60000000000ull	  /* for all of them */
#define LINES_ANSWER_MOST 1048576 /* bytes of one */
#define LINES_MOST (1u << 20)	  /* that are kept */
#define LINES_TEXTS (1u << 18)	  /* names and files, each once */

struct source_lines;

/*
 * For the file FD, which is owned, named PATH in messages to NOTES; READER: the path of zedsyms,
 * borrowed.
 */
struct source_lines *source_lines_new(const char *reader, int fd, const char *path,
				      struct notes *notes);

/*
 * The same for the file WHAT ("executable", "debuginfo") of the build id ID, which a server of URLS
 * gave (elf_file_fetch()): it is in the cache of debuginfod's library.  URLS is borrowed.
 */
struct lines_server {
	const char *urls, *what;
	const uint8_t *id;
	size_t id_len;
};
struct source_lines *source_lines_of_server(const char *reader, const struct lines_server *from,
					    const char *path, struct notes *notes);

/*
 * The functions that the code at the virtual ADDRESS is of, the innermost first, into *OUT,
 * borrowed until the next call; their texts until S is freed.  Returns how many; 0: not known.
 */
unsigned source_lines_at(struct source_lines *s, uint64_t address, const struct code_line **out);

void source_lines_free(struct source_lines *s); /* NULL is fine */

#endif
