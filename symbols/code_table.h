/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_CODE_TABLE_H
#define ZED_SYMBOLS_CODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of one file, by address.  Zero-initialise. */
struct code_entry {
	uint64_t start, end; /* end is exclusive */
	const char *name;
};

struct code_table {
	struct code_entry *v; /* sorted by start, each start once */
	size_t n, cap;
	char *text; /* text_len bytes that hold the names; owned */
	size_t text_len;
};

#define CODE_ENTRIES_MAX (1u << 21) /* functions of one file; a browser's library has 600,000 */

/* Add one, in any order.  False: CODE_ENTRIES_MAX is reached. */
bool code_table_add(struct code_table *t, uint64_t start, uint64_t end, const char *name);

/* Sort what was added.  Of several at one address the last one added stays. */
void code_table_sort(struct code_table *t);

/* The function that holds ADDRESS: of nested ones the inner one.  NULL: none. */
const struct code_entry *code_table_at(const struct code_table *t, uint64_t address);

/* Bytes of memory. */
static inline size_t code_table_bytes(const struct code_table *t)
{
	return t->cap * sizeof(*t->v) + t->text_len;
}

void code_table_fini(struct code_table *t);

#endif
