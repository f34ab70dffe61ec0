/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_SYMBOLS_H
#define ZED_TRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A table of addresses and their names, made from a text.  It keeps copies: the text may be freed.
 * What is returned is borrowed until the table is freed.
 */
struct symbols;

#define SYMBOL_MAX 511	       /* bytes of a symbol's name or its module's, as in the kernel */
#define SYMBOLS_MAX (1u << 20) /* of kallsyms; a distribution's kernel has 300,000 at most */
#define PRINTK_MAX (1u << 16)  /* trace_printk strings; a kernel has some hundreds */
#define PRINTK_LEN 4095	       /* bytes of one; the kernel prints at most 1023 */

/* Lines of a text that are not in the table unchanged. */
struct symbols_lost {
	unsigned bad;  /* they are invalid */
	unsigned more; /* they are beyond SYMBOLS_MAX or PRINTK_MAX */
	unsigned cut;  /* a name was longer than SYMBOL_MAX, a string than PRINTK_LEN: cut there */
};

/* The symbols of the LEN bytes of a /proc/kallsyms at TEXT. */
struct symbols *symbols_kallsyms(const char *text, size_t len, struct symbols_lost *lost);

/* The strings of tracefs's printk_formats, without quotes, with escapes as in the text. */
struct symbols *symbols_printk(const char *text, size_t len, struct symbols_lost *lost);

/*
 * The symbol that holds ADDR: the greatest one at or below it (an address past the last symbol
 * matches only exactly).  *START gets its address, *MODULE its module or NULL.  NULL: none.
 */
const char *symbols_at(const struct symbols *t, uint64_t addr, uint64_t *start,
		       const char **module);

/*
 * The same as the kernel finds it: of several names of an address the first in the text, nothing
 * after the kernel's own last symbol or the last of a module; *SIZE: bytes of it.
 */
const char *symbols_kernel(const struct symbols *t, uint64_t addr, uint64_t *start, uint64_t *size,
			   const char **module);

/* The name at ADDR itself, or NULL. */
const char *symbols_exact(const struct symbols *t, uint64_t addr);

/* The address of the symbol NAME, the first of several: T is searched.  False: none. */
bool symbols_address(const struct symbols *t, const char *name, uint64_t *addr);

/* How many symbols T has; *GREATEST: the greatest of their addresses, 0 if there is none. */
unsigned symbols_count(const struct symbols *t, uint64_t *greatest);

/*
 * Add MOVED, modulo 2^64, to the address of each symbol of the kernel itself: KASLR moves it as a
 * whole.  Those of modules, which are loaded one by one, are removed.
 */
void symbols_move(struct symbols *t, uint64_t moved);

void symbols_free(struct symbols *t); /* NULL is fine */

#endif
