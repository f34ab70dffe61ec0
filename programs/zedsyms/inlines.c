// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inlines: which functions the code at an address is of, and at which lines: by the ranges that
 * DWARF has for compilation units, functions and inlined functions.
 */
#include "programs/zedsyms/inlines.h"

#include "base/mem.h"
#include "programs/zedsyms/demangle.h"
#include "programs/zedsyms/lines.h"
#include "programs/zedsyms/spans.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define INLINED_MOST 64	   /* functions at one address */
#define BLOCKS_MOST 256	   /* scopes within each other */
#define NESTED_MOST 16	   /* namespaces and types, within each other, that functions are in */
#define SPANS_MOST 4000000 /* ranges of the functions of a unit, or of all units */

/* A compilation unit, and its functions, which are listed at the first address in it. */
struct unit {
	Dwarf_Off die;
	bool listed;
	struct spans functions; /* values: offsets of their DIEs */
};

struct inlines {
	Dwarf *dwarf;
	struct unit *units;
	size_t n, cap;
	struct spans by_address; /* values: indices of units */
};

/* Add the ranges of DIE to S. */
static void add_ranges(struct spans *s, Dwarf_Die *die, uint64_t value)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t off = 0;

	while (s->n < SPANS_MOST && (off = dwarf_ranges(die, off, &base, &lo, &hi)) > 0)
		if (lo < hi)
			spans_add(s, lo, hi, value);
}

static void list_units(struct inlines *x)
{
	Dwarf_Off off = 0, next;
	size_t head;
	Dwarf_Die die;

	while (x->n < SPANS_MOST &&
	       dwarf_nextcu(x->dwarf, off, &next, &head, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(x->dwarf, off + head, &die) &&
		    dwarf_tag(&die) == DW_TAG_compile_unit) {
			x->units = mem_grow(x->units, &x->cap, x->n + 1, sizeof(*x->units));
			x->units[x->n] = (struct unit){ .die = off + head };
			add_ranges(&x->by_address, &die, x->n);
			x->n++;
		}
		/* A unit has bytes: a table of them that stands still is broken. */
		if (next <= off)
			break;
		off = next;
	}
	spans_sort(&x->by_address);
}

/* May functions be defined within a DIE of TAG? */
static bool has_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type || tag == DW_TAG_subprogram;
}

static void list_functions(struct spans *s, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth == NESTED_MOST || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			add_ranges(s, &die, dwarf_dieoffset(&die));
		if (has_functions(tag))
			list_functions(s, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* ---- one address ---- */

/* The scope within PARENT that holds ADDRESS into OUT; false: none. */
static bool inner_scope(Dwarf_Die *parent, uint64_t address, Dwarf_Die *out)
{
	if (dwarf_child(parent, out) != 0)
		return false;
	do {
		switch (dwarf_tag(out)) {
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
			if (dwarf_haspc(out, address) == 1)
				return true;
		}
	} while (dwarf_siblingof(out, out) == 0);
	return false;
}

/* The function at FUNCTIONS[0] and those inlined at ADDRESS, from the outermost on; how many. */
static unsigned find_inlined(Dwarf_Die functions[INLINED_MOST], uint64_t address)
{
	Dwarf_Die scope = functions[0], inner;
	unsigned n = 1;

	for (unsigned i = 0; i < BLOCKS_MOST && inner_scope(&scope, address, &inner); i++) {
		scope = inner;
		if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine)
			continue;
		if (n == INLINED_MOST)
			break;
		functions[n++] = scope;
	}
	return n;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &a));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a));
	if (name)
		return demangle(name);
	name = dwarf_diename(die);
	return name ? name : "";
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	return dwarf_formudata(dwarf_attr(die, name, &a), &v) == 0 ? v : 0;
}

static void write_frame(FILE *out, Dwarf_Die *function, const char *file, uint64_t line)
{
	fprintf(out, "f %" PRIu64 "\t", line);
	if (function)
		line_text(out, name_of(function), LINE_NAME_MOST);
	putc('\t', out);
	line_text(out, file ? file : "", LINE_NAME_MOST);
	putc('\n', out);
}

/* Each is at the line where the next inner one was called, the innermost where ADDRESS is. */
static void write_frames(FILE *out, Dwarf_Die *unit, Dwarf_Die *functions, unsigned n,
			 uint64_t address)
{
	Dwarf_Line *at = dwarf_getsrc_die(unit, address);
	const char *file = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
	Dwarf_Files *files = NULL;
	size_t nfiles = 0;
	int line = 0;

	if (at)
		dwarf_lineno(at, &line);
	if (dwarf_getsrcfiles(unit, &files, &nfiles) != 0)
		files = NULL;
	if (!n)
		write_frame(out, NULL, file, (unsigned)line);
	while (n--) {
		uint64_t number = number_of(&functions[n], DW_AT_call_file);

		write_frame(out, &functions[n], file, (unsigned)line);
		file = files && number < nfiles ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
		line = (int)number_of(&functions[n], DW_AT_call_line);
	}
}

static void answer(struct inlines *x, uint64_t address, FILE *out)
{
	Dwarf_Die unit, functions[INLINED_MOST];
	uint64_t index, die;
	unsigned n = 0;
	struct unit *u;

	if (!spans_find(&x->by_address, address, &index))
		return;
	u = &x->units[index];
	if (!dwarf_offdie(x->dwarf, u->die, &unit))
		return;
	if (!u->listed) {
		list_functions(&u->functions, &unit, 0);
		spans_sort(&u->functions);
		u->listed = true;
	}
	if (spans_find(&u->functions, address, &die) && dwarf_offdie(x->dwarf, die, &functions[0]))
		n = find_inlined(functions, address);
	write_frames(out, &unit, functions, n, address);
}

const char *inlines_serve(int fd, FILE *in, FILE *out)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct inlines x = { .dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL };
	char request[32];

	if (!x.dwarf)
		return dwarf_errmsg(-1);
	list_units(&x);
	while (fgets(request, sizeof(request), in)) {
		answer(&x, strtoull(request, NULL, 16), out);
		fputs(".\n", out);
		if (fflush(out))
			break;
	}
	/* The process ends now: nothing is freed one by one. */
	return NULL;
}
