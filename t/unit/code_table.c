// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_table: the function that holds an address, of functions that lie apart, beside each other
 * and within each other.  Without it an address would get its neighbour's name.
 *
 * of: symbols/code_table.c
 */
#include "symbols/code_table.h"

#include "t/lib/c/tap.h"

#include <string.h>

static struct code_table table;

static const char *name_at(uint64_t address)
{
	const struct code_entry *x = code_table_at(&table, address);

	return x ? x->name : "-";
}

static void is_at(uint64_t address, const char *name)
{
	ok(!strcmp(name_at(address), name),
	   "0x%llx: %s (else: a frame has another function's name)", (unsigned long long)address,
	   name);
}

int main(void)
{
	is_at(0x1000, "-");
	code_table_add(&table, 0x3000, 0x3010, "last");
	code_table_add(&table, 0x1000, 0x1010, "old");
	code_table_add(&table, 0x1010, 0x1020, "second");
	code_table_add(&table, 0x2000, 0x2100, "outer");
	code_table_add(&table, 0x2010, 0x2020, "within");
	code_table_add(&table, 0x1800, 0x1800, "label");
	code_table_add(&table, 0x1000, 0x1008, "first");
	code_table_add(&table, UINT64_MAX - 1, UINT64_MAX, "top");
	code_table_sort(&table);
	ok(table.n == 7, "of two at one address the later one stays");
	is_at(0xfff, "-");
	is_at(0x1000, "first");
	is_at(0x1007, "first");
	is_at(0x1008, "-");
	is_at(0x1010, "second");
	is_at(0x1020, "-");
	is_at(0x1800, "label");
	is_at(0x1801, "-");
	is_at(0x2000, "outer");
	is_at(0x2010, "within");
	is_at(0x201f, "within");
	is_at(0x2020, "outer");
	is_at(0x20ff, "outer");
	is_at(0x2100, "-");
	is_at(0x300f, "last");
	is_at(UINT64_MAX - 1, "top");
	is_at(UINT64_MAX, "-");
	code_table_fini(&table);
	return tap_done();
}
