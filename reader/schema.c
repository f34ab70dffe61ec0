// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schema: turns the texts that a recording carries of its machine - kallsyms, printk_formats,
 * saved_cmdlines - into look-ups, when the first one is made.
 */
#include "schema.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* A name at an address; text offsets instead of pointers would save little and cost clarity. */
struct symbol {
	uint64_t addr;
	const char *name;
	const char *module;
	unsigned line;		/* order in the text: the last of equal addresses stands last */
};

struct symtab {
	struct symbol *v;
	size_t cap;
	unsigned n;
	struct arena names;
};

struct comm {
	int32_t pid;
	unsigned line;
	const char *name;
};

struct comms {
	struct comm *v;		/* by pid */
	struct comm *in_order;
	size_t cap;
	unsigned n;
	struct arena names;
};

void schema_init(struct schema *s, const struct schema_ops *ops, void *arg, struct notes *notes)
{
	memset(s, 0, sizeof(*s));
	s->ops = ops;
	s->arg = arg;
	s->notes = notes;
	s->long_size = 8;
}

static void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	arena_fini(&t->names);
	free(t->v);
	free(t);
}

void schema_fini(struct schema *s)
{
	symtab_free(s->symbols);
	symtab_free(s->printk);
	if (s->comms) {
		arena_fini(&s->comms->names);
		free(s->comms->v);
		free(s->comms->in_order);
		free(s->comms);
	}
	s->symbols = s->printk = NULL;
	s->comms = NULL;
}

const char *schema_raw(struct schema *s, enum schema_text which, size_t *len)
{
	const char *p = "";
	struct err e;

	*len = 0;
	if (s->ops && s->ops->text(s->arg, which, &p, len, &e) < 0) {
		note_err(s->notes, NOTE_DAMAGE, &e);
		*len = 0;
	}
	return p;
}

/* Text cut into lines; a NUL ends it, as these texts came from C strings. */
struct lines {
	const char *p, *end;
};

static struct lines text_lines(struct schema *s, enum schema_text which)
{
	size_t len;
	const char *p = schema_raw(s, which, &len);
	const char *nul = len ? memchr(p, 0, len) : NULL;

	return (struct lines){ p, nul ? nul : p + len };
}

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
static bool hex(const char **p, const char *end, uint64_t *out)
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

static void symtab_add(struct symtab *t, uint64_t addr, const char *name, const char *module)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct symbol){ .addr = addr, .name = name, .module = module, .line = t->n };
	t->n++;
}

