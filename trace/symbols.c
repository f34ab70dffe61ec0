// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols: parses the texts of /proc/kallsyms and of printk_formats into a table by address, and
 * finds the symbol at an address.
 */
#include "trace/symbols.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * A name at an address; text offsets instead of pointers would save little memory and be less
 * clear.
 */
struct symbol {
	uint64_t addr;
	const char *name;
	const char *module;
};

#define NAMES_BLOCK (256u << 10) /* bytes of names that are allocated at once */

struct symbols {
	struct symbol *v;
	size_t cap;
	unsigned n;
	uint64_t begin, end; /* of the kernel itself: _stext and _end; 0: not stated */
	struct arena arena;
	char *room; /* for the next names; there are hundreds of thousands */
	size_t left;
};

void symbols_free(struct symbols *t)
{
	if (!t)
		return;
	arena_fini(&t->arena);
	free(t->v);
	free(t);
}

bool symbols_address(const struct symbols *t, const char *name, uint64_t *addr)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].name, name)) {
			*addr = t->v[i].addr;
			return true;
		}
	return false;
}

unsigned symbols_count(const struct symbols *t, uint64_t *greatest)
{
	*greatest = t->n ? t->v[t->n - 1].addr : 0;
	return t->n;
}

/* Text to split into lines. */
struct symbol_lines {
	const char *p, *end;
};

static bool next_line(struct symbol_lines *l, const char **line, size_t *len)
{
	const char *nl;

	if (l->p >= l->end)
		return false;
	nl = memchr(l->p, '\n', l->end - l->p);
	*line = l->p;
	*len = (nl ? nl : l->end) - l->p;
	l->p = nl ? nl + 1 : l->end;
	return true;
}

/* The values of hexadecimal digits, plus 1. */
static const uint8_t DIGITS[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Hexadecimal digits at *P; false if there are none or more than 16. */
static bool hex_number(const char **p, const char *end, uint64_t *out)
{
	const char *s = *p;
	uint64_t v = 0;
	uint8_t d;

	for (; s < end && (d = DIGITS[(uint8_t)*s]); s++) {
		if (s - *p == 16)
			return false;
		v = v << 4 | (d - 1);
	}
	if (s == *p)
		return false;
	*p = s;
	*out = v;
	return true;
}

/* A copy of the N bytes at S, with a NUL. */
static const char *keep(struct symbols *t, const char *s, size_t n)
{
	char *to;

	if (n >= t->left) {
		t->left = n < NAMES_BLOCK ? NAMES_BLOCK : n + 1;
		t->room = arena_alloc(&t->arena, t->left);
	}
	to = t->room;
	memcpy(to, s, n); /* arena memory is zeroed: the NUL is there */
	t->room += n + 1;
	t->left -= n + 1;
	return to;
}

static void symbol_add(struct symbols *t, uint64_t addr, const char *name, const char *module)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct symbol){ .addr = addr, .name = name, .module = module };
	t->n++;
}

/* Move the N symbols at FROM to TO by the byte of their address at SHIFT, else in their order. */
static void sort_by_byte(struct symbol *to, const struct symbol *from, unsigned n, unsigned shift)
{
	unsigned at[256] = { 0 }, sum = 0;

	for (unsigned i = 0; i < n; i++)
		at[from[i].addr >> shift & 255]++;
	for (unsigned b = 0; b < 256; b++) {
		unsigned many = at[b];

		at[b] = sum;
		sum += many;
	}
	for (unsigned i = 0; i < n; i++)
		to[at[from[i].addr >> shift & 255]++] = from[i];
}

/*
 * Sort by address, equal ones in the order of the text.  Half of /proc/kallsyms is sorted, the
 * modules' symbols are not; only about four bytes of the addresses differ, and that many radix
 * passes over the table are cheaper than a comparison sort.
 */
