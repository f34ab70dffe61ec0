// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf_symbols: what elfutils finds in one ELF file: its build id, its segments, the name of its
 * debug file, and its functions, of which one is chosen for each address, as perf chooses.
 */
#include "programs/zedsyms/elf_symbols.h"

#include "base/mem.h"
#include "programs/zedsyms/demangle.h"
#include "programs/zedsyms/open_files.h"
#include "programs/zedsyms/lines.h"
#include "programs/zedsyms/packed.h"
#include "programs/zedsyms/plt.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYMBOLS_MOST (1u << 21) /* as symbols/code_table.h */
#define ID_MOST 64		/* bytes kept of a build id */
#define LAST_SIZE 4096		/* what perf gives a last function that has no size */

struct elf_symbol {
	uint64_t start, size; /* size 0: not stated */
	uint64_t most;	      /* then: bytes up to the end of its section */
	const char *name;     /* demangled */
	unsigned number;      /* in order of the tables */
	bool weak, global;
};

struct symbol_list {
	struct elf_symbol *v;
	size_t n, cap;
};

/* ---- the file ---- */

/* The build id of MOD in digits into TEXT; "": it has none. */
static void build_id_of(Dwfl_Module *mod, char text[2 * ID_MOST + 1])
{
	const unsigned char *id;
	GElf_Addr at;
	int n = dwfl_module_build_id(mod, &id, &at);

	*text = '\0';
	for (int i = 0; i < n && i < ID_MOST; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

/* Is ELF not linked yet: a module of the kernel? */
static bool is_module(Elf *elf)
{
	GElf_Ehdr h;

	return gelf_getehdr(elf, &h) && h.e_type == ET_REL;
}

/*
 * The number of a module's .text, if that is what the kernel loads first: it loads code section by
 * section, those of initialisation apart.  On ARM, room for stubs comes before it, made when the
 * module is loaded.  0: it is not the first.
 */
static size_t first_text(Elf *elf, uint64_t *size)
{
	Elf_Scn *s = NULL;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return 0;
	while ((s = elf_nextscn(elf, s))) {
		const char *name = gelf_getshdr(s, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		if (!name || !(h.sh_flags & SHF_ALLOC) || !strncmp(name, ".init", 5))
			continue;
		if (!strcmp(name, ".text") && h.sh_size) {
			*size = h.sh_size;
			return elf_ndxscn(s);
		}
		if ((h.sh_flags & SHF_EXECINSTR && h.sh_size) || !strcmp(name, ".plt") ||
		    !strncmp(name, ".text.", 6))
			return 0;
	}
	return 0;
}

static void write_loads(Elf *elf, FILE *out)
{
	uint64_t size;
	size_t n;

	if (is_module(elf) && first_text(elf, &size))
		fprintf(out, "load 0 0 %" PRIx64 "\n", size);
	if (is_module(elf) || elf_getphdrnum(elf, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD)
			fprintf(out, "load %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", p.p_offset,
				p.p_vaddr, p.p_filesz);
	}
}

static bool has_symtab(Elf *elf)
{
	Elf_Scn *s = NULL;
	GElf_Shdr h;

	while ((s = elf_nextscn(elf, s)))
		if (gelf_getshdr(s, &h) && h.sh_type == SHT_SYMTAB && h.sh_size)
			return true;
	return false;
}

/* Also packed, in sections of these names. */
static bool has_dwarf(Elf *elf)
{
	Elf_Scn *s = NULL;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((s = elf_nextscn(elf, s))) {
		const char *name = gelf_getshdr(s, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		if (name && (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			return h.sh_type != SHT_NOBITS && h.sh_size;
	}
	return false;
}

static void write_head(Elf *elf, const char *id, FILE *out)
{
	const char *link;
	GElf_Word crc;

	if (*id)
		fprintf(out, "build-id %s\n", id);
	write_loads(elf, out);
	link = dwelf_elf_gnu_debuglink(elf, &crc);
	if (link && *link) {
		fputs("debuglink ", out);
		line_text(out, link, LINE_NAME_MOST);
		putc('\n', out);
	}
	if (has_symtab(elf))
		fputs("symtab\n", out);
	if (has_dwarf(elf))
		fputs("dwarf\n", out);
}

/* ---- symbols ---- */

/* Is the section NUMBER of ELF one of code, by its name, as for perf? */
static bool is_text(Elf *elf, GElf_Word number)
{
	Elf_Scn *s = elf_getscn(elf, number);
	const char *name;
	GElf_Shdr h;
	size_t names;

	if (!s || !gelf_getshdr(s, &h) || elf_getshdrstrndx(elf, &names) < 0)
		return false;
	name = elf_strptr(elf, names, h.sh_name);
	return name && strstr(name, "text");
}

/* A function, or a label in code, which assembler has in place of one. */
static bool is_code(const GElf_Sym *s, const char *name, Elf *elf, GElf_Word section)
{
	unsigned type = GELF_ST_TYPE(s->st_info), seen = GELF_ST_VISIBILITY(s->st_other);

	if (!name || !*name || s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* "$a", "$x", "$d" mark where ARM code and its data begin. */
	return type == STT_NOTYPE && seen != STV_HIDDEN && seen != STV_INTERNAL && *name != '$' &&
	       is_text(elf, section);
}

/* The bytes from S to the end of its section; 0: not known. */
static uint64_t until_section_end(const GElf_Sym *s, Elf *elf, GElf_Word section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr h;

	if (!scn || !gelf_getshdr(scn, &h))
		return 0;
	/* Values in a module are offsets in its sections, which elfutils has given addresses. */
	if (is_module(elf))
		h.sh_addr = 0;
	if (s->st_value < h.sh_addr)
		return 0;
	return s->st_value - h.sh_addr < h.sh_size ? h.sh_size - (s->st_value - h.sh_addr) : 0;
}

/* Where a kernel's image begins: one of these is in a recording, with its address then. */
static void write_mark(const char *name, uint64_t at, FILE *out)
{
	if (name && (!strcmp(name, "_text") || !strcmp(name, "_stext")))
		fprintf(out, "mark %" PRIx64 " %s\n", at, name);
}

static const char *take_symbols(Dwfl_Module *mod, GElf_Addr bias, struct symbol_list *l, FILE *out)
{
	int n = dwfl_module_getsymtab(mod);
	Elf *file = dwfl_module_getelf(mod, &bias);
	bool module = is_module(file);
	uint64_t text_size = 0;
	size_t text = module ? first_text(file, &text_size) : 0;

	for (int i = 1; i < n; i++) {
		GElf_Word section = 0;
		GElf_Addr at = 0;
		Elf *elf = NULL;
		GElf_Sym s;
		const char *name = dwfl_module_getsym_info(mod, i, &s, &at, &section, &elf, NULL);

		if (!module)
			write_mark(name, at - bias, out);
		if (!is_code(&s, name, elf, section) || (module && section != text))
			continue;
		if (l->n == SYMBOLS_MOST)
			return "too many symbols";
		l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
		l->v[l->n] = (struct elf_symbol){
			.start = module ? s.st_value : at - bias,
			.size = s.st_size,
			.most = s.st_size ? 0 : until_section_end(&s, elf, section),
			.name = demangle(name),
			.number = (unsigned)l->n,
			.weak = GELF_ST_BIND(s.st_info) == STB_WEAK,
			.global = GELF_ST_BIND(s.st_info) == STB_GLOBAL
		};
		l->n++;
	}
	return NULL;
}

static int by_start(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Of two names of one address, is B the better one?  The order of perf's questions. */
static bool is_better(const struct elf_symbol *b, const struct elf_symbol *a)
{
	size_t under_a = strspn(a->name, "_"), under_b = strspn(b->name, "_");

	if (!a->size != !b->size)
		return b->size;
	if (a->weak != b->weak)
		return a->weak;
	if (a->global != b->global)
		return b->global;
	if (under_a != under_b)
		return under_b < under_a;
	return strlen(b->name) > strlen(a->name);
}

/* One symbol for each address, in order of addresses. */
static void choose(struct symbol_list *l)
{
	size_t kept = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_start);
	for (size_t i = 0; i < l->n; i++) {
		if (!kept || l->v[kept - 1].start != l->v[i].start)
			l->v[kept++] = l->v[i];
		else if (is_better(&l->v[i], &l->v[kept - 1]))
			l->v[kept - 1] = l->v[i];
	}
	l->n = kept;
}

/*
 * A function without a size ends at the next one, or with its section: the stubs of a PLT, which
 * are behind _init, are not in it.
 */
static uint64_t size_of(const struct symbol_list *l, size_t i)
{
	const struct elf_symbol *s = &l->v[i];
	uint64_t gap = i + 1 < l->n ? l->v[i + 1].start - s->start : s->most;

	if (s->size)
		return s->size;
	if (gap)
		return s->most && s->most < gap ? s->most : gap;
	return ((s->start + LAST_SIZE - 1) & ~(uint64_t)(LAST_SIZE - 1)) + LAST_SIZE - s->start;
}

static const char *write_symbols(Dwfl_Module *mod, GElf_Addr bias, FILE *out)
{
	struct symbol_list l = { .v = NULL };
	const char *why = take_symbols(mod, bias, &l, out);

	choose(&l);
	for (size_t i = 0; i < l.n && !why; i++) {
		fprintf(out, "s %" PRIx64 " %" PRIx64 " ", l.v[i].start, size_of(&l, i));
		line_text(out, l.v[i].name, LINE_NAME_MOST);
		putc('\n', out);
	}
	/* The process ends now: names are not freed one by one. */
	free(l.v);
	return why;
}

const char *elf_symbols_write(int fd, const char *id, FILE *out)
{
	char is[2 * ID_MOST + 1];
	GElf_Addr bias = 0;
	const char *why;
	Dwfl_Module *mod;
	Dwfl *dwfl;
	Elf *elf;

	fd = packed_open(fd, &why);
	if (why)
		return why;
	dwfl = dwfl_begin(&OPEN_FILES);
	mod = dwfl ? dwfl_report_offline(dwfl, "file", "file", fd) : NULL;
	if (mod)
		dwfl_report_end(dwfl, NULL, NULL);
	elf = mod ? dwfl_module_getelf(mod, &bias) : NULL;
	if (!elf)
		return dwfl_errmsg(-1);
	build_id_of(mod, is);
	write_head(elf, is, out);
	if (!id || !strcmp(id, is)) {
		why = write_symbols(mod, bias, out);
		plt_write(elf, out);
	}
	dwfl_end(dwfl);
	return why;
}
