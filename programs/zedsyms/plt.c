// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plt: names for the stubs of a procedure linkage table, from its relocations.
 */
#include "programs/zedsyms/plt.h"

#include "programs/zedsyms/demangle.h"
#include "programs/zedsyms/lines.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define STUBS_MOST 65536
#define AFTER_MOST 64 /* bytes that may follow the stubs: those of TLS descriptors */

/* The section NAME of ELF, with its header in H; NULL: none. */
static Elf_Scn *section(Elf *elf, const char *name, GElf_Shdr *h)
{
	Elf_Scn *s = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((s = elf_nextscn(elf, s))) {
		const char *is = gelf_getshdr(s, h) ? elf_strptr(elf, names, h->sh_name) : NULL;

		if (is && !strcmp(is, name))
			return s;
	}
	return NULL;
}

/* Where stubs begin, and how many bytes each has: the psABI of each machine. */
struct stubs {
	uint64_t start, end; /* of the section */
	uint64_t head, size;
};

static bool find_stubs(Elf *elf, struct stubs *p)
{
	GElf_Ehdr e;
	GElf_Shdr h;
	/* With -z ibtplt calls are to the second table, which has no head. */
	bool second = section(elf, ".plt.sec", &h);

	if (!gelf_getehdr(elf, &e) || (!second && !section(elf, ".plt", &h)) ||
	    h.sh_type != SHT_PROGBITS)
		return false;
	*p = (struct stubs){ .start = h.sh_addr, .end = h.sh_addr + h.sh_size };
	switch (e.e_machine) {
	case EM_X86_64:
	case EM_386:
		p->size = h.sh_entsize ? h.sh_entsize : 16;
		p->head = second ? 0 : p->size;
		return true;
	case EM_AARCH64:
		p->head = 32;
		p->size = 16;
		return true;
	case EM_ARM:
		p->head = 20;
		p->size = 12;
		return true;
	}
	return false;
}

/* The relocations of a PLT, and the names that they use. */
struct relocations {
	Elf *elf;
	Elf_Data *data, *symbols;
	GElf_Word strings; /* the section of names */
	bool addends;
	unsigned n;
};

static bool find_relocations(Elf *elf, struct relocations *r)
{
	GElf_Shdr h, symbols;
	Elf_Scn *s;

	*r = (struct relocations){ .elf = elf, .addends = true };
	s = section(elf, ".rela.plt", &h);
	if (!s) {
		s = section(elf, ".rel.plt", &h);
		r->addends = false;
	}
	if (!s || h.sh_type != (r->addends ? SHT_RELA : SHT_REL) || !h.sh_entsize)
		return false;
	r->data = elf_getdata(s, NULL);
	if (h.sh_size / h.sh_entsize > STUBS_MOST)
		return false;
	r->n = (unsigned)(h.sh_size / h.sh_entsize);
	s = elf_getscn(elf, h.sh_link);
	if (!s || !gelf_getshdr(s, &symbols))
		return false;
	r->symbols = elf_getdata(s, NULL);
	r->strings = symbols.sh_link;
	return r->data && r->symbols;
}

/* The Ith one's place in memory into *AT, and its symbol's name, or NULL.  False: it is broken. */
static bool relocation(const struct relocations *r, unsigned i, uint64_t *at, const char **name)
{
	GElf_Rela rela;
	GElf_Rel rel;
	GElf_Sym sym;
	uint64_t info;

	if (r->addends ? !gelf_getrela(r->data, (int)i, &rela) :
			 !gelf_getrel(r->data, (int)i, &rel))
		return false;
	*at = r->addends ? rela.r_offset : rel.r_offset;
	info = r->addends ? rela.r_info : rel.r_info;
	*name = NULL;
	if (GELF_R_SYM(info) && gelf_getsym(r->symbols, (int)GELF_R_SYM(info), &sym))
		*name = elf_strptr(r->elf, r->strings, sym.st_name);
	return true;
}

void plt_write(Elf *elf, FILE *out)
{
	struct relocations r;
	struct stubs p;
	uint64_t at, last = 0;
	const char *name;

	if (!find_stubs(elf, &p) || !find_relocations(elf, &r))
		return;
	/* Stubs of another size, such as those with branch targets of ARM. */
	if (p.size > UINT32_MAX || p.end - p.start < p.head + r.n * p.size ||
	    p.end - p.start > p.head + r.n * p.size + AFTER_MOST)
		return;
	for (unsigned i = 0; i < r.n; i++, last = at) {
		/* In the order of their stubs; a linker that has another has other stubs, too. */
		if (!relocation(&r, i, &at, &name) || at < last)
			return;
		if (!name || !*name)
			continue;
		fprintf(out, "stub %" PRIx64 " %" PRIx64 " ", p.start + p.head + i * p.size,
			p.size);
		line_text(out, demangle(name), LINE_NAME_MOST);
		fputs("@plt\n", out);
	}
}