static void symtab_sort(struct symtab *t)
{
	unsigned i, end;

	/* /proc/kallsyms is mostly sorted; a sorted table costs one pass. */
	for (i = 1; i < t->n; i++)
		if (by_addr(&t->v[i - 1], &t->v[i]) > 0)
			break;
	if (i < t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_addr);
	/* Which of several names of one address is found is as in libtraceevent: its list is
	 * backwards. */
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

/* "ffffffff81000000 T name\t[module]" */
static void load_symbols(struct schema *s)
{
	struct lines l = text_lines(s, TEXT_KALLSYMS);
	struct symtab *t = s->symbols = mem_zalloc(sizeof(*t));
	const char *p, *module = NULL;
	size_t len;

	while (next_line(&l, &p, &len)) {
		const char *end = p + len, *name, *name_end, *m, *m_end;
		uint64_t addr;
		char type;

		if (!hex(&p, end, &addr) || end - p < 4 || *p != ' ' || p[2] != ' ')
			break;	/* as stock: what follows a line that is none is not trusted */
		type = p[1];
		name = p + 3;
		name_end = name;
		while (name_end < end && *name_end != '\t' && *name_end != ' ')
			name_end++;
		if (name == name_end || *name == '$' || type == 'A' || type == 'a')
			continue;
		m = memchr(name_end, '[', end - name_end);
		if (m && (m_end = memchr(m, ']', end - m))) {
			size_t n = m_end - m - 1;

			if (!module || strlen(module) != n || memcmp(module, m + 1, n))
				module = arena_strndup(&t->names, m + 1, n);
		} else {
			m = NULL;
		}
		symtab_add(t, addr, arena_strndup(&t->names, name, name_end - name),
			   m ? module : NULL);
	}
	symtab_sort(t);
}

/*
 * The symbol at or below ADDR, or NULL.  Of several at ADDR itself it is the one that a plain
 * bsearch() meets first, of several below it the last.
 */
static const struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
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

const char *schema_symbol(struct schema *s, uint64_t addr, uint64_t *start, const char **module)
{
	const struct symbol *sym;

	if (!s->symbols)
		load_symbols(s);
	sym = symtab_find(s->symbols, addr);
	if (!sym)
		return NULL;
	if (sym == &s->symbols->v[s->symbols->n - 1] && sym->addr != addr)
		return NULL;
	if (start)
		*start = sym->addr;
	if (module)
		*module = sym->module;
	return sym->name;
}

/* `0xffffffff82345678 : "text"`, the text with a literal \n at its end maybe */
static void load_printk(struct schema *s)
{
	struct lines l = text_lines(s, TEXT_PRINTK);
	struct symtab *t = s->printk = mem_zalloc(sizeof(*t));
	const char *p;
	size_t len;

	while (next_line(&l, &p, &len)) {
		const char *end = p + len;
		uint64_t addr;

		if (len < 2 || memcmp(p, "0x", 2))
			break;
		p += 2;
		if (!hex(&p, end, &addr))
			break;
		while (p < end && (*p == ' ' || *p == ':'))
			p++;
		if (p < end && *p == '"')
			p++;
		if (end > p && end[-1] == '"')
			end--;
		if (end - p >= 2 && end[-2] == '\\' && end[-1] == 'n')
			end -= 2;
		symtab_add(t, addr, arena_strndup(&t->names, p, end - p), NULL);
	}
	symtab_sort(t);
}

const char *schema_printk(struct schema *s, uint64_t addr)
{
	const struct symbol *sym;

	if (!s->printk)
		load_printk(s);
	sym = symtab_find(s->printk, addr);
	return sym && sym->addr == addr ? sym->name : NULL;
}

unsigned schema_printk_count(struct schema *s)
{
	if (!s->printk)
		load_printk(s);
	return s->printk->n;
}

const char *schema_printk_at(struct schema *s, unsigned i, uint64_t *addr)
{
	*addr = s->printk->v[i].addr;
	return s->printk->v[i].name;
}

static int by_pid(const void *a, const void *b)
{
	const struct comm *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* "1234 command name" */
static void load_comms(struct schema *s)
{
	struct lines l = text_lines(s, TEXT_CMDLINES);
	struct comms *c = s->comms = mem_zalloc(sizeof(*c));
	const char *p;
	size_t len;

	while (next_line(&l, &p, &len)) {
		const char *end = p + len;
		int64_t pid = 0;
		bool digits = false;

		while (p < end && *p == ' ')
			p++;
		for (; p < end && *p >= '0' && *p <= '9' && pid <= INT32_MAX; p++) {
			pid = pid * 10 + (*p - '0');
			digits = true;
		}
		if (!digits || pid > INT32_MAX || p >= end || *p != ' ')
			break;
		p++;
		if (c->n >= c->cap) {
			c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
		}
		c->v[c->n] = (struct comm){ .pid = pid, .line = c->n,
					    .name = arena_strndup(&c->names, p, end - p) };
		c->n++;
	}
	c->in_order = mem_alloc((c->n + 1) * sizeof(*c->in_order));
	if (c->n) {
		memcpy(c->in_order, c->v, c->n * sizeof(*c->v));
		qsort(c->v, c->n, sizeof(*c->v), by_pid);
	}
}

const char *schema_comm(struct schema *s, int32_t pid)
{
	unsigned lo = 0, hi;

	if (!s->comms)
		load_comms(s);
	if (!pid)
		return "<idle>";
	hi = s->comms->n;
	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (s->comms->v[mid].pid <= pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo && s->comms->v[lo - 1].pid == pid)
		return s->comms->v[lo - 1].name;
	return "<...>";
}

unsigned schema_comm_count(struct schema *s)
{
	if (!s->comms)
		load_comms(s);
	return s->comms->n;
}

const char *schema_comm_at(struct schema *s, unsigned i, int32_t *pid)
{
	*pid = s->comms->in_order[i].pid;
	return s->comms->in_order[i].name;
}