static void sort_by_addr(struct symbols *t)
{
	uint64_t differs = 0;
	bool sorted = true;
	struct symbol *tmp;

	for (unsigned i = 1; i < t->n; i++) {
		differs |= t->v[i].addr ^ t->v[0].addr;
		sorted &= t->v[i - 1].addr <= t->v[i].addr;
	}
	if (sorted)
		return;
	tmp = mem_alloc(t->cap * sizeof(*tmp));
	for (unsigned shift = 0; shift < 64; shift += 8) {
		struct symbol *from = t->v;

		if (!(differs >> shift & 255))
			continue;
		sort_by_byte(tmp, from, t->n, shift);
		t->v = tmp;
		tmp = from;
	}
	free(tmp);
}

static void sort_symbols(struct symbols *t)
{
	unsigned i, end;

	sort_by_addr(t);
	/* Of several names of one address libtraceevent's is found: its list is reversed. */
	for (i = 0; i < t->n; i = end) {
		for (end = i + 1; end < t->n && t->v[end].addr == t->v[i].addr; end++)
			;
		for (unsigned a = i, b = end - 1; a < b; a++, b--) {
			struct symbol tmp = t->v[a];

			t->v[a] = t->v[b];
			t->v[b] = tmp;
		}
	}
}

void symbols_move(struct symbols *t, uint64_t moved)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < t->n; i++) {
		if (t->v[i].module)
			continue;
		t->v[kept] = t->v[i];
		t->v[kept++].addr += moved;
	}
	t->n = kept;
	if (t->begin)
		t->begin += moved;
	if (t->end)
		t->end += moved;
	/* Numbers that are no addresses, such as those of per-CPU data, may pass 2^64. */
	sort_by_addr(t);
}

/* The first C from S on, or END. */
static const char *until(const char *end, const char *s, char c)
{
	const char *at = memchr(s, c, end - s);

	return at ? at : end;
}

/* N bytes of a name, or as many as are kept; CUT counts truncated names. */
static size_t name_len(size_t n, unsigned *cut)
{
	*cut += n > SYMBOL_MAX;
	return n < SYMBOL_MAX ? n : SYMBOL_MAX;
}

/* "ffffffff81000000 T name\t[module]" */
struct symbols *symbols_kallsyms(const char *text, size_t len, struct symbols_lost *lost)
{
	struct symbol_lines l = { text, text + len };
	struct symbols *t = mem_zalloc(sizeof(*t));
	const char *p, *module = NULL;

	memset(lost, 0, sizeof(*lost));
	while (next_line(&l, &p, &len)) {
		const char *end = p + len, *name, *name_end, *m, *m_end;
		uint64_t addr;
		char type;

		if (!hex_number(&p, end, &addr) || end - p < 4 || *p != ' ' || p[2] != ' ') {
			lost->bad += end < l.end; /* the last one may be cut */
			continue;
		}
		if (t->n == SYMBOLS_MAX) {
			lost->more++;
			continue;
		}
		type = p[1];
		name = p + 3;
		name_end = until(until(end, name, '\t'), name, ' ');
		if (name == name_end || *name == '$' || type == 'A' || type == 'a')
			continue;
		m = memchr(name_end, '[', end - name_end);
		if (m && (m_end = memchr(m, ']', end - m))) {
			size_t n = name_len(m_end - m - 1, &lost->cut);

			if (!module || strlen(module) != n || memcmp(module, m + 1, n))
				module = keep(t, m + 1, n);
		} else {
			m = NULL;
		}
		if (!m && name_end - name == 4 && !memcmp(name, "_end", 4))
			t->end = addr;
		if (!m && name_end - name == 6 && !memcmp(name, "_stext", 6))
			t->begin = addr;
		symbol_add(t, addr, keep(t, name, name_len(name_end - name, &lost->cut)),
			   m ? module : NULL);
	}
	sort_symbols(t);
	return t;
}

/* `0xffffffff82345678 : "text"`, the text may end with a literal \n */
struct symbols *symbols_printk(const char *text, size_t len, struct symbols_lost *lost)
{
	struct symbol_lines l = { text, text + len };
	struct symbols *t = mem_zalloc(sizeof(*t));
	const char *p;

