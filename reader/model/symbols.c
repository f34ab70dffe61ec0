// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols: parses the texts of /proc/kallsyms and of printk_formats into a table by address, and
 * finds the symbol at an address.
 */
#include "reader/model/symbols.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A name at an address; text offsets instead of pointers would save little and cost clarity. */
struct symbol {
	uint64_t addr;
	const char *name;
	const char *module;
	unsigned line; /* order in the text: the last of equal addresses stands last */
};

struct symbols {
	struct symbol *v;
	size_t cap;
	unsigned n;
	uint64_t begin, end; /* of the kernel itself: _stext and _end, 0 where they are not told */
	struct arena names;
};

void symbols_free(struct symbols *t)
{
	if (!t)
		return;
	arena_fini(&t->names);
	free(t->v);
	free(t);
}

/* Text that is cut into lines. */
struct lines {
	const char *p, *end;
};

static bool next_line(struct lines *l, const char **line, size_t *len)
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

/* Hexadecimal digits at *P; false if there is none or they are more than 16. */
static bool hex_number(const char **p, const char *end, uint64_t *out)
{
	const char *s = *p;
	uint64_t v = 0;

	for (; s < end; s++) {
		unsigned d;

		if (*s >= '0' && *s <= '9')
			d = *s - '0';
		else if ((*s | 0x20) >= 'a' && (*s | 0x20) <= 'f')
			d = (*s | 0x20) - 'a' + 10;
		else
			break;
		if (s - *p == 16)
			return false;
		v = v << 4 | d;
	}
	if (s == *p)
		return false;
	*p = s;
	*out = v;
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static void symbol_add(struct symbols *t, uint64_t addr, const char *name, const char *module)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct symbol){ .addr = addr, .name = name, .module = module, .line = t->n };
	t->n++;
}

static void sort_symbols(struct symbols *t)
{
	unsigned i, end;

	/* /proc/kallsyms is mostly sorted; a sorted table costs one pass. */
	for (i = 1; i < t->n; i++)
		if (by_addr(&t->v[i - 1], &t->v[i]) > 0)
			break;
	if (i < t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_addr);
	/*
	 * Which of several names of one address is found is as in libtraceevent: its list is
	 * backwards.
	 */
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

/* N bytes of a name, or as many as are kept of it; CUT counts those that lose some. */
static size_t name_len(size_t n, unsigned *cut)
{
	*cut += n > SYMBOL_MAX;
	return n < SYMBOL_MAX ? n : SYMBOL_MAX;
}

/* "ffffffff81000000 T name\t[module]" */
struct symbols *symbols_kallsyms(const char *text, size_t len, struct symbols_lost *lost)
{
	struct lines l = { text, text + len };
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
		name_end = name;
		while (name_end < end && *name_end != '\t' && *name_end != ' ')
			name_end++;
		if (name == name_end || *name == '$' || type == 'A' || type == 'a')
			continue;
		m = memchr(name_end, '[', end - name_end);
		if (m && (m_end = memchr(m, ']', end - m))) {
			size_t n = name_len(m_end - m - 1, &lost->cut);

			if (!module || strlen(module) != n || memcmp(module, m + 1, n))
				module = arena_strndup(&t->names, m + 1, n);
		} else {
			m = NULL;
		}
		if (!m && name_end - name == 4 && !memcmp(name, "_end", 4))
			t->end = addr;
		if (!m && name_end - name == 6 && !memcmp(name, "_stext", 6))
			t->begin = addr;
		symbol_add(t, addr,
			   arena_strndup(&t->names, name, name_len(name_end - name, &lost->cut)),
			   m ? module : NULL);
	}
	sort_symbols(t);
	return t;
}

/* `0xffffffff82345678 : "text"`, the text with a literal \n at its end maybe */
struct symbols *symbols_printk(const char *text, size_t len, struct symbols_lost *lost)
{
	struct lines l = { text, text + len };
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
		symbol_add(t, addr, arena_strndup(&t->names, p, end - p), NULL);
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

/* The memory of a module is whole pages. */
#define MODULE_PAGE 4096

const char *symbols_kernel(const struct symbols *t, uint64_t addr, uint64_t *start, uint64_t *size,
			   const char **module)
{
	const struct symbol *sym = find_below(t, addr), *last, *next;

	if (!sym)
		return NULL;
	last = t->v + t->n - 1;
	/* Those of one address stand backwards: the first in the text is the last of them. */
	while (sym < last && sym[1].addr == sym->addr)
		sym++;
	next = sym < last && sym[1].module == sym->module ? sym + 1 : NULL;
	if (!next && sym < last && !sym->module && !t->end)
		next = sym + 1;
	*start = sym->addr;
	*module = sym->module;
	if (next)
		*size = next->addr - sym->addr;
	else if (sym->module)
		*size = ((sym->addr | (MODULE_PAGE - 1)) + 1) - sym->addr;
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

unsigned symbols_count(const struct symbols *t)
{
	return t->n;
}

const char *symbols_nth(const struct symbols *t, unsigned i, uint64_t *addr)
{
	*addr = t->v[i].addr;
	return t->v[i].name;
}