	memset(lost, 0, sizeof(*lost));
	while (next_line(&l, &p, &len)) {
		const char *end = p + len;
		uint64_t addr;

		if (len < 2 || memcmp(p, "0x", 2) || (p += 2, !hex_number(&p, end, &addr))) {
			lost->bad += end < l.end;
			continue;
		}
		if (t->n == PRINTK_MAX) {
			lost->more++;
			continue;
		}
		while (p < end && (*p == ' ' || *p == ':'))
			p++;
		if (p < end && *p == '"')
			p++;
		if (end > p && end[-1] == '"')
			end--;
		if (end - p >= 2 && end[-2] == '\\' && end[-1] == 'n')
			end -= 2;
		if (end - p > PRINTK_LEN) {
			end = p + PRINTK_LEN;
			lost->cut++;
		}
		symbol_add(t, addr, keep(t, p, end - p), NULL);
	}
	sort_symbols(t);
	return t;
}

/*
 * The symbol at or below ADDR, or NULL.  Of several at ADDR itself it is the one that a plain
 * bsearch() meets first, of several below it the last.
 */
static const struct symbol *find_below(const struct symbols *t, uint64_t addr)
{
	unsigned lo = 0, hi = t->n;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (t->v[mid].addr == addr)
			return &t->v[mid];
		if (t->v[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &t->v[lo - 1] : NULL;
}

const char *symbols_at(const struct symbols *t, uint64_t addr, uint64_t *start, const char **module)
{
	const struct symbol *sym = find_below(t, addr);

	if (!sym)
		return NULL;
	if (sym == &t->v[t->n - 1] && sym->addr != addr)
		return NULL;
	if (start)
		*start = sym->addr;
	if (module)
		*module = sym->module;
	return sym->name;
}

/*
 * The memory of a module is whole pages.  Where a text has no _end, the kernel itself ends with the
 * page after its last symbol, as perf has it: far behind it are modules, and programs of BPF, which
 * come and go.
 */
#define MODULE_PAGE 4096

/* The last of the symbols that have the address of SYM. */
static const struct symbol *last_there(const struct symbols *t, const struct symbol *sym)
{
	const struct symbol *lo = sym, *hi = t->v + t->n;

	/* Few symbols of a kernel share an address; in a crafted text all may. */
	while (lo + 1 < hi && lo[1].addr == sym->addr) {
		const struct symbol *mid = lo + (hi - lo) / 2;

		if (mid->addr == sym->addr)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The bytes of the kernel's last symbol, which is before another, of a text without _end. */
static uint64_t until_gap(const struct symbol *sym)
{
	uint64_t most = (sym->addr | (MODULE_PAGE - 1)) + 1 + MODULE_PAGE - sym->addr;
	uint64_t gap = sym[1].addr - sym->addr;

	return gap < most ? gap : most;
}

const char *symbols_kernel(const struct symbols *t, uint64_t addr, uint64_t *start, uint64_t *size,
			   const char **module)
{
	const struct symbol *sym = find_below(t, addr), *last, *next;

	if (!sym)
		return NULL;
	last = t->v + t->n - 1;
	/* Those of one address are in reverse order: the first in the text is the last of them. */
	sym = last_there(t, sym);
	next = sym < last && sym[1].module == sym->module ? sym + 1 : NULL;
	*start = sym->addr;
	*module = sym->module;
	if (next)
		*size = next->addr - sym->addr;
	else if (sym->module)
		*size = ((sym->addr | (MODULE_PAGE - 1)) + 1) - sym->addr;
	else if (!t->end && sym < last)
		*size = until_gap(sym);
	else
		*size = t->end > sym->addr ? t->end - sym->addr : 0;
	if (!sym->module && (addr < t->begin || (t->end && addr >= t->end)))
		return NULL;
	return !next && addr != sym->addr && addr - sym->addr >= *size ? NULL : sym->name;
}

const char *symbols_exact(const struct symbols *t, uint64_t addr)
{
	const struct symbol *sym = find_below(t, addr);

	return sym && sym->addr == addr ? sym->name : NULL;
}
